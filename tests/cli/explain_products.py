"""Checks the arithmetic that qmatmul --explain shows, for every element of a product. DMLOP is the
program."""
import os
import re
import subprocess
from fractions import Fraction

import numpy as np

D = os.environ["DMLOP"]
rng = np.random.default_rng(2)
np.save("a.npy", rng.integers(0, 256, (2, 3, 40)).astype("u1"))
np.save("b.npy", rng.integers(-128, 128, (2, 40, 5)).astype("i1"))
np.save("sa.npy", rng.choice(np.array([0.5, 0.25, 0.001], "f4"), 3))
np.save("za.npy", rng.integers(0, 9, 3).astype("u1"))
np.save("zb.npy", rng.integers(-9, 9, 5).astype("i1"))
args = [
    D, "qmatmul", "--a-scale", "sa.npy", "--a-zero-point", "za.npy", "--b-scale", "0.5",
    "--b-zero-point", "zb.npy", "--output-scale", "8", "--output-zero-point", "3", "--output-type",
    "uint8", "a.npy", "b.npy"
]
subprocess.run(args + ["-o", "c.npy"], check=True)
a, b, c, sa, za, zb = (np.load(n + ".npy") for n in ("a", "b", "c", "sa", "za", "zb"))
for p in range(2):
    for i in range(3):
        for j in range(5):
            out = subprocess.run(
                args + ["--explain", "%d,%d,%d" % (p, i, j)], capture_output=True, text=True,
                check=True
            ).stdout
            total = int(((a[p, i].astype(int) - za[i]) * (b[p, :, j].astype(int) - zb[j])).sum())
            rows = [int(x) for x in re.findall(r"^ +\d+ .* (-?\d+)$", out, re.M)]
            more = re.search(r"^     ... 16 more, whose products add up to (-?\d+)$", out, re.M)
            assert (
                "sum of the products: %d\n" % total in out
                and len(rows) == 24
                and sum(rows) + int(more.group(1)) == total
            ), out
            exact = Fraction(total) * Fraction(float(sa[i])) / 16
            assert ("tie)" in out and "(no tie)" not in out) == (exact.denominator == 2), (
                out, exact
            )
            result = re.search(r"^result: (?:.* = (-?\d+), within|clamped to (-?\d+),)", out, re.M)
            assert int(result.group(1) or result.group(2)) == c[p, i, j], (out, c[p, i, j])
assert (
    subprocess.run(args + ["--explain", "0,0"], check=True, capture_output=True).stdout
    == subprocess.run(args + ["--explain", "0,0,0"], check=True, capture_output=True).stdout
)
