# --explain of slice, topk and qmatmul: how one element of the output comes about.
load helper

@test "what --explain prints, whole" {
    golden explain
}

@test "slice: the value is the one that is computed, from files, pipes and every type" {
    py '
import os, random, subprocess

random.seed(4)
rng = np.random.default_rng(4)
D = os.environ["DMLOP"]
for trial in range(60):
    t = random.choice(
        ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i8"]
    )
    shape = tuple(random.randint(1, 6) for _ in range(random.randint(1, 5)))
    a = rng.integers(0, 256, shape + (np.dtype(t).itemsize,), dtype="u1")
    a = (a & 1 if t == "?" else a).view(t)[..., 0]
    np.save("a.npy", np.asfortranarray(a) if random.random() < 0.3 else a)
    spec = ",".join(random.choice(["::-1", "::2", ":", "::-3", "-1:"]) for _ in shape)
    want = eval("a[" + spec + "]")
    c = tuple(random.randrange(s) for s in want.shape)
    write = [x if random.random() < 0.7 else x - n for x, n in zip(c, want.shape)]
    piped = random.random() < 0.3
    out = subprocess.run(
        [
            D,
            "slice",
            "--index",
            spec,
            "--explain",
            " ".join(map(str, write)),
            "-" if piped else "a.npy",
        ],
        stdin=open("a.npy"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    last = out.splitlines()[-1].split(" = ")
    text = lambda c: "[" + ",".join(map(str, c)) + "]"
    assert last[0] == "Output" + text(c), out
    source = tuple(eval(last[1][5:]))
    assert a[source].tobytes() == want[c].tobytes(), out
    v = want[c]
    kind = np.dtype(t).newbyteorder("=").type
    assert (
        kind(int(last[2]) if last[2].lstrip("-").isdigit() else float(last[2])) == v
        or last[2] == "nan"
        and v != v
    ), (out, v)
    for i, line in enumerate(out.splitlines()[3:-1]):
        left, right = line.rsplit("  ", 1)[1].split(" = ")
        assert eval(left) == int(right) == source[i], out
'
}

@test "topk: value, index and counts of random elements of every type, against a stable sort" {
    py '
import os, random, re, subprocess

random.seed(6)
rng = np.random.default_rng(6)
D = os.environ["DMLOP"]
for trial in range(60):
    t = random.choice(
        ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">i2"]
    )
    shape = tuple(random.randint(1, 7) for _ in range(random.randint(1, 4)))
    far = random.random() < 0.5
    a = rng.integers(-4 if np.dtype(t).kind != "u" else 0, 5, shape).astype(t)
    if far:
        a = (a * (13 if np.dtype(t).itemsize < 2 else 6000)).astype(t)
    if np.dtype(t).kind == "f":
        a[rng.random(shape) < 0.1] = np.nan
        a[rng.random(shape) < 0.1] = -0.0
        a[rng.random(shape) < 0.1] = -np.inf
    axis = random.randint(-len(shape), len(shape) - 1)
    k = random.randint(1, shape[axis])
    small = random.random() < 0.5
    np.save("a.npy", np.asfortranarray(a) if random.random() < 0.3 else a)
    last = random.random() < 0.4
    args = [
        D,
        "topk",
        "-k",
        str(k),
        f"--axis={axis}",
        "--smallest" if small else "--largest",
        "--nan",
        "last" if last else "greatest",
        "a.npy",
    ]
    subprocess.run(args + ["-o", "v.npy", "--indices", "i.npy"], check=True)
    v, i = np.load("v.npy"), np.load("i.npy")
    c = tuple(random.randrange(s) for s in v.shape)
    out = subprocess.run(
        args + ["--explain", ",".join(map(str, c))], capture_output=True, text=True, check=True
    ).stdout
    assert int(out.splitlines()[-1].split(" = ")[1]) == i[c], out
    value = out.splitlines()[-2].split(" = ")[2]
    assert (
        v.dtype.type(int(value) if value.lstrip("-").isdigit() else float(value)) == v[c]
        or value == "nan"
        and v[c] != v[c]
    ), out
    source = list(c)
    source[axis] = slice(None)
    seq = a[tuple(source)].tolist()
    key = lambda x: ((x != x) * (1 if small or not last else -1), 0 if x != x else x)
    me = key(seq[i[c]])
    first = [x for x in seq if (key(x) < me if small else key(x) > me)]
    assert (", NaN last\n" in out) == last, out
    assert not last or "NaN counts as above every number" not in out, out
    equal = [j for j, x in enumerate(seq) if key(x) == me]
    m = re.search(
        r"^before it: (\d+) \w+(?: \((\d+) NaN\))?"
        r" \+ (\d+) equal with a lower index = (\d+), its rank$",
        out,
        re.M,
    )
    assert [int(x or 0) for x in m.groups()] == [
        len(first),
        sum(x != x for x in first),
        equal.index(i[c]),
        c[axis],
    ], out
    ties = re.search(r"^ties: (\d+) other", out, re.M)
    assert int(ties.group(1) if ties else 0) == len(equal) - 1, out
'
}

@test "qmatmul: the arithmetic of any element, and the value that is computed" {
    py '
import subprocess, os, re
from fractions import Fraction

D = os.environ["DMLOP"]
rng = np.random.default_rng(2)
np.save("a.npy", rng.integers(0, 256, (2, 3, 40)).astype("u1"))
np.save("b.npy", rng.integers(-128, 128, (2, 40, 5)).astype("i1"))
np.save("sa.npy", rng.choice(np.array([0.5, 0.25, 0.001], "f4"), 3))
np.save("za.npy", rng.integers(0, 9, 3).astype("u1"))
np.save("zb.npy", rng.integers(-9, 9, 5).astype("i1"))
args = [
    D,
    "qmatmul",
    "--a-scale",
    "sa.npy",
    "--a-zero-point",
    "za.npy",
    "--b-scale",
    "0.5",
    "--b-zero-point",
    "zb.npy",
    "--output-scale",
    "8",
    "--output-zero-point",
    "3",
    "--output-type",
    "uint8",
    "a.npy",
    "b.npy",
]
subprocess.run(args + ["-o", "c.npy"], check=True)
a, b, c, sa, za, zb = (np.load(n + ".npy") for n in ("a", "b", "c", "sa", "za", "zb"))
for p in range(2):
    for i in range(3):
        for j in range(5):
            out = subprocess.run(
                args + ["--explain", "%d,%d,%d" % (p, i, j)],
                capture_output=True,
                text=True,
                check=True,
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
                out,
                exact,
            )
            result = re.search(r"^result: (?:.* = (-?\d+), within|clamped to (-?\d+),)", out, re.M)
            assert int(result.group(1) or result.group(2)) == c[p, i, j], (out, c[p, i, j])
assert (
    subprocess.run(args + ["--explain", "0,0"], check=True, capture_output=True).stdout
    == subprocess.run(args + ["--explain", "0,0,0"], check=True, capture_output=True).stdout
)
'
    n=$SAMPLES/qmatmul-per-row
    dmlop qmatmul -d "$n.desc.json" --a-scale "$n.a-scale.npy" \
        --a-zero-point "$n.a-zero-point.npy" --b-scale "$n.b-scale.npy" \
        --b-zero-point "$n.b-zero-point.npy" --output-scale "$n.output-scale.npy" \
        --output-zero-point "$n.output-zero-point.npy" "$n".{a,b}.npy --explain 1,1
}

@test "qmatmul: a float is printed for what it is, so that the arithmetic adds up" {
    py '
import os, random, re, subprocess
from decimal import Decimal
from fractions import Fraction as F

random.seed(8)
D, S = os.environ["DMLOP"], os.environ["SAMPLES"] + "/qmatmul-per-tensor."

def scale():
    r = random.random()
    v = (
        np.uint32(
            random.choice([random.getrandbits(32), 1, 0x007FFFFF, 0x7F7FFFFF, 0x80000001])
        ).view("f4")
        if r < 0.3
        else np.float32(2.0 ** random.randint(-3, 3))
        if r < 0.6
        else np.float32(random.choice([1, 0.1, 1 / 3, 2 / 255, 1.5]) * random.uniform(0.5, 2))
    )
    return v if np.isfinite(v) and v != 0 else np.float32(0.1)

seen = set()
for trial in range(300):
    a, b, o = scale(), scale(), scale()
    zero = random.randint(-128, 127)
    args = [
        D,
        "qmatmul",
        "--a-scale",
        repr(float(a)),
        "--b-scale",
        repr(float(b)),
        "--output-scale",
        repr(float(o)),
        "--output-zero-point",
        str(zero),
        S + "a.npy",
        S + "b.npy",
    ]
    out = subprocess.run(
        args + ["--explain", "0,1"], capture_output=True, text=True, check=True
    ).stdout
    m = re.search(
        r"^real value: (\S+) \* (\S+) \* (\S+) / (\S+) = (-?)(\S+?)(\.\.\.)?(e[+-]\d+)?$", out, re.M
    )
    assert m, out
    assert [F(m.group(i)) for i in (2, 3, 4)] == [F(float(x)) for x in (a, b, o)], out
    exact = int(m.group(1)) * F(m.group(2)) * F(m.group(3)) / F(m.group(4))
    shown = F(m.group(6) + (m.group(8) or ""))
    assert (exact < 0) == bool(m.group(5)), out
    if m.group(7):  # cut off, not rounded
        digits = m.group(6).replace(".", "").lstrip("0")
        last = shown / int(digits)
        assert len(digits) == 20 and shown < abs(exact) < shown + last, (out, exact)
    else:
        assert shown == abs(exact), (out, exact)
    value = json.loads(
        subprocess.run(
            args + ["--format", "json"], capture_output=True, text=True, check=True
        ).stdout
    )["Values"][0][0][0][1]
    result = re.search(
        r"^result: (?:(-?\d+) \+ (-?\d+) = (-?\d+), within"
        r"|clamped to (-?\d+), the (largest|smallest) INT8"
        r"(?:: (-?\d+) \+ (-?\d+) = (-?\d+) is (above|below) it)?$)",
        out,
        re.M,
    )
    g = result.groups()
    assert int(g[2] or g[3]) == value, out
    for x, y, z in (g[0:3], g[5:8]):
        if x is not None:
            assert int(x) + int(y) == int(z) and int(y) == zero and int(x) == round(exact), out
    seen.add((g[4], g[8]))
    assert (g[4] is None) == (-128 <= round(exact) + zero <= 127), out
assert len(seen) == 5, seen  # within; clamped at both ends, near and far
'
}

@test "coordinates in every notation, and what is none" {
    x=$SAMPLES/slice1-ex1.input.npy
    for bad in x '' 0,0,0, ,0,0,0 '[0,0,0,0' '0,0,0,0]' '[0,0,0,0}' '[0,0,0,0] 1' 1.5,0,0,0 0,0,,0 \
        0,0,0,0x --0,0,0,0; do
        run dmlop slice "$x" --explain="$bad"
        assert_failure 2
        local list="a list of whole numbers, one for each axis of the output"
        assert_output "dmlop: slice: --explain: '$bad' is not $list, which is {1,1,4,4}"
    done
    for c in 0,0,3,3 '0 0 3 3' '[0, 0, 3, 3]' '{0,0,3,3}' '(0, 0, 3, 3)' ' 0 , 0 , 3 , 3 ' \
        0,0,-1,-1; do
        run dmlop slice "$x" --explain "$c"
        assert_success
        assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
    done
    run dmlop slice --explain {0, 0, 3, -1} "$x" # several words of the shell
    assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
}
