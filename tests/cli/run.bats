# dmlop run: models with their commands, in DxDispatch's words; --emit-model.
load helper

# plain: what a model prints, times left out.
plain() {
    sed -E 's/, [0-9.]+ ms median \(CPU\)$/, T ms median (CPU)/'
}

# model MEMBERS COMMAND: m.json, a model with a resource r of these members, and one command on it.
model() {
    printf '{ "resources": { "r": { %s } }, "dispatchables": {},
"commands": [ { "resource": "r", %s } ] }\n' "$1" "$2" >m.json
}

# of TYPE VALUES: the members of a resource of a type, with these initial values.
of() {
    printf '"initialValuesDataType": "%s", "initialValues": %s' "$1" "$2"
}

# resource MEMBERS TEXT: a resource r of these members is printed as TEXT.
resource() {
    model "$1" '"type": "print"'
    run -0 dmlop run m.json
    assert_output "Resource 'r': $2"
}

@test "the samples: a slice, a product with tensors owned by DirectML" {
    run -0 dmlop run "$SAMPLES/slice.model.json"
    assert_regex "${lines[0]}" "^Dispatch 'slice': 1 iteration, [0-9]+\.[0-9]+ ms median \(CPU\)$"
    assert_equal "${lines[1]}" "Resource 'output': 14, 16, 6, 8"
    dmlop run "$SAMPLES/qmatmul.model.json"
    assert_only_files product.npy
    py 'assert np.load("product.npy").tolist() == [[48, -16], [111, -48]]'
    run dmlop run --repeat 7 --warmup 2 "$SAMPLES/slice.model.json"
    assert_regex "${lines[0]}" "^Dispatch 'slice': 7 iterations, "
    run -0 dmlop run --kernel reference --threads 1 - <"$SAMPLES/slice.model.json"
}

@test "every form of initial values, every type" {
    sequence() { # COUNT START DELTA
        printf '{ "valueCount": %s, "valueStart": %s, "valueDelta": %s }' "$@"
    }
    resource "$(of FLOAT32 '[1, 0.1, -0, "nan", "inf", "-inf", 1e30]')" \
        '1, 0.1, -0.0, nan, inf, -inf, 1e30'
    resource "$(of FLOAT16 '[0.1, 65504, "nan"]')" '0.1, 65504, nan'
    resource "$(of FLOAT64 '[0.1, 1e300]')" '0.1, 1e300'
    resource "$(of INT64 '[-9223372036854775808, 9223372036854775807]')" \
        '-9223372036854775808, 9223372036854775807'
    resource "$(of UINT64 '[18446744073709551615]')" '18446744073709551615'
    resource "$(of INT8 '[-128, 127, 1]')" '-128, 127, 1'
    resource "$(of INT16 '{ "valueCount": 3, "value": -2 }')" '-2, -2, -2'
    resource "$(of UINT8 "$(sequence 2 254 1)")" '254, 255'
    model "$(of UINT8 "$(sequence 4 254 1)")" '"type": "print"'
    run --separate-stderr dmlop run - <m.json
    assert_output "Resource 'r': 254, 255, 0, 1"
    assert_regex "$stderr" 'warning: element 2 of the sequence, valueStart \+ 2 \* valueDelta,'
    assert_regex "$stderr" ' does not fit UINT8 \[run.sequence-range\]'
    resource "$(of INT32 "$(sequence 3 5 -10)")" '5, -5, -15'
    resource "$(of FLOAT32 "$(sequence 3 0.5 0.25)")" '0.5, 0.75, 1'
    resource "$(of UINT16 '[1, 2]'), \"sizeInBytes\": 8" '1, 2, 0, 0'
    resource "$(of UINT8 '[7, 8]')"', "initialValuesOffsetInBytes": 3, "sizeInBytes": 6' \
        '0, 0, 0, 7, 8, 0'
    resource '"initialValues": [
        { "name": "a", "type": "FLOAT32", "value": 1.5 },
        { "name": "b", "type": "INT8", "value": -3 },
        { "name": "c", "type": "UINT16", "value": 9 } ]' '1.5, -3, 9'
    py '
np.save("x.npy", np.asfortranarray(np.arange(6).reshape(2, 3).astype(">i4")))
open("x.bin", "wb").write(np.array([1, -1], "<i2").tobytes())'
    resource '"initialValues": { "sourcePath": "x.npy" }' '0, 1, 2, 3, 4, 5'
    resource "$(of INT16 '{ "sourcePath": "x.bin" }')" '1, -1'
    mkdir in
    mv x.bin in/
    run dmlop run -I in m.json
    assert_output "Resource 'r': 1, -1"
    run -3 dmlop run m.json
    resource '"sizeInBytes": 3' '0, 0, 0'
}

@test "a sequence adds valueDelta again and again, in its type" {
    "$PYTHON" "$ROOT/tests/cli/models_sequences.py"
}

@test "verbose prints index, value and bits, as DxDispatch does" {
    verbose() {
        model "$1" '"type": "print", "verbose": true'
        run -0 dmlop run m.json
        assert_output "Resource 'r':
$2"
    }
    verbose "$(of FLOAT32 '[4, -2]')" '[0] 4 (0x40800000)
[1] -2 (0xC0000000)'
    verbose "$(of FLOAT16 '[1, "NaN", -0]')" '[0] 1 (0x3C00)
[1] nan (0x7E00)
[2] -0.0 (0x8000)'
    verbose "$(of INT8 '[-1, 4]')" '[0] -1 (0xFF)
[1] 4 (0x04)'
    verbose "$(of UINT64 '[18446744073709551615]')" '[0] 18446744073709551615 (0xFFFFFFFFFFFFFFFF)'
    verbose '"initialValues": [
        { "type": "FLOAT64", "value": 1.5 },
        { "type": "INT16", "value": -3 } ]' '[0] 1.5 (0x3FF8000000000000)
[1] -3 (0xFFFD)'
    verbose "$(of UINT8 '{ "valueCount": 11, "valueStart": 0, "valueDelta": 1 }')" \
        "$(for i in {0..10}; do printf '[%2d] %d (0x%02X)\n' "$i" "$i" "$i"; done)"
}

@test "the bytes of a resource are little-endian on every machine: in a file, as another type" {
    py '
open("x.raw", "wb").write(np.array([258, -2], "<i4").tobytes())
np.save("b.npy", np.array([258, -2], ">i4"))'
    for values in '{ "sourcePath": "x.raw" }' '{ "sourcePath": "b.npy" }' '[258, -2]' \
        '{ "valueCount": 2, "valueStart": 258, "valueDelta": -260 }'; do
        cat >m.json <<J
{ "resources": { "x": { "initialValuesDataType": "INT32", "initialValues": $values },
    "y": { "initialValuesDataType": "UINT8", "initialValues": { "valueCount": 20, "value": 0 } },
    "z": { "initialValues": [
      { "type": "INT16", "value": 772 },
      { "type": "FLOAT32", "value": 1 },
      { "type": "UINT16", "value": 1 } ] } },
  "dispatchables": {
    "back": { "type": "SLICE1", "desc": {
      "InputTensor": { "DataType": "UINT8", "Sizes": [8] },
      "OutputTensor": { "DataType": "UINT8", "Sizes": [8] },
      "DimensionCount": 1,
      "InputWindowOffsets": [0], "InputWindowSizes": [8], "InputWindowStrides": [-1] } },
    "halves": { "type": "SLICE1", "desc": {
      "InputTensor": { "DataType": "INT16", "Sizes": [4] },
      "OutputTensor": { "DataType": "INT16", "Sizes": [2] },
      "DimensionCount": 1,
      "InputWindowOffsets": [0], "InputWindowSizes": [4], "InputWindowStrides": [3] } } },
  "commands": [
    { "type": "dispatch", "dispatchable": "back",
      "bindings": { "InputTensor": "x", "OutputTensor": "y" } },
    { "type": "print", "resource": "y" },
    { "type": "dispatch", "dispatchable": "halves", "bindings": {
      "InputTensor": "x", "OutputTensor": { "name": "y", "elementOffset": 16 } } },
    { "type": "print", "resource": "y" },
    { "type": "print", "resource": "x", "verbose": true },
    { "type": "writeFile", "resource": "x", "targetPath": "x.dat" },
    { "type": "writeFile", "resource": "z", "targetPath": "z.dat" },
    { "type": "writeFile", "resource": "x", "targetPath": "x.npy" },
    { "type": "writeFile", "resource": "x", "targetPath": "x.json" } ] }
J
        run -0 dmlop run m.json
        output=$(grep -v ^Dispatch <<<"$output")
        y="255, 255, 255, 254, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0"
        assert_output "Resource 'y': $y, 0, 0, 0, 0
Resource 'y': $y, 2, 1, 255, 255
Resource 'x':
[0] 258 (0x00000102)
[1] -2 (0xFFFFFFFE)"
        cmp x.raw x.dat
        py '
assert np.load("x.npy").tolist() == json.load(open("x.json"))["Values"] == [258, -2]
assert (
    open("z.dat", "rb").read()
    == np.array(772, "<i2").tobytes() + np.array(1, "<f4").tobytes() + np.array(1, "<u2").tobytes()
)
'
    done
    run --separate-stderr dmlop validate --portable m.json
    refute_output --partial byte-order
}

@test "commands and extensions in any case, raw data for any other extension, keys for others" {
    py '
np.save(open("x.NPY", "wb"), np.array([4, 5], "<i2"))
open("y.raw", "wb").write(np.array([4, 5], "<i2").tobytes())
'
    cat >m.json <<'J'
{ "resources": {
    "x": { "initialValues": { "sourcePath": "x.NPY" },
      "resampleSize": [1, 1, 1, 1], "resampleMode": "scale" },
    "y": { "initialValuesDataType": "INT16", "initialValues": { "sourcePath": "y.raw" } } },
  "dispatchables": { "copy": { "type": "SLICE1", "desc": {
    "InputTensor": { "DataType": "INT16", "Sizes": [2] },
    "OutputTensor": { "DataType": "INT16", "Sizes": [2] },
    "DimensionCount": 1,
    "InputWindowOffsets": [0], "InputWindowSizes": [2], "InputWindowStrides": [-1] } } },
  "commands": [
    { "type": "DISPATCH", "dispatchable": "copy", "threadGroupCount": [1, 1, 1],
      "bindings": {
        "InputTensor": { "name": "x", "format": "R16_SINT", "shape": [2], "resampleSize": [],
          "counter": "x", "counterOffsetBytes": 0 },
        "OutputTensor": "y" } },
    { "type": "Print", "resource": "y" },
    { "type": "WRITEFILE", "resource": "y", "targetPath": "a.NPY" },
    { "type": "writefile", "resource": "y", "targetPath": "b.txt" },
    { "type": "writeFile", "resource": "y", "targetPath": "c" },
    { "type": "writeFile", "resource": "y", "targetPath": "d.JSON" } ] }
J
    run -0 --separate-stderr dmlop run m.json
    assert_equal "${lines[1]}" "Resource 'y': 5, 4"
    assert_equal "$stderr" ""
    py '
assert np.load("a.NPY").tolist() == [5, 4] and json.load(open("d.JSON"))["Values"] == [5, 4]
assert open("b.txt", "rb").read() == open("c", "rb").read() == np.array([5, 4], "<i2").tobytes()'
    sed -i 's/"type": "SLICE1"/"type": "HLSL"/' m.json
    refuses 1 "this is an HLSL shader, which is not checked" run m.json
}

@test "commands run in order, effects last, OWNED_BY_DML is taken at initialization" {
    cat >m.json <<'J'
{
  "resources": {
    "x": { "initialValuesDataType": "INT32", "initialValues": [1, 2, 3, 4, 5, 6, 7, 8] },
    "y": { "initialValuesDataType": "INT32", "initialValues": [9, 9, 9, 9] }
  },
  "dispatchables": {
    "back": { "type": "SLICE1", "desc": {
      "InputTensor": { "DataType": "INT32", "Sizes": [4] },
      "OutputTensor": { "DataType": "INT32", "Sizes": [4] },
      "DimensionCount": 1,
      "InputWindowOffsets": [0], "InputWindowSizes": [4], "InputWindowStrides": [-1] } },
    "owned": { "type": "SLICE1", "desc": {
        "InputTensor": { "DataType": "INT32", "Sizes": [2], "Flags": "OWNED_BY_DML" },
        "OutputTensor": { "DataType": "INT32", "Sizes": [2] },
        "DimensionCount": 1,
        "InputWindowOffsets": [0], "InputWindowSizes": [2], "InputWindowStrides": [1] },
      "bindings": { "InputTensor": { "name": "x", "elementOffset": 4 } } }
  },
  "commands": [
    { "type": "dispatch", "dispatchable": "back",
      "bindings": { "InputTensor": "x", "OutputTensor": "y" } },
    { "type": "print", "resource": "y" },
    { "type": "dispatch", "dispatchable": "back",
      "bindings": { "InputTensor": "y", "OutputTensor": "x" } },
    { "type": "dispatch", "dispatchable": "owned",
      "bindings": { "OutputTensor": { "name": "x", "elementOffset": 0, "elementCount": 2 } } },
    { "type": "print", "resource": "x" },
    { "type": "writeFile", "resource": "x", "targetPath": "x.npy", "dimensions": [2, 4] },
    { "type": "writeFile", "resource": "x", "targetPath": "x.dat" },
    { "type": "writeFile", "resource": "x", "targetPath": "x.json" },
    { "type": "dispatch", "dispatchable": "back",
      "bindings": { "InputTensor": "x", "OutputTensor": "y" } },
    { "type": "writeFile", "resource": "y", "targetPath": "x.bin" }
  ]
}
J
    mkdir out
    run -0 dmlop run -o out m.json
    assert_equal "$(grep ^Resource <<<"$output")" "Resource 'y': 4, 3, 2, 1
Resource 'x': 5, 6, 3, 4, 5, 6, 7, 8"
    py '
assert np.load("out/x.npy").tolist() == [[5, 6, 3, 4], [5, 6, 7, 8]]
assert np.fromfile("out/x.dat", "<i4").tolist() == [5, 6, 3, 4, 5, 6, 7, 8]
assert np.fromfile("out/x.bin", "<i4").tolist() == [4, 3, 6, 5]
assert json.load(open("out/x.json"))["Values"] == [5, 6, 3, 4, 5, 6, 7, 8]'
    assert_only_files m.json out out/x.npy out/x.dat out/x.bin out/x.json
}

@test "nothing runs of a model that breaks a rule, or lacks the kernel, or of what is no model" {
    sed 's/"resource": "output"/"resource": "otput"/' "$SAMPLES/slice.model.json" >m.json
    run -1 --separate-stderr dmlop run m.json
    assert_equal "$output" ""
    assert_regex "$stderr" "\[run.resource-unknown\]"
    assert_regex "$stderr" "nothing was run"
    refuses 1 "descriptor, not a model" run "$SAMPLES/slice1-ex1.desc.json"
    run -3 dmlop run none.json
    run -2 dmlop run
    run -2 dmlop run m.json m.json
    echo '{' >m.json
    run -1 dmlop run m.json
    sed 's/"commands": \[/&{"type":"writeFile","resource":"input","targetPath":"x.bin"},/' \
        "$SAMPLES/slice.model.json" >m.json
    refuses 2 "this operator has no kernel 'amx'" run --kernel amx m.json
    assert_not_exist x.bin
    writer x.bin
    refuses 2 "no operator has a kernel 'nope'" run --kernel nope m.json
    dmlop run --kernel amx m.json
}

# writer PATH: a model in m.json with a writeFile of three bytes to PATH.
writer() {
    model "$(of UINT8 '[1, 2, 3]')" "\"type\": \"writeFile\", \"targetPath\": \"$1\""
}

# writes PATH [OPTIONS...]: runs such a model, with -o out.
writes() {
    writer "$1"
    run timeout 20 "$DMLOP" run -o out "${@:2}" m.json
}

# stops MESSAGE PATH [OPTIONS...]: the same fails with status 4.
stops() {
    writes "${@:2}"
    assert_failure 4
    assert_output "dmlop: run: out/$1"
}

@test "writeFile stays below the output folder, links followed; a failed write fails the run" {
    mkdir out out/sub elsewhere
    writer sub/x.bin
    dmlop run -o out m.json
    [ "$(wc -c <out/sub/x.bin)" = 3 ]
    ln -s ../elsewhere out/link
    ln -s ../elsewhere/y.bin out/y.bin
    ln -s sub/x.bin out/inside.bin
    touch elsewhere/y.bin
    for p in ../x.bin sub/../../x.bin "$PWD/x.bin" link/x.bin y.bin; do
        writer "$p"
        refuses 1 "[run.path-outside]" run -o out m.json
    done
    [ ! -s elsewhere/y.bin ] && [ ! -e elsewhere/x.bin ]
    writer inside.bin
    dmlop run -o out m.json
    writer link/x.bin
    dmlop run -o out --allow-outside m.json
    [ "$(wc -c <elsewhere/x.bin)" = 3 ]
    writer x.bin
    dmlop run -o nowhere m.json # the folder is made
    [ "$(wc -c <nowhere/x.bin)" = 3 ]
    refuses 4 "m.json: " run -o m.json m.json
    printf old >out/x.bin
    run -4 dmlop run -o out --no-clobber m.json
    [ "$(cat out/x.bin)" = old ]
}

@test "writeFile makes missing folders, and follows links that stay inside the output folder" {
    mkdir out
    writes a/b/c/x.bin
    assert_success
    for p in new/./z.bin ../beside/z.bin; do
        writes "$p" --allow-outside
        assert_success
    done
    rm -r beside
    ln -s a/b out/down
    ln -s ../../a/./b/c out/a/b/up
    ln -s "$PWD/out/a" out/absolute
    ln -s loop out/loop
    ln -s not-there.bin out/dangling.bin
    for p in a/b/c/y.bin down/c/1 down/up/2 absolute/b/up/3 down/up/d/4 dangling.bin; do
        writes "$p"
        assert_success
    done
    run bash -c 'cd out && find . -type f | sort'
    assert_output "./a/b/c/1
./a/b/c/2
./a/b/c/3
./a/b/c/d/4
./a/b/c/x.bin
./a/b/c/y.bin
./new/z.bin
./not-there.bin"
    stops "loop/x: cannot write there: Too many levels of symbolic links" loop/x
    stops "a/b/c/x.bin/y: cannot write there: Not a directory" a/b/c/x.bin/y
    stops "sub/: cannot write there: Is a directory" sub/
    assert_not_exists out/sub
    ln -s a/../../elsewhere out/outside
    ln -s .. out/above
    ln -s "$PWD/outward" out/absolute.bin
    for p in outside/x outside above/x absolute.bin; do
        writes "$p"
        assert_failure 1
        local leads="a symbolic link leads 'out/$p' out of the output folder"
        local use="remove it, or use --allow-outside [run.path-outside]"
        assert_output "dmlop: run: m.json: writeFile: $leads; $use"
    done
    assert_not_exists elsewhere
    assert_not_exists outward
}

@test "writeFile writes regular files alone, and never waits" {
    mkdir -p out/folder
    mkfifo out/fifo
    py '
import socket

socket.socket(socket.AF_UNIX).bind("out/socket")
'
    for kind in folder:"a directory" fifo:"a FIFO" socket:"a socket"; do
        stops "${kind%%:*}: cannot write: it is ${kind#*:}, not a regular file" "${kind%%:*}"
    done
    ln -s fifo out/link
    stops "link: cannot write: it is a FIFO, not a regular file" link
    stops "fifo: cannot write: it is not a regular file" fifo --allow-outside
    writes /dev/null --allow-outside
    assert_failure 4
    assert_output "dmlop: run: /dev/null: cannot write: it is not a regular file"
    stops "folder: cannot write: is a directory" folder --allow-outside
    ln -s /dev/zero out/zero
    writes zero
    assert_failure 1
    if [ "$(id -u)" = 0 ] && mknod out/device c 1 3; then
        stops "device: cannot write: it is a device, not a regular file" device
    fi
}

@test "writeFile through trees of links that chance makes lands where the system finds it" {
    local trees=100
    [ -z "${EXPENSIVE:-}" ] || trees=400
    "$PYTHON" "$ROOT/tests/cli/links_random.py" 45 "$trees"
}

@test "a process that swaps a folder for a link while writeFile runs never leads a file outside" {
    cat >race.py <<'P'
import ctypes, json, os, sys, threading
from program import dmlop

os.makedirs("out/sub")
os.makedirs("elsewhere")
os.symlink("../elsewhere", "out/link")
commands = [{"type": "writeFile", "resource": "r", "targetPath": "sub/x%d.bin" % i}
            for i in range(400)]
json.dump({"resources": {"r": {"initialValuesDataType": "UINT8", "initialValues": [1]}},
           "dispatchables": {}, "commands": commands}, open("m.json", "w"))
libc, swaps, done = ctypes.CDLL(None, use_errno=True), 0, False

def swap():
    global swaps
    while not done:
        if libc.renameat2(-100, b"out/sub", -100, b"out/link", 2) != 0:  # RENAME_EXCHANGE
            raise OSError(ctypes.get_errno())
        swaps += 1

racer = threading.Thread(target=swap, daemon=True)
racer.start()
status = {}
for i in range(150):
    p = dmlop("run", "--no-sync", "-o", "out", "m.json")
    status[p.returncode] = status.get(p.returncode, 0) + 1
    assert p.returncode in (0, 1, 4), p
    assert p.returncode != 4 or p.stderr.endswith(
        ("cannot write there: Not a directory\n",
         "cannot write there: Too many levels of symbolic links\n")), p.stderr
done = True
racer.join()
assert swaps > 5000 and status.get(1, 0) > 0, (swaps, status)
assert os.listdir("elsewhere") == [], os.listdir("elsewhere")
assert not [f for f in os.listdir("out/sub" if not os.path.islink("out/sub") else "out/link")
            if not f.endswith(".bin")]
P
    "$PYTHON" race.py
}

@test "timings of a model are the operators'" {
    dmlop run --repeat 5 --warmup 1 --timings=t.json "$SAMPLES/slice.model.json" >out.txt
    py '
t = json.load(open("t.json"))
assert (t["schema"] == "dmlop.timings/1" and t["command"] == "run"
        and t["operator"] == "DML_OPERATOR_SLICE1")
assert (t["iterations"] == 5 and t["warmup"] == 1 and len(t["compute_ns"]["samples"]) == 5
        and t["operations"] == 4)
'
    dmlop run --min-time 0.02 --timings=t.json "$SAMPLES/slice.model.json" >out.txt
    py '
t = json.load(open("t.json"))
assert sum(t["compute_ns"]["samples"]) >= 2e7 and t["iterations"] == len(t["compute_ns"]["samples"])
'
    writer t.json
    ln -s new/t.json l.json
    for to in new/t.json ./new//t.json l.json; do
        refuses 2 "two outputs would be written to the same file" run m.json -o new --timings=$to
    done
    assert_not_exist new/t.json
    dmlop run m.json -o newer --timings=newer/times.json
    assert_equal "$(ls newer)" "$(printf '%s\n' t.json times.json)"
}

@test "a model of a million resources; a resource larger than memory is a clear error" {
    py '
open("m.json", "w").write(
    "{\"resources\":{"
    + ",".join(
        "\"r%d\":{\"initialValuesDataType\":\"UINT8\",\"initialValues\":[1]}" % i
        for i in range(1000000)
    )
    + "},\"dispatchables\":{},\"commands\":[{\"type\":\"print\",\"resource\":\"r999999\"}]}"
)
'
    run -0 dmlop run m.json
    assert_output "Resource 'r999999': 1"
    model "$(of UINT8 '{ "valueCount": 9000000000000000000, "value": 1 }')" '"type": "print"'
    ASAN_OPTIONS=allocator_may_return_null=1 run dmlop run m.json
    assert_failure 4
    assert_output --partial "resource 'r': out of memory for 9000000000000000000 bytes"
}

@test "--emit-model: one file that run, and DxDispatch, give the same result from" {
    py '
rng = np.random.default_rng(3)
np.save("a.npy", rng.integers(0, 256, (2, 5, 7)).astype("u1"))
np.save("b.npy", rng.integers(-128, 128, (2, 7, 4)).astype("i1"))
np.save("s.npy", rng.random(4).astype("f4"))
np.save("f.npy", np.asfortranarray(rng.standard_normal((3, 4)).astype(">f8")))
'
    dmlop qmatmul --a-scale 0.01 --a-zero-point 3 --b-scale s.npy --output-scale 0.4 \
        --output-type int8 a.npy b.npy -o c.npy --emit-model=m.json
    dmlop validate --portable m.json | tee v.txt
    ! grep -q warning v.txt
    local write='"type": "writeFile", "resource": "OutputTensor", "targetPath": "d.npy"'
    write+=', "dimensions": [2, 5, 4]'
    sed -i "s/\"type\": \"print\", \"resource\": \"OutputTensor\"/$write/" m.json
    dmlop run m.json
    assert_same_file c.npy d.npy
    dmlop slice --index '::-1, 1:' f.npy -o y.json
    dmlop slice --index '::-1, 1:' f.npy --emit-model >m.json
    run dmlop run m.json
    assert_line "Resource 'OutputTensor': $(py '
rows = json.load(open("y.json"))["Values"]
print(*rows[0] + rows[1] + rows[2], sep=", ")
')"
    cat f.npy | dmlop topk -k 2 --emit-model - >m.json
    run -1 dmlop run m.json # FLOAT64 is documented for TOP_K1 at no level
    run -0 dmlop run --relaxed m.json
}

@test "--emit-model keeps strides, buffers and flags of a descriptor" {
    cat >d.json <<'J'
{ "type": "SLICE1", "desc": {
  "InputTensor": { "DataType": "UINT8", "Sizes": [2, 3], "Strides": [4, 1],
    "Flags": "OWNED_BY_DML", "TotalTensorSizeInBytes": 16 },
  "OutputTensor": { "DataType": "UINT8", "Sizes": [2, 2], "Strides": [1, 3] },
  "DimensionCount": 2,
  "InputWindowOffsets": [0, 0], "InputWindowSizes": [2, 3], "InputWindowStrides": [1, 2] } }
J
    dmlop make --dtype uint8 --sizes 7 --range -o x.npy
    dmlop slice -d d.json x.npy -o y.npy --output-layout buffer --emit-model=m.json
    run -0 dmlop run m.json
    assert_line "Resource 'OutputTensor': 0, 4, 0, 2, 6"
    py 'assert np.load("y.npy").tolist()[:5] == [0, 4, 0, 2, 6]'
}
