# Jobs that run as several tasks: --part of the operators, join, dmlop-parts(7).
load helper

# part I/N ARGS...: a part of the job that $job says.
part() {
    # shellcheck disable=SC2086 # words
    dmlop $job --part "$1" "${@:2}"
}

# three: x.npy {3,4} and the three parts of its reverse in y.npy.parts; $job is the command.
three() {
    dmlop make --dtype int32 --sizes 3,4 --range -o x.npy
    job="slice --index ::-1 x.npy -o y.npy"
    for i in 0 1 2; do part $i/3; done
}

# record I CODE: changes the record r of part I of 3.
record() {
    py "
p = 'y.npy.parts/part-%05d-of-00003.json' % $1
r = json.load(open(p))
$2
json.dump(r, open(p, 'w'))"
}

@test "every split of every operator, type and axis is byte for byte the whole" {
    "$PYTHON" "$ROOT/tests/cli/parts_splits.py"
}

@test "a record says what the part is, as the manual shows" {
    dmlop make --sizes 100,1000 --range -o x.npy
    dmlop topk -k 10 x.npy -o y.npy --part-axis 0:2,1:4 --part 06/008
    assert_equal "$(ls y.npy.parts)" "part-00006-of-00008.indices.npy
part-00006-of-00008.json
part-00006-of-00008.npy"
    dmlop topk -k 10 x.npy --emit-descriptor >d.json
    py '
r = json.load(open("y.npy.parts/part-00006-of-00008.json"))
import os, socket

assert list(r) == [
    "schema", "job", "part", "parts", "axes", "place", "sizes", "stretch", "descriptor", "k",
    "files", "timings", "host", "version"
], list(r)
assert r["schema"] == "dmlop.part/1" and len(r["job"]) == 16 and int(r["job"], 16)
assert (r["part"], r["parts"]) == (6, 8)
assert r["axes"] == [{"axis": 0, "count": 2}, {"axis": 1, "count": 4}]
assert (r["place"], r["sizes"]) == ([50, 0], [50, 10])
assert r["stretch"] == {"axis": 1, "from": 500, "to": 750}
assert r["descriptor"] == json.load(open("d.json")) and r["k"] == 10
for f in r["files"]:
    assert f["bytes"] == os.path.getsize("y.npy.parts/" + f["name"]) and len(f["xxh3"]) == 16
assert [f["name"] for f in r["files"]] == [
    "part-00006-of-00008.npy", "part-00006-of-00008.indices.npy"
]
assert r["timings"]["operations"] == 50 * 250 and r["timings"]["bytes_in"] == 4 * 50 * 250
assert r["host"] == os.uname().nodename and r["version"].startswith("dmlop ")
i = np.load("y.npy.parts/part-00006-of-00008.indices.npy")
assert i.shape == (50, 10) and (i == np.arange(749, 739, -1)).all()
'
}

@test "checksums are XXH3 in their canonical form" {
    command -v xxhsum >/dev/null || skip "no xxhsum"
    three
    for f in y.npy.parts/*.npy; do
        sum=$(xxhsum -H3 "$f" | grep -oE '[0-9a-f]{16}' | head -n 1)
        grep -q "\"xxh3\": \"$sum\"" "${f%.npy}.json"
    done
}

@test "names have five digits, and more where N has more" {
    "$PYTHON" - <<'P'
with open("x.npy", "wb") as f:
    import numpy.lib.format as n
    n.write_array_header_1_0(f, {"descr": "|i1", "fortran_order": False, "shape": (1000000,)})
    f.truncate(f.tell() + 1000000)
P
    dmlop slice x.npy -o y.npy --part 7/100000
    dmlop slice x.npy -o z.npy --part 999999/1000000
    assert_equal "$(ls [yz].npy.parts)" "y.npy.parts:
part-000007-of-100000.json
part-000007-of-100000.npy

z.npy.parts:
part-0999999-of-1000000.json
part-0999999-of-1000000.npy"
}

@test "a part of a sparse terabyte reads what its share needs" {
    "$PYTHON" - <<'P'
import numpy.lib.format as n

with open("x.npy", "wb") as f:
    n.write_array_header_1_0(f,
                             {"descr": "<f4", "fortran_order": False, "shape": (1000000, 250000)})
    f.truncate(f.tell() + 10**12)
P
    [ "$(stat -c %s x.npy)" -gt 1000000000000 ] || skip "no sparse files here"
    dmlop slice --index :,::25000 x.npy -o y.npy --part 999/1000
    dmlop slice --index 999999,999 x.npy -o z.npy --part 0/1
    dmlop topk -k 2 --axis 0 x.npy -o t.npy --part-axis 0:1000,1:25000 --part 25000/1000000 &&
        fail "25 million parts"
    dmlop topk -k 2 --axis 1 x.npy -o t.npy --part-axis 0:100000,1:10 --part 999999/1000000
    py '
i = np.load("t.npy.parts/part-0999999-of-1000000.indices.npy")
assert i.shape == (10, 2) and (i == [225000, 225001]).all()
assert (
    json.load(open("t.npy.parts/part-0999999-of-1000000.json"))["timings"]["bytes_in"]
    == 4 * 10 * 25000
)
'
}

@test "--part, --part-axis: what is wrong, and what would do" {
    dmlop make --dtype int32 --sizes 10,7 --range -o x.npy
    check() { # MESSAGE ARGS...
        run -2 dmlop slice x.npy -o y.npy "${@:2}"
        assert_output "dmlop: slice: $1"
    }
    for p in 1 a/2 /2 1/ 1/2/3 -1/2 1.0/2 '' 1/4294967296 auto/ auto/0 auto/x 0x1/2; do
        run -2 dmlop slice x.npy -o y.npy --part "$p"
        assert_line --partial "--part"
    done
    check "--part: '1' is not I/N, such as 0/4, nor auto or auto/N" --part 1
    check "--part: '0/0' asks for 0 parts; there are 1 to 1000000" --part 0/0
    check "--part: '0/1000001' asks for 1000001 parts; there are 1 to 1000000" --part 0/1000001
    check "--part: there is no part 4 of 4; parts are counted from 0 to 3" --part 4/4
    check "--part: no axis has 14 elements to split; use --part-axis 0:7,1:2" --part 0/14
    most="the axes can be split into at most 0:10,1:7"
    check "--part: no axis has 11 elements to split; use another N: $most" --part 0/11
    check "--part-axis: axis 1 has 7 elements, fewer than 8 parts; use --part-axis 0:8" --part 0/8 \
        --part-axis 1
    check "--part-axis: 'x' is not AXIS or AXIS:COUNT, such as 0:4" --part 0/4 --part-axis x
    check "--part-axis: '0:0' is not AXIS or AXIS:COUNT, such as 0:4" --part 0/4 --part-axis 0:0
    check "--part-axis: the output has no axis 2; its axes are -2 to 1" --part 0/4 --part-axis 2
    check "--part-axis: axis 1 is given twice" --part 0/4 --part-axis 1:2,-1:2
    check "--part-axis: '0,1': at most one axis has no COUNT" --part 0/4 --part-axis 0,1
    check "--part-axis: '0:3,1' makes a multiple of 3 parts; --part asks for 4" --part 0/4 \
        --part-axis 0:3,1
    check "--part-axis: '0:2,1:3' makes 6 parts; --part asks for 4" --part 0/4 --part-axis 0:2,1:3
    check "--part-axis needs --part I/N" --part-axis 0
    check "--resume needs --part I/N" --resume
    check "--job needs --part I/N" --job a
    assert_only_files x.npy
}

@test "what does not go with --part is refused" {
    dmlop make --dtype uint8 --sizes 2,2 --range -o x.npy
    check() { # MESSAGE COMMAND...
        run -2 dmlop "${@:2}" --part 0/2
        assert_output "dmlop: $2: $1"
    }
    check "--part: parts do not go to standard output; give -o FILE.npy" slice x.npy
    check "--part: parts do not go to standard output; give -o FILE.npy" slice x.npy -o -
    check "--part: the output 'y.json' is not a file named .npy; give -o FILE.npy" slice x.npy \
        -o y.json
    check "--part: parts are .npy, not JSON" slice x.npy -o y.npy --format json
    check "--part: every part reads the input, which standard input cannot give; name a file" \
        slice - -o y.npy
    check "--part: the output of indices 'i' is not a file named .npy; give --indices FILE.npy" \
        topk -k 1 x.npy -o y.npy --indices i
    check "--output-dir and --part cannot be used together" slice x.npy --output-dir out
    check "--emit-model and --part cannot be used together" slice x.npy -o y.npy --emit-model=m.json
    check "--explain and --part cannot be used together" qmatmul --a-scale 1 --b-scale 1 \
        --output-scale 1 --explain 0,0 x.npy x.npy
    dmlop slice x.npy --emit-descriptor >d.json
    check "--part and --output-layout buffer cannot be used together" slice -d d.json x.npy \
        -o y.npy --output-layout buffer
    assert_only_files d.json x.npy
}

@test "every task holds the whole job to the rules, and emits its descriptor" {
    three
    dmlop slice --index ::-1 x.npy --emit-descriptor >whole.json
    part 1/3 --emit-descriptor=part.json
    assert_same_file whole.json part.json
    run -0 dmlop slice --index ::-1 x.npy --emit-descriptor --part 1/3
    assert_equal "$output" "$(cat whole.json)"
    run -3 dmlop slice --index 2:,9 x.npy -o z.npy --part 0/1
    [ ! -e z.npy.parts ]
}

@test "join: the whole or nothing, from a folder or from records" {
    three
    dmlop slice --index ::-1 x.npy -o whole.npy
    run -0 dmlop join y.npy.parts/
    assert_output ''
    assert_same_file y.npy whole.npy
    run -0 dmlop join -o z.npy y.npy.parts/*2-of*.json y.npy.parts/*1-of*.json \
        y.npy.parts/*0-of*.json
    assert_same_file z.npy whole.npy
    echo noise >y.npy.parts/part-00009-of-00003.npy
    echo noise >y.npy.parts/notes.json
    dmlop join -o - y.npy.parts | cmp - whole.npy
    run -2 dmlop join y.npy.parts/*.json
    not="is not a folder named FILE.parts, which names the output"
    assert_output "dmlop: join: y.npy.parts/notes.json: $not; give -o FILE"
    run -4 dmlop join --no-clobber y.npy.parts
    run -2 dmlop join
    assert_line "dmlop: join: no parts are given"
    run -3 dmlop join nothing.parts
    assert_output "dmlop: join: nothing.parts: cannot open: No such file or directory"
    mkdir empty.npy.parts
    run -3 dmlop join empty.npy.parts
    assert_output "dmlop: join: empty.npy.parts: there is no record of a part"
    run -2 dmlop join -o y.json y.npy.parts
    run -2 dmlop join --indices i.npy y.npy.parts
    assert_output "dmlop: join: --indices: the parts have no indices; topk has"
    [ ! -e i.npy ]
}

@test "join --remove takes the parts away, after the whole is there" {
    three
    rm y.npy.parts/part-00001-of-00003.npy
    run -3 dmlop join --remove y.npy.parts
    [ "$(ls y.npy.parts | wc -l)" = 5 ]
    part 1/3
    dmlop slice --index ::-1 x.npy -o whole.npy
    dmlop join --remove y.npy.parts
    assert_only_files whole.npy x.npy y.npy
    for i in 0 1 2; do part $i/3; done
    touch y.npy.parts/mine
    dmlop join --remove y.npy.parts
    assert_equal "$(ls y.npy.parts)" mine
}

@test "join --missing prints ranges for an array" {
    dmlop make --dtype int32 --sizes 64 --range -o x.npy
    job="slice x.npy -o y.npy"
    run -3 dmlop join --missing 64 y.npy.parts
    assert_output 0-63
    for i in 0 1 2 $(seq 4 16) $(seq 20 63); do part "$i/64"; done
    run -3 dmlop join --missing 64 y.npy.parts
    assert_output 3,17-19
    run -3 dmlop join y.npy.parts
    assert_output "dmlop: join: 4 of 64 parts are missing: 3,17-19"
    for i in 3 17 18 19; do part "$i/64"; done
    echo 3,17-19 >old.txt
    run -0 dmlop join --missing 64 y.npy.parts -o old.txt
    assert_output ""
    assert_equal "$(cat old.txt)" ""
    run -3 dmlop join --missing 32 y.npy.parts # no task of 32 parts would start there
    other="part-00000-of-00064.json is of another job: 64 parts, not 32"
    assert_output "dmlop: join: y.npy.parts: $other; remove the parts of one"
    truncate -s 10 y.npy.parts/part-00007-of-00064.npy
    echo '{' >y.npy.parts/part-00009-of-00064.json
    rm y.npy.parts/part-00063-of-00064.npy
    run -3 dmlop join --missing 64 y.npy.parts
    assert_output 7,9,63
    run -2 dmlop join --missing 0 y.npy.parts
    run -2 dmlop join --missing 3 --remove y.npy.parts
    assert_output "dmlop: join: --remove and --missing cannot be used together"
}

@test "join refuses what does not belong together" {
    three
    cp -r y.npy.parts good
    check() { # MESSAGE: of join in y.npy.parts
        run -3 dmlop join y.npy.parts
        assert_line --index 0 --partial "$1"
        assert [ "${#lines[@]}" -le 2 ]
        [ ! -e y.npy ]
        rm -rf y.npy.parts
        cp -r good y.npy.parts
    }
    rm y.npy.parts/part-00001*
    check "1 of 3 parts are missing: 1"
    run -3 dmlop join -o z.npy y.npy.parts good
    record=part-00000-of-00003.json
    assert_output "dmlop: join: part 0 twice: y.npy.parts/$record, good/$record"
    for i in 0 2; do
        dmlop slice --index ::-1 x.npy -o z.npy --part $i/4 --part-axis 1
        mv z.npy.parts/* y.npy.parts
        other="part-0000$i-of-00004.json is of another job: 4 parts, not 3"
        check "join: y.npy.parts: $other; remove the parts of one"
    done
    another() { # MESSAGE ARGS...: part 1 of another job
        dmlop "${@:2}" x.npy -o y.npy --part 1/3
        check "part 1 is of another job: $1"
    }
    another "its descriptor is another" slice --index ::1
    another "its inputs or --job are others" slice --index ::-1 --job other
    another "other axes are split" slice --index ::-1 --part-axis 1
    another "its output is {3,3}, not {3,4}" slice --index ::-1,1:
    another "TOP_K1, not SLICE1" topk -k 1 --axis 1
    dmlop make --dtype int16 --sizes 3,4 --range -o x.npy
    another "INT16, not INT32" slice --index ::-1
    py '
x = np.arange(12, dtype="i4").reshape(3, 4)
x[1, 1] = 9
np.save("x.npy", x)
'
    another "its inputs or --job are others" slice --index ::-1
    rm -r y.npy.parts
    for i in 0 1 2; do dmlop topk -k 1 --axis 1 x.npy -o y.npy --part $i/3; done
    another "its indices are UINT64, not UINT32" topk -k 1 --axis 1 --index-type uint64
    record 1 'r["sizes"] = [1, 3]'
    check "part-00001-of-00003.json: part 1: sizes {1,3}, its share is {1,4}"
    record 1 'r["place"] = [0, 0]'
    check "part-00001-of-00003.json: part 1: place {0,0}, its share is at {1,0}"
    printf '\377' | dd of=y.npy.parts/part-00001-of-00003.npy bs=1 seek=130 conv=notrunc status=none
    check "part-00001-of-00003.npy: part 1: checksum differs"
    truncate -s 130 y.npy.parts/part-00001-of-00003.npy
    check "part-00001-of-00003.npy: part 1: the file does not hold the part's share"
    record 1 'r["files"][0]["bytes"] = 7'
    check "part-00001-of-00003.npy: part 1: the file has 144 bytes, its record says 7"
    echo noise >y.npy.parts/part-00001-of-00003.npy
    check "part-00001-of-00003.npy: part 1: the file is not a sound .npy"
    rm y.npy.parts/part-00001-of-00003.npy
    check "part-00001-of-00003.npy: cannot open: No such file or directory"
    rm y.npy.parts/part-00001-of-00003.npy
    mkfifo y.npy.parts/part-00001-of-00003.npy
    run -3 dmlop join y.npy.parts
    assert_line --index 1 --partial "1 of 3 parts are missing or damaged: 1; compute them again"
    check "part-00001-of-00003.npy: is not a regular file"
    rm y.npy.parts/part-00001-of-00003.json
    mkfifo y.npy.parts/part-00001-of-00003.json
    check "part-00001-of-00003.json: is not a regular file"
}

@test "damaged and hostile records give one clear message" {
    three
    cp -r y.npy.parts good
    check() { # MESSAGE CODE
        record 1 "$2"
        run -3 dmlop join y.npy.parts
        assert_line --index 0 "dmlop: join: y.npy.parts/part-00001-of-00003.json: $1"
        assert_line --index 1 --partial "join: 1 of 3 parts are missing or damaged: 1; compute"
        [ ! -e y.npy ]
        cp good/part-00001-of-00003.json y.npy.parts
    }
    check 'a file of the part is not named part-00001-of-00003.npy' \
        'r["files"][0]["name"] = "../../etc/passwd"'
    check 'a file of the part is not named part-00001-of-00003.npy' 'r["files"][0]["name"] = "a\nb"'
    check '"files" does not name 1 file' 'r["files"] *= 2'
    check '"Sizes" are not those of a tensor' \
        'r["descriptor"]["desc"]["OutputTensor"]["Sizes"] = [2**32, 2**32]'
    check '"Sizes" are not those of a tensor' \
        'r["descriptor"]["desc"]["OutputTensor"]["Sizes"] = [0, 4]'
    check '"Sizes" does not have 1 to 8 numbers' \
        'r["descriptor"]["desc"]["OutputTensor"]["Sizes"] = []'
    check '"sizes" is not a whole number of 0 or more that fits 64 bits' 'r["sizes"] = [1, 2**64]'
    check '"sizes" is not a whole number of 0 or more that fits 64 bits' 'r["sizes"] = [1, [[2]]]'
    check '"place" does not have 2 numbers' 'r["place"] = [1]'
    check 'there is no part 3 of 3' 'r["part"] = 3'
    check 'there is no part 1 of 1000001' 'r["parts"] = 1000001'
    check '"axes" make another number of parts' 'r["axes"][0]["count"] = 1'
    check '"axes" has more parts along an axis than elements' 'r["axes"][0]["count"] = 4'
    check '"axes" names an axis that the output does not have' 'r["axes"][0]["axis"] = 2'
    check '"axes" names an axis twice' 'r["axes"] *= 2'
    check '"axes" does not name 1 to 2 axes' 'r["axes"] = []'
    check '"job" is not 16 hexadecimal digits' 'r["job"] = "x" * 16'
    check '"schema" is not "dmlop.part/1"' 'r["schema"] = "dmlop.part/2"'
    check '"DataType" is not one of DirectML'"'"'s' \
        'r["descriptor"]["desc"]["OutputTensor"]["DataType"] = "INT32"'
    check '"type" is not one of the operators' 'r["descriptor"]["type"] = "DML_OPERATOR_GEMM"'
    check '"stretch" is not along topk'"'"'s axis' 'r["stretch"] = {"axis": 0, "from": 0, "to": 1}'
    check 'the record has no "host" where one belongs' 'del r["host"]'
    check '"timings" is not an object' 'r["timings"] = 1'
    check 'the record is not an object' 'r = [r]'
    check 'the record is not JSON' 'json.dump = lambda r, f: f.write("{")'
    sed -i 's/"part": 1/"part": 1, "part": 1/' y.npy.parts/part-00001-of-00003.json
    run dmlop join y.npy.parts
    assert_line --index 0 \
        "dmlop: join: y.npy.parts/part-00001-of-00003.json: a key appears twice in one object"
    head -c 70000 /dev/zero >y.npy.parts/part-00001-of-00003.json
    run -3 dmlop join y.npy.parts
    assert_line --index 0 \
        "dmlop: join: y.npy.parts/part-00001-of-00003.json: the record has more than 65536 bytes"
}

@test "--resume skips a part of the same job that is there, and nothing else" {
    three
    before=$(stat -c %Y.%i y.npy.parts/part-00001-of-00003.json)
    run -0 --separate-stderr part 1/3 --resume
    assert_equal "$output" ""
    assert_equal "$stderr" "dmlop: slice: part 1 of 3: there already"
    run -0 part 1/3 --resume -q
    assert_output ''
    assert_equal "$(stat -c %Y.%i y.npy.parts/part-00001-of-00003.json)" "$before"
    again() { # a part that is computed anew
        run -0 part 1/3 --resume "$@"
        assert_output ''
        run -0 part 1/3 --resume "$@"
        assert_output "dmlop: slice: part 1 of 3: there already"
    }
    rm y.npy.parts/part-00001-of-00003.npy
    again
    truncate -s 100 y.npy.parts/part-00001-of-00003.npy
    again
    echo '{}' >y.npy.parts/part-00001-of-00003.json
    again
    again --job other
    again --job third --threads 1
    again --index 1: # another descriptor, in effect
}

@test "another input is another job, and the fingerprint sees first and last" {
    dmlop make --dtype int32 --sizes 100000 --fill 0 -o x.npy
    job="slice x.npy -o y.npy"
    part 0/2
    for at in 0 99999; do
        py "
x = np.load('x.npy')
x[$at] = 1
np.save('x.npy', x)
"
        run -0 part 0/2 --resume
        assert_output ''
    done
    run -0 part 0/2 --resume
    assert_output "dmlop: slice: part 0 of 2: there already"
    cp x.npy other.npy # no path is in it
    run -0 dmlop slice other.npy -o ./y.npy --part 0/2 --resume --no-sync
    assert_output "dmlop: slice: part 0 of 2: there already"
}

@test "--no-clobber keeps a part that is there" {
    three
    cp y.npy.parts/part-00001-of-00003.json before
    run -4 part 1/3 --no-clobber
    assert_same_file before y.npy.parts/part-00001-of-00003.json
    rm y.npy.parts/part-00001*
    part 1/3 --no-clobber
}

@test "killed at any moment, then --resume: nothing that was committed is lost" {
    "$PYTHON" - <<'P'
import os, random, signal, subprocess, time
import numpy as np
from program import DMLOP, printed

random.seed(1)
np.save("x.npy", np.random.default_rng(1).integers(0, 100, (64, 4096)).astype("f4"))
args = ["topk", "-k", "5", "--axis", "0", "x.npy", "-o"]
printed(*args, "whole.npy", "--indices", "wi.npy")

def task(i, kill):
    part = ["y.npy", "--part", "%d/4" % i, "--part-axis", "0", "--resume"]
    p = subprocess.Popen([DMLOP, *args, *part], stderr=subprocess.DEVNULL)
    if kill:
        time.sleep(random.random() * 0.03)
        p.send_signal(signal.SIGKILL)
    return p.wait()

there = set()
for _ in range(24):
    i = random.randrange(4)
    task(i, True)
    for j in there:  # a record that was there stays
        assert os.path.exists("y.npy.parts/part-%05d-of-00004.json" % j)
    if os.path.exists("y.npy.parts/part-%05d-of-00004.json" % i):
        there.add(i)
for i in range(4):
    assert task(i, False) == 0
printed("join", "y.npy.parts", "--indices", "i.npy")
assert open("y.npy", "rb").read() == open("whole.npy", "rb").read()
assert open("i.npy", "rb").read() == open("wi.npy", "rb").read()
P
}

@test "two writers of one part do not spoil it" {
    dmlop make --dtype int32 --sizes 65536 --range -o x.npy
    job="slice --index ::-1 x.npy -o y.npy"
    dmlop slice --index ::-1 x.npy -o whole.npy
    for _ in 1 2 3 4 5; do
        pids=()
        for i in 0 1 0 1 0 1; do
            part $i/2 &
            pids+=($!)
        done
        for p in "${pids[@]}"; do wait "$p"; done
        dmlop join --remove y.npy.parts
        assert_same_file y.npy whole.npy
    done
    assert_only_files whole.npy x.npy y.npy
}

@test "--part auto: the table of environments" {
    dmlop make --dtype int32 --sizes 64 --range -o x.npy
    is() { # PART NAME=VALUE... -- ARGS: what -v says
        rm -rf y.npy.parts
        run -0 env "${@:2}" -v
        assert_line "dmlop: slice: part $1"
    }
    no() { # MESSAGE NAME=VALUE... -- ARGS
        run -2 env "${@:2}"
        assert_output "dmlop: slice: $1"
    }
    a=("$DMLOP" slice x.npy -o y.npy --part)
    is "1 of 4, by OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE" OMPI_COMM_WORLD_RANK=1 \
        OMPI_COMM_WORLD_SIZE=4 PMI_RANK=2 PMI_SIZE=3 "${a[@]}" auto
    is "2 of 3, by PMI_RANK and PMI_SIZE" PMI_RANK=2 PMI_SIZE=3 "${a[@]}" auto/3
    is "3 of 5, by SLURM_PROCID and SLURM_STEP_NUM_TASKS" SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=5 \
        SLURM_NTASKS=9 "${a[@]}" auto
    is "3 of 5, by AWS_BATCH_JOB_ARRAY_INDEX and AWS_BATCH_JOB_ARRAY_SIZE" \
        AWS_BATCH_JOB_ARRAY_INDEX=3 AWS_BATCH_JOB_ARRAY_SIZE=5 "${a[@]}" auto
    is "7 of 9, by SLURM_ARRAY_TASK_ID=7, counted from 0" SLURM_ARRAY_TASK_ID=7 SLURM_PROCID=0 \
        SLURM_STEP_NUM_TASKS=1 "${a[@]}" auto/9
    is "7 of 9, by JOB_COMPLETION_INDEX=7, counted from 0" PBS_ARRAY_INDEX=07 \
        JOB_COMPLETION_INDEX=7 "${a[@]}" auto/09
    such="such as OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID or SLURM_ARRAY_TASK_ID"
    no "--part auto: no engine's variables are set, $such; give the part as I/N" \
        SLURM_NTASKS=4 "${a[@]}" auto
    no "--part auto: SLURM_PROCID is set, but SLURM_STEP_NUM_TASKS is not; give the part as I/N" \
        SLURM_PROCID=0 SLURM_NTASKS=4 "${a[@]}" auto
    no "--part auto/4: PMI_SIZE is 3, but auto/4 is given" PMI_RANK=2 PMI_SIZE=3 "${a[@]}" auto/4
    index="gives an index, but not how many parts there are; give auto/N"
    from_1="; if the array counts from 1, give \$((SLURM_ARRAY_TASK_ID - 1))/N"
    no "--part auto: SLURM_ARRAY_TASK_ID $index$from_1" SLURM_ARRAY_TASK_ID=1 "${a[@]}" auto
    array=(SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=15 SLURM_ARRAY_TASK_STEP=2)
    for n in "" /8; do
        is "2 of 8, by SLURM_ARRAY_TASK_ID=5 of 1-15:2" SLURM_ARRAY_TASK_ID=5 "${array[@]}" \
            "${a[@]}" auto$n
        no "--part auto$n: SLURM_ARRAY_TASK_ID is 6, and none of 1-15:2; give the part as I/N" \
            SLURM_ARRAY_TASK_ID=6 "${array[@]}" "${a[@]}" auto$n
    done
    no "--part auto: SGE_TASK_ID is 4, and none of 2-8:3; give the part as I/N" \
        SGE_TASK_ID=4 SGE_TASK_FIRST=2 SGE_TASK_LAST=8 SGE_TASK_STEPSIZE=3 "${a[@]}" auto
    both="PMI_RANK is 2 of 3, and PBS_ARRAY_INDEX is for part 1"
    no "--part auto/4: $both; give the part as I/N" \
        PMI_RANK=2 PMI_SIZE=3 PBS_ARRAY_INDEX=1 "${a[@]}" auto/4
    differ="SLURM_ARRAY_TASK_ID is for part 1, but JOB_COMPLETION_INDEX for part 2"
    no "--part auto/4: $differ; unset one, or give the part as I/N" \
        SLURM_ARRAY_TASK_ID=1 JOB_COMPLETION_INDEX=2 "${a[@]}" auto/4
    four="SLURM_ARRAY_TASK_ID is for part 4; 4 parts are counted from 0 to 3"
    no "--part auto/4: $four$from_1" SLURM_ARRAY_TASK_ID=4 "${a[@]}" auto/4
    no "--part auto: PMI_RANK is 'x', which is not a number" PMI_RANK=x PMI_SIZE=3 "${a[@]}" auto
    counted="parts are counted from 0, and there are 1 to 1000000"
    no "--part auto: PMI_RANK is 3 and PMI_SIZE is 3; $counted" PMI_RANK=3 PMI_SIZE=3 "${a[@]}" auto
}

@test "timings of a join have those of the parts" {
    three
    dmlop join y.npy.parts --timings=t.json
    py '
import glob
t = json.load(open("t.json"))
parts = [json.load(open(p))["timings"] for p in sorted(glob.glob("y.npy.parts/*.json"))]
ns = [p["compute_ns"] for p in parts]
assert t["schema"] == "dmlop.timings/1" and t["command"] == "join"
assert t["bytes_out"] == 48
p = t["parts"]
assert p["count"] == 3 and p["hosts"] == 1 and p["slowest"] == ns.index(max(ns))
assert p["compute_ns"] == {"min": min(ns), "median": sorted(ns)[1], "max": max(ns), "sum": sum(ns)}
assert (p["bytes_in"], p["bytes_out"], p["operations"]) == (48, 48, 12)'
    run -0 dmlop join y.npy.parts --timings
    assert_line --regexp '^computing 3 parts on 1 host$'
}

@test "join copies long runs: whole blocks, and what is before and after them" {
    "$PYTHON" - <<'P'
import shutil
import numpy as np
from program import printed

rng = np.random.default_rng(1)
for sizes, axis, parts in (
    ((1000, 1024), 0, 4),  # the second and the fourth part begin between two blocks
    ((1024, 1024), 0, 4),
    ((3, 400, 1000), 1, 2),
    ((999, 1001), 0, 2),
    ((2, 300000), 1, 3)):
    x = rng.integers(0, 256, sizes).astype("u1")
    np.save("x.npy", x)
    for i in range(parts):
        cut = ["--part", f"{i}/{parts}", "--part-axis", str(axis), "--no-sync"]
        printed("slice", "x.npy", "-o", "y.npy", *cut)
    printed("join", "y.npy.parts", "-o", "z.npy", "--no-sync")
    assert open("z.npy", "rb").read() == open("x.npy", "rb").read(), (sizes, axis, parts)
    piped = printed("join", "y.npy.parts", "-o", "-", text=False)
    assert piped == open("x.npy", "rb").read()
    shutil.rmtree("y.npy.parts")
P
}

@test "where files can share blocks, join needs no room for the whole" {
    command -v mkfs.xfs >/dev/null || skip "no mkfs.xfs"
    truncate -s 400M disk
    mkfs.xfs -q disk
    mkdir shared
    mount -o loop disk shared 2>/dev/null || skip "a file cannot be mounted here"
    dmlop make --sizes 4096,10240 --random 1 -o x.npy --no-sync # 160 MB
    run bash -c 'cd shared && for i in 0 1 2 3; do
            "$DMLOP" slice --index ::-1 ../x.npy -o y.npy --part $i/4 || exit; done
        free=$(df -k --output=avail . | tail -n 1)
        "$DMLOP" slice --index ::-1 ../x.npy -o other.npy 2>/dev/null && exit 1 # no room
        "$DMLOP" join y.npy.parts && "$DMLOP" slice --index ::-1 ../x.npy | cmp - y.npy &&
            echo $(((free - $(df -k --output=avail . | tail -n 1)) / 1024))'
    umount shared
    assert_success
    assert [ "$output" -lt 10 ]
}

@test "many parts join under ulimit -n 64" {
    sanitized && skip "tests of a few parts run the same code"
    export PARTS=1000
    [ -z "${EXPENSIVE:-}" ] || PARTS=10000
    py "np.save('x.npy', np.random.default_rng(3).integers(0, 99, ($PARTS, 3)).astype('i2'))"
    dmlop topk -k 4 --axis 0 x.npy -o whole.npy --indices wi.npy
    dmlop topk -k 4 --axis 0 x.npy -o y.npy --part "0/$PARTS" --no-sync
    "$PYTHON" - <<'P'
# The other parts as dmlop writes them: starting it so often takes long.
import ctypes, json, os, re
import numpy as np

x = np.load("x.npy")
xxh = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
xxh.restype = ctypes.c_uint64
xxh.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
parts = int(os.environ["PARTS"])
stem = "y.npy.parts/part-%%05d-of-%05d" % parts
text = open(stem % 0 + ".json").read()
rows = {".npy": x[0].nbytes, ".indices.npy": 3 * 4}  # bytes after the header
head = {suffix: open(stem % 0 + suffix, "rb").read()[:-n] for suffix, n in rows.items()}
for i in range(1, parts):
    files = {".npy": x[i : i + 1], ".indices.npy": np.full((1, 3), i, "u4")}
    r = text.replace('"part": 0,', '"part": %d,' % i).replace(
        '"from": 0, "to": 1', '"from": %d, "to": %d' % (i, i + 1))
    r = r.replace("part-00000-of", "part-%05d-of" % i)
    for suffix, data in files.items():
        b = head[suffix] + data.tobytes()
        open(stem % i + suffix, "wb").write(b)
        name = (stem % i + suffix)[len("y.npy.parts/") :]
        r = re.sub(r'("%s", "bytes": \d+, "xxh3": ")\w+' % re.escape(name),
                   r"\g<1>%016x" % xxh(b, len(b)), r)
    open(stem % i + ".json", "w").write(r)
P
    run -0 bash -c 'ulimit -n 64; exec "$DMLOP" join y.npy.parts --indices i.npy --timings=t.json'
    assert_output ''
    assert_same_file y.npy whole.npy
    assert_same_file i.npy wi.npy
}

@test "a folder that cannot be made, or is a file, is said" {
    dmlop make --dtype int32 --sizes 4 --range -o x.npy
    echo >y.npy.parts
    run -4 dmlop slice x.npy -o y.npy --part 0/2
    assert_output "dmlop: slice: y.npy.parts: is not a folder"
    run -4 dmlop slice x.npy -o none/y.npy --part 0/2
    assert_output \
        "dmlop: slice: none/y.npy.parts: cannot make the folder: No such file or directory"
}
