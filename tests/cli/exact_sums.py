"""Compares the exact sums of qmatmul --output-dtype int32 with Python's integers: types, zero
points, batches, layouts, kernels, threads, parts; and what is said of sums beyond INT32. DMLOP is
the program."""
import json
import os
import random
import re

import numpy as np
from program import dmlop, printed

random.seed(7)
rng = np.random.default_rng(7)
version = printed("--version")
# Those that this processor can run.
(KERNELS,) = [s.split()[1:] for s in re.sub(r"\w+ \(not .*?\)", "", version).splitlines()
              if s.split()[:1] == ["qmatmul"]]


def run(*args, status=0):
    p = dmlop(*args)
    assert p.returncode == status, (args, p)
    return p


def values(kind, sizes, extreme):
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    drawn = rng.integers(low, high + 1, sizes)
    return (np.where(drawn > 0, high, low) if extreme else drawn).astype(kind)


def zeros(name, kind, sizes):
    """The options and the values of zero points: none, one, a list or a file."""
    way = random.randrange(4)
    n = max(sizes)
    z = values(kind, n if way > 1 else 1, False)
    if way == 0:
        return [], np.zeros(1, int)
    if way < 3 and n <= 256:
        return ["--%s-zero-point=%s" % (name, ",".join(map(str, z)))], z.astype(int)
    np.save(name + "z.npy", z.reshape(sizes) if z.size > 1 else z)
    return ["--%s-zero-point" % name, name + "z.npy"], z.astype(int)


def whole_numbers(a, b, za, zb):
    """By Python's integers, of any size."""
    a = a.astype(object) - za.astype(object).reshape(-1, 1)
    b = b.astype(object) - zb.astype(object).reshape(1, -1)
    return np.matmul(a, b)


def draw(sizes=None):
    lead = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    m, k, n = sizes or (random.randint(1, 30), random.randint(1, 80), random.randint(1, 70))
    ta, tb = (random.choice(["i1", "u1"]) for _ in range(2))
    a = values(ta, lead + [m, k], random.random() < 0.3)
    b = values(tb, lead + [k, n], random.random() < 0.3)
    for name, x in (("a.npy", a), ("b.npy", b)):
        np.save(name, np.asfortranarray(x) if random.random() < 0.3 else x)
    oa, za = zeros("a", ta, [m, 1])
    ob, zb = zeros("b", tb, [1, n])
    return ["qmatmul", "--output-dtype", "int32", *oa, *ob, "a.npy", "b.npy"], a, b, za, zb


LARGE = [(1, 700, 900), (9, 600, 300), (130, 70, 530), (3, 33000, 5)]
for trial in range(60):
    args, a, b, za, zb = draw(LARGE[trial] if trial < 4 else None)
    if trial < 4:
        za, zb = za.astype("i8"), zb.astype("i8")
        want = np.matmul(a.astype("i8") - za.reshape(-1, 1), b.astype("i8") - zb.reshape(1, -1))
    else:
        want = whole_numbers(a, b, za, zb)
    for kernel in KERNELS:
        run(*args, "-o", "c.npy", "--kernel", kernel, "--threads", str(random.randint(1, 4)))
        c = np.load("c.npy")
        assert c.dtype == "<i4" and c.shape == want.shape and (c == want).all(), (args, kernel)
    if trial % 4 == 0:
        run(*args, "-o", "c.json")
        assert json.load(open("c.json")) == {"DataType": "INT32", "Sizes": list(want.shape),
                                             "Values": want.tolist()}
        place = [random.randrange(s) for s in want.shape]
        said = run(*args, "--explain=" + ",".join(map(str, place))).stdout
        assert "\nresult: %d, the sum, which fits INT32\n" % want[tuple(place)] in said, said
    if trial % 4 == 1:
        axis = random.randrange(want.ndim)
        parts = min(3, want.shape[axis])
        for i in range(parts):
            cut = ["--part", "%d/%d" % (i, parts), "--part-axis", str(axis)]
            run(*args, "-o", "p.npy", *cut)
        run("join", "--remove", "p.npy.parts", "-o", "p.npy")
        assert open("p.npy", "rb").read() == open("c.npy", "rb").read(), args

# Sums beyond INT32: nothing is written; how many there are, the first of them, and its value.
K = 33026 + 10
for ta, tb, lead in (("u1", "u1", []), ("i1", "i1", [2]), ("u1", "i1", [2, 2])):
    a = np.zeros(lead + [3, K], ta)
    b = np.zeros(lead + [K, 20], tb)
    low_b, high_a = int(np.iinfo(tb).min), int(np.iinfo(ta).max)
    a[..., 1:, :] = high_a
    b[..., 3:5] = np.iinfo(tb).max
    b[..., 7] = low_b
    az = -128 if ta == "i1" else 0
    bz = 127 if tb == "i1" else 0
    b[..., 9] = bz
    np.save("a.npy", a)
    np.save("b.npy", b)
    zero = ["--a-zero-point=%d" % az, "--b-zero-point=%d" % bz]
    args = ["qmatmul", "-q", "--output-dtype=int32", *zero, "a.npy", "b.npy"]
    want = whole_numbers(a, b, np.array([az]), np.array([bz]))
    wrong = np.argwhere((want < -(2**31)) | (want > 2**31 - 1)).tolist()
    for kernel in KERNELS:
        for threads in "1", "3":
            here = ["--kernel", kernel, "--threads", threads, "-o", "w.npy"]
            p = run(*args, *here, status=3 if wrong else 0)
            if not wrong:
                assert (np.load("w.npy") == want).all()
                os.remove("w.npy")
                continue
            assert not os.path.exists("w.npy") and p.stderr == (
                "dmlop: qmatmul: %d of the %d sums %s not fit INT32; the first of them, at {%s}, "
                "is %d; give scales, or split K\n"
                % (len(wrong), want.size, "does" if len(wrong) == 1 else "do",
                   ",".join(map(str, wrong[0])), want[tuple(wrong[0])])), p.stderr
            last = want.shape[-2] - 1
            here = [w for w in wrong if w[-2] == last]
            cut = ["--part", "2/3", "--part-axis", str(want.ndim - 2), "-o", "w.npy"]
            p = run(*args, *cut, "--kernel", kernel, status=3)
            said = "%d of the %d sums of this part" % (len(here), want.size // 3)
            assert said in p.stderr and "{%s}" % ",".join(map(str, here[0])) in p.stderr, p.stderr
# Exactly the ends of INT32.
for sign in 1, -1:
    a = np.full((9, 66400), 255, "u1")
    b = np.full((66400, 1), 127 if sign > 0 else -128, "i1")
    rest = 2**31 - (sign > 0)
    a[0], b[:, 0] = 0, 0
    a[0, : rest // (255 * 127)], b[: rest // (255 * 127), 0] = 255, sign * 127
    i = rest // (255 * 127)
    rest -= i * 255 * 127
    while rest > 0:
        step = min(rest, 255)
        a[0, i], b[i, 0] = step, sign
        rest -= step
        i += 1
    a[1:] = 0
    for more in 0, 1:
        a[0, i], b[i, 0] = more, sign
        np.save("a.npy", a)
        np.save("b.npy", b)
        for kernel in KERNELS:
            p = run("qmatmul", "--output-dtype=int32", "a.npy", "b.npy", "-o", "c.npy", "--kernel",
                    kernel, status=3 * more)
            if more:
                end = sign * (2**31 - (sign > 0) + 1)
                said = "1 of the 9 sums does not fit INT32; the first of them, at {0,0}, is %d;"
                assert said % end in p.stderr, p
            else:
                assert np.load("c.npy")[0, 0] == sign * (2**31 - (sign > 0))
assert "reference" in KERNELS, (KERNELS, line)
