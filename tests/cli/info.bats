# dmlop info: histograms and statistics, against NumPy and exact fractions.
load helper

@test "info --histogram: as NumPy counts" {
    py '
rng = np.random.default_rng(4)
np.save("x.npy", rng.standard_normal(5000))
np.save("i.npy", rng.integers(-9, 30, 4000))
np.save("c.npy", np.full(7, 3, "u1"))
'
    for x in x i c; do
        dmlop info --histogram "$x.npy" |
            sed -nE 's/^ *([-0-9.e+]+) \|(.*)\| ([0-9]+)$/\1 \3/p' >bins
        py "
x = np.load('$x.npy')
rows = [l.split() for l in open('bins')]
assert len(rows) > 4, rows
counts = [int(c) for _, c in rows]
assert sum(counts) == x.size
low, high = float(x.min()), float(x.max())
if high > low:
    want = np.histogram(x, bins=len(rows), range=(low, high))[0]
    assert np.abs(np.cumsum(counts) - np.cumsum(want)).max() <= 1, (counts, want)"
    done
}

@test "info: statistics of FLOAT64 at the ends of its range, on any number of threads" {
    py '
from fractions import Fraction
import os, subprocess

cases = [
    [1e200, -1e200],
    [1e-170, 3e-170],
    [1e308, 1e308, 1e308, -1e308],
    [1.7e308, -1.7e308, 0, 1.5],
    [1e308, np.nan, np.inf],
    [-1.7e308] * 300000 + [1.7e308],
    [5e-324, 1e-323, 0],
    [1e-300] * 1000 + [2e-300],
    [1.7e308] * 20,
    [2.5e-120, 3e-121],
]
for c in cases:
    x = np.array(c, float)
    np.save("x.npy", x)
    out = {
        subprocess.run(
            [
                os.environ["DMLOP"],
                "info",
                "--histogram",
                "--format",
                "json",
                "--threads",
                n,
                "x.npy",
            ],
            capture_output=True,
            check=True,
        ).stdout
        for n in "123"
    }
    assert len(out) == 1
    t = json.loads(out.pop())["tensors"][0]
    f = [Fraction(v) for v in x[np.isfinite(x)]]
    mean = sum(f) / len(f)
    variance = sum((v - mean) ** 2 for v in f) / len(f)
    largest = max(abs(v) for v in f)

    def near(got, want):
        assert abs(Fraction(got) - want) <= largest * Fraction(1, 10**14) + Fraction(5e-324), (
            c[:4],
            got,
            float(want),
        )

    near(t["stats"]["mean"], mean)
    got = Fraction(t["stats"]["standard_deviation"])
    if largest > Fraction(1e-300):
        assert abs(got**2 - variance) <= largest**2 * Fraction(1, 10**13), (c[:4], float(got))
    low, high = min(f), max(f)
    counts = [0] * 16
    for v in f:
        counts[min(15, int((v - low) * 16 / (high - low))) if high > low else 0] += 1
    assert t["histogram"]["counts"] == counts, (c[:4], t["histogram"], counts)
'
    py 'np.save("x.npy", np.array([np.nan, np.inf, -np.inf]))'
    run dmlop info --stats x.npy
    assert_success
    refute_output --partial mean
    py 'np.save("x.npy", np.array([1.7e308, -1.7e308]))'
    run dmlop info --histogram x.npy
    refute_output --partial inf\ 
}
