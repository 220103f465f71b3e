"""Compares convert with NumPy for every pair of types: values that fit, refusing, clamping,
rounding to even. DMLOP is the program."""
from fractions import Fraction

import numpy as np
from program import dmlop

types = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split()
names = dict(f2="float16", f4="float32", f8="float64", i1="int8", i2="int16", i4="int32",
             i8="int64", u1="uint8", u2="uint16", u4="uint32", u8="uint64")


def run(*a):
    return dmlop("convert", *a)


def limits(t):
    if t[0] == "f":
        return None
    i = np.iinfo(t)
    return i.min, i.max


for a in types:
    if a[0] == "f":
        x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 100.25, -3, 127, 1e-7], a)
    else:
        i = np.iinfo(a)
        x = np.array([0, 1, i.max, i.max - 1, i.min, i.max // 2, i.max // 3], a)
    for order in "<>":
        np.save("x.npy", x.astype(x.dtype.newbyteorder(order)))
        for b in types:
            exact = [Fraction(float(v)) if a[0] == "f" else Fraction(int(v)) for v in x]
            if b[0] != "f":
                want = [round(v) for v in exact]
                lo, hi = limits(b)
                fits = [lo <= v <= hi for v in want]
                clamped = [min(max(v, lo), hi) for v in want]
            else:
                with np.errstate(over="ignore"):
                    want = [x.dtype.type(v).astype(b) for v in x]
                fits = [bool(np.isfinite(v)) for v in want]
                clamped = [v if f else np.finfo(b).max * (1 if e > 0 else -1)
                           for v, f, e in zip(want, fits, exact)]
            r = run("x.npy", "--dtype", names[b], "--round", "-o", "y.npy")
            if all(fits):
                assert r.returncode == 0, r
                y = np.load("y.npy")
                assert y.dtype == np.dtype(b) and [v for v in y.tolist()] == [
                    np.dtype(b).type(v).item() for v in want], (a, b, y, want)
            else:
                assert r.returncode == 3 and "at index [%d]" % fits.index(False) in r.stderr, (
                    a, b, r)
                r = run("x.npy", "--dtype", names[b], "--clamp", "-o", "y.npy")
                assert r.returncode == 0 and "%d value" % fits.count(False) in r.stderr, r
                assert np.load("y.npy").tolist() == [np.dtype(b).type(v).item()
                                                     for v in clamped], (a, b)
np.save("x.npy", np.array([np.nan, np.inf, 1e300, 65520.0, 65519.0]))
assert run("x.npy", "--dtype", "float16", "-o", "y.npy").returncode == 3
r = run("x.npy", "--dtype", "float16", "--clamp", "-o", "y.npy")
assert ("2 values" in r.stderr and "fraction" not in r.stderr
        and np.load("y.npy").tolist()[1:] == [np.inf, 65504, 65504, 65504])
r = run("x.npy", "--dtype", "int8", "--clamp", "-o", "y.npy")
assert np.load("y.npy").tolist() == [0, 127, 127, 127, 127]
h = np.arange(65536, dtype="u2").view("f2")
np.save("h.npy", h)
assert (run("h.npy", "--dtype", "float32", "-o", "s.npy").returncode == 0
        and run("s.npy", "--dtype", "float16", "-o", "g.npy").returncode == 0)
g = np.load("g.npy")
ok = np.isnan(h)
assert ((g.view("u2")[~ok] == h.view("u2")[~ok]).all() and np.isnan(g[ok]).all()
        and (np.load("s.npy")[~ok] == h[~ok].astype("f4")).all())
