# Sets of parts that are damaged, mixed, large or named as outputs: nothing is lost or misread.
load helper

# three: x.npy {3,4} and the three parts of its reverse in y.npy.parts.
three() {
    dmlop make --dtype int32 --sizes 3,4 --range -o x.npy
    for i in 0 1 2; do dmlop slice --index ::-1 x.npy -o y.npy --part $i/3; done
}

# damage I: changes one byte of the data of part I of 3.
damage() {
    printf '\7' |
        dd of="y.npy.parts/part-0000$1-of-00003.npy" bs=1 seek=129 conv=notrunc status=none
}

# unchanged TEXT COMMAND...: the command is refused with status 2 and this text, and nothing in the
# current folder has changed.
unchanged() {
    rm -rf "$T.before"
    cp -r . "$T.before"
    run -2 dmlop "${@:2}"
    assert_output --partial "$1; give another file"
    assert_equal "${#lines[@]}" 1
    diff -r "$T.before" .
}

# refuses FOLDER COMMAND...: the command names a file of the folder as an output.
refuses() {
    unchanged "belongs to the parts in $1" "${@:2}"
}

# replaces_input COMMAND...: an output is an input.
replaces_input() {
    unchanged "is an input, too" "$@"
}

@test "join does not write over a part, whatever the output's name" {
    dmlop make --dtype int32 --sizes 3,4 --range -o x.npy
    for i in 0 1; do dmlop topk -k 2 x.npy -o y.npy --part $i/2; done
    data=y.npy.parts/part-00000-of-00002
    ln -s $data.npy link.npy
    ln -s y.npy.parts alias
    ln $data.indices.npy hard.npy
    for remove in "" --remove; do
        for to in $data.npy ./y.npy.parts//part-00001-of-00002.npy link.npy hard.npy \
            alias/part-00000-of-00002.indices.npy; do
            # shellcheck disable=SC2086 # nothing or a word
            refuses y.npy.parts join $remove y.npy.parts -o $to
            # shellcheck disable=SC2086
            refuses y.npy.parts join $remove y.npy.parts -o z.npy --indices $to
        done
        # shellcheck disable=SC2086
        refuses y.npy.parts join $remove y.npy.parts -o z.npy --timings=$data.json
        # shellcheck disable=SC2086
        refuses y.npy.parts join $remove y.npy.parts/*.json -o $data.npy
    done
    ln -s $data.json link.json
    for to in link.json y.npy.parts/part-00008-of-00009.json; do # a record, or it would be one
        refuses y.npy.parts join --missing 2 y.npy.parts -o $to
        refuses y.npy.parts join --missing 2 y.npy.parts/*.json -o $to
        refuses y.npy.parts info y.npy.parts -o $to
    done
    cp -r y.npy.parts before
    # not the shell's fault: >> and <> keep what is in the file
    run -2 bash -c "exec \"\$DMLOP\" join y.npy.parts -o - >>$data.npy"
    assert_output "dmlop: join: /dev/stdout: belongs to the parts in y.npy.parts; give another file"
    run -2 bash -c "exec \"\$DMLOP\" join y.npy.parts -o /dev/fd/7 7<>$data.npy"
    diff -r before y.npy.parts
    ln -s $data.npy y.npy # the default output
    refuses y.npy.parts join --remove y.npy.parts
    rm y.npy
    mkdir records
    cp $data.json records/first.json
    cp $data*.npy records
    cp y.npy.parts/*1-of* records
    refuses records join records/first.json records/*1-of*.json -o z.npy \
        --timings=records/first.json
    dmlop join --remove y.npy.parts -o y.npy.parts/whole.npy # in the folder, but not a part
    assert_equal "$(ls y.npy.parts)" whole.npy
}

@test "a task does not write over a part that it reads, nor another file over the job's parts" {
    three
    part=y.npy.parts/part-00000-of-00003
    dmlop slice --index ::-1 x.npy -o y.npy --part 1/3 --timings=t.json
    for option in --timings --emit-descriptor; do
        refuses y.npy.parts slice --index ::-1 x.npy -o y.npy --part 1/3 $option=$part.json
        for i in 0 1; do # of the part itself, in a folder that is made; of another
            record=u.npy.parts/part-0000$i-of-00002.json
            run -2 dmlop slice x.npy -o u.npy --part 0/2 $option=$record
            assert_equal "$(ls u.npy.parts)" ""
        done
    done
    refuses y.npy.parts slice $part.npy -o y.npy --part 0/1
    dmlop slice x.npy -o x.npy # one file is replaced when all is read
}

@test "a folder of parts is no input: each command says how to join it, info what it is" {
    three
    mv y.npy.parts "a b.npy.parts"
    cp -r "a b.npy.parts" elsewhere
    how="is a folder of parts; join them with: dmlop join"
    for command in "slice -o o.npy" "topk -k 1 -o o.npy" "show" "info --stats" "convert -o o.npy" \
        "compare x.npy" "validate" "run" "slice --output-dir out" "topk -k 1 --part 0/3 -o o.npy" \
        "slice x.npy -d" "qmatmul --a-scale 1 --b-scale 1 --output-scale 1 x.npy"; do
        # shellcheck disable=SC2086 # words
        run -3 dmlop $command "a b.npy.parts/"
        assert_line --index 0 "dmlop: ${command%% *}: a b.npy.parts/: $how \"a b.npy.parts/\""
        # shellcheck disable=SC2086
        run -3 dmlop $command elsewhere
        assert_line --index 0 "dmlop: ${command%% *}: elsewhere: $how elsewhere -o FILE.npy"
    done
    dmlop slice x.npy --emit-descriptor=d.json
    run -3 dmlop validate d.json --bind InputTensor=elsewhere
    assert_line --index 0 "dmlop: validate: elsewhere: $how elsewhere -o FILE.npy"
    echo '{ "resources": { "r": { "initialValues": { "sourcePath": "a b.npy.parts" } } },
        "dispatchables": {}, "commands": [ { "type": "print", "resource": "r" } ] }' >m.json
    for command in run validate; do
        run -3 dmlop $command m.json
        assert_output --partial "error: a b.npy.parts: it is a folder of parts [run.source-file]"
        assert_output --partial "hint: join them with: dmlop join \"a b.npy.parts\""
    done
    mkdir other other/part-of
    run -3 dmlop show other
    assert_output "dmlop: show: other: is a directory; give a file that is in it"
    assert [ ! -e o.npy ]
    run -0 dmlop show elsewhere/part-00001-of-00003.npy
    assert_line "[[4, 5, 6, 7]]"
}

@test "info: what parts are of, how many are there, which are missing, and the command" {
    three
    run -0 dmlop info y.npy.parts
    assert_output "y.npy.parts: parts of DML_OPERATOR_SLICE1, INT32 {3,4}, 48 bytes
  3 of 3 are there; join them with: dmlop join y.npy.parts"
    rm y.npy.parts/*0-of*.json y.npy.parts/*2-of*.npy
    missing="y.npy.parts: parts of DML_OPERATOR_SLICE1, INT32 {3,4}, 48 bytes
  1 of 3 is there; compute the others with --part: 0,2
  then join them with: dmlop join y.npy.parts"
    run -3 dmlop info y.npy.parts
    assert_output "dmlop: info: y.npy.parts/part-00002-of-00003.npy: cannot open: No such file \
or directory
$missing"
    rm y.npy.parts/*2-of*.json
    run -0 dmlop info y.npy.parts/
    assert_output "${missing//npy.parts/npy.parts/}"
    for i in 0 1; do
        dmlop topk -k 2 x.npy -o t.npy --part $i/2 --part-axis 1 --index-type uint64
    done
    mv t.npy.parts t
    run -0 dmlop info t x.npy
    assert_line --index 2 "  with --indices FILE also the indices, UINT64"
    assert_line --index 3 --partial "x.npy: INT32 {3,4}"
    "$PYTHON" - <<'P'
import json
from program import dmlop

def info(path):
    p = dmlop("info", "--format", "json", path, text=False)
    assert p.returncode == 0 and not p.stderr, p
    return json.loads(p.stdout)["tensors"]

whole = {"format": "parts", "type": "INT32", "bool": False, "parts": 3}
assert info("y.npy.parts") == [{**whole, "file": "y.npy.parts", "operator": "DML_OPERATOR_SLICE1",
                                "missing": "0,2", "sizes": [3, 4], "bytes": 48,
                                "join": "dmlop join y.npy.parts"}]
assert info("t") == [{**whole, "file": "t", "operator": "DML_OPERATOR_TOP_K1", "missing": "",
                      "parts": 2, "sizes": [3, 2], "bytes": 24, "join": "dmlop join t -o FILE.npy"}]
P
    mkdir empty.parts
    run -3 dmlop info empty.parts
    assert_output "dmlop: info: empty.parts: there is no record of a part"
    echo '{' >t/part-00000-of-00002.json
    run -3 dmlop info t
    assert_line --partial "t/part-00000-of-00002.json: "
    assert_line "  1 of 2 is there; compute the others with --part: 0"
}

@test "a task refuses a folder of another number of parts, and names the file" {
    three
    cp -r y.npy.parts before
    for resume in "" --resume; do
        # shellcheck disable=SC2086 # nothing or a word
        run -3 dmlop slice --index ::-1 x.npy -o y.npy --part 0/2 $resume
        assert_output --regexp "^dmlop: slice: y.npy.parts: part-0000.-of-00003.json is of another \
job: 3 parts, not 2; remove the parts of one$"
        diff -r before y.npy.parts
    done
    dmlop slice --index ::-1 x.npy -o z.npy --part 1/2
    cp z.npy.parts/* y.npy.parts
    other="y.npy.parts: part-00001-of-00002.json is of another job: 2 parts, not 3"
    for command in "join y.npy.parts" "join --missing 3 y.npy.parts" "info y.npy.parts" \
        "slice --index ::-1 x.npy -o y.npy --part 1/3 --resume"; do
        # shellcheck disable=SC2086 # words
        run -3 dmlop $command
        assert_output "dmlop: ${command%% *}: $other; remove the parts of one"
    done
    rm y.npy.parts/*.json # without a record there is no part
    dmlop slice --index ::-1 x.npy -o y.npy --part 0/2
    dmlop slice --index ::-1 x.npy -o y.npy --part 1/2
    dmlop join y.npy.parts
}

@test "a folder with one part of a million is read in one go" {
    "$PYTHON" - <<'P'
import numpy.lib.format as n
with open("x.npy", "wb") as f:
    n.write_array_header_1_0(f, {"descr": "|i1", "fortran_order": False, "shape": (1000000,)})
    f.truncate(f.tell() + 1000000)
P
    dmlop slice x.npy -o y.npy --part 7/1000000
    for command in "join y.npy.parts" "info y.npy.parts" "join --missing 1000000 y.npy.parts"; do
        run dmlop $command
        assert_equal "$status" "$([ "${command%% *}" = info ] && echo 0 || echo 3)"
        assert_output --partial 0-6,8-999999
        command -v strace >/dev/null && ! sanitized || continue
        # shellcheck disable=SC2086 # words
        run strace -o calls "$DMLOP" $command
        assert [ "$(wc -l <calls)" -lt 1000 ]
    done
}

# rewrite I CODE: changes the record r of part I of 3, and then its text t.
rewrite() {
    py "
p = 'y.npy.parts/part-%05d-of-00003.json' % $1
r = json.load(open(p))
t = json.dumps(r)
$2
open(p, 'w').write(t)"
}

@test "records of one job may differ in their text, not in their values" {
    three
    cp -r y.npy.parts good
    same() { # CODE
        rewrite 1 "$1"
        dmlop join y.npy.parts
        cp good/*1-of*.json y.npy.parts
    }
    reverse="rev = lambda v: {k: rev(v[k]) for k in reversed(v)} if isinstance(v, dict) else v"
    same "$reverse
t = json.dumps(rev(r))"
    same 't = json.dumps(r, indent=7, sort_keys=True)'
    same 't = t.replace("DML_OPERATOR_SLICE1", "DML_OPERATOR\\u005fSLICE1")'
    same 't = t.replace("\"InputWindowSizes\"", "\"Input\\u0057indowSizes\"")'
    same 't = t.replace("\"InputWindowSizes\": [3, 4]", "\"InputWindowSizes\": [3.0, 40e-1]")'
    other() { # CODE
        rewrite 1 "$1"
        run -3 dmlop join -o z.npy y.npy.parts
        assert_output --partial "part 1 is of another job: its descriptor is another"
        cp good/*1-of*.json y.npy.parts
    }
    d='r["descriptor"]["desc"]'
    other "$d['InputWindowSizes'] = [4, 3]; t = json.dumps(r)"
    other "$d['InputWindowSizes'] = [3, 4, 4]; t = json.dumps(r)"
    other "$d['InputWindowSizes'] = [3, [4]]; t = json.dumps(r)"
    other "$d['InputWindowSizes'] = [3, '4']; t = json.dumps(r)"
    other "$d['InputWindowSizes'] = [3, 4.5]; t = json.dumps(r)"
    other "$d['More'] = []; t = json.dumps(r)"
    other "$d['InputWindowOffsets'], $d['InputWindowSizes'] = $d['InputWindowSizes'], \
$d['InputWindowOffsets']; t = json.dumps(r)"
    other "del $d['InputWindowSizes']; t = json.dumps(r)"
}

@test "damaged parts: join says which, and what computes them again" {
    three
    cp -r y.npy.parts good
    how="compute them again with --part I/N, without --resume or with --resume --checksums"
    damage 0
    damage 2
    run -3 dmlop join y.npy.parts
    assert_output "dmlop: join: y.npy.parts/part-00000-of-00003.npy: part 0: checksum differs
dmlop: join: y.npy.parts/part-00002-of-00003.npy: part 2: checksum differs
dmlop: join: 2 of 3 parts are missing or damaged: 0,2; $how"
    assert [ ! -e y.npy ]
    rm y.npy.parts/part-00001-of-00003.json
    truncate -s 0 y.npy.parts/part-00000-of-00003.npy
    run -3 dmlop join y.npy.parts
    assert_line --index 0 --partial "part-00000-of-00003.npy: part 0: the file is not a sound .npy"
    assert_line --index 2 "dmlop: join: 3 of 3 parts are missing or damaged: 0-2; $how"
    run -3 dmlop join --missing 3 y.npy.parts
    assert_output 0-1
    run -3 dmlop join --missing 3 --checksums y.npy.parts
    assert_output 0-2
    for i in 0 1 2; do dmlop slice --index ::-1 x.npy -o y.npy --part $i/3 --resume -q; done
    run -3 dmlop join y.npy.parts
    assert_line --index 1 "dmlop: join: 1 of 3 parts are missing or damaged: 2; $how"
    run -0 dmlop join --missing 3 y.npy.parts
    assert_output ""
    run -3 dmlop join --missing 3 --checksums y.npy.parts
    assert_output 2
    run -0 dmlop slice --index ::-1 x.npy -o y.npy --part 2/3 --resume
    assert_output "dmlop: slice: part 2 of 3: there already"
    run -0 dmlop slice --index ::-1 x.npy -o y.npy --part 2/3 --resume --checksums
    assert_output ""
    run -0 dmlop slice --index ::-1 x.npy -o y.npy --part 2/3 --resume --checksums
    assert_output "dmlop: slice: part 2 of 3: there already"
    run -0 dmlop join --missing 3 --checksums y.npy.parts
    assert_output ""
    dmlop join y.npy.parts
    dmlop slice --index ::-1 x.npy -o whole.npy
    assert_same_file y.npy whole.npy
    run -2 dmlop slice x.npy -o y.npy --part 0/3 --checksums
    assert_output "dmlop: slice: --checksums needs --resume"
}

@test "indices are found damaged, too, and those of a merged topk" {
    dmlop make --dtype int32 --sizes 2,6 --range -o x.npy
    for i in 0 1 2; do dmlop topk -k 2 x.npy -o y.npy --part $i/3 --part-axis 1; done
    printf '\7' | dd of=y.npy.parts/part-00002-of-00003.indices.npy bs=1 seek=129 conv=notrunc \
        status=none
    run -3 dmlop join --missing 3 --checksums y.npy.parts
    assert_output 2
    run -3 dmlop join y.npy.parts
    bad="y.npy.parts/part-00002-of-00003.indices.npy: part 2: checksum differs"
    assert_line --index 0 "dmlop: join: $bad"
    assert [ ! -e y.npy ]
    dmlop topk -k 2 x.npy -o y.npy --part 2/3 --part-axis 1 --resume --checksums
    dmlop join y.npy.parts --indices i.npy
}

@test "a file that cannot be opened is not taken for damage" {
    three
    open_to_all
    chmod 0 y.npy.parts/part-00001-of-00003.npy
    run -3 limited "" join y.npy.parts
    assert_output "dmlop: join: y.npy.parts/part-00001-of-00003.npy: cannot open: Permission denied"
}

@test "sets that chance damages, and outputs that are anything: nothing is lost" {
    "$PYTHON" "$ROOT/tests/cli/parts_random.py" 45 40
}

@test "validate and --explain do not write over a file that they read" {
    py 'x = np.arange(12, dtype="i4").reshape(3, 4); np.save("x.npy", x); np.savez("z.npz", a=x)'
    dmlop slice x.npy --emit-descriptor | sed 's/INT32/int32/' >d.json
    ln x.npy hard.npy
    for to in x.npy hard.npy "$PWD/./x.npy"; do
        replaces_input validate --fix d.json --bind InputTensor=x.npy -o "$to"
    done
    replaces_input validate --fix d.json --bind InputTensor=z.npz:a -o z.npz
    run -2 bash -c 'exec "$DMLOP" validate --fix d.json --bind InputTensor=x.npy >>x.npy'
    ln x.npy hard.txt
    for command in validate "validate --cpp" "slice --explain 0,0 -d"; do
        # shellcheck disable=SC2086 # words
        replaces_input $command d.json --bind InputTensor=x.npy -o hard.txt
    done
    echo '{ "resources": { "r": { "initialValues": { "sourcePath": "x.npy" } } },
        "dispatchables": {}, "commands": [ { "type": "print", "resource": "r" } ] }' >m.json
    replaces_input validate --fix m.json -o x.npy
    replaces_input validate m.json -o hard.txt
    run -2 dmlop validate --format json none.json m.json none.json -o hard.txt
    cmp x.npy hard.txt
    mkdir models
    cp m.json models
    replaces_input validate models -o models/m.json
    dmlop validate --fix d.json --bind InputTensor=x.npy -o d.json # the file itself is meant
    run -1 dmlop validate --fix --bind none <(echo '{ "type": "NONE", "desc": {} }') -o x.json
}

@test "timings, descriptors and models do not replace an input, nor results a descriptor" {
    dmlop make --dtype int32 --sizes 3,4 --range -o x.npy
    dmlop convert x.npy -o x.json
    ln -s x.json link.json
    dmlop slice x.npy --emit-descriptor=d.json
    for to in x.json link.json; do
        replaces_input slice x.json -o o.npy --timings=$to
        replaces_input slice x.json --emit-descriptor=$to
        replaces_input topk -k 1 x.json -o o.npy --emit-model=$to
    done
    replaces_input slice -d d.json x.npy -o o.npy --timings=d.json
    replaces_input slice -d d.json x.npy --emit-model=d.json
    replaces_input slice -d d.json x.npy -o d.json
    dmlop slice -d d.json x.npy --emit-descriptor=d.json
    echo '{ "resources": { "r": { "initialValues": { "sourcePath": "x.npy" } } },
        "dispatchables": {}, "commands": [
          { "type": "writeFile", "resource": "r", "targetPath": "t.json" } ] }' >x.npy.json
    cp x.npy.json t.json
    ln -s x.npy x.link.json
    replaces_input run x.npy.json --timings=x.npy.json
    replaces_input run x.npy.json --timings=x.link.json
    replaces_input run t.json
}
