# dmlop show: tensors in columns. NumPy's arrays are the oracle, and its own printing where the two
# agree.
# shellcheck disable=SC2016,SC2154 # inner shells expand; run sets stderr
load helper

@test "what show prints, whole" {
    golden show
}

@test "samples/demo shows its results so, whatever the width" {
    COLUMNS=20 run "$SAMPLES/demo" "$DMLOP"
    assert_success
    assert_output --partial "
    \$ dmlop topk -d topk1-ex1.desc.json --indices indices.json topk1-ex1.input.json
    OutputValueTensor: (Sizes:{1,1,3,2}, DataType:FLOAT32)
    [[[[11, 10],
       [ 9,  8],
       [ 7,  6]]]]
    OutputIndexTensor: (Sizes:{1,1,3,2}, DataType:UINT32)
    [[[[3, 2],
       [2, 3],
       [3, 2]]]]
    => equals the documentation
"
}

@test "one, two and three axes as NumPy prints them, whole and in part" {
    "$PYTHON" - <<'P'
import os, numpy as np
from program import printed

wide = {**os.environ, "COLUMNS": "1000"}

def show(*args):
    return printed("show", *args, env=wide).split("\n", 1)

def same(a, *args, **options):
    np.save("x.npy", a)
    title, body = show(*args, "x.npy")
    sizes = ",".join(map(str, a.shape))
    assert title == f"x.npy: (Sizes:{{{sizes}}}, DataType:{a.dtype.name.upper()})", title
    want = np.array2string(a, separator=", ", max_line_width=10**6, **options)
    assert body == want + "\n", (args, body, want)

for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
    same(np.array([np.iinfo(t).min, 0, 7, np.iinfo(t).max], t))
for shape in ((5,), (1,), (2, 3), (3, 1), (2, 2, 2), (2, 1, 3)):
    same(np.arange(np.prod(shape), dtype="i4").reshape(shape) - 3)
for shape in ((1000,), (1001,), (7, 143), (143, 7), (10, 10, 10), (8, 20, 9), (1, 1, 2000)):
    a = np.arange(np.prod(shape), dtype="i8").reshape(shape)
    if a.shape != (1000,):
        same(a)  # which all are shown, on several lines
    same(a, "--edge", "1", edgeitems=1, threshold=0)
    same(a, "--edge", "4", edgeitems=4, threshold=0)
for a in (np.arange(6).reshape(2, 3), np.arange(7),
          np.arange(8)):  # an axis that has no more is whole
    same(a, "--edge", "3", edgeitems=3, threshold=0)
P
}

@test "every element type prints exact values; points stand below points" {
    "$PYTHON" - <<'P'
import os, re, numpy as np
from program import printed

rng = np.random.default_rng(5)
inf, nan = np.inf, np.nan
wide = {**os.environ, "COLUMNS": "1000"}

def show(*args):
    return printed("show", *args, env=wide).split("\n", 1)[1]

for t in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"):
    if t[0] == "f":
        info = np.finfo(t)
        a = np.array([[0, -0.0, 1, -1, 0.1, -2.5], [nan, inf, -inf, info.max, -info.max, info.tiny],
                      [1e-7, 3, 65504, 1 / 3, 1000.5, 7]], t)
        b = (rng.standard_normal((7, 6)) * 10.0 ** rng.integers(-4, 4, (7, 6))).astype(t)
    elif t == "?":
        a, b = np.array([[True, False]]), rng.random((3, 3)) < 0.5
    else:
        info = np.iinfo(t)
        a = np.array([[info.min, info.max, 0, 1]], t)
        b = rng.integers(info.min, info.max, (7, 6), t, endpoint=True)
    for x in (a, b):
        for order in "<>":
            for f in "CF":
                y = np.array(x, np.dtype(t).newbyteorder(order), order=f)
                np.save("x.npy", y)
                text = show("x.npy")
                back = np.array([float(v) if t[0] == "f" else int(v)
                                 for v in re.findall(r"[^\s\[\],]+", text)], t).reshape(x.shape)
                assert back.tobytes() == np.ascontiguousarray(x).tobytes(), (t, text)
                rows = text.strip().split("\n")
                cells = [re.findall(r"[\[ ]( *[^\s,\]]+ *)[,\]]", r[1:]) for r in rows]
                assert len({tuple(map(len, c)) for c in cells}) == 1, text  # columns
                points = {re.search(r"\.|(?<=\d)e|(?<=\d)(?= |$)", c).start() for r in cells
                          for c in r if re.search(r"\d", c)}
                assert len(points) == 1, (points, text)
P
    py '
np.save("x.npy", np.array([[1, -2.5, np.nan], [np.inf, 1e-7, -1e20], [-np.inf, 0.1, -0.0]]))
'
    run dmlop show x.npy
    assert_output 'x.npy: (Sizes:{3,3}, DataType:FLOAT64)
[[ 1   , -2.5 ,   nan],
 [  inf,  1e-7, -1e20],
 [ -inf,  0.1 , -0.0 ]]'
    py 'np.save("x.npy", np.array([True, False]))'
    run dmlop show x.npy
    assert_output 'x.npy: (Sizes:{2}, DataType:UINT8 (bool))
[1, 0]'
}

@test "scalars, empty tensors, eight and thirty-two axes" {
    "$PYTHON" "$ROOT/tests/cli/show_shapes.py"
}

@test "lines fit the width of COLUMNS" {
    "$PYTHON" - <<'P'
import os, re, numpy as np
from program import printed

rng = np.random.default_rng(7)
arrays = [np.arange(100), rng.standard_normal((3, 40)).astype("f4"),
          rng.integers(-99, 99, (4, 5, 30), "i2"), np.arange(5000.0).reshape(50, 100) * 1e3,
          np.arange(100).reshape((1,) * 6 + (2, 50))]
for a in arrays:
    np.save("x.npy", a)
    for width in (20, 31, 40, 79, 80, 133, 500):
        text = printed("show", "x.npy", env={**os.environ, "COLUMNS": str(width)})
        title, body = re.fullmatch(r"(x\.npy:\s\(Sizes:\S+,\s+DataType:\w+\)\n)(.*)", text,
                                   re.S).groups()
        lines = body.rstrip("\n").split("\n")
        assert all(len(l) <= width for l in lines), (width, text)
        if width >= 40 and a.ndim < 8:
            assert all(len(l) <= width for l in title.split("\n")), title
        values = body.replace("...", "")
        back = [float(v) for v in re.findall(r"[^\s\[\],]+", values)]
        if a.size <= 1000:
            assert (np.array(back).astype(a.dtype) == a.ravel()).all()
        # No line has room for the first cell of the next one and the brackets that may follow it.
        for one, two in zip(lines, lines[1:]):
            if (not one.endswith("],") and one and two and not two.lstrip().startswith("[")
                and "..." not in (one[-4:-1], two.strip())):
                cell = re.match(r" {%d}( *[^,\]]+)" % a.ndim, two).group(1)
                assert len(one) + 1 + len(cell) + a.ndim > width, (width, one, two)
        # Rows break at the same places.
        starts = [len(l) for l in lines if re.match(r"[ \[]*\[", l) and not l.endswith(("]", "],"))]
        assert len(set(starts)) <= 1 or len(lines) < 3, text
P
}

@test "--index: as slice takes it, for every sign of step" {
    "$PYTHON" - <<'P'
import os, subprocess, numpy as np

a = np.arange(60, dtype="i4").reshape(3, 4, 5)
keep = {"1": "1:2", "-1": "-1:", "0": "0:1"}
for order in "CF":
    np.save("x.npy", np.asarray(a, order=order))
    for spec in ("1", "..., ::-2", "::-1, ::-1, ::-1", "1:, 1:3, 2", "-1, ..., 0", "0",
                 ":, -1, 1::2", "..."):
        parts = [keep.get(p.strip(), p.strip()) for p in spec.split(",")]
        parts = ["2:3" if p == "2" else p for p in parts]
        b = eval("a[" + ",".join(parts) + "]")
        want = (f"[{spec}]: (Sizes:{{{','.join(map(str, b.shape))}}}, DataType:INT32)\n"
                + np.array2string(b, separator=", ", max_line_width=80) + "\n")
        for shell in ('"$DMLOP" show --index "$SPEC" x.npy',
                      'cat x.npy | "$DMLOP" show --index "$SPEC" -'):
            got = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True,
                                 env={**os.environ, "SPEC": spec}).stdout
            assert got == ("<stdin>" if "cat" in shell
                           else "x.npy") + want, (shell, spec, got, want)
P
    refuses 3 "--index: 3 in '3' is outside axis 0 of size 3" show --index 3 x.npy
    run dmlop show --index '[-1:, 1:3, ::4]' x.npy
    assert_output "x.npy[-1:, 1:3, ::4]: (Sizes:{1,2,2}, DataType:INT32)
[[[45, 49],
  [50, 54]]]"
    py 'np.save("nine.npy", np.zeros((1,) * 9))'
    run -3 dmlop show --index 0 nine.npy
    assert_output \
        "dmlop: show: nine.npy: --index supports tensors of up to 8 dimensions, but this has 9"
}

@test "--precision rounds to digits after the point, once, and never to nothing" {
    py '
np.save(
    "x.npy",
    np.array(
        [
            3.14159, 2.5, 100, -0.004, 1.23456e-7, 0.999, 123456.125, np.nan, 2.675, 5e-324,
            9.996e-5, -1e22
        ]
    ),
)
'
    run dmlop show --precision 2 x.npy
    assert_output 'x.npy: (Sizes:{12}, DataType:FLOAT64)
[     3.14   ,      2.5    ,    100      ,     -4e-3   ,      1.23e-7,
      1      , 123456.12   ,          nan,      2.67   ,      5e-324 ,
      1e-4   ,     -1e22   ]'
    "$PYTHON" - <<'P'
import re, numpy as np
from decimal import Decimal
from program import printed

rng = np.random.default_rng(3)
a = np.concatenate([np.load("x.npy"), rng.standard_normal(300) * 10.0 ** rng.integers(-9, 9, 300)])
for t in ("f8", "f4", "f2"):
    with np.errstate(all="ignore"):
        x = a.astype(t)
    np.save("y.npy", x)
    for n in (0, 1, 2, 5, 17):
        text = printed("show", "--precision", str(n), "--all", "y.npy")
        words = re.findall(r"[^\s\[\],]+", text.split("\n", 1)[1])
        for word, v in zip(words, x, strict=True):
            if not np.isfinite(v):
                continue
            if v == 0:
                assert word == ("-0.0" if np.signbit(v) else "0"), word
                continue
            assert re.fullmatch(r"-?\d+(\.\d*[1-9])?(e-?[1-9]\d*)?", word), word
            digits = len(re.sub(r"e.*", "", word).partition(".")[2])
            assert digits <= n
            unit = Decimal(10) ** ((int(word.partition("e")[2]) if "e" in word else 0) - n)
            shortest = abs(Decimal(word) - Decimal(repr(float(v)) if t == "f8" else str(v))) == 0
            assert shortest or abs(Decimal(word) - Decimal(float(v))) <= unit / 2, (word, v, n)
            assert (float(word) == 0) == (v == 0), (word, v)
P
    py 'np.save("i.npy", np.array([1234567, -1]))'
    run dmlop show --precision 0 i.npy
    assert_output 'i.npy: (Sizes:{2}, DataType:INT64)
[1234567,      -1]'
}

@test "of a file of 120 GB only the pages that are shown are read" {
    [ -z "${RUNNER:-}" ] || skip "what a program is run by takes memory, too"
    "$PYTHON" - <<'P'
import os, struct, subprocess
from program import DMLOP, printed

def sparse(name, shape, fortran, padding):
    h = ("{'descr': '<f4', 'fortran_order': %s, 'shape': %r, }" % (fortran, shape)).encode()
    h += b" " * (-(len(h) + 11) % 64 + padding) + b"\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(h)) + h)
        f.truncate(10 + len(h) + 4 * shape[0] * shape[1])
        f.seek(10 + len(h) + 4 * shape[0] * shape[1] - 4)
        f.write(struct.pack("<f", 1.5))

for fortran, padding in ((False, 0), (True, 0), (False, 3)):  # the last: elements are not aligned
    sparse("x.npy", (100000, 300000), fortran, padding)
    p = subprocess.Popen([DMLOP, "show", "x.npy"], stdout=subprocess.PIPE, text=True)
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    assert (
        status == 0
        and out
        == """x.npy: (Sizes:{100000,300000}, DataType:FLOAT32)
[[0  , 0  , 0  , ..., 0  , 0  , 0  ],
 [0  , 0  , 0  , ..., 0  , 0  , 0  ],
 [0  , 0  , 0  , ..., 0  , 0  , 0  ],
 ...,
 [0  , 0  , 0  , ..., 0  , 0  , 0  ],
 [0  , 0  , 0  , ..., 0  , 0  , 0  ],
 [0  , 0  , 0  , ..., 0  , 0  , 1.5]]
"""
    ), out
    assert usage.ru_maxrss < 32 << 10 and usage.ru_utime + usage.ru_stime < 2, usage
    # What was read of the file is in the page cache: some pages of 30 million.
    with open("x.npy", "rb") as f:
        assert os.stat("x.npy").st_blocks < 1000  # sparse it stays
    out = printed("show", "--index", "-1, -4:", "x.npy")
    assert out == "x.npy[-1, -4:]: (Sizes:{1,4}, DataType:FLOAT32)\n[[0  , 0  , 0  , 1.5]]\n", out
P
    if command -v fincore >/dev/null; then
        [ "$(fincore -nbo RES x.npy)" -lt 4000000 ] || fail "$(fincore x.npy)"
    fi
}

@test "a pipe of many megabytes is not kept" {
    "$PYTHON" - <<'P'
import os, struct, subprocess
from program import DMLOP

n = 100_000_000
h = ("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 10), }" % (n // 10)).encode()
h += b" " * (-(len(h) + 11) % 64) + b"\n"
head = b"\x93NUMPY\x01\0" + struct.pack("<H", len(h)) + h

def piped(data, *args):
    p = subprocess.Popen([DMLOP, "show", *args, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=False)
    for part in data:
        p.stdin.write(part)
    p.stdin.close()
    out, err = p.stdout.read().decode(), p.stderr.read().decode()
    _, status, usage = os.wait4(p.pid, 0)
    assert usage.ru_maxrss < 32 << 10, usage
    return os.waitstatus_to_exitcode(status), out, err

row = bytes(range(10))
many = [head] + [row * 100_000] * 99
status, out, err = piped(many + [row * 99_999 + bytes(range(10, 20))], "--index", "-4:, ::3")
assert (status, err) == (0, "")
assert out == """<stdin>[-4:, ::3]: (Sizes:{4,4}, DataType:UINT8)
[[ 0,  3,  6,  9],
 [ 0,  3,  6,  9],
 [ 0,  3,  6,  9],
 [10, 13, 16, 19]]
""", out
status, out, err = piped(many + [row * 100_000], "--edge", "1")
assert (status, err) == (0, "")
assert out == """<stdin>: (Sizes:{10000000,10}, DataType:UINT8)
[[0, ..., 9],
 ...,
 [0, ..., 9]]
""", out
# The end is looked at, whatever is shown.
for data, what in (
        (many, "the data is cut short: UINT8 {10000000,10} needs 100000000 bytes,"
               " but only 99000000 are there"),
        (many + [row * 100_000 + b"1234"], "at least 4 bytes follow the data of UINT8 "
                                           "{10000000,10}; the header or the file is wrong")):
    for args in ((), ("--index", "0,:2")):
        assert piped(data, *args) == (3, "", f"dmlop: show: standard input: {what}\n"), (args, what)
P
}

@test "readers that go" {
    dmlop make --no-sync --dtype int64 --sizes 3000000 --range -o x.npy
    run bash -c '"$DMLOP" show --all x.npy | head -1; echo "${PIPESTATUS[*]}"'
    assert_output "x.npy: (Sizes:{3000000}, DataType:INT64)
141 0"
}

@test "an archive of 4,000 arrays is opened once, and named in any case" {
    py '
import zipfile, io

b = io.BytesIO()
np.save(b, np.ones(2, "i1"))
with zipfile.ZipFile("Z.NPZ", "w") as z:
    for i in range(4000):
        z.writestr("m%d.npy" % i, b.getvalue())
'
    ulimit -t 10 # seconds of a processor
    run -0 dmlop show Z.NPZ
    assert_line "Z.NPZ:m3999: (Sizes:{2}, DataType:INT8)"
    dmlop info --stats Z.NPZ >info.txt
    run dmlop info Z.NPZ:m7
    assert_output "Z.NPZ:m7: INT8 {2}, C order, little-endian, 2 bytes, .npy 1.0"
}
