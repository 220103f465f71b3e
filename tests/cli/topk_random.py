"""Compares topk of random arrays of every type with a stable sort. DMLOP is the program."""
import random

import numpy as np
import topk_cases
from program import printed

random.seed(3)
rng = np.random.default_rng(3)
for round in range(60):
    case = topk_cases.draw(rng, 9)
    a, axis, k, small = case.array, case.axis, case.k, case.smallest
    index_type = random.choice(["uint32", "uint64", "int64"])
    options = "--index-type", index_type, "-o", "v.npy", "--indices", "i.npy"
    printed("topk", *case.arguments, *options)
    rank = np.empty(a.shape, "i8")
    flat = np.sort(np.unique(a[~np.isnan(a)])) if a.dtype.kind == "f" else np.unique(a)
    for c in np.ndindex(a.shape):
        rank[c] = ((len(flat) if small or not case.nan_last else -1) if a[c] != a[c]
                   else np.searchsorted(flat, a[c]))
    order = np.argsort(rank if small else -rank, axis=axis, kind="stable")
    idx = np.take(order, range(k), axis=axis)
    val = np.take_along_axis(a, idx, axis)
    v, i = np.load("v.npy"), np.load("i.npy")
    assert i.dtype == index_type and (i == idx).all(), (a, axis, k, small, i, idx)
    assert v.dtype == a.dtype.newbyteorder("<") and v.tobytes() == val.astype(v.dtype).tobytes()
