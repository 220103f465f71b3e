# dmlop info, convert, compare, selftest, --version; arrays in .npz archives; statistics of times.
load helper

@test "what is emitted, byte for byte" {
    golden emit
}

@test "what convert prints, whole" {
    golden convert
}

@test "info: a line for each file, header only, every header that is read" {
    py '
np.save("a.npy", np.zeros((2, 3), "f4"))
np.save("f.npy", np.asfortranarray(np.zeros((2, 3), ">i2")))
np.save("b.npy", np.zeros(4, "?"))
np.save("s.npy", np.float64(1))
np.save("e.npy", np.zeros((0, 3), "u8"))
np.save("r.npy", np.zeros((1,) * 32, "i1"))
open("j.json", "w").write("[[1, 2], [3, 4]]")
'
    run -0 dmlop info a.npy f.npy b.npy s.npy e.npy r.npy j.json
    assert_output "a.npy: FLOAT32 {2,3}, C order, little-endian, 24 bytes, .npy 1.0
f.npy: INT16 {2,3}, Fortran order, big-endian, 12 bytes, .npy 1.0
b.npy: BOOL (UINT8) {4}, C order, little-endian, 4 bytes, .npy 1.0
s.npy: FLOAT64 {}, C order, little-endian, 8 bytes, .npy 1.0
e.npy: UINT64 {0,3}, C order, little-endian, 0 bytes, .npy 1.0
r.npy: INT8 {$(printf '1,%.0s' {1..31})1}, C order, little-endian, 1 bytes, .npy 1.0
j.json: FLOAT32 {2,2}, 16 bytes, JSON"
    assert_equal "$(dmlop info - <a.npy)" \
        "<stdin>: FLOAT32 {2,3}, C order, little-endian, 24 bytes, .npy 1.0"
    dmlop info --format json a.npy f.npy j.json >i.json
    py '
t = json.load(open("i.json"))
assert t["schema"] == "dmlop.info/1"
a, f, j = t["tensors"]
assert a == {"file": "a.npy", "format": "npy", "type": "FLOAT32", "bool": False, "sizes": [2, 3],
             "bytes": 24, "order": "C", "byte_order": "little", "version": "1.0"}
assert ((f["order"], f["byte_order"]) == ("Fortran", "big") and j["format"] == "json"
        and j["bytes"] == 16)
'
}

@test "info: bad files are told, the others done; foreign formats are named" {
    py '
np.save("a.npy", np.zeros(3))
np.save("c.npy", np.zeros(3, "c8"))
open("short.npy", "wb").write(open("a.npy", "rb").read()[:140])
open("h.h5", "wb").write(b"\x89HDF\r\n\x1a\n" + bytes(99))
'
    run -3 --separate-stderr dmlop info none.npy c.npy short.npy h.h5 a.npy
    assert_output "a.npy: FLOAT64 {3}, C order, little-endian, 24 bytes, .npy 1.0"
    for word in none.npy "c.npy: .*complex" "short.npy: the data is cut short" "HDF5.*h5py"; do
        assert_regex "$stderr" "$word"
    done
    run -2 dmlop info
}

@test "info takes constant time on any size" {
    py '
h = np.lib.format
with open("big.npy", "wb") as f:
    h.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (25 * 10**9,)})
    f.truncate(f.tell() + 10**11)
'
    sanitized || ulimit -v 400000
    run -0 dmlop info big.npy
    assert_output \
        "big.npy: FLOAT32 {25000000000}, C order, little-endian, 100000000000 bytes, .npy 1.0"
}

@test "info --stats against NumPy: every type, byte order, NaN and infinities; any thread count" {
    py '
from program import printed

rng = np.random.default_rng(5)
for t in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
    for n in (1, 7, 16384, 300001):
        for order in "<>":
            if t[0] == "f":
                x = (rng.standard_normal(n) * 100 + 7).astype(t)
                if n > 7:
                    x[rng.integers(0, n, 5)] = np.nan
                    x[3] = np.inf
                    x[n // 2] = 0
                    if n > 20000:
                        x[5] = -np.inf
            else:
                info = np.iinfo(t)
                x = rng.integers(info.min, info.max, n, dtype=t, endpoint=True)
            np.save("x.npy", x.astype(x.dtype.newbyteorder(order)))
            out = [printed("info", "--histogram", "--format", "json", "--threads", str(k), "x.npy")
                   for k in (1, 3)]
            assert out[0] == out[1]
            got = json.loads(out[0])["tensors"][0]
            s = got["stats"]
            finite = x[np.isfinite(x)]

            def num(v):
                return {"inf": np.inf, "-inf": -np.inf}.get(v, v)

            assert (s["count"] == n and s["zeros"] == int((x == 0).sum())
                    and s["nan"] == int(np.isnan(x).sum()) and s["inf"] == int(np.isinf(x).sum()))
            assert x.dtype.type(num(s["min"])) == np.nanmin(x) and x.dtype.type(
                num(s["max"])) == np.nanmax(x), (t, s)
            wide = finite.astype(np.longdouble)
            scale = max(float(np.abs(wide).max()), 1)
            assert (abs(s["mean"] - float(wide.mean())) <= 1e-12 * scale
                    and abs(s["standard_deviation"] - float(wide.std()))
                    <= 1e-9 * scale), (t, n, s, wide.mean(), wide.std())
            h = got["histogram"]
            assert sum(h["counts"]) == len(finite) and len(h["counts"]) == 16
            if float(finite.max()) > float(finite.min()) and t in ("f4", "f8", "i4"):
                want = np.histogram(finite.astype(float), 16)[0]
                assert np.abs(np.array(h["counts"]) - want).sum() <= 4, (h, want)
'
}

@test ".npz archives: members listed, taken as inputs everywhere, damage and bombs refused" {
    py '
np.savez("a.npz", x=np.arange(12, dtype="f4").reshape(3, 4), y=np.zeros(3, "?"))
np.savez_compressed("c.npz", x=np.arange(12, dtype="f4").reshape(3, 4))
import zipfile

with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("x.npy", "w", force_zip64=True) as f:
        np.lib.format.write_array_header_1_0(
            f, {"descr": "|u1", "fortran_order": False, "shape": (300 << 20,)})
        for i in range(300):
            f.write(bytes(1 << 20))
with zipfile.ZipFile("t.npz", "w") as z:
    z.writestr("note.txt", "hello")
    z.writestr("x.npy", open("a.npz", "rb").read()[:10])
b = bytearray(open("c.npz", "rb").read())
b[60] ^= 255
open("bad.npz", "wb").write(b)
open("junk.npz", "w").write("hello")
'
    run -0 dmlop info a.npz
    assert_line --index 0 \
        --partial "a.npz:x: FLOAT32 {3,4}, C order, little-endian, 48 bytes, .npy 1.0, "
    assert_line --index 1 --partial "a.npz:y: BOOL (UINT8) {3}"
    run -0 dmlop slice --index 1:2,::2 --format json c.npz:x
    assert_output --partial '[[4, 6]]'
    dmlop topk -k 1 a.npz:x.npy -o v.npy
    dmlop compare a.npz:x c.npz:x
    dmlop info --stats c.npz
    refuses 3 "there is no 'z' in the archive" slice --index 0 a.npz:z
    for f in bad.npz:x junk.npz:x none.npz:x bomb.npz:x; do
        run -3 dmlop slice --index 0 "$f" -o y.npy
        assert_file_not_exist y.npy
    done
    assert_output --partial "314572928 bytes from"
    run --separate-stderr dmlop info t.npz
    assert_regex "$stderr" "t.npz:note.txt: warning: it is not a .npy file"
    run -3 dmlop info junk.npz
    touch 'file.npz:x'
    run dmlop info 'file.npz:x'
    assert_output --partial "is empty"
}

@test "convert: every pair of types against NumPy; refusing, clamping, rounding to even" {
    "$PYTHON" "$ROOT/tests/cli/convert_types.py"
}

@test "convert: quantizes and dequantizes as NumPy does, with any scales and zero points" {
    "$PYTHON" "$ROOT/tests/cli/convert_quantize.py" 1 "${EXPENSIVE:+3}51"
}

@test "convert: only --round or --clamp changes a number, and says how many; decimals round once" {
    "$PYTHON" "$ROOT/tests/cli/convert_changes.py"
}

@test "convert: bits stay if no type changes: signalling NaN, orders, archives, raw data" {
    py '
from program import printed

def bits(t, *v):
    return np.array(v, "u" + t[1]).view(t)

for t, v in dict(f2=(0x7D01, 0xFD02, 0x8000, 1, 0x7E00, 0x3C00),
                 f4=(0x7FA00001, 0xFFA00002, 0x80000000, 1, 0x7FC12345, 0x3F800000),
                 f8=(0x7FF4000000000001, 0xFFF4000000000002, 1 << 63, 1, 0x7FF8000000000ABC,
                     0x3FF << 52)).items():
    a = bits(t, *v).reshape(2, 3)
    np.save("want.npy", a)
    for order in "<>":
        b = a.view("u" + t[1]).astype(order + "u" + t[1]).view(order + t)
        np.save("c.npy", b)
        np.save("f.npy", np.asfortranarray(b.view(order + "u" + t[1])).view(order + t))
        np.savez("z.npz", a=b)
        for f in "c.npy", "f.npy", "z.npz:a":
            for extra in ([], ["--dtype", "float%d" % (8 * int(t[1]))],
                          ["--clamp", "--dtype", "float%d" % (8 * int(t[1]))], ["--threads", "3"]):
                printed("convert", f, *extra, "-o", "y.npy", "--no-sync")
                assert open("y.npy", "rb").read() == open("want.npy",
                                                          "rb").read(), (t, order, f, extra)
            printed("convert", f, "-o", "y.dat", "--no-sync")
            assert open("y.dat", "rb").read() == a.tobytes()
            printed("convert", f, "--permute", "1,0", "-o", "y.npy", "--no-sync")
            assert np.load("y.npy").tobytes() == a.view("u" + t[1]).T.tobytes()
            printed("slice", f, "--index", ":", "-o", "y.npy", "--no-sync")
            assert np.load("y.npy").tobytes() == a.tobytes()
'
}

@test "convert: files of every kind, order and byte order normalised, raw data" {
    py '
np.save("f.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(">i2")))
np.save("c.npy", np.arange(24).reshape(2, 3, 4).astype("<i2"))
np.save("b.npy", np.array([True, False]))
np.save("e.npy", np.zeros((0, 2), "f4"))
'
    dmlop convert f.npy -o g.npy
    assert_same_file g.npy c.npy
    dmlop convert f.npy -o g.json
    dmlop convert g.json -o h.npy
    assert_same_file h.npy c.npy
    dmlop convert f.npy -o g.dat
    dmlop convert g.dat --dtype int16 --sizes 2,3,4 -o h.npy
    assert_same_file h.npy c.npy
    dmlop convert b.npy -o c2.npy
    assert_same_file b.npy c2.npy
    dmlop convert e.npy -o e2.npy
    assert_same_file e.npy e2.npy
    dmlop convert --format raw f.npy | cmp - g.dat
    cp c.npy typed.bin
    dmlop convert typed.bin -o h.npy
    assert_same_file h.npy c.npy
    run -0 dmlop convert c.npy -o c.npy --dtype int8
    py 'assert np.load("c.npy").dtype == np.int8'
}

@test "convert --sizes, --squeeze, --permute: as NumPy, from any order and type; in this order" {
    py '
import itertools
from program import printed

x = np.arange(24, dtype="f4").reshape(2, 3, 4)
np.save("c.npy", x)
np.save("f.npy", np.asfortranarray(x.astype(">f4")))
json.dump(x.tolist(), open("j.json", "w"))
x.astype("<f4").tofile("r.bin")

def same(want, *a):
    printed("convert", *a, "-o", "y.npy")
    y = np.load("y.npy")
    assert y.shape == want.shape and (y == want).all(), (a, y)

for f in (["c.npy"], ["f.npy"], ["j.json"], ["f.npy", "--dtype", "int8"],
          ["c.npy", "--dtype", "float64"]):
    for sizes in "4,6", "-1", "2,-1", "{24}", "[2, 12]", "1 1 24", "(6,4)", "1,24,-1,1":
        same(x.reshape([int(v) for v in sizes.strip("{}[]()").replace(",", " ").split()]), *f,
             "--sizes", sizes)
    for p in itertools.permutations(range(3)):
        same(x.transpose(p), *f, "--permute", ",".join(map(str, p)))
        same(x.reshape(4, 6, 1).transpose(p), *f, "--permute", ",".join(str(a - 3) for a in p),
             "--squeeze=0,-2", "--sizes", "1,4,6,1,1")
    same(x.reshape(4, 6).T, *f, "--permute", "1,0", "--squeeze", "--sizes", "1,4,1,6,1")
same(x.reshape(4, 6), "r.bin", "--dtype", "float32", "--sizes", "4,-1")
same(x.ravel(), "r.bin", "--dtype", "float32", "--sizes", "-1")
np.save("one.npy", np.full((1, 1), 5))
same(np.array(5), "one.npy", "--squeeze")
same(np.array(5), "one.npy", "--sizes", "")
np.save("e.npy", np.zeros((0, 3)))
same(np.zeros((2, 0)), "e.npy", "--sizes", "2,0")
same(np.zeros((0, 3)), "e.npy", "--sizes", "-1,3")
np.save("s.npy", np.float64(2))
same(np.array([[2.0]]), "s.npy", "--sizes", "1,-1")
'
}

@test "compare: equal, tolerances, NaN, sizes, types; the tolerances it names are the least" {
    py '
rng = np.random.default_rng(9)
a = rng.standard_normal((20, 30)).astype("f4")
b = a.copy()
b[3] *= 1 + 1e-4
b[7, 8] += 0.5
np.save("a.npy", a)
np.save("b.npy", b)
np.save("f.npy", np.asfortranarray(a.astype(">f4")).astype(">f8"))
np.save("n.npy", np.where(np.arange(600).reshape(20, 30) == 5, np.nan, a))
np.save("i.npy", np.array([2**63 - 1, 5, -(2**63)]))
np.save("j.npy", np.array([2**63 - 2, 5, -(2**63)]))
np.save("r.npy", a[:10])
'
    dmlop compare a.npy a.npy
    dmlop compare a.npy f.npy
    run -1 dmlop compare a.npy b.npy
    assert_line "31 of 600 elements of {20,30} differ"
    assert_line --partial "axis 0: differences at 2 of 20 indices: 3 (30) 7 (1)"
    assert_line --partial "[3, 0]: "
    dmlop compare --format json a.npy b.npy >c.json || [ $? = 1 ]
    py '
from program import dmlop

c = json.load(open("c.json"))
a, b = np.load("a.npy").astype(float), np.load("b.npy").astype(float)
d = np.abs(a - b)
assert (c["schema"] == "dmlop.compare/1" and c["differ"] == 31 == c["unequal"]
        and c["largest_difference"]["difference"] == d.max()
        and c["largest_difference"]["index"] == [7, 8])
assert (abs(c["largest_relative"]["relative"] - (d / np.abs(b)).max()) < 1e-15
        and c["axes"][0]["differ"] == {"3": 30, "7": 1} and len(c["first"]) == 5)
u = np.abs(np.load("a.npy").view("i4").astype("i8") - np.load("b.npy").view("i4"))
signs = np.sign(np.load("a.npy")) == np.sign(np.load("b.npy"))
assert c["largest_ulp"] >= u[signs].max()
def passes(*x):
    return dmlop("compare", "-q", *x, "a.npy", "b.npy").returncode == 0

for extra in ([], ["--rtol", "1e-5"]):
    least = json.loads(dmlop("compare", "--format", "json", *extra, "a.npy",
                             "b.npy").stdout)["least_atol"]
    assert passes("--atol", repr(least),
                  *extra) and not passes("--atol", repr(float(np.nextafter(least, 0))), *extra)
for extra in ([], ["--atol", "0.001"]):
    least = json.loads(dmlop("compare", "--format", "json", *extra, "a.npy",
                             "b.npy").stdout)["least_rtol"]
    assert passes("--rtol", repr(least),
                  *extra) and not passes("--rtol", repr(float(least * (1 - 1e-15))), *extra)
'
    run -1 dmlop compare a.npy n.npy
    assert_line "  NaN: 0 in A, 1 in B, 0 in both at the same index"
    run -1 dmlop compare --atol 1e9 n.npy n.npy
    assert_line "  only NaN at the same index of both differ; would be equal with --equal-nan"
    refute_output --partial "equal with --atol"
    dmlop compare --equal-nan n.npy n.npy
    py '
a = np.load("n.npy")
b = a.copy()
b[0, 0] = a[0, 0] + 0.5
np.save("m.npy", b)
b[0, 1] = np.nan
np.save("k.npy", b)
'
    run -1 dmlop compare n.npy m.npy
    assert_line \
        --regexp '^  would be equal with --equal-nan --atol [0-9.]+ or --equal-nan --rtol [0-9.]+$'
    remedy=$(sed -nE 's/^  would be equal with (--equal-nan --atol [0-9.]+) .*/\1/p' <<<"$output")
    # shellcheck disable=SC2086 # words
    dmlop compare $remedy n.npy m.npy
    run -1 dmlop compare --atol 1 n.npy m.npy
    assert_line "  only NaN at the same index of both differ; would be equal with --equal-nan"
    run -1 dmlop compare n.npy k.npy
    assert_line --regexp \
        '^  would be equal with --atol [0-9.]+ or --rtol [0-9.]+, except for NaN and infinities$'
    run -1 dmlop compare --equal-nan n.npy m.npy
    refute_output --partial "--equal-nan"
    run -1 dmlop compare i.npy j.npy
    assert_output --partial \
        "largest absolute difference 1 at [0]: 9223372036854775807 and 9223372036854775806"
    run -1 dmlop compare a.npy r.npy
    assert_output "the sizes differ: {20,30} and {10,30}"
    echo '[1, 2]' >x.json
    py '
np.save("x.npy", np.array([1, 2], "i8"))
np.save("inf.npy", np.array([np.inf, -np.inf]))
np.save("fin.npy", np.array([np.inf, 1e308]))
'
    dmlop compare x.json x.npy
    dmlop compare inf.npy inf.npy
    run -1 dmlop compare --rtol 10 inf.npy fin.npy
    assert_line "1 of 2 elements of {2} differ"
    run -1 dmlop compare -q a.npy b.npy
    assert_output ""
    run -2 dmlop compare a.npy
    run -2 dmlop compare --atol -1 a.npy b.npy
    run -3 dmlop compare a.npy none.npy
}

@test "compare: tolerances as they are typed" {
    py '
np.save("a.npy", np.float32([3]))
np.save("b.npy", np.float32([2]))
'
    local x
    for x in 0.5 .5 +.5 5e-1 .5e0; do
        dmlop compare --rtol "$x" a.npy b.npy
    done
    dmlop compare --atol 1. a.npy b.npy
    run -1 dmlop compare --rtol .49 a.npy b.npy
    for x in . -.5 .5. 5..0 .e1 0x1 1e999 nan; do
        run -2 dmlop compare --rtol "$x" a.npy b.npy
        assert_output "dmlop: compare: --rtol: '$x' is not a number of 0 or more, such as 1e-6"
    done
}

@test "compare reads files larger than the memory it may take" {
    sanitized && skip "sanitizers take memory of their own"
    py '
for n in "ab":
    with open(n + ".npy", "wb") as f:
        np.lib.format.write_array_header_1_0(
            f, {"descr": "|u1", "fortran_order": False, "shape": (300, 1 << 20)})
        f.truncate(f.tell() + (300 << 20))
with open("b.npy", "r+b") as f:
    f.seek(128 + (299 << 20) + 77)
    f.write(b"\1")
'
    run -1 dmlop compare a.npy b.npy
    assert_line "1 of 314572800 elements of {300,1048576} differ"
    assert_line --partial "[299, 77]: 0 and 1"
}

@test "selftest: every kernel that can run here agrees with the reference" {
    run -0 dmlop selftest
    for op in slice topk qmatmul; do assert_line --regexp "^$op +reference +[0-9]+ trials ok"; done
    assert_line "all kernels give the reference's bytes"
    assert_line "$(dmlop --version | grep '^prefetch: ')"
    for k in $(dmlop --version --format json | py '
print(*{k["name"] for t in json.load(sys.stdin)["kernels"].values() for k in t if k["usable"]})
'); do
        assert_line --regexp " $k +[0-9]+ trials ok"
    done
    run dmlop selftest -q
    assert_output ""
    run -2 dmlop selftest x
}

@test "--version as JSON names what the text does" {
    dmlop --version --format json >v.json
    dmlop --version --format=json | cmp - v.json
    dmlop --version >v.txt
    dmlop --version --format=text | cmp - v.txt
    dmlop --version --format text | cmp - v.txt
    py '
v = json.load(open("v.json"))
text = open("v.txt").read()
assert (v["schema"] == "dmlop.version/1" and v["version"] in text and v["compiler"] in text
        and list(v["kernels"]) == ["slice", "topk", "qmatmul"])
for t, rows in v["kernels"].items():
    (line,) = [l for l in text.splitlines() if l.split() and l.split()[0] == t]
    for r in rows:
        assert (r["name"] + " (not on this processor)" in line) != r["usable"] and r["name"] in line
p = v["prefetch"]
assert (p["policy"] in ("none", "lines", "ahead", "pages")
        and "\nprefetch: %s (%s)\n" % (p["policy"], p["why"]) in text)
'
    run -2 dmlop --version --format xml
}

@test "times: quartiles, deviation and outliers of samples; --min-time; all samples on request" {
    dmlop make --sizes 1000 --range -o x.npy
    dmlop topk -k 3 x.npy -o y.npy --min-time 0.02 --timings=t.json
    py '
t = json.load(open("t.json"))
c = t["compute_ns"]
s = np.array(c["samples"], float)
assert (s.sum() >= 2e7 and t["iterations"] == len(s) > 1 and c["min"] == s.min()
        and c["max"] == s.max())
q1, m, q3 = np.percentile(s, [25, 50, 75])
assert (abs(c["quartile_1"] - q1) <= 1 and abs(c["median"] - m) <= 1
        and abs(c["quartile_3"] - q3) <= 1 and abs(c["mean"] - s.mean()) <= 1)
assert abs(c["standard_deviation"] - s.std(ddof=1)) <= 1 + 1e-6 * s.std()
reach = int((c["quartile_3"] - c["quartile_1"]) * 3 // 2)
assert c["outliers"] == int(((s > c["quartile_3"] + reach) | (s + reach < c["quartile_1"])).sum())
'
    run -0 --separate-stderr dmlop topk -k 3 x.npy -o y.npy --repeat 4 --timings --samples
    for word in min "quartile 1" median "quartile 3" max mean deviation "sample 0" "sample 3"; do
        assert_regex "$stderr" "  $word +[0-9]+\.[0-9]+ ms"
    done
    run -2 dmlop topk -k 3 x.npy -o y.npy --repeat 4 --min-time 1
    run -2 dmlop topk -k 3 x.npy -o y.npy --min-time soon
}

@test "compare: tolerances and differences beyond the largest FLOAT64 decide as exact numbers" {
    py '
np.save("a.npy", np.array([1.7e308]))
np.save("b.npy", np.array([-1.7e308]))
'
    for options in "--rtol 1.1" "--rtol 1.9999999999999998" "--atol 1.79e308" "--atol 0"; do
        # shellcheck disable=SC2086
        run -1 dmlop compare $options a.npy b.npy
    done
    assert_line "  would be equal with --rtol 2"
    for options in "--rtol 2" "--rtol 1e308" "--atol 1.7e308 --rtol 1"; do
        # shellcheck disable=SC2086
        run -0 dmlop compare $options a.npy b.npy
    done
    run dmlop compare --rtol 1.1 a.npy b.npy # what is suggested passes
    for tolerance in $(sed -nE 's/.*would be equal with --atol ([^ ,]*).*/\1/p' <<<"$output"); do
        run -0 dmlop compare --rtol 1.1 --atol "$tolerance" a.npy b.npy
    done
    py '
np.save("a.npy", np.array([1e308, -1.7e308]))
np.save("b.npy", np.array([-1e308, 1e-300]))
'
    run -1 dmlop compare a.npy b.npy
    assert_line "  no --atol or --rtol makes them equal"
    refute_output --partial "tol inf"
}

@test "one rule for all that read or make .npy: sizes too large though one is 0; bytes after data" {
    py '
h = str({"descr": "<f4", "fortran_order": False, "shape": (0,) + (1 << 32,) * 3})
h = h.ljust(117) + "\n"
b = b"\x93NUMPY\x01\0" + len(h).to_bytes(2, "little") + h.encode()
open("z.npy", "wb").write(b)
import zipfile

np.save("x.npy", np.arange(3))
x = open("x.npy", "rb").read()
for name, tail in ("pad", b"abc"), ("long", b"abcd"):
    open(name + ".npy", "wb").write(x + tail)
open("short.npy", "wb").write(x[:-1])
with zipfile.ZipFile("a.npz", "w") as z:
    for f in "z", "pad", "long", "short":
        z.write(f + ".npy")
json.dump(dict(resources=dict(r=dict(initialValues=dict(sourcePath="long.npy"))), dispatchables={},
               commands=[]), open("m.json", "w"))
'
    sizes=0,4294967296,4294967296,4294967296
    huge="an array of sizes {$sizes} is larger than any file"
    long="4 bytes follow the data of INT64 {3}; the header or the file is wrong"
    short="the data is cut short: INT64 {3} needs 24 bytes, but only 23 are there"
    for c in "info" "info --stats" "show" "convert --format json" "compare x.npy" \
        "slice --index 0 --format json"; do
        for f in z:"$huge" long:"$long" short:"$short"; do
            for path in "${f%%:*}.npy" "a.npz:${f%%:*}"; do
                # shellcheck disable=SC2086 # words
                run -3 dmlop $c "$path"
                assert_output "dmlop: ${c%% *}: $path: ${f#*:}"
            done
            # shellcheck disable=SC2086
            run -3 bash -c '"$DMLOP" "$@" - < <(cat '"${f%%:*}.npy)" - $c
            assert_output --partial "dmlop: ${c%% *}: standard input: "
            assert_output --partial "${f#*:}"
        done
        # shellcheck disable=SC2086
        [ "$c" = "slice --index 0 --format json" ] || dmlop $c pad.npy
    done
    run -3 dmlop validate m.json
    assert_line --partial "long.npy: $long [run.source-file]"
    for c in "make --range" "make --format json --fill 1"; do
        # shellcheck disable=SC2086
        run -2 dmlop $c --sizes $sizes
        assert_output "dmlop: make: --sizes: a FLOAT32 of sizes {$sizes} is larger than any file"
    done
    py 'np.save("e.npy", np.zeros((0, 3)))'
    run -3 dmlop convert e.npy --sizes $sizes
    assert_output "dmlop: convert: e.npy: --sizes: the sizes {$sizes} are too large"
    run dmlop info - <<<'{ "DataType": "INT8", "Sizes": [0, 4294967296, 4294967296], "Values": [] }'
    assert_failure 3
    assert_output "dmlop: info: standard input: the tensor's sizes are too large"
}

@test "an archive whose member has no name" {
    py '
import struct, zlib

head = (20, 0, 0, 0, 0, zlib.crc32(b"hi"), 2, 2, 0, 0)
local = struct.pack("<IHHHHHIIIHH", 0x04034B50, *head) + b"hi"
central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, *head, 0, 0, 0, 0, 0)
open("x.npz", "wb").write(
    local + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(central), len(local), 0))
'
    for c in info show; do
        run -3 dmlop "$c" x.npz
        assert_output "dmlop: $c: x.npz:: warning: it is not a .npy file
dmlop: $c: x.npz: there is no array in the archive"
    done
}

@test "archives: names that occur twice, members that cannot be read; info, show, reading agree" {
    py '
import io, warnings, zipfile

warnings.simplefilter("ignore")

def npy(n):
    f = io.BytesIO()
    np.save(f, np.arange(n))
    return f.getvalue()

def archive(path, *members):
    with zipfile.ZipFile(path, "w") as z:
        for name, data in members:
            z.writestr(name, data)

archive("dup.npz", ("x.npy", npy(3)), ("y.npy", npy(2)), ("x.npy", npy(5)), ("x.npy", npy(1)))
archive("both.npz", ("x.npy", npy(3)), ("x", npy(4)))
archive("one.npz", ("x.npy", npy(1)[:20]))
archive("note.npz", ("n.txt", "hi"), ("d/", ""))
archive("mixed.npz", ("n.txt", "hi"), ("x.npy", npy(2)))
archive("cut.npz", ("x.npy", npy(3)[:-1]), ("y.npy", npy(2)), ("z.npy", npy(2) + b"abcd"))
archive("empty.npz")
archive("bad.npz", ("x.npy", npy(3)[:5]), ("y.npy", npy(2)))'
    twice="the archive has several members of this name; write it anew with a name for each"
    run -3 --separate-stderr dmlop info dup.npz
    assert_output \
        "dup.npz:y: INT64 {2}, C order, little-endian, 16 bytes, .npy 1.0, 144 in the archive"
    assert_equal "$stderr" "dmlop: info: dup.npz:x: $twice"
    run -3 --separate-stderr dmlop show dup.npz
    assert_output "dup.npz:y: (Sizes:{2}, DataType:INT64)
[0, 1]"
    assert_equal "$stderr" "dmlop: show: dup.npz:x: $twice"
    for c in info "info --stats" show "convert --format json" "slice --index :1 --format json"; do
        for path in dup.npz:x dup.npz:x.npy; do
            # shellcheck disable=SC2086 # words
            run -3 dmlop $c $path
            assert_output "dmlop: ${c%% *}: $path: $twice"
        done
        # shellcheck disable=SC2086
        dmlop $c dup.npz:y >/dev/null
    done
    for options in "" --stats; do
        # shellcheck disable=SC2086
        run -0 dmlop info $options both.npz
        assert_line --partial "both.npz:x.npy: INT64 {3}"
        assert_line --partial "both.npz:x: INT64 {4}"
    done
    run dmlop slice --index -1 --format json both.npz:x.npy
    assert_line --partial '"Values": [2]'
    run dmlop slice --index -1 --format json both.npz:x
    assert_line --partial '"Values": [3]'
    for c in info show; do
        run -3 dmlop $c one.npz
        assert_output \
            "dmlop: $c: one.npz:x: the .npy header says it is 118 bytes long, but only 10 follow"
        run -3 dmlop $c note.npz
        assert_output "dmlop: $c: note.npz:n.txt: warning: it is not a .npy file
dmlop: $c: note.npz: there is no array in the archive"
        refuses 3 "dmlop: $c: empty.npz: this is an empty .npz or zip archive, not" $c empty.npz
        run -3 dmlop $c bad.npz
        assert_line "dmlop: $c: bad.npz:x: it is not a .npy file"
        run -0 dmlop $c mixed.npz
        run -3 --separate-stderr dmlop $c cut.npz
        assert_output --partial "cut.npz:y: "
        cut="the data is cut short: INT64 {3} needs 24 bytes, but only 23 are there"
        long="4 bytes follow the data of INT64 {2}; the header or the file is wrong"
        assert_equal "$stderr" "dmlop: $c: cut.npz:x: $cut
dmlop: $c: cut.npz:z: $long"
    done
    run dmlop convert one.npz:x
    assert_output \
        "dmlop: convert: one.npz:x: the .npy header says it is 118 bytes long, but only 10 follow"
    run dmlop convert cut.npz:z
    assert_output "dmlop: convert: cut.npz:z: $long"
}

@test "first bytes come before names: .npy and archives of any name, in commands, files and pipes" {
    py '
np.save("x.npy", np.arange(6.0, dtype="f4").reshape(2, 3))
np.savez("z.npz", x=np.load("x.npy"))
'
    for f in x.bin x.dat x.json x.txt x; do
        cp x.npy "$f"
        dmlop convert "$f" -o y.npy
        assert_same_file y.npy x.npy
        mkfifo p.bin
        cat "$f" >p.bin &
        dmlop convert p.bin -o y.npy
        assert_same_file y.npy x.npy
        rm p.bin
        dmlop compare "$f" x.npy
        assert_equal "$(dmlop show "$f" | tail -n +2)" "$(dmlop show x.npy | tail -n +2)"
        assert_equal "$(dmlop info --stats "$f" | cut -d: -f2-)" "$(dmlop info --stats x.npy |
            cut -d: -f2-)"
        dmlop slice --index :1 "$f" -o y.npy
        dmlop topk -k 1 "$f" -o y.npy
    done
    for f in z.bin z.dat z.zip z.npy z; do
        cp z.npz "$f"
        run -0 dmlop info "$f"
        assert_output \
            "$f:x: FLOAT32 {2,3}, C order, little-endian, 24 bytes, .npy 1.0, 152 in the archive"
        assert_equal "$(dmlop show "$f")" "$(dmlop show x.npy | sed "1s/x.npy/$f:x/")"
        dmlop convert "$f:x" -o y.npy
        assert_same_file y.npy x.npy
        dmlop compare "$f:x" x.npy
        dmlop slice --index :1 "$f:x" -o y.npy
        dmlop convert "$f" --dtype float32 --sizes -1 -o q.npy && rm q.npy
        run -3 dmlop slice --index :1 "$f:y"
        assert_output \
            "dmlop: slice: $f: there is no 'y' in the archive; 'dmlop info' lists what it contains"
    done
    run -3 dmlop convert none.bin:x -o q.npy
    assert_output "dmlop: convert: none.bin:x: cannot open: No such file or directory"
    py 'np.arange(200000, dtype="<f4").tofile("raw.bin")'
    mkfifo pipe.bin
    cat raw.bin >pipe.bin &
    dmlop convert pipe.bin --dtype float32 --sizes -1,4 -o y.npy
    py '
assert (np.load("y.npy").shape == (50000, 4)
        and (np.load("y.npy").ravel() == np.arange(200000)).all())
'
    printf '\x93NUM' >part.bin # too few bytes for the magic: raw
    dmlop convert part.bin --dtype uint8 --sizes 4 -o y.npy
    assert_file_not_exist q.npy
}
