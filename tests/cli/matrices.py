"""Compares products of vectors, broadcast batches and transposed weights with NumPy's matmul of
whole numbers: every kernel, threads, parts, descriptors, models, --explain. The file `kernels`
lists the kernels; ! is after one that does not run here. DMLOP is the program."""
import json
import os
import random
import shutil
from fractions import Fraction
from program import printed

import numpy as np

random.seed(46)
rng = np.random.default_rng(46)
kernels = [k for k in open("kernels").read().split() if not k.endswith("!")] + ["auto"]


def whole(t, shape):
    return rng.integers(np.iinfo(t).min, np.iinfo(t).max, shape, t, endpoint=True)


def shapes():
    """Sizes of A and B that NumPy's matmul accepts."""
    k, deepest = random.choice([1, 2, 5, 40, 300]), random.choice([2, 3, 4, 5])
    batch = [random.randint(1, 3) for _ in range(deepest - 2)]
    lead = lambda: [random.choice([1, s]) for s in batch[random.randint(0, len(batch)) :]]
    a = [k] if random.random() < 0.25 else lead() + [random.choice([1, 3, 9, 20]), k]
    b = [k] if random.random() < 0.25 else lead() + [k, random.choice([1, 2, 17, 40])]
    return a, b


def options(m, n, ta, tb, tc):
    """Scales and zero points, as numbers and files of any numeric type."""
    one = {}
    for name, lanes, t in (("a", m, ta), ("b", n, tb), ("output", m, tc)):
        size = random.choice([(), (1,), (lanes,), (1, lanes) if name == "b" else (lanes, 1)])
        scale = 2.0 ** rng.integers(-2, 3, size) * (2.0**9 if name == "output" else 1)
        one[name + "-scale"] = np.asarray(scale, random.choice(["f2", "f4", "f8"]))
        size = random.choice([(), (lanes,), (1, lanes) if name == "b" else (lanes, 1)])
        zero = np.asarray(whole(t, size))
        one[name + "-zero-point"] = zero.astype(random.choice([t, "i8", "f4"]))
    return one


def lane(v, i):
    return v.reshape(-1)[i if v.size > 1 else 0]


def quantize(sums, p, rows, columns, tc):
    """Of a matrix of exact sums, by fractions."""
    out = np.empty(sums.shape, tc)
    i = np.iinfo(tc)
    for at in np.ndindex(sums.shape):
        r, c = at[-2], at[-1]
        q = Fraction(int(sums[at]))
        q *= Fraction(float(lane(p["a-scale"], r))) * Fraction(float(lane(p["b-scale"], c)))
        q /= Fraction(float(lane(p["output-scale"], r)))
        out[at] = min(max(round(q) + int(lane(p["output-zero-point"], r)), i.min), i.max)
    return out


for trial in range(90 if os.environ.get("EXPENSIVE") else 30):
    ta, tb, tc = (random.choice(["i1", "u1"]) for _ in range(3))
    sa, sb = shapes()
    a, b = whole(ta, sa), whole(tb, sb)
    m, n = 1 if a.ndim == 1 else sa[-2], 1 if b.ndim == 1 else sb[-1]
    transpose = b.ndim > 1 and random.random() < 0.4
    np.save("a.npy", np.asarray(a, order=random.choice("CF")))
    stored = np.swapaxes(b, -1, -2) if transpose else b
    np.save("b.npy", np.asarray(stored, order=random.choice("CF")))
    p = options(m, n, ta, tb, tc)
    more = ["--transpose-b"] if transpose else []
    run = ["--kernel", random.choice(kernels), "--threads", random.randint(1, 3), "--no-sync"]
    for name, v in p.items():
        np.save(name + ".npy", v)
    za, zb = p["a-zero-point"].astype("i8"), p["b-zero-point"].astype("i8")
    wide_a = a.astype("i8").reshape(a.shape if a.ndim > 1 else (1, -1)) - za.reshape(-1, 1)
    wide_b = b.astype("i8").reshape(b.shape if b.ndim > 1 else (-1, 1)) - zb.reshape(1, -1)
    full = wide_a @ wide_b
    shape = np.matmul(a.astype("i8"), b.astype("i8")).shape
    zeros = ["--a-zero-point", "a-zero-point.npy", "--b-zero-point", "b-zero-point.npy"]
    by = [x for name in p for x in ("--" + name, name + ".npy")]

    # exact sums
    sums = ["qmatmul", *zeros, *more, *run, "--output-dtype", "int32", "a.npy", "b.npy"]
    printed(*sums, "-o", "c.npy")
    c = np.load("c.npy")
    assert c.shape == shape and c.dtype == np.int32, (sa, sb, c.shape, shape)
    assert (c == full.reshape(shape)).all(), (sa, sb, transpose, run)

    # scaled, with the descriptor and the same files again
    tail = ["a.npy", "b.npy", "--output-dtype", "int8" if tc == "i1" else "uint8"]
    want = quantize(full, p, m, n, tc)
    printed("qmatmul", *by, *more, *run, *tail, "-o", "y.npy", "--emit-descriptor=d.json")
    y = np.load("y.npy")
    assert y.shape == shape and (y == want.reshape(shape)).all(), (sa, sb, transpose, run)
    if full.ndim <= 4:
        printed("validate", "--quiet", "d.json")
        printed("qmatmul", "-d", "d.json", *by, *run, "a.npy", "b.npy", "-o", "z.npy")
        assert (np.load("z.npy") == want).all()
        if full.shape == shape:
            assert open("y.npy", "rb").read() == open("z.npy", "rb").read()
        if full.size < 200 and a.size + b.size < 3000:
            printed("qmatmul", *by, *more, *tail, "--emit-model=m.json")
            out = printed("run", "m.json")
            assert ", ".join(map(str, want.reshape(-1))) in out, out

    # in parts
    if shape:
        axis = random.randrange(len(shape))
        parts = random.randint(1, shape[axis])
        for i in random.sample(range(parts), parts):
            part = ["--part", "%d/%d" % (i, parts), "--part-axis", axis]
            printed("qmatmul", *by, *more, *run, *tail, "-o", "p.npy", *part)
        printed("join", "p.npy.parts")
        assert open("y.npy", "rb").read() == open("p.npy", "rb").read(), (sa, sb, axis, parts)
        shutil.rmtree("p.npy.parts")

    # one element
    at = [random.randrange(s) for s in shape] or [0, 0]
    shown = printed("qmatmul", *by, *more, *tail, "--explain", ",".join(map(str, at)))
    value = int(y[tuple(at)] if shape else y)
    assert "result: clamped to %d," % value in shown or " = %d, within" % value in shown, shown
