"""Statistics of FLOAT64 at the ends of its range, on any number of threads. DMLOP is the
program."""
import json
from collections import Counter
from fractions import Fraction

import numpy as np
from program import printed

cases = [[1e200, -1e200], [1e-170, 3e-170], [1e308, 1e308, 1e308, -1e308],
         [1.7e308, -1.7e308, 0, 1.5], [1e308, np.nan, np.inf], [-1.7e308] * 300000 + [1.7e308],
         [5e-324, 1e-323, 0], [1e-300] * 1000 + [2e-300], [1.7e308] * 20, [2.5e-120, 3e-121]]
for c in cases:
    x = np.array(c, float)
    np.save("x.npy", x)
    out = {printed("info", "--histogram", "--format", "json", "--threads", n, "x.npy", text=False)
           for n in "123"}
    assert len(out) == 1
    t = json.loads(out.pop())["tensors"][0]
    f = {Fraction(v): n for v, n in Counter(x[np.isfinite(x)].tolist()).items()}
    total = sum(f.values())
    mean = sum(v * n for v, n in f.items()) / total
    variance = sum((v - mean) ** 2 * n for v, n in f.items()) / total
    largest = max(abs(v) for v in f)

    def near(got, want):
        assert abs(Fraction(got) - want) <= largest * Fraction(1, 10**14) + Fraction(5e-324), (
            c[:4], got, float(want))

    near(t["stats"]["mean"], mean)
    got = Fraction(t["stats"]["standard_deviation"])
    if largest > Fraction(1e-300):
        assert abs(got**2 - variance) <= largest**2 * Fraction(1, 10**13), (c[:4], float(got))
    low, high = min(f), max(f)
    counts = [0] * 16
    for v, n in f.items():
        counts[min(15, int((v - low) * 16 / (high - low))) if high > low else 0] += n
    assert t["histogram"]["counts"] == counts, (c[:4], t["histogram"], counts)
