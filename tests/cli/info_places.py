"""dmlop info --nan against NumPy. DMLOP is the program."""
import json

import numpy as np
from program import printed

rng = np.random.default_rng(6)


def nonfinite(path):
    return json.loads(printed("info", "--nan", "--format", "json", path))["tensors"][0]["nonfinite"]


for kind in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<i4", "u1"):
    for shape in ((), (9,), (3, 4, 5), (300, 7, 11), (40000,)):
        for order in "CF":
            x = np.array(rng.integers(0, 9, shape), order=order).astype(kind)
            if x.dtype.kind == "f" and x.size:
                some = rng.integers(0, x.size, rng.integers(0, 14))
                x.ravel(order="K")
                x.flat[some] = rng.choice([np.nan, np.inf, -np.inf], len(some))
            np.save("x.npy", x)
            got = nonfinite("x.npy")
            assert got["nan"] == np.isnan(x).sum(), (kind, shape, got)
            assert got["inf"] == np.isposinf(x).sum() and got["-inf"] == np.isneginf(x).sum()
            bad = ~np.isfinite(x)
            places = [list(map(int, p)) for p in np.argwhere(bad)[:10]]
            values = [repr(float(v)) for v in x[bad][:10]]
            assert [p["index"] for p in got["first"]] == places, (kind, shape, order, got)
            assert [p["value"] for p in got["first"]] == values, got
