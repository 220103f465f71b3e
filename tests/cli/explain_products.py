"""Checks the arithmetic that qmatmul --explain shows, for every element of a product. DMLOP is the
program."""
import re
from fractions import Fraction

import numpy as np
from program import printed

rng = np.random.default_rng(2)
np.save("a.npy", rng.integers(0, 256, (2, 3, 40)).astype("u1"))
np.save("b.npy", rng.integers(-128, 128, (2, 40, 5)).astype("i1"))
np.save("sa.npy", rng.choice(np.array([0.5, 0.25, 0.001], "f4"), 3))
np.save("za.npy", rng.integers(0, 9, 3).astype("u1"))
np.save("zb.npy", rng.integers(-9, 9, 5).astype("i1"))
args = ["qmatmul", "--a-scale", "sa.npy", "--a-zero-point", "za.npy", "--b-scale", "0.5",
        "--b-zero-point", "zb.npy", "--output-scale", "8", "--output-zero-point", "3",
        "--output-type", "uint8", "a.npy", "b.npy"]
printed(*args, "-o", "c.npy")
a, b, c, sa, za, zb = (np.load(n + ".npy") for n in ("a", "b", "c", "sa", "za", "zb"))
for p in range(2):
    for i in range(3):
        for j in range(5):
            out = printed(*args, "--explain", "%d,%d,%d" % (p, i, j))
            total = int(((a[p, i].astype(int) - za[i]) * (b[p, :, j].astype(int) - zb[j])).sum())
            rows = [int(x) for x in re.findall(r"^ +\d+ .* (-?\d+)$", out, re.M)]
            more = re.search(r"^     ... 16 more, whose products add up to (-?\d+)$", out, re.M)
            assert ("sum of the products: %d\n" % total in out and len(rows) == 24
                    and sum(rows) + int(more.group(1)) == total), out
            exact = Fraction(total) * Fraction(float(sa[i])) / 16
            assert ("tie)" in out
                    and "(no tie)" not in out) == (exact.denominator == 2), (out, exact)
            result = re.search(r"^result: (?:.* = (-?\d+), within|clamped to (-?\d+),)", out, re.M)
            assert int(result.group(1) or result.group(2)) == c[p, i, j], (out, c[p, i, j])
assert printed(*args, "--explain", "0,0") == printed(*args, "--explain", "0,0,0")
