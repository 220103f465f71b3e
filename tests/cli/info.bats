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
    "$PYTHON" "$ROOT/tests/cli/info_statistics.py"
    py 'np.save("x.npy", np.array([np.nan, np.inf, -np.inf]))'
    run -0 dmlop info --stats x.npy
    refute_output --partial mean
    py 'np.save("x.npy", np.array([1.7e308, -1.7e308]))'
    run dmlop info --histogram x.npy
    refute_output --partial inf\ 
}
