"""Compares random products with exact arithmetic: all signs, scales, zero points. DMLOP is the
program."""
import random
from fractions import Fraction as F

import numpy as np
from program import printed

random.seed(5)
rng = np.random.default_rng(5)
for trial in range(40):
    ta, tb, tc = (random.choice(["i1", "u1"]) for _ in range(3))
    lead = tuple(random.randint(1, 2) for _ in range(random.randint(0, 2)))
    m, k, n = random.randint(1, 9), random.randint(1, 40), random.randint(1, 9)
    whole = lambda t, s: rng.integers(np.iinfo(t).min, np.iinfo(t).max + 1, s).astype(t)
    a, b = whole(ta, lead + (m, k)), whole(tb, lead + (k, n))
    rows, cols, orow = (random.random() < 0.5 for _ in range(3))
    pow2 = random.random() < 0.5  # powers of two make ties
    scale = lambda s: (2.0 ** rng.integers(-3, 3, s) if pow2
                       else rng.uniform(0.01, 2, s)).astype("f4")
    p = {"a-scale": scale((m, 1) if rows else ()), "b-scale": scale((n,) if cols else ()),
         "output-scale": (scale((m,) if orow else ()) * 256).astype("f4"),
         "a-zero-point": whole(ta, (m,) if rows else ()),
         "b-zero-point": whole(tb, (1, n) if cols else ()),
         "output-zero-point": whole(tc, (m, 1) if orow else ())}
    cmd = ["qmatmul", "--output-type", "int8" if tc == "i1" else "uint8", "a.npy", "b.npy", "-o",
           "c.npy", "--threads", str(random.randint(1, 3))]
    np.save("a.npy", a)
    np.save("b.npy", b)
    for name, v in p.items():
        np.save(name + ".npy", v)
        cmd += ["--" + name,
                name + ".npy" if v.ndim else repr(float(v)) if "scale" in name else str(int(v))]
    printed(*cmd)
    flat = {name: v.reshape(-1) for name, v in p.items()}
    at = lambda name, i: flat[name][i if flat[name].size > 1 else 0]
    c = np.load("c.npy")
    lo, hi = np.iinfo(tc).min, np.iinfo(tc).max
    for x in np.ndindex(lead):
        for i in range(m):
            for j in range(n):
                s = int(((a[x][i].astype("i8") - int(at("a-zero-point", i)))
                         * (b[x][:, j].astype("i8") - int(at("b-zero-point", j)))).sum())
                real = (s * F(float(at("a-scale", i))) * F(float(at("b-scale", j)))
                        / F(float(at("output-scale", i))))
                want = max(lo, min(hi, round(real) + int(at("output-zero-point", i))))
                assert c[x][i, j] == want, (trial, x, i, j, s, float(real), want, c[x][i, j])
    assert c.dtype == tc
