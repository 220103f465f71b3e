"""Compares convert --scale with NumPy, bit for bit: quantizing of all types to INT8 and UINT8, and
dequantizing of integers, with scales and zero points of any sizes that fit. DMLOP is the program,
the arguments are a seed and the number of cases."""
import sys

import numpy as np
from program import dmlop

rng = np.random.default_rng(int(sys.argv[1]))
edges = "0 -0.0 0.5 1.5 -2.5 127.5 -128.5 255.5 1e-45 -1e-45 1e-38 3.4e38 -3.4e38 inf -inf".split()
scales = np.array([0.5, 0.05, -0.25, 1, 1e-38, 1e-45, 3e38, 1 / 3, 0.1, 7], "f4")
names = dict(i1="int8", u1="uint8", f4="float32")
np.seterr(all="ignore")


def convert(x, scale, zero, to):
    for name, a in dict(x=x, s=scale, z=zero).items():
        np.save(name + ".npy", a)
    options = ["--dtype", names[to], "--scale", "s.npy", "--zero-point", "z.npy", "-o", "y.npy"]
    options += ["--threads", str(rng.integers(1, 4))]
    p = dmlop("convert", "x.npy", *options)
    assert p.returncode == 0 and not p.stderr, (p, x.shape, scale.shape, zero.shape)
    return np.load("y.npy")


def floats(shape):
    kind = rng.integers(0, 4)
    if kind == 0:
        return rng.normal(0, 10, shape).astype("f4")
    if kind == 1:  # ties of scale 1 and 0.5
        return (rng.integers(-600, 600, shape) / 2).astype("f4")
    if kind == 2:
        return rng.choice(np.array(edges, "f4"), shape)
    x = rng.integers(0, 2**32, shape, dtype=np.uint32).view("f4").copy()  # any bits
    return np.where(np.isnan(x), np.float32(1), x)


def values(large):
    shape = (3, 70, 501) if large else tuple(rng.integers(1, 7, rng.integers(0, 5)))
    x = np.asarray(floats(shape) if shape else floats((1,)).reshape(()), "f4")
    kind = rng.integers(0, 4)
    if kind == 1:
        x = x.astype("f2")
    elif kind == 2:
        x = x.astype("f8")
    elif kind == 3:
        x = np.clip(x, -2e9, 2e9).astype("i4")
    if rng.integers(0, 2) and x.ndim > 1:
        x = np.asfortranarray(x)
    return x.astype(x.dtype.newbyteorder(rng.choice(["<", ">"])))


def sizes(shape):
    """Of scales or zero points that fit, in NumPy's broadcasting and here."""
    kind = rng.integers(0, 4)
    square = len(shape) > 1 and shape[-1] == shape[-2]
    if not shape or kind == 0:
        return ()
    if kind == 1 and not square:
        return shape[-1:]
    if kind == 2 and len(shape) > 1:
        return (shape[-2], 1)
    return tuple(n if rng.integers(0, 2) else 1 for n in shape)


for case in range(int(sys.argv[2])):
    x = values(case % 25 == 0)  # some of several pieces
    scale = np.asarray(rng.choice(scales, sizes(x.shape)), "f4")
    to = rng.choice(["i1", "u1"])
    limits = np.iinfo(to)
    zero = np.asarray(rng.integers(limits.min, limits.max + 1, sizes(x.shape)))
    want = np.rint(x.astype("f4") / scale).astype("f8") + zero
    got = convert(x, scale, zero, to)
    assert got.dtype == to and got.shape == x.shape
    assert (got == np.clip(want, limits.min, limits.max)).all(), (x, scale, zero, got)

    quantized = rng.choice(["i1", "u1", "i2", "u2", "i4", "u4"])
    limits = np.iinfo(quantized)
    q = np.asarray(rng.integers(limits.min, limits.max + 1, x.shape)).astype(quantized)
    zero = np.asarray(rng.integers(limits.min, limits.max + 1, zero.shape)).astype(quantized)
    want = (q.astype("i8") - zero.astype("i8")).astype("f4") * scale
    got = convert(q, scale, zero, "f4")
    assert got.dtype == "f4" and got.tobytes() == want.tobytes(), (q, scale, zero, got)
