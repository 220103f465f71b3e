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
        run -1 dmlop compare --format json "$x.npy" "$y.npy"
        printf '%s' "$output" >r.json
        py "
r = json.load(open('r.json'))
assert r['equal'] is False and r['largest_ulp'] == $ulp, r
"
    done
    run -1 dmlop compare --format json i.npy f.npy
    printf '%s' "$output" >r.json
    py '
r = json.load(open("r.json"))
l = r["largest_difference"]
assert (l["index"], l["a"], l["b"], l["difference"]) == ([0], 2**63 - 1, 2.0**63,
                                                         1) and r["differ"] == 2, r
'
    # what is named as the least tolerance passes, and what is clearly below it does not
    py '
from program import dmlop

rng = np.random.default_rng(3)
for i in range(40):
    x = rng.standard_normal(5) * 10.0 ** rng.integers(-300, 300)
    y = x * (1 + rng.standard_normal(5) * 1e-3)
    np.save("x.npy", x)
    np.save("y.npy", y)
    r = json.loads(dmlop("compare", "--format", "json", "x.npy", "y.npy").stdout)
    for name, option in (("least_atol", "--atol"), ("least_rtol", "--rtol")):
        t = r[name]
        for v, want in ((t, 0), (t * (1 - 1e-15), 1)):
            got = dmlop("compare", "-q", option, repr(v), "x.npy", "y.npy").returncode
            assert got == want, (name, v, got, want)
'
    dmlop compare -q --atol 0.5 s.npy t.npy
    run -1 dmlop compare -q --atol 0.4 s.npy t.npy
    run -1 dmlop compare n.npy m.npy
    run -1 dmlop compare --format json a.npy s.npy
    printf '%s' "$output" >r.json
    py '
r = json.load(open("r.json"))
assert r["equal"] is False and r["sizes"] == [3] and r["other_sizes"] == [], r
'
}

@test "compare: tolerances are evaluated exactly, and the least ones are the least" {
    py '
import math
from fractions import Fraction
from program import dmlop

def compared(x, y, atol, rtol):
    np.save("x.npy", x)
    np.save("y.npy", y)
    limits = "--atol", repr(float(atol)), "--rtol", repr(float(rtol))
    return json.loads(dmlop("compare", "--format", "json", "x.npy", "y.npy", *limits).stdout)


def exact(v):
    return Fraction(v.item())


def passing(x, y, atol, rtol):
    a, r = Fraction(atol), Fraction(rtol)
    return sum(abs(exact(u) - exact(v)) <= a + r * abs(exact(v)) for u, v in zip(x, y))


def check(x, y, atol, rtol):
    r = compared(x, y, atol, rtol)
    assert len(x) - r["differ"] == passing(x, y, atol, rtol), (atol, rtol, x.dtype, y.dtype)
    for least, given in (("least_atol", lambda t: (t, rtol)), ("least_rtol", lambda t: (atol, t))):
        t = r[least]
        if isinstance(t, str):  # infinite
            continue
        assert passing(x, y, *given(t)) == len(x), (least, t)
        assert t == 0 or passing(x, y, *given(math.nextafter(t, 0))) < len(x), (least, t)


check(np.array([-128], "i1"), np.array([2**64 - 128], "u8"), 0.0, 1.0)
check(np.array([2**63 - 1], "i8"), np.array([2.0**63]), 0.5, 0.0)
check(np.array([1.7e308]), np.array([-1.7e308]), 0.0, 2.0)
check(np.array([1.7e308]), np.array([-1.7e308]), 1.7e308, 1.0)
check(np.array([5e-324]), np.array([1e-323]), 0.0, 0.5)
check(np.array([5e-324]), np.array([1.5e-323]), 0.0, math.nextafter(2 / 3, 0))
check(np.array([1e-200]), np.array([1e-200 * (1 + 2**-52)]), 0.0, 2.0**-52)
rng = np.random.default_rng(45)
types = ["f8", "f4", "f2", "i8", "u8", "i4"]
for i in range(60):
    a, b = types[i % 6], types[rng.integers(6)]
    scale = 2.0 ** rng.integers(-40, 40) if a[0] == b[0] == "f" else 2.0**rng.integers(8, 62)
    scale = min(scale, {"f2": 2.0**14, "i4": 2.0**29}.get(a, scale))
    scale = min(scale, {"f2": 2.0**14, "i4": 2.0**29}.get(b, scale))
    atol = [0.0, float(rng.random() * scale * 2.0 ** -rng.integers(0, 50))][i % 2]
    rtol = [0.0, float(rng.random()) * 2.0 ** -rng.integers(0, 50)][i // 2 % 2]
    y = (rng.random(200) * scale).astype(b)
    limit = [Fraction(atol) + Fraction(rtol) * exact(v) for v in y]
    ulps = rng.integers(-2, 3, 200)
    x = [float(exact(v) + l) * (1 + int(u) * 2.0**-53) for v, l, u in zip(y, limit, ulps)]
    check(np.array(x).astype(a), y, atol, rtol)
'
}
