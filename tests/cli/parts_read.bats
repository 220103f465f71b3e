# Folders of parts as inputs, dmlop-parts(7), READING PARTS: each command against the same on what
# join makes of them.
load helper

# three: x.npy {3,4} and the three parts of its reverse in y.npy.parts.
three() {
    py 'np.save("x.npy", np.arange(12, dtype="i4").reshape(3, 4))'
    for i in 0 1 2; do dmlop slice --index ::-1 x.npy -o y.npy --part $i/3; done
}

@test "each command gives what it gives for the whole, for slices and topk, grids, types and axes" {
    "$PYTHON" "$ROOT/tests/cli/parts_commands.py"
}

@test "qmatmul: parts of A, B, scales and zero points, whole and with --part" {
    py '
r = np.random.default_rng(2)
np.save("a.npy", r.integers(0, 255, (9, 8), dtype="u1"))
np.save("b.npy", r.integers(0, 255, (8, 6), dtype="u1"))
np.save("s.npy", np.linspace(0.1, 1, 6, dtype="f4").reshape(1, 6))
np.save("z.npy", np.arange(6, dtype="u1").reshape(1, 6))
'
    for i in 0 1 2 3; do
        for t in a b; do
            dmlop slice $t.npy -o $t.npy --part $i/4 --part-axis 0:2,1:2 --no-sync
        done
    done
    for i in 0 1 2; do
        for t in s z; do dmlop slice $t.npy -o $t.npy --part $i/3 --part-axis 1 --no-sync; done
    done
    q() { dmlop qmatmul a.npy"$1" b.npy"$1" --a-scale .01 --b-scale s.npy"$1" \
        --b-zero-point z.npy"$1" --output-scale .5 "${@:2}"; }
    q "" -o whole.npy --timings=t.json
    q .parts -o o.npy --timings=u.json
    assert_same_file o.npy whole.npy
    for i in 0 1 2 3 4 5; do
        q .parts -o o.npy --part $i/6 --part-axis 0:3,1:2 --no-sync
        q "" -o whole2.npy --part $i/6 --part-axis 0:3,1:2 --no-sync
    done
    assert_equal "$(dmlop compare o.npy.parts whole.npy)" "equal: 54 elements of {9,6}"
    for i in 0 1 2 3 4 5; do
        assert_same_file o.npy.parts/part-0000$i-of-00006.npy \
            whole2.npy.parts/part-0000$i-of-00006.npy
    done
    run q .parts --explain 8,5
    assert_success
    assert_equal "$output" "$(q "" --explain 8,5)"
    py '
s = np.load("s.npy")
s[0, 4] = np.inf
np.save("bad.npy", s)
'
    for i in 0 1; do dmlop slice bad.npy -o bad.npy --part $i/2 --part-axis 1 --no-sync; done
    run dmlop qmatmul a.npy.parts b.npy.parts --a-scale .01 --b-scale bad.npy.parts \
        --output-scale .5 -o x.npy
    assert_failure
    assert_output --partial "bad.npy.parts is inf at index 4"
}

@test "parts of more than is asked for at a time, and of no multiple of it" {
    dmlop make --dtype uint16 --sizes 3000,1501 --random 1 -o x.npy
    for i in 0 1; do dmlop slice --index :: x.npy -o y.npy --no-sync --part $i/2; done
    dmlop convert y.npy.parts -o a.npy --no-sync
    assert_same_file x.npy a.npy
    dmlop convert y.npy.parts --dtype float32 -o a.npy --no-sync
    dmlop convert x.npy --dtype float32 -o b.npy --no-sync
    assert_same_file a.npy b.npy
    run -0 dmlop compare x.npy y.npy.parts
}

@test "-d, --emit-descriptor, --emit-model and validate --bind take parts" {
    three
    dmlop join y.npy.parts
    dmlop slice --index 1:,::2 y.npy.parts --emit-descriptor=d.json
    dmlop slice --index 1:,::2 y.npy --emit-descriptor=e.json
    assert_same_file d.json e.json
    dmlop slice -d d.json y.npy.parts -o a.npy
    dmlop slice -d d.json y.npy -o b.npy
    assert_same_file a.npy b.npy
    dmlop slice -d d.json y.npy.parts --emit-model=m.json
    dmlop slice -d d.json y.npy --emit-model=n.json
    assert_same_file m.json n.json
    sed 's/"Sizes": \[3, 4\]/"Sizes": [3, 4], "Strides": [4, 1]/' d.json >strides.json
    dmlop slice -d strides.json y.npy.parts -o a.npy
    assert_same_file a.npy b.npy
    run -0 dmlop validate d.json --bind InputTensor=y.npy.parts
    sed 's/"Sizes": \[3, 4\]/"Sizes": [4, 4]/' d.json >other.json
    run -3 dmlop validate other.json --bind InputTensor=y.npy.parts
    assert_output --partial "y.npy.parts is {3,4}, but InputTensor.Sizes are {4,4} [bind.sizes]"
}

@test "a folder is found by its name or its records, with a slash or without" {
    three
    dmlop join y.npy.parts
    for name in y.npy.parts y.npy.parts/ "$PWD/y.npy.parts//"; do
        dmlop convert "$name" -o a.npy
        assert_same_file a.npy y.npy
    done
    mv y.npy.parts elsewhere
    dmlop convert elsewhere -o a.npy
    assert_same_file a.npy y.npy
    cd elsewhere && dmlop compare -q . ../y.npy && cd ..
    run -0 dmlop info -v elsewhere
    assert_line "dmlop: info: elsewhere: 3 parts of DML_OPERATOR_SLICE1"
    mkdir empty none.parts
    run -3 dmlop show empty
    assert_output "dmlop: show: empty: is a directory; give a file that is in it"
    run -3 dmlop show none.parts
    assert_output "dmlop: show: none.parts: there is no record of a part"
    run -3 dmlop show elsewhere:indices
    assert_output "dmlop: show: elsewhere:indices: the parts have no indices; those of topk have"
    run -3 dmlop show missing.parts
    assert_output "dmlop: show: missing.parts: cannot open: No such file or directory"
    cp y.npy "elsewhere:indices" # a file of that name is what is meant
    run -0 dmlop compare elsewhere:indices y.npy
}

@test "what join refuses is refused with the folder's name; checksums are not read" {
    three
    printf '\7' | dd of=y.npy.parts/part-00001-of-00003.npy bs=1 seek=128 conv=notrunc 2>/dev/null
    run -3 dmlop join y.npy.parts
    assert_output --partial "checksum differs"
    for all in "" --all; do
        run -3 dmlop show $all y.npy.parts
        assert_output --partial "checksum differs"
    done
    run -0 dmlop show --edge 1 --index 0 y.npy.parts
    run -0 dmlop slice --index 1,0 --format json y.npy.parts
    assert_output --partial '[[7]]'
    rm y.npy.parts/part-00001-of-00003.json
    for command in "slice -o o.npy" "topk -k 1 -o o.npy" "show" "info" "info --stats" \
        "convert -o o.npy" "compare x.npy"; do
        # shellcheck disable=SC2086 # words
        run -3 dmlop $command y.npy.parts
        assert_output "dmlop: ${command%% *}: y.npy.parts: 1 of 3 parts are missing: 1"
    done
    assert [ ! -e o.npy ]
    dmlop slice --index ::-1 x.npy -o y.npy --part 1/3
    truncate -s -4 y.npy.parts/part-00002-of-00003.npy
    run -3 dmlop show y.npy.parts
    assert_output --partial "dmlop: show: y.npy.parts/part-00002-of-00003.npy: part 2:"
    rm y.npy.parts/part-00002-of-00003.npy
    run -3 dmlop show y.npy.parts
    assert_line --index 0 \
        "dmlop: show: y.npy.parts/part-00002-of-00003.npy: cannot open: No such file or directory"
    assert_line --index 1 --partial "show: y.npy.parts: 1 of 3 parts are missing or damaged: 2; "
    mkfifo y.npy.parts/part-00002-of-00003.npy
    run -3 timeout 120 "$DMLOP" show y.npy.parts
    assert_line --index 0 \
        "dmlop: show: y.npy.parts/part-00002-of-00003.npy: is not a regular file"
    rm y.npy.parts/part-00002-of-00003.npy
    dmlop slice --index ::-1 x.npy -o y.npy --part 2/3 --job other
    run -3 dmlop show y.npy.parts
    other="part 2 is of another job: its inputs or --job are others"
    assert_output "dmlop: show: y.npy.parts/part-00002-of-00003.json: $other"
}

# quick ARGS...: dmlop, with 20 seconds of a processor, not of a clock that runs while others work.
quick() (
    ulimit -t 20
    exec "$DMLOP" "$@"
)

@test "a terabyte of 1000 parts: what is asked for is read, and nothing else" {
    sanitized && skip "tests of a few parts run the same code"
    expensive
    py 'np.save("x.npy", np.arange(1000, dtype="f4").reshape(1000, 1))'
    dmlop slice x.npy -o y.npy --part 0/1000 --no-sync
    "$PYTHON" - <<'P'
# Sparse parts as dmlop would write them: each has one row of 1000.
import re
from numpy.lib import format

text = open("y.npy.parts/part-00000-of-01000.json").read()
text = text.replace("[1000, 1]", "[1000, 268435456]")
for i in range(1000):
    name = "part-%05d-of-01000" % i
    with open("y.npy.parts/" + name + ".npy", "wb") as f:
        format.write_array_header_1_0(
            f, {"descr": "<f4", "fortran_order": False, "shape": (1, 1 << 28)}
        )
        f.truncate(f.tell() + (1 << 30))
        size = f.seek(0, 2)
        if i == 700:
            f.seek(size - 8)
            f.write(b"\0\0\x80\x3f\0\0\0\x40")
    r = (
        text.replace('"part": 0,', '"part": %d,' % i)
        .replace("part-00000-of-01000", name)
        .replace('"place": [0, 0]', '"place": [%d, 0]' % i)
    )
    r = r.replace('"sizes": [1, 1]', '"sizes": [1, 268435456]')
    r = re.sub(r'"bytes": \d+', '"bytes": %d' % size, r)
    open("y.npy.parts/" + name + ".json", "w").write(r)
P
    run -0 bash -c 'ulimit -n 64; ulimit -t 20
        exec "$DMLOP" slice --index "699:702,-2:" --format json y.npy.parts'
    assert_output --partial '[[0, 0],
             [1, 2],
             [0, 0]]'
    run -0 quick slice --index '::-1,-1:' y.npy.parts -o o.npy
    assert_equal "$(dmlop info --stats o.npy |
        tail -1)" "  1000 elements: 999 zero, 0 NaN, 0 infinite"
    run -0 quick show --edge 1 y.npy.parts
    run -0 quick info y.npy.parts
    what="FLOAT32 {1000,268435456}, C order, little-endian, 1073741824000 bytes, .npy 1.0"
    assert_output "y.npy.parts: $what"
    run -0 quick slice y.npy.parts -o p.npy --part 700/1000000 --part-axis 0:1000,1:1000
    run -0 quick topk -k 3 y.npy.parts -o p2.npy --part 700999/1000000 --part-axis 0:1000,1:1000
    part=p2.npy.parts/part-0700999-of-1000000.npy
    assert_equal "$(dmlop show $part)" "$part: (Sizes:{1,3}, DataType:FLOAT32)
[[2, 1, 0]]"
}

@test "many parts are read under ulimit -n 64" {
    sanitized && skip "tests of a few parts run the same code"
    export PARTS=1000
    [ -z "${EXPENSIVE:-}" ] || PARTS=10000
    py "np.save('x.npy', np.random.default_rng(3).integers(0, 99, ($PARTS, 3)).astype('i2'))"
    dmlop slice x.npy -o y.npy --part "0/$PARTS" --no-sync
    "$PYTHON" - <<'P'
import ctypes, os, re
import numpy as np

x = np.load("x.npy")
xxh = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
xxh.restype = ctypes.c_uint64
xxh.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
parts = int(os.environ["PARTS"])
stem = "y.npy.parts/part-%%05d-of-%05d" % parts
text = open(stem % 0 + ".json").read()
head = open(stem % 0 + ".npy", "rb").read()[: -x[0].nbytes]
for i in range(1, parts):
    b = head + x[i].tobytes()
    open(stem % i + ".npy", "wb").write(b)
    r = text.replace('"part": 0,', '"part": %d,' % i).replace("part-00000-of", "part-%05d-of" % i)
    r = re.sub(r'("xxh3": ")\w+', r"\g<1>%016x" % xxh(b, len(b)), r)
    open(stem % i + ".json", "w").write(r.replace('"place": [0, 0]', '"place": [%d, 0]' % i))
P
    for args in "compare -q y.npy.parts x.npy" "convert y.npy.parts -o a.npy" \
        "slice --index ::-1 y.npy.parts -o b.npy" "topk -k 2 --axis 0 y.npy.parts -o c.npy"; do
        run -0 bash -c "ulimit -n 64; exec \"\$DMLOP\" $args"
        assert_output ''
    done
    assert_same_file a.npy x.npy
    py 'np.save("r.npy", np.load("x.npy")[::-1])'
    dmlop compare -q b.npy r.npy
    dmlop topk -k 2 --axis 0 x.npy -o d.npy
    assert_same_file c.npy d.npy
}

@test "a model's sourcePath may be parts; what is wrong with them is a finding" {
    three
    dmlop join y.npy.parts
    for p in y.npy y.npy.parts; do
        cat >$p.json <<J
{ "resources": { "r": { "initialValues": { "sourcePath": "$p" } } }, "dispatchables": {},
  "commands": [
    { "type": "writeFile", "resource": "r", "dimensions": [3, 4], "targetPath": "o-$p.npy" } ] }
J
        dmlop run $p.json
    done
    assert_same_file o-y.npy.npy o-y.npy.parts.npy
    run -3 dmlop validate --portable y.npy.parts.json
    assert_output --partial "y.npy.parts: DxDispatch reads no folders of parts"
    rm y.npy.parts/part-00001-of-00003.json
    run -3 dmlop run y.npy.parts.json
    assert_output --partial "error: y.npy.parts: 1 of 3 parts are missing: 1 [run.source-file]"
    assert_output --partial "hint: compute the parts that are missing, or name another file"
}

@test "parts are not written over those that are read" {
    three
    cp -r y.npy.parts before
    ln -s y.npy z.npy
    ln -s y.npy.parts z.npy.parts
    for n in 3 2; do
        run dmlop slice y.npy.parts -o z.npy --part 0/$n
        assert_failure 2
        assert_output \
            "dmlop: slice: z.npy.parts: belongs to the parts in y.npy.parts; give another file"
    done
    diff -r before y.npy.parts
}

@test "--output-dir names outputs by the file that parts are of" {
    three
    for i in 0 1; do dmlop topk -k 2 x.npy -o t.npy --part $i/2 --part-axis 1; done
    dmlop slice y.npy.parts/ t.npy.parts t.npy.parts:indices --output-dir out
    assert_equal "$(ls out)" "t.indices.npy
t.npy
y.npy"
    dmlop join t.npy.parts --indices i.npy
    assert_same_file out/t.indices.npy i.npy
}
