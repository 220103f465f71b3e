# dmlop compare: last places, least tolerances, kinds of numbers.
load helper

@test "compare: last places of doubles and halves, integers and floats, least tolerances, scalars" {
    py '
a = np.array([1.0, 2.0, -3.0])
b = a.copy()
b[1] = np.nextafter(np.nextafter(2.0, 3), 3)
np.save("a.npy", a)
np.save("b.npy", b)
h = np.array([1.0, 2.0], "f2")
g = h.copy()
g[0] = np.nextafter(np.float16(1), np.float16(0))
np.save("h.npy", h)
np.save("g.npy", g)
np.save("i.npy", np.array([2**63 - 1, -5], "i8"))
np.save("f.npy", np.array([2.0**63, -4.5]))
np.save("s.npy", np.float32(1))
np.save("t.npy", np.float32(1.5))
np.save("n.npy", np.array([1, np.nan, np.inf]))
np.save("m.npy", np.array([2, np.nan, 3]))
'
    for pair in "a b 2" "h g 1"; do
        read -r x y ulp <<<"$pair"
        run dmlop compare --format json "$x.npy" "$y.npy"
        assert_failure 1
        printf '%s' "$output" >r.json
        py "
r = json.load(open('r.json'))
assert r['equal'] is False and r['largest_ulp'] == $ulp, r
"
    done
    run dmlop compare --format json i.npy f.npy
    assert_failure 1
    printf '%s' "$output" >r.json
    py '
r = json.load(open("r.json"))
l = r["largest_difference"]
assert (l["index"], l["a"], l["b"], l["difference"]) == ([0], 2**63 - 1, 2.0**63, 1) and r[
    "differ"
] == 2, r
'
    # what is named as the least tolerance passes, and what is clearly below it does not
    py '
import subprocess, os

rng = np.random.default_rng(3)
for i in range(40):
    x = rng.standard_normal(5) * 10.0 ** rng.integers(-300, 300)
    y = x * (1 + rng.standard_normal(5) * 1e-3)
    np.save("x.npy", x)
    np.save("y.npy", y)
    r = json.loads(
        subprocess.run(
            [os.environ["DMLOP"], "compare", "--format", "json", "x.npy", "y.npy"],
            capture_output=True,
            text=True,
        ).stdout
    )
    for name, option in (("least_atol", "--atol"), ("least_rtol", "--rtol")):
        t = r[name]
        for v, want in ((t, 0), (t * (1 - 1e-15), 1)):
            got = subprocess.run(
                [os.environ["DMLOP"], "compare", "-q", option, repr(v), "x.npy", "y.npy"]
            ).returncode
            assert got == want, (name, v, got, want)
'
    dmlop compare -q --atol 0.5 s.npy t.npy
    run dmlop compare -q --atol 0.4 s.npy t.npy
    assert_failure 1
    run dmlop compare n.npy m.npy
    assert_failure 1
    run dmlop compare --format json a.npy s.npy
    assert_failure 1
    printf '%s' "$output" >r.json
    py '
r = json.load(open("r.json"))
assert r["equal"] is False and r["sizes"] == [3] and r["other_sizes"] == [], r
'
}
