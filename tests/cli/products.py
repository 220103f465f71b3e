"""Compares products over several blocks of K with NumPy. The file `kernels` lists the kernels; ! is
after one that does not run here. DMLOP is the program."""

import numpy as np
from program import printed

rng = np.random.default_rng(21)
kernels = [k for k in open("kernels").read().split() if not k.endswith("!")] + ["auto"]


def draw(t, shape, small):
    i = np.iinfo(t)
    lo, hi = (max(i.min, -60), 60) if small else (i.min, i.max)
    return rng.integers(lo, hi, shape, t, endpoint=True)


for m, k, n in ((40, 3000, 37), (33, 9001, 20), (3, 5000, 64)):
    for ta in ("u1", "i1"):
        for tb in ("u1", "i1"):
            for small_a, small_b in ((1, 1), (0, 1), (1, 0), (0, 0)):
                a, b = draw(ta, (m, k), small_a), draw(tb, (k, n), small_b)
                np.save("a.npy", a)
                np.save("b.npy", b)
                s = a.astype("i8") @ b.astype("i8")
                shift = max(0, int(np.abs(s).max()).bit_length() - 8)
                want = np.clip(np.rint(s / 2.0**shift), *((0, 255) if ta == "u1" else (-128, 127)))
                for kernel in kernels if m > 3 and ta == "u1" else ["auto", "reference"]:
                    for threads in ("1", "3"):
                        printed(*"qmatmul a.npy b.npy --a-scale 1 --b-scale 1 -o c.npy".split(),
                                "--no-sync", "--output-scale", 2.0**shift, "--kernel", kernel,
                                "--threads", threads)
                        c = np.load("c.npy")
                        assert (c == want).all(), (m, k, n, ta, tb, small_a, small_b, kernel,
                                                   threads)
