"""What `dmlop show` prints in full is read again, also with braces and CRLF. DMLOP is
the program."""

import numpy as np
from program import printed

SHAPES = [(), (0,), (2, 0, 3), (5,), (2, 3), (2, 1, 3, 4), (2, 2, 2, 2, 2), (1,) * 8]
rng = np.random.default_rng(2)


def check(x, text):
    printed("convert", "--no-sync", "-", "-o", "y.npy", input=text, text=False)
    y = np.load("y.npy")
    assert y.dtype == x.dtype and y.shape == x.shape, (x.dtype, x.shape, y.dtype, y.shape)
    assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
    if x.dtype.kind == "f":
        assert (np.signbit(x) == np.signbit(y))[~np.isnan(x)].all()


for t in "f8 f4 f2 i8 u8 i4 u4 i2 u2 i1 u1 ?".split():
    for shape in SHAPES:
        n = int(np.prod(shape))
        if t == "?":
            x = rng.integers(0, 2, shape).astype("?")
        else:
            x = np.frombuffer(rng.bytes(n * int(t[1])), dtype=t).reshape(shape).copy()
        if t[0] == "f" and n > 3:
            x.flat[:4] = [np.nan, np.inf, -np.inf, -0.0]
        if t[0] in "iu" and n > 1:
            x.flat[:2] = [np.iinfo(t).min, np.iinfo(t).max]
        name = "a b: (x).npy"
        np.save(name, x)
        s = printed("show", "--all", name, text=False)
        for text in s, s.replace(b"\n", b"\r\n"):
            check(x, text)
        title, values = s.split(b"\n", 1)
        check(x, title + b"\n" + values.replace(b"[", b"{").replace(b"]", b"}"))
        check(x, title.replace(b": (Sizes", b":\n(Sizes").replace(b", D", b",\nD") + b"\n" + values)
