# Tensor files: every .npy that NumPy writes, byte for byte; what is malformed is refused.
load helper

@test "header versions 1.0, 2.0, 3.0, Fortran order, odd spacing" {
    py '
from program import printed

a = np.arange(24, dtype="f4").reshape(2, 3, 4)

def write(text, version=(1, 0), data=a.tobytes(), name="x.npy"):
    h = text.encode() if isinstance(text, str) else text
    n = len(h).to_bytes(2 if version[0] == 1 else 4, "little")
    open(name, "wb").write(b"\x93NUMPY" + bytes(version) + n + h + data)

def same(want):
    printed("slice", "--index", "...", "x.npy", "-o", "y.npy")
    np.save("w.npy", want)
    assert open("y.npy", "rb").read() == open("w.npy", "rb").read()

for v in [(1, 0), (2, 0), (3, 0)]:
    np.lib.format.write_array(open("x.npy", "wb"), a, v)
    same(a)
    np.lib.format.write_array(open("x.npy", "wb"), np.asfortranarray(a), v)
    same(a)
    np.lib.format.write_array(open("x.npy", "wb"), a.astype(">f4"), v)
    same(a)
for text in ["{\x27descr\x27:\x27<f4\x27,\x27fortran_order\x27:False,\x27shape\x27:(2,3,4)}",
             "{ \x27shape\x27 : ( 2L , 3L,4L, ) ,\"fortran_order\":  False,"
             " \x27descr\x27 : \x27=f4\x27 , }  \n",
             "{\x27descr\x27: \x27f4\x27, \x27fortran_order\x27: False, \x27shape\x27: (2, 3, 4), }"
             + " " * 100]:
    write(text)
    same(a)
for pad in (1, 2, 3):
    write("{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, \x27shape\x27: (2, 3, 4), }",
          data=a.tobytes() + b"x" * pad)
    same(a)
'
}

@test "written files are byte for byte numpy.save's, for many shapes and all types" {
    py '
import random
from program import printed

random.seed(2)
for i in range(40):
    t = random.choice(["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
    shape = tuple(random.choice([1, 2, 3, 11, 101]) if j < 2 else random.randint(1, 3)
                  for j in range(random.randint(1, 8)))
    a = np.zeros(shape, t)
    np.save("x.npy", a)
    printed("slice", "x.npy", "-o", "y.npy", "--no-sync")
    assert open("y.npy", "rb").read() == open("x.npy", "rb").read(), (t, shape)
'
}

# npy HEADER [DATA-BYTES]: x.npy with that header text.
npy() {
    "$PYTHON" - "$1" "${2:-0}" <<'P'
import sys

h = sys.argv[1].encode()
open("x.npy", "wb").write(b"\x93NUMPY\x01\x00" + len(h).to_bytes(2, "little") + h
                          + b"\0" * int(sys.argv[2]))
P
}

# refused TEXT: dmlop slice x.npy fails with 3, one line, and TEXT in it.
refused() {
    run -3 dmlop slice x.npy -o y.npy
    assert_output --partial "$1"
    assert_equal "${#lines[@]}" 1
    assert_not_exist y.npy
}

@test "malformed .npy headers" {
    while IFS='|' read -r header text; do
        npy "${header/33 ONES/$(printf '1,%.0s' {1..33})}" 64
        refused "$text"
    done <<'T'
|not a Python dict
[]|not a Python dict
{'descr': '<f4', 'fortran_order': False, }|lacks 'shape'
{'descr': '<f4', 'shape': (2,), }|lacks 'fortran_order'
{'fortran_order': False, 'shape': (2,), }|lacks 'descr'
{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'extra': 1}|unknown key 'extra'
{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }|twice
{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }|neither True nor False
{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }|negative
{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,), }|comma
{'descr': '<f4', 'fortran_order': False, 'shape': 2, }|is not a tuple
{'descr': '<f4', 'fortran_order': False, 'shape': (2), }|not a tuple
{'descr': '<f4', 'fortran_order': False, 'shape': (2,) } trailing|more text after
{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }|larger than any file
{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }|above 2^63
{'descr': '<f4', 'fortran_order': False, 'shape': (33 ONES), }|more than 32
{'descr': '<f4', 'fortran_order': False, 'shape': (1000000,), }|cut short
{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }|56 bytes follow
{'descr': '<f4|has no closing quote
T
    printf '\223NUMPY' >x.npy
    refused "cut short"
    printf '\223NUMPY\001\000\377\377' >x.npy
    refused "65535 bytes long"
    printf '\223NUMPY\002\000\377\377\377\377' >x.npy
    refused "4294967295 bytes long"
    printf '\223NUMPY\004\000\001\000 ' >x.npy
    refused "version 4.0"
    printf '\223NUMPY\001\001\001\000 ' >x.npy
    refused "version 1.1"
}

@test "every beginning of a good file is refused cleanly" {
    dmlop make --sizes 3 --range -o good.npy
    size=$(stat -c %s good.npy)
    for ((n = 0; n < size; n += 7)); do
        head -c "$n" good.npy >x.npy
        run -3 dmlop slice x.npy
    done
}

@test "JSON tensors: values outside the type, fractions, ragged nesting name their place" {
    while IFS='|' read -r type text message; do
        echo "$text" >x.json
        run -3 dmlop slice --dtype "$type" x.json
        assert_output --partial "$message"
        assert_output --partial "x.json"
    done <<'T'
int8|[1, [2]]|[1]
int8|[[1, 2], [3]]|[1]
int8|[1, 128]|[1]
uint8|[1, -1]|[1]
int32|[1, 2.5]|[1]
float32|[1, 1e39]|[1]
float32|[1, true]|[1]
float32|[1, 2|line
int16|{ "DataType": "INT16", "Sizes": [3], "Values": [1, 2] }|Sizes
T
    for text in '[NaN, Infinity, -Infinity]' '["nan", "inf", "-inf"]'; do
        echo "$text" >x.json
        dmlop slice x.json --format npy -o y.npy
        py '
a = np.load("y.npy")
assert a.dtype == "f4" and np.isnan(a[0]) and a[1] == np.inf and a[2] == -np.inf
'
    done
}

@test "INT64 and UINT64 are exact over their range, both ways" {
    echo \
        '{"DataType": "UINT64", "Sizes": [2], "Values": [18446744073709551615, 9007199254740993]}' \
        >x.json
    dmlop slice x.json -o y.npy
    py 'assert np.load("y.npy").tolist() == [18446744073709551615, 9007199254740993]'
    dmlop slice y.npy -o z.json
    run cat z.json
    assert_output --partial "[18446744073709551615, 9007199254740993]"
    ends="[-9223372036854775808, 9223372036854775807]"
    echo "{\"DataType\": \"INT64\", \"Sizes\": [2], \"Values\": $ends}" >x.json
    dmlop slice x.json -o y.npy
    py "assert np.load('y.npy').tolist() == $ends"
}

@test "a JSON tensor of millions of numbers takes at most twice its text in memory" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    "$DMLOP" --version >/dev/null
    sanitized && skip "sanitizers take memory of their own"
    py '
n = 3000000
open("x.json", "w").write("[" + ",".join("%.3f" % (i % 1000 / 1000) for i in range(n)) + "]")'
    /usr/bin/time -f %M -o rss "$DMLOP" slice --index :1 --threads 1 x.json -o y.npy
    text=$(stat -c %s x.json)
    [ "$(tail -n 1 rss)" -le $((2 * text / 1024 + 8192)) ] ||
        fail "$(cat rss) KiB for a text of $text bytes"
}

@test "written headers of every length about the 64 bytes they are padded to are numpy.save's" {
    py '
from program import printed

for n in range(0, 75):
    shape = [0, 10 ** (n % 3)] + [1] * (n // 3)
    np.save("x.npy", np.zeros(shape, "i1"))
    printed("convert", "x.npy", "-o", "y.npy", "--no-sync")
    assert open("x.npy", "rb").read() == open("y.npy", "rb").read(), shape
'
}
