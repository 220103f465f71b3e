"""CSV is read as numpy.loadtxt reads it, and comes back to the same bits. DMLOP is the program."""

import numpy as np
from program import printed

TYPES = {"f8": "float64", "f4": "float32", "f2": "float16", "i8": "int64", "u8": "uint64",
         "i4": "int32", "u1": "uint8"}
rng = np.random.default_rng(1)


def convert(*args, **options):
    printed("convert", "--no-sync", *args, text=False, **options)


def same(x, y):
    assert x.dtype == y.dtype and x.shape == y.shape, (x.dtype, x.shape, y.dtype, y.shape)
    if x.dtype.kind == "f":
        nan = np.isnan(x)
        assert np.isnan(y[nan]).all()
        x, y = x[~nan], y[~nan]
    assert x.tobytes() == y.tobytes()


for t, name in TYPES.items():
    for shape in [(7,), (5, 3), (300, 40), (1, 9), (9, 1), (1, 1), (1,), ()]:
        n = int(np.prod(shape))
        x = np.frombuffer(rng.bytes(n * int(t[1])), dtype=t).reshape(shape).copy()
        if t[0] == "f":
            x[~np.isfinite(x)] = 0
        if t[0] == "f" and n > 3:
            x.flat[:3] = [np.nan, -np.inf, -0.0]
        np.save("x.npy", x)
        for extension, delimiter in (("csv", ","), ("tsv", "\t")):
            file = "x." + extension
            convert("x.npy", "-o", file)
            convert(file, "--dtype", name, "-o", "y.npy")
            same(x.squeeze(), np.load("y.npy"))
            read = np.loadtxt(file, delimiter=delimiter, dtype=x.dtype)
            same(x.squeeze(), read)
            if t in ("f8", "i8") and n > 1:  # the type is seen
                with open(file, "rb") as f:
                    convert("-", "-o", "y.npy", stdin=f)
                same(x.squeeze(), np.load("y.npy"))

whole = np.arange(6.0).reshape(2, 3)  # a FLOAT64 stays one
np.save("x.npy", whole)
convert("x.npy", "-o", "x.csv")
convert("x.csv", "-o", "y.npy")
same(whole, np.load("y.npy"))

for x in rng.normal(size=(50, 7)), rng.integers(-9, 9, (20, 4)), rng.normal(size=9).astype("f4"):
    for fmt in "%.18e", "%g", "%+.3e", "%010.5f", "%d":
        for delimiter in " ", ",", ";", "\t", ", ":
            for header in "", "a b", "x,y":
                np.savetxt("x.txt", x, fmt=fmt, delimiter=delimiter, header=header, footer="end")
                convert("x.txt", "--dtype", "float64", "-o", "y.npy")
                by = delimiter.strip() or (None if delimiter == " " else delimiter)
                same(np.loadtxt("x.txt", delimiter=by), np.load("y.npy"))
