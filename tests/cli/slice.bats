# dmlop slice: by options and by descriptor, against NumPy.
load helper

# desc FIELDS: a SLICE1 descriptor in d.json.
desc() {
    printf '{ "type": "DML_OPERATOR_SLICE1", "desc": { %s } }\n' "$1" >d.json
}

# window INPUT OUTPUT OFFSETS SIZES STRIDES: a SLICE1 descriptor in d.json, on one line. INPUT and
# OUTPUT are members of its tensors.
window() {
    local commas=${3//[^,]/}
    desc "\"InputTensor\": {$1}, \"OutputTensor\": {$2}, \"DimensionCount\": $((${#commas} + 1)), \
\"InputWindowOffsets\": [$3], \"InputWindowSizes\": [$4], \"InputWindowStrides\": [$5]"
}

@test "what slice, topk and qmatmul say of their arguments, whole" {
    golden arguments
}

@test "long contiguous pieces, copied as they are, along every axis; to a file, a pipe, from one" {
    py '
import io, subprocess
from program import printed

def sliced(spec, source, stdin=None):
    return np.load(io.BytesIO(printed("slice", "--index", spec, source, stdin=stdin, text=False)))

for shape in ((5, 70001), (3, 4, 30011), (2, 3, 4, 20000), (4, 1, 5, 1, 18000), (7, 300, 101)):
    a = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    np.save("a.npy", a)
    for spec in ("1:", ":, 1:", ":, :1", "1::2, :-1", "..., 5:", "::2", ":, ::-1",
                 "1:, ::2, ..." if len(shape) > 2 else "2:"):
        want = eval("a[" + spec + "]")
        if want.size == 0:
            continue
        printed("slice", "--index", spec, "a.npy", "-o", "b.npy")
        with open("a.npy", "rb") as f, subprocess.Popen(["cat"], stdin=f,
                                                        stdout=subprocess.PIPE) as cat:
            for got in (np.load("b.npy"), sliced(spec, "a.npy"), sliced(spec, "-", cat.stdout)):
                assert got.shape == want.shape and (got == want).all(), (shape, spec)
'
}

@test "--index equals NumPy's basic slicing on random arrays and specs" {
    "$PYTHON" "$ROOT/tests/cli/slice_index.py"
}

@test "--index clips bounds of any size, as Python's integers have" {
    py '
import random
from program import dmlop

random.seed(13)
a = np.arange(5, dtype="i4")
np.save("a.npy", a)
far = ["", "0", "2", "-2", "+3", "9223372036854775807", "-9223372036854775808",
       "9223372036854775808", "99999999999999999999999", "-99999999999999999999999"]
for _ in range(150):
    start, stop, step = (random.choice(far), random.choice(far),
                         random.choice([f for f in far if f != "0"]))
    spec = f"{start}:{stop}:{step}"
    want = a[eval("slice(%s, %s, %s)" % tuple(x or "None" for x in (start, stop, step)))]
    r = dmlop("slice", "--index", spec, "a.npy", "-o", "b.npy", "--no-sync", text=False)
    if want.size == 0:
        assert r.returncode == 3 and b"selects nothing" in r.stderr, (spec, r)
    else:
        assert r.returncode == 0 and np.load("b.npy").tolist() == want.tolist(), (spec, r, want)
'
    for spec in 5 -6 99999999999999999999 -99999999999999999999; do
        refuses 3 "is outside axis 0 of size 5" slice --index "$spec" a.npy
    done
}

@test "--index refuses what is not basic slicing" {
    dmlop make --dtype int64 --sizes 2,3 --range -o a.npy
    for spec in None newaxis True '[0,1]' '1:2:3:4' '::0' 'x' '' '...,...' '1.5' '+' '+:2' ':-' \
        '1-2' '--1' '+-1' '01' '0x1'; do
        refuses 2 "--index" slice --index "$spec" a.npy
    done
    for spec in 2 '0,3' '-3' '0,0,0' '1:1' '5:'; do
        run -3 dmlop slice --index "$spec" a.npy
    done
}

@test "window lists: the documentation's examples and the defaults" {
    py 'np.save("x.npy", np.arange(1, 17, dtype="f4").reshape(1, 1, 4, 4))'
    dmlop slice --offsets 0,0,0,1 --sizes 1,1,4,3 --strides 1,1,-2,2 x.npy -o y.npy
    py 'assert (np.load("y.npy") == [[[[14, 16], [6, 8]]]]).all()'
    dmlop slice --offsets 0,0,1,2 x.npy -o y.npy
    py 'assert (np.load("y.npy") == np.load("x.npy")[:, :, 1:, 2:]).all()'
    dmlop slice --strides 1,1,3,-3 --output-sizes 1,1,1,2 x.npy -o y.npy
    py 'assert (np.load("y.npy") == np.load("x.npy")[:, :, :1, ::-3]).all()'
}

@test "window lists: every notation, in one word or several" {
    py 'np.save("x.npy", np.arange(1, 17, dtype="f4").reshape(1, 1, 4, 4))'
    dmlop slice --offsets 0,0,0,1 --sizes 1,1,4,3 --strides 1,1,-2,2 x.npy -o y.npy
    local list
    for list in '{0, 0, 0, 1}' '{0,0,0,1}' '[0,0,0,1]' '[0, 0, 0, 1]' '(0, 0, 0, 1)' '0 0 0 1' \
        '0, 0, 0, 1' ' 0 ,0 0,1 '; do
        dmlop slice --offsets "$list" --sizes '{1,1,4,3}' --strides '[1 1 -2 2]' x.npy -o z.npy
        assert_same_file y.npy z.npy
        dmlop slice "--offsets=$list" --sizes '1 1 4 3' --strides '{1, 1, -2, 2}' \
            --output-sizes '{1, 1, 2, 2}' x.npy -o z.npy
        assert_same_file y.npy z.npy
    done
    # the shell takes braces apart, and blanks too
    dmlop slice --offsets {0,0,0,1} --sizes {1, 1, 4, 3} --strides 1 1 -2 2 x.npy -o z.npy
    assert_same_file y.npy z.npy
    dmlop slice x.npy --offsets [0, 0, 0, 1] --sizes 1, 1, 4, 3 --strides {1,1,-2,2} -o z.npy
    assert_same_file y.npy z.npy
    dmlop slice --index '[..., ::-2, 1:4:2]' x.npy -o z.npy
    assert_same_file y.npy z.npy
    # the shell makes four options of it, and the last counts
    run -3 dmlop slice --offsets={0,0,0,1} x.npy
    local write="write one number for each axis, such as 0,0,0,1 or \"{0, 0, 0, 1}\" with quotes"
    assert_output "dmlop: slice: --offsets: '1' has 1 number, but the input has 4 axes; $write"
    for list in '{0, 0, 0, 1' '{0,0,0,1]' '0,0,0,1}' '{{0,0,0,1}}' '0,,0,1' '0;0;0;1' '{0,0,0,a}' \
        '0,0,0,1,' '{}' ''; do
        run -2 dmlop slice --offsets "$list" x.npy
        assert_output --partial "--offsets: '$list"
        assert_output --partial "is not a list of 4 non-negative whole numbers, one for each axis"
    done
    run -3 dmlop slice --strides '{1, 2}' x.npy
    assert_output --partial "--strides: '{1, 2}' has 2 numbers, but the input has 4 axes"
}

@test "window lists that do not fit" {
    dmlop make --sizes 4,4 --fill 0 -o x.npy
    run -2 dmlop slice --offsets 1,1.0 x.npy
    run -2 dmlop slice --offsets 0,-18446744073709551615 x.npy
    run -0 dmlop slice --strides 1,-2147483648 x.npy --format json
}

@test "stride -2147483648 is legal in a descriptor" {
    dmlop make --sizes 4 --range -o x.npy
    window '"DataType":"FLOAT32","Sizes":[4]' '"DataType":"FLOAT32","Sizes":[1]' 0 4 -2147483648
    run -0 dmlop slice -d d.json x.npy --format json
    assert_output --partial '"Values": [3]'
}

@test "every element type and bool keep their bits" {
    py '
from program import printed

rng = np.random.default_rng(1)
for t in ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">i8",
          ">u2", ">f2"]:
    raw = rng.integers(0, 256, 6 * 5 * np.dtype(t).itemsize, dtype="u1")
    a = (raw & 1 if t == "?" else raw).view(t).reshape(6, 5)
    np.save("a.npy", a)
    printed("slice", "--index", "::-1,1::2", "a.npy", "-o", "b.npy")
    want = a[::-1, 1::2].astype(a.dtype.newbyteorder("<"))
    np.save("w.npy", want)
    assert open("b.npy", "rb").read() == open("w.npy", "rb").read(), t
'
}

@test "input Strides: broadcast, padding, permutation; a buffer of enough elements" {
    dmlop make --dtype int32 --sizes 20 --range -o x.npy
    window '"DataType":"INT32","Sizes":[3,4],"Strides":[0,2]' '"DataType":"INT32","Sizes":[3,4]' \
        0,0 3,4 1,1
    dmlop slice -d d.json x.npy -o y.npy
    py 'assert (np.load("y.npy") == [[0, 2, 4, 6]] * 3).all()'
    window '"DataType":"INT32","Sizes":[4,5],"Strides":[1,4]' '"DataType":"INT32","Sizes":[4,5]' \
        0,0 4,5 1,1
    dmlop slice -d d.json x.npy -o y.npy
    py 'assert (np.load("y.npy") == np.arange(20).reshape(5, 4).T).all()'
    window '"DataType":"INT32","Sizes":[4,5],"Strides":[6,1]' '"DataType":"INT32","Sizes":[4,5]' \
        0,0 4,5 1,1
    refuses 3 "reach 23" slice -d d.json x.npy
}

@test "output Strides: the logical tensor, or the flat buffer" {
    dmlop make --dtype int16 --sizes 2,3 --range -o x.npy
    window '"DataType":"INT16","Sizes":[2,3]' '"DataType":"INT16","Sizes":[2,3],"Strides":[1,3]' \
        0,0 2,3 1,1
    dmlop slice -d d.json x.npy -o y.npy
    assert_same_file x.npy y.npy
    dmlop slice -d d.json x.npy -o y.npy --output-layout buffer
    py 'assert np.load("y.npy").tolist() == [0, 3, 0, 1, 4, 0, 2, 5]'
    run -2 dmlop slice --index 0 x.npy --output-layout buffer
}

@test "a file's leading sizes of 1 do not count" {
    dmlop make --sizes 4,4 --fill 0 -o ok.npy
    dmlop slice -d "$SAMPLES/slice1-ex1.desc.json" ok.npy --format json
}

@test "findings of a descriptor go to standard error with exit 1, and nothing is written" {
    cp "$SAMPLES"/slice1-ex1.input.npy x.npy
    window '"DataType":"FLOAT32","Sizes":[1,1,4,4]' '"DataType":"FLOAT32","Sizes":[1,1,2,9]' \
        0,0,0,1 1,1,4,4 1,1,0,2
    run -1 --separate-stderr dmlop slice -d d.json x.npy -o y.npy
    assert_equal "$output" ""
    assert_regex "$stderr" 'd.json:1:[0-9]+: error: .*\[slice.window-bounds\]'
    assert_regex "$stderr" 'slice.stride-zero'
    assert_regex "$stderr" 'slice.output-size'
    assert_only_files d.json x.npy
}

@test "the predecessor SLICE, bare fields, and -d with attributes" {
    for e in slice-ex1 slice-ex2 slice1-ex1 slice1-ex2; do
        dmlop slice -d "$SAMPLES/$e.desc.json" "$SAMPLES/$e.input.npy" -o y.json
        assert_same_file y.json "$SAMPLES/$e.expected.json"
    done
    sed -n '/"InputTensor"/,/^  }/{s/^  }/}/;p}' "$SAMPLES/slice-ex2.desc.json" |
        sed '1s/^/{/' >bare.json
    dmlop slice -d bare.json "$SAMPLES/slice-ex2.input.npy" -o y.json
    assert_same_file y.json "$SAMPLES/slice-ex2.expected.json"
}
