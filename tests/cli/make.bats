# dmlop make: test tensors.
load helper

TYPES="float32 float16 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64"

@test "what make prints and refuses, whole" {
    golden make
}

@test "make --range: as numpy.arange, for every type; start, step; files, standard output" {
    for t in $TYPES; do
        dmlop make --dtype "$t" --sizes 2,3,4 --range -o "$t.npy"
        dmlop make --dtype "$t" --sizes '[5]' --range=9,-2 -o "$t.down.npy"
        dmlop make --dtype "$t" --sizes '2 2' --range=5 -o "$t.bin"
    done
    dmlop make --sizes 4 --range=-1,.5 --format json >x.json
    py '
for t in "'"$TYPES"'".split():
    np.save("want.npy", np.arange(24, dtype=t).reshape(2, 3, 4))
    assert open("want.npy", "rb").read() == open(t + ".npy", "rb").read()
    assert np.load(t + ".down.npy").tolist() == [9, 7, 5, 3, 1]
    assert np.fromfile(t + ".bin", np.dtype(t).newbyteorder("<")).tolist() == [5, 6, 7, 8]
want = {"DataType": "FLOAT32", "Sizes": [4], "Values": [-1, -0.5, 0, 0.5]}
assert json.load(open("x.json")) == want
'
    dmlop make --sizes 2,3,4 --range | cmp - float32.npy
    dmlop make --sizes 2,3,4 --range -o plain
    assert_same_file plain float32.npy
    dmlop make --sizes 2,3,4 --range --format raw -o x.dat
    dmlop convert float32.npy -o y.dat
    assert_same_file x.dat y.dat
    dmlop make --sizes 2,3,4 --range --format json | dmlop compare float32.npy -
    dmlop make --sizes '' --range=7 --dtype int8 -o s.npy
    dmlop make --sizes 3,0 --range --dtype int8 -o e.npy
    dmlop make --sizes 3,0 --range --dtype int8 --format json | dmlop compare e.npy -
    py '
a = np.load("s.npy")
assert a.shape == () and a == 7
assert np.load("e.npy").shape == (3, 0)
'
    dmlop make --dtype int64 --sizes 3 --range=9223372036854775805 -o i.npy
    dmlop make --dtype int8 --sizes 256 --range=-128 -o b.npy
    dmlop make --dtype int8 --sizes 256 --range=127,-1 -o c.npy
    py '
assert np.load("i.npy").tolist() == [2**63 - 3, 2**63 - 2, 2**63 - 1]
assert np.load("b.npy").tolist() == list(range(-128, 128)) == np.load("c.npy").tolist()[::-1]
'
}

@test "make --random: the documented generator, for every type and range, whatever the threads" {
    # shellcheck disable=SC2086 # words
    "$PYTHON" "$ROOT/tests/cli/make_random.py" $TYPES
    for f in npy json raw; do
        for threads in 1 2 7; do
            dmlop make --dtype int16 --sizes 701,1009 --random 3 --format $f --threads $threads |
                md5sum
        done | sort -u | wc -l
    done >counts
    assert_equal "$(sort -u counts)" 1
    dmlop make --dtype int16 --sizes 701,1009 --random 3 -o a.npy
    dmlop make --dtype int16 --sizes 701,1009 --random 3 -o a.json
    dmlop compare a.npy a.json
    dmlop make --sizes 1000,1000 --random 1 -o u.npy
    py '
a = np.load("a.npy")
assert abs(a.mean()) < 100 and a.min() < -32700 and a.max() > 32700
u = np.load("u.npy")
assert (0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.002
        and abs(u.std() - 12**-0.5) < 0.002)
'
}

@test "make --fill: any value of a type, rounded once; nan, inf, -0.0" {
    while read -r t value bytes; do
        dmlop make --dtype "$t" --sizes 2,2 --fill "$value" --format raw -o x.bin
        assert_equal "$t $value $(od -An -tx1 -N"${#bytes}" -w8 x.bin | head -1 | tr -d ' \n' |
            cut -c "1-${#bytes}")" "$t $value $bytes"
    done <<'T'
float32 1 0000803f
float32 -0.0 00000080
float32 nan 0000c07f
float32 NaN 0000c07f
float32 inf 0000807f
float32 -Infinity 000080ff
float32 +inf 0000807f
float32 .1 cdcccc3d
float32 1.00000005960464477539062500001 0100803f
float16 -0.0 0080
float16 nan 007e
float16 -inf 00fc
float16 65504 ff7b
float64 nan 000000000000f87f
float64 1e39 1d4a9cf487820748
int8 -128 80
int8 1e2 64
int32 -0.0 00000000
uint64 18446744073709551615 ffffffffffffffff
int64 -9223372036854775808 0000000000000080
T
    dmlop make --sizes 300,700 --fill 2.5 -o f.npy
    py 'np.save("g.npy", np.full((300, 700), 2.5, "f4"))'
    assert_same_file f.npy g.npy
}

@test "make: decimals become FLOAT16 and FLOAT32 by one rounding, in --range and --between too" {
    half=1.00048828125000000000000001 single=1.000000059604644775390625000001
    for t in float16:"$half":1.001 float32:"$single":1.0000001; do
        IFS=: read -r type text want <<<"$t"
        for values in --fill="$text" --range="$text,0" "--random 5 --between $text,$text"; do
            # shellcheck disable=SC2086 # words
            run dmlop make --sizes 2 --dtype "$type" $values --format json
            assert_line "  \"Values\": [$want, $want]"
        done
        run dmlop make --sizes 2 --dtype "$type" --range="$text,1" --format json
        assert_line "  \"Values\": [$want, 2]"
    done
    run dmlop make --sizes 1 --dtype float16 --range=65519.99999999999999999 --format json
    assert_line '  "Values": [65504]'
    run dmlop make --sizes 2 --dtype float16 --range=-0.0,0 --format json
    assert_line '  "Values": [-0.0, -0.0]'
    run -2 dmlop make --sizes 1 --dtype float16 --range=65520
    py 'np.save("A.npy", np.ones((1, 1), "i1"))'
    echo "[$single]" >s.json
    echo "{\"DataType\": \"FLOAT64\", \"Sizes\": [1], \"Values\": [1.5]}" >s64.json
    for s in "$single" s.json; do
        run dmlop qmatmul --a-scale "$s" --b-scale 1 --output-scale 1 A.npy A.npy --explain 0,0
        assert_output --partial 1.0000001
    done
    for z in '[1.00000000000000000001]' '{"DataType": "FLOAT64", "Sizes": [1], "Values": [1.5]}'; do
        echo "$z" >z.json
        run -3 dmlop qmatmul --a-scale 1 --b-scale 1 --output-scale 1 \
            --a-zero-point z.json A.npy A.npy -o y.npy
    done
}

@test "make: large tensors are written in pieces" {
    sanitized || ulimit -v 400000
    for values in "--random 1" "--range" "--fill 1"; do
        # shellcheck disable=SC2086 # words
        run bash -c '
            "$1" make --dtype float64 --sizes 100000000,100 "${@:2}" --threads 2 2>/dev/null |
                head -c 100000000 | wc -c' _ "$DMLOP" $values
        assert_output 100000000
    done
}
