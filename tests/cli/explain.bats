# --explain of slice, topk and qmatmul: how one element of the output comes about.
load helper

# says TEXT ARGS: dmlop prints exactly TEXT.
says() {
    local text=$1
    shift
    run --separate-stderr dmlop "$@"
    assert_success
    assert_equal "$stderr" ""
    assert_output "$text"
}

# refuses STATUS MESSAGE ARGS: dmlop says exactly MESSAGE and prints nothing.
refuses() {
    local status=$1 message=$2
    shift 2
    run --separate-stderr dmlop "$@"
    assert_failure "$status"
    assert_equal "$output" ""
    assert_equal "$stderr" "dmlop: $message"
}

@test "slice: the elements of the documentation's examples" {
    says "Output[0,0,1,0] of {1,1,2,2}: on each axis, input index = start + output index * stride.
A positive stride starts at the window's offset, a negative one at the window's end, offset + size - 1.
axis  offset  size  stride  start  input index
   0       0     1       1  0      0 + 0 * 1 = 0
   1       0     1       1  0      0 + 0 * 1 = 0
   2       0     4       2  0      0 + 1 * 2 = 2
   3       1     3       2  1      1 + 0 * 2 = 1
Output[0,0,1,0] = Input[0,0,2,1] = 10" slice -d "$SAMPLES"/slice1-ex1.desc.json "$SAMPLES"/slice1-ex1.input.npy --explain 0,0,1,0
    says "Output[0,0,1,0] of {1,1,2,2}: on each axis, input index = start + output index * stride.
A positive stride starts at the window's offset, a negative one at the window's end, offset + size - 1.
axis  offset  size  stride  start          input index
   0       0     1       1  0              0 + 0 * 1 = 0
   1       0     1       1  0              0 + 0 * 1 = 0
   2       0     4      -2  0 + 4 - 1 = 3  3 + 1 * -2 = 1
   3       1     3       2  1              1 + 0 * 2 = 1
Output[0,0,1,0] = Input[0,0,1,1] = 6" slice --offsets 0,0,0,1 --sizes 1,1,4,3 --strides 1,1,-2,2 "$SAMPLES"/slice1-ex2.input.json --explain '[0, 0, 1, 0]'
    says "Output[0,0,1,1] of {1,1,2,2}: on each axis, input index = start + output index * stride.
The start is the offset.
axis  offset  size  stride  start  input index
   0       0     1       1  0      0 + 0 * 1 = 0
   1       0     1       1  0      0 + 0 * 1 = 0
   2       1     2       2  1      1 + 1 * 2 = 3
   3       0     2       3  0      0 + 1 * 3 = 3
Output[0,0,1,1] = Input[0,0,3,3] = 16" slice -d "$SAMPLES"/slice-ex2.desc.json "$SAMPLES"/slice-ex2.input.npy --explain -1,-1,-1,-1
}

@test "slice: long columns, and an input with Strides" {
    py '
np.save("x.npy", np.arange(7, dtype=">i2"))
f = open("big.npy", "wb")
np.lib.format.write_array_header_1_0(f, {"descr": "|u1", "fortran_order": False, "shape": (1 << 33,)})
f.truncate(f.tell() + (1 << 33))'
    says "Output[3] of {6}: on each axis, input index = start + output index * stride.
A positive stride starts at the window's offset, a negative one at the window's end, offset + size - 1.
axis  offset        size       stride  start                            input index
   0       1  8589934591  -1717986918  1 + 8589934591 - 1 = 8589934591  8589934591 + 3 * -1717986918 = 3435973837
Output[3] = Input[3435973837] = 0" slice --offsets 1 --sizes 8589934591 --strides -1717986918 --output-sizes 6 big.npy --explain 3
    echo '{ "type": "SLICE1", "desc": { "InputTensor": {"DataType":"INT16","Sizes":[3,3],"Strides":[1,2]}, "OutputTensor": {"DataType":"INT16","Sizes":[3,2]}, "InputWindowOffsets": [0,1], "InputWindowSizes": [3,2], "InputWindowStrides": [-1,1] } }' >d.json
    says "Output[0,1] of {3,2}: on each axis, input index = start + output index * stride.
A positive stride starts at the window's offset, a negative one at the window's end, offset + size - 1.
axis  offset  size  stride  start          input index
   0       0     3      -1  0 + 3 - 1 = 2  2 + 0 * -1 = 2
   1       1     2       1  1              1 + 1 * 1 = 2
element of the buffer, by InputTensor.Strides: 2 * 1 + 2 * 2 = 6
Output[0,1] = Input[2,2] = 6" slice -d d.json x.npy --explain 0,1
}

@test "slice: the value is the one that is computed, from files, pipes and every type" {
    py '
import os, random, subprocess
random.seed(4); rng = np.random.default_rng(4)
D = os.environ["DMLOP"]
for trial in range(60):
    t = random.choice(["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i8"])
    shape = tuple(random.randint(1, 6) for _ in range(random.randint(1, 5)))
    a = rng.integers(0, 256, shape + (np.dtype(t).itemsize,), dtype="u1")
    a = (a & 1 if t == "?" else a).view(t)[..., 0]
    np.save("a.npy", np.asfortranarray(a) if random.random() < .3 else a)
    spec = ",".join(random.choice(["::-1", "::2", ":", "::-3", "-1:"]) for _ in shape)
    want = eval("a[" + spec + "]")
    c = tuple(random.randrange(s) for s in want.shape)
    write = [x if random.random() < .7 else x - n for x, n in zip(c, want.shape)]
    piped = random.random() < .3
    out = subprocess.run([D, "slice", "--index", spec, "--explain", " ".join(map(str, write)), "-" if piped else "a.npy"], stdin=open("a.npy"), capture_output=True, text=True, check=True).stdout
    last = out.splitlines()[-1].split(" = ")
    text = lambda c: "[" + ",".join(map(str, c)) + "]"
    assert last[0] == "Output" + text(c), out
    source = tuple(eval(last[1][5:]))
    assert a[source].tobytes() == want[c].tobytes(), out
    v = want[c]
    kind = np.dtype(t).newbyteorder("=").type
    assert kind(int(last[2]) if last[2].lstrip("-").isdigit() else float(last[2])) == v or last[2] == "nan" and v != v, (out, v)
    for i, line in enumerate(out.splitlines()[3:-1]):
        left, right = line.rsplit("  ", 1)[1].split(" = ")
        assert eval(left) == int(right) == source[i], out
'
}

@test "topk: what came before, ties, and what K leaves out" {
    says "OutputValue[0,0,0,1] of {1,1,3,3}: rank 1 (the first is 0) of the 4 elements Input[0,0,0,:], largest first
rank  index  value
   0      3      3  larger
   1      1      2  <- this element
   2      2      2  equal; its index is higher
not in the output, as K is 3:
   3      0      1  smaller
before it: 1 larger + 0 equal with a lower index = 1, its rank
ties: 1 other is equal to it; equal elements keep their order, the lower index first
OutputValue[0,0,0,1] = Input[0,0,0,1] = 2
OutputIndex[0,0,0,1] = 1" topk -d "$SAMPLES"/topk1-ex3.desc.json "$SAMPLES"/topk1-ex3.input.npy --explain 0,0,0,1
    says "OutputValue[0,0,1,2] of {1,1,2,4}: rank 1 (the first is 0) of the 3 elements Input[0,0,:,2], smallest first
rank  index  value
   0      2      6  smaller
   1      1      9  <- this element
not in the output, as K is 2:
   2      0     10  larger
before it: 1 smaller + 0 equal with a lower index = 1, its rank
OutputValue[0,0,1,2] = Input[0,0,1,2] = 9
OutputIndex[0,0,1,2] = 1" topk -k 2 --axis 2 --smallest "$SAMPLES"/topk1-ex1.input.npy --explain '{0, 0, 1, 2}'
}

@test "topk: NaN, both zeros, and the elements around a far one" {
    py 'np.save("a.npy", np.array([np.nan, -0.0, 1, 0, -np.nan, -np.inf, 0.1], "f4")); np.save("z.npy", np.arange(100, dtype="i8") // 2)'
    says "OutputValue[1] of {7}: rank 1 (the first is 0) of the 7 elements Input[:], largest first
rank  index  value
   0      0    nan  equal, as all NaNs are; its index is lower
   1      4    nan  <- this element
   2      2      1  smaller: NaN counts as above every number
   3      6    0.1  smaller: NaN counts as above every number
   4      1   -0.0  smaller: NaN counts as above every number
 ...  2 after these
before it: 0 larger + 1 equal with a lower index = 1, its rank
ties: 1 other is equal to it; equal elements keep their order, the lower index first
OutputValue[1] = Input[4] = nan
OutputIndex[1] = 4" topk -k all a.npy --explain 1
    says "OutputValue[5] of {7}: rank 5 (the first is 0) of the 7 elements Input[:], largest first
rank  index  value
   0      0    nan  larger: NaN counts as above every number
   1      4    nan  larger: NaN counts as above every number
   2      2      1  larger
   3      6    0.1  larger
   4      1   -0.0  equal, as -0 and 0 are; its index is lower
   5      3      0  <- this element
   6      5   -inf  smaller
before it: 4 larger (2 NaN) + 1 equal with a lower index = 5, its rank
ties: 1 other is equal to it; equal elements keep their order, the lower index first
OutputValue[5] = Input[3] = 0
OutputIndex[5] = 3" topk -k all a.npy --explain -2
    echo '[5]' >one.json
    says "OutputValue[0] of {1}: rank 0 (the first is 0) of the 1 element Input[:], largest first
rank  index  value
   0      0      5  <- this element
before it: 0 larger + 0 equal with a lower index = 0, its rank
OutputValue[0] = Input[0] = 5
OutputIndex[0] = 0" topk -k all one.json --explain 0
    says "OutputValue[50] of {60}: rank 50 (the first is 0) of the 100 elements Input[:], smallest first
rank  index  value
 ...  42 before these
  42     42     21  smaller
  43     43     21  smaller
  44     44     22  smaller
  45     45     22  smaller
  46     46     23  smaller
  47     47     23  smaller
  48     48     24  smaller
  49     49     24  smaller
  50     50     25  <- this element
  51     51     25  equal; its index is higher
  52     52     26  larger
  53     53     26  larger
 ...  46 after these
before it: 50 smaller + 0 equal with a lower index = 50, its rank
ties: 1 other is equal to it; equal elements keep their order, the lower index first
OutputValue[50] = Input[50] = 25
OutputIndex[50] = 50" topk -k 60 --smallest z.npy --explain 50
}

@test "topk: value, index and counts of random elements of every type, against a stable sort" {
    py '
import os, random, re, subprocess
random.seed(6); rng = np.random.default_rng(6)
D = os.environ["DMLOP"]
for trial in range(60):
    t = random.choice(["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">i2"])
    shape = tuple(random.randint(1, 7) for _ in range(random.randint(1, 4)))
    far = random.random() < .5
    a = rng.integers(-4 if np.dtype(t).kind != "u" else 0, 5, shape).astype(t)
    if far: a = (a * (13 if np.dtype(t).itemsize < 2 else 6000)).astype(t)
    if np.dtype(t).kind == "f":
        a[rng.random(shape) < .1] = np.nan; a[rng.random(shape) < .1] = -0.0; a[rng.random(shape) < .1] = -np.inf
    axis = random.randint(-len(shape), len(shape) - 1); k = random.randint(1, shape[axis]); small = random.random() < .5
    np.save("a.npy", np.asfortranarray(a) if random.random() < .3 else a)
    args = [D, "topk", "-k", str(k), f"--axis={axis}", "--smallest" if small else "--largest", "a.npy"]
    subprocess.run(args + ["-o", "v.npy", "--indices", "i.npy"], check=True)
    v, i = np.load("v.npy"), np.load("i.npy")
    c = tuple(random.randrange(s) for s in v.shape)
    out = subprocess.run(args + ["--explain", ",".join(map(str, c))], capture_output=True, text=True, check=True).stdout
    assert int(out.splitlines()[-1].split(" = ")[1]) == i[c], out
    value = out.splitlines()[-2].split(" = ")[2]
    assert v.dtype.type(int(value) if value.lstrip("-").isdigit() else float(value)) == v[c] or value == "nan" and v[c] != v[c], out
    source = list(c); source[axis] = slice(None); seq = a[tuple(source)].tolist()
    key = lambda x: (x != x, 0 if x != x else x)
    me = key(seq[i[c]])
    first = [x for x in seq if (key(x) < me if small else key(x) > me)]
    equal = [j for j, x in enumerate(seq) if key(x) == me]
    m = re.search(r"^before it: (\d+) \w+(?: \((\d+) NaN\))? \+ (\d+) equal with a lower index = (\d+), its rank$", out, re.M)
    assert [int(x or 0) for x in m.groups()] == [len(first), sum(x != x for x in first), equal.index(i[c]), c[axis]], out
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
np.save("a.npy", rng.integers(0, 256, (2, 3, 40)).astype("u1")); np.save("b.npy", rng.integers(-128, 128, (2, 40, 5)).astype("i1"))
np.save("sa.npy", rng.choice(np.array([0.5, 0.25, 0.001], "f4"), 3)); np.save("za.npy", rng.integers(0, 9, 3).astype("u1")); np.save("zb.npy", rng.integers(-9, 9, 5).astype("i1"))
args = [D, "qmatmul", "--a-scale", "sa.npy", "--a-zero-point", "za.npy", "--b-scale", "0.5", "--b-zero-point", "zb.npy", "--output-scale", "8", "--output-zero-point", "3", "--output-type", "uint8", "a.npy", "b.npy"]
subprocess.run(args + ["-o", "c.npy"], check=True)
a, b, c, sa, za, zb = (np.load(n + ".npy") for n in ("a", "b", "c", "sa", "za", "zb"))
for p in range(2):
    for i in range(3):
        for j in range(5):
            out = subprocess.run(args + ["--explain", "%d,%d,%d" % (p, i, j)], capture_output=True, text=True, check=True).stdout
            total = int(((a[p, i].astype(int) - za[i]) * (b[p, :, j].astype(int) - zb[j])).sum())
            rows = [int(x) for x in re.findall(r"^ +\d+ .* (-?\d+)$", out, re.M)]
            more = re.search(r"^     ... 16 more, whose products add up to (-?\d+)$", out, re.M)
            assert "sum of the products: %d\n" % total in out and len(rows) == 24 and sum(rows) + int(more.group(1)) == total, out
            exact = Fraction(total) * Fraction(float(sa[i])) / 16
            assert ("tie)" in out and "(no tie)" not in out) == (exact.denominator == 2), (out, exact)
            result = re.search(r"^result: (?:.* = (-?\d+), within|clamped to (-?\d+),)", out, re.M)
            assert int(result.group(1) or result.group(2)) == c[p, i, j], (out, c[p, i, j])
assert subprocess.run(args + ["--explain", "0,0"], check=True, capture_output=True).stdout == subprocess.run(args + ["--explain", "0,0,0"], check=True, capture_output=True).stdout'
    n=$SAMPLES/qmatmul-per-row
    dmlop qmatmul -d "$n.desc.json" --a-scale "$n.a-scale.npy" --a-zero-point "$n.a-zero-point.npy" --b-scale "$n.b-scale.npy" --b-zero-point "$n.b-zero-point.npy" --output-scale "$n.output-scale.npy" --output-zero-point "$n.output-zero-point.npy" "$n".{a,b}.npy --explain 1,1
}

@test "qmatmul: a float is printed for what it is, so that the arithmetic adds up" {
    says "element [0, 0, 0, 1] of the output: row 0 of A by column 1 of B
zero points: 0 of A's row (za), 0 of B's column (zb)
       k      a   a - za      b   b - zb    product
       0      1        1     -8       -8         -8
       1      2        2     10       10         20
       2      3        3     12       12         36
sum of the products: 48
real value: 48 * 0.100000001490116119384765625 * 0.25 / 0.300000011920928955078125 = 3.9999999006589293218...
rounded: 4 (no tie)
zero point of the output: 0
result: 4 + 0 = 4, within -128 to 127" qmatmul --a-scale 0.1 --b-scale 0.25 --output-scale 0.3 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy --explain 0,1
    py '
import os, random, re, subprocess
from decimal import Decimal
from fractions import Fraction as F
random.seed(8)
D, S = os.environ["DMLOP"], os.environ["SAMPLES"] + "/qmatmul-per-tensor."
def scale():
    r = random.random()
    v = np.uint32(random.choice([random.getrandbits(32), 1, 0x007fffff, 0x7f7fffff, 0x80000001])).view("f4") if r < .3 else np.float32(2.0 ** random.randint(-3, 3)) if r < .6 else np.float32(random.choice([1, 0.1, 1 / 3, 2 / 255, 1.5]) * random.uniform(.5, 2))
    return v if np.isfinite(v) and v != 0 else np.float32(0.1)
seen = set()
for trial in range(300):
    a, b, o = scale(), scale(), scale()
    zero = random.randint(-128, 127)
    args = [D, "qmatmul", "--a-scale", repr(float(a)), "--b-scale", repr(float(b)), "--output-scale", repr(float(o)), "--output-zero-point", str(zero), S + "a.npy", S + "b.npy"]
    out = subprocess.run(args + ["--explain", "0,1"], capture_output=True, text=True, check=True).stdout
    m = re.search(r"^real value: (\S+) \* (\S+) \* (\S+) / (\S+) = (-?)(\S+?)(\.\.\.)?(e[+-]\d+)?$", out, re.M)
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
    value = json.loads(subprocess.run(args + ["--format", "json"], capture_output=True, text=True, check=True).stdout)["Values"][0][0][0][1]
    result = re.search(r"^result: (?:(-?\d+) \+ (-?\d+) = (-?\d+), within|clamped to (-?\d+), the (largest|smallest) INT8(?:: (-?\d+) \+ (-?\d+) = (-?\d+) is (above|below) it)?$)", out, re.M)
    g = result.groups()
    assert int(g[2] or g[3]) == value, out
    for x, y, z in (g[0:3], g[5:8]):
        if x is not None: assert int(x) + int(y) == int(z) and int(y) == zero and int(x) == round(exact), out
    seen.add((g[4], g[8]))
    assert (g[4] is None) == (-128 <= round(exact) + zero <= 127), out
assert len(seen) == 5, seen  # within; clamped at both ends, near and far'
}

@test "coordinates that are none, too many or too few, or outside" {
    x=$SAMPLES/slice1-ex1.input.npy
    for bad in x '' 0,0,0, ,0,0,0 '[0,0,0,0' '0,0,0,0]' '[0,0,0,0}' '[0,0,0,0] 1' 1.5,0,0,0 0,0,,0 0,0,0,0x --0,0,0,0; do
        refuses 2 "slice: --explain: '$bad' is not a list of whole numbers, one for each axis of the output, which is {1,1,4,4}" slice "$x" --explain="$bad"
    done
    refuses 3 "slice: --explain: '0' has 1 coordinate, but the output is {1,1,4,4}; give 4" slice "$x" --explain 0
    refuses 3 "topk: --explain: '[0,0,0,0,0,0,0,0,0,0]' has 10 coordinates, but the output is {1,1,4,1}; give 4" topk -k 1 "$x" --explain '[0,0,0,0,0,0,0,0,0,0]'
    refuses 3 "qmatmul: --explain: '0,0,0' has 3 coordinates, but the output is {1,1,2,2}; give 4, or only row and column" qmatmul --a-scale 1 --b-scale 1 --output-scale 1 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy --explain 0,0,0
    refuses 3 "slice: --explain: 4 in '0,0,0,4' is outside axis 3 of the output, which is {1,1,4,4}; use 0 to 3" slice "$x" --explain 0,0,0,4
    refuses 3 "slice: --explain: -5 in '0,0,-5,0' is outside axis 2 of the output, which is {1,1,4,4}; use 0 to 3" slice "$x" --explain 0,0,-5,0
    refuses 3 "topk: --explain: 1 in '0,0,0,1' is outside axis 3 of the output, which is {1,1,4,1}; use 0 to 0" topk -k 1 "$x" --explain 0,0,0,1
    refuses 3 "topk: --explain: 99999999999999999999 in '0 0 99999999999999999999 0' is outside axis 2 of the output, which is {1,1,4,1}; use 0 to 3" topk -k 1 "$x" --explain '0 0 99999999999999999999 0'
    for c in 0,0,3,3 '0 0 3 3' '[0, 0, 3, 3]' '{0,0,3,3}' '(0, 0, 3, 3)' ' 0 , 0 , 3 , 3 ' 0,0,-1,-1; do
        run dmlop slice "$x" --explain "$c"
        assert_success
        assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
    done
    run dmlop slice --explain {0, 0, 3, -1} "$x" # several words of the shell
    assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
}

@test "nothing is written, and what would write is refused" {
    x=$SAMPLES/topk1-ex1.input.npy
    for option in --output=y.npy --output-dir=y --format=npy --emit-descriptor=d.json --emit-model --timings; do
        run --separate-stderr dmlop topk -k 1 "$x" --explain 0,0,0,0 "$option"
        assert_failure 2
        name=${option%%=*}
        [ "$name" = --output ] && name=-o
        assert_equal "$stderr" "dmlop: topk: $name and --explain cannot be used together: it prints one element and writes no file"
    done
    refuses 2 "topk: --explain prints one element and writes no file; leave out 'i.npy'" topk -k 1 "$x" --explain 0,0,0,0 --indices i.npy
    refuses 2 "topk: --explain prints one element and writes no file; leave out 'v.npy'" topk -k 1 "$x" --explain 0,0,0,0 --bind OutputValueTensor=v.npy
    assert_only_files
}
