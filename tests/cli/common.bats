# What all commands share: usage, help, formats, standard streams, outputs, threads, timings, exit
# statuses.
load helper

@test "values of options: refused with what there is, converted only where no help is asked for" {
    local command set="cannot be used together: the descriptor sets these parameters" types
    types="FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 BFLOAT16"
    while IFS='|' read -r command message; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr dmlop $command
        message=${message/THE_DESCRIPTOR/$set}
        assert_equal "$stderr" "dmlop: ${command%% *}: ${message/THE_TYPES/$types}"
        # shellcheck disable=SC2086 # words
        run -0 dmlop $command --help
    done <<'END'
topk --axis 1.5|--axis: '1.5' is not a whole number
topk --index-type int8|--index-type: 'int8' is not one of uint32, uint64, int64
topk --largest --smallest|--largest and --smallest cannot be used together
topk -d d.json -k 1|-k and -d THE_DESCRIPTOR
topk -d d.json --smallest|--smallest and -d THE_DESCRIPTOR
slice -d d.json --sizes 1|--sizes and -d THE_DESCRIPTOR
slice --output-dir d -o y.npy|-o and --output-dir cannot be used together
slice --output-dir d --bind InputTensor=x.npy|--bind and --output-dir cannot be used together
qmatmul --output-type float32|--output-type: 'float32' is not one of int8, uint8, int32
qmatmul -d d.json --output-type int8|--output-type and -d THE_DESCRIPTOR
slice --threads 1025|--threads: '1025' is not a number from 1 to 1024
info --threads 0|--threads: '0' is not a number from 1 to 1024
selftest --threads x|--threads: 'x' is not a number from 1 to 1024
run --repeat 2 --min-time 1|--repeat and --min-time cannot be used together
run --min-time 1000001|--min-time: '1000001' is not a number of seconds, 0 to 1000000
slice --warmup -1|--warmup: '-1' is not a number from 0 to 1000000
run --feature-level 7_0|--feature-level: '7_0' is not a feature level from 1_0 to 6_4
validate --color blue|--color: 'blue' is not one of auto, always, never
validate --max-findings 1000000001|--max-findings: '1000000001' is not a number from 0 to 1000000000
convert --dtype int9|--dtype: there is no type 'int9'; the types are THE_TYPES
convert --format xml|--format: 'xml' is not one of npy, json, csv, tsv, raw
compare --format sarif|--format: 'sarif' is not one of text, json
compare --rtol -1|--rtol: '-1' is not a number of 0 or more, such as 1e-6
END
    dmlop make --sizes 4 --range -o x.npy
    dmlop topk -k 9 -k 1 --axis x --axis 0 x.npy # the last one counts
}

@test "options and operands in any order; -- ends options; --opt value and --opt=value" {
    dmlop make --sizes 4 --range -o ./-x.npy
    run -0 dmlop slice --format=json -- -x.npy
    run -0 dmlop slice ./-x.npy --index 1:3 --format json
    assert_output --partial "[1, 2]"
}

@test "standard input and output, both formats" {
    dmlop make --dtype int16 --sizes 2,3 --range -o x.npy
    dmlop slice --index 1 - <x.npy >y.npy
    py '
a = np.load("y.npy")
assert a.dtype == "i2" and a.tolist() == [[3, 4, 5]]
'
    cat x.npy | dmlop slice --index 1 - | cat >z.npy
    assert_same_file y.npy z.npy
    echo '[[1, 2], [3, 4]]' | dmlop slice --index ::-1 - >z.json
    run cat z.json
    assert_output --partial '"Values": [[3, 4],'
    echo '[[1, 2], [3, 4]]' | dmlop slice --index ::-1 --dtype int8 --format npy - >z.npy
    py '
a = np.load("z.npy")
assert a.dtype == "i1" and a.tolist() == [[3, 4], [1, 2]]
'
    refuses 2 "only once" qmatmul --a-scale 1 --b-scale 1 --output-scale 1 - - <x.npy
    run -2 dmlop slice --dtype int9 x.npy
}

@test "the ending of -o decides the format, --format overrules it, otherwise the input's" {
    dmlop make --sizes 3 --range -o x.npy
    dmlop slice x.npy -o a.json
    dmlop slice x.npy -o a.npy
    dmlop slice x.npy -o b.npy --format json
    dmlop slice a.json -o c
    dmlop slice x.npy -o d
    dmlop slice x.npy -o e.v2 --format json
    assert_same_file a.json b.npy
    assert_same_file a.json c
    assert_same_file a.json e.v2
    assert_same_file a.npy x.npy
    assert_same_file d x.npy
}

@test "the extension of an output: any case; an unknown one is refused before any work" {
    refused() { # MESSAGE ARGUMENTS...
        run -2 dmlop "${@:2}"
        assert_output "dmlop: $2: $1"
    }
    mkdir in
    dmlop make --sizes 3 --range -o x.npy
    cp x.npy in/a.NPY
    cp x.npy in/b.bin
    dmlop slice x.npy -o Y.NPY
    assert_same_file Y.NPY x.npy
    dmlop slice x.npy -o y.JSON
    dmlop slice x.npy --format json | cmp - y.JSON
    dmlop convert x.npy -o c.Json
    assert_same_file c.Json y.JSON
    dmlop convert x.npy -o c.BIN
    dmlop topk -k 1 x.npy -o v.Npy --indices i.NPY
    py '
assert np.load("i.NPY").tolist() == [2] and np.load("v.Npy").tolist() == [2]
assert np.fromfile("c.BIN", "<f4").tolist() == [0, 1, 2]
'
    dmlop slice --output-dir out in/a.NPY
    assert_same_file out/a.NPY x.npy
    dmlop slice --output-dir out --format npy in/b.bin
    assert_same_file out/b.bin.npy x.npy
    rm -r out ./*.NPY ./*.JSON ./*.Json ./*.BIN ./*.Npy

    local archive="the arrays in an archive are .npy; leave out --format"
    refused "-o y.npz: $archive json" slice x.npy --format json -o y.npz
    refused "-o y.npz:a: $archive json" slice x.npy --format json --bind OutputTensor=y.npz:a
    refused "--indices i.npz: $archive json" topk x.npy -k 1 -o v.npy --indices i.npz --format json
    refused "-o y.NPZ: $archive raw" convert x.npy --format raw -o y.NPZ

    local none="does not name a format"
    local use="use .npy, .json, .csv, .tsv, .dat or .bin, or say --format npy, json, csv, tsv or"
    use+=" raw"
    refused "-o y.txt: the extension .txt $none; $use" slice x.npy -o y.txt
    refused "-o d.e/y.Txt: the extension .Txt $none; $use" slice x.npy -o d.e/y.Txt
    refused "--indices i.pt: the extension .pt $none; $use" topk x.npy -k 1 -o v.npy --indices i.pt
    refused "-o y.txt: the extension .txt $none; $use" convert x.npy -o y.txt

    local json="writes JSON, and" tensor="is the name of a tensor"
    refused "--emit-descriptor $json 'd.npy' $tensor; use d.json" \
        slice x.npy -o y.npy --emit-descriptor=d.npy
    refused "--emit-model $json 'd.npz' $tensor; use d.json" slice x.npy -o y.npy --emit-model=d.npz
    refused "--timings $json 't.npy' $tensor; use t.json" slice x.npy -o y.npy --timings=t.npy

    local array="b.npz:p: this is not an array, but the name is that of one; use another"
    refused "$array" slice x.npy -o y.npy --timings=b.npz:p
    refused "$array" show x.npy -o b.npz:p

    local name="its result in 'out' would have this name, whose extension .bin"
    refused "in/b.bin: $name $none of results; say --format npy or --format json" \
        slice --output-dir out in/a.NPY in/b.bin
    assert_only_files x.npy in in/a.NPY in/b.bin
}

@test "outputs: an input may be replaced; modes and links are kept; --no-clobber" {
    dmlop make --sizes 4 --range -o x.npy
    chmod 640 x.npy
    ln -s x.npy link.npy
    dmlop slice --index ::-1 x.npy -o link.npy
    [ -L link.npy ]
    assert_equal "$(stat -c %a x.npy)" 640
    py 'assert np.load("x.npy").tolist() == [3, 2, 1, 0]'
    (umask 027 && dmlop slice x.npy -o new.npy)
    assert_equal "$(stat -c %a new.npy)" 640
    (umask 022 && dmlop topk -k 1 x.npy -o v.npy --indices i.npy --emit-descriptor=d.json)
    assert_equal "$(stat -c %a v.npy i.npy d.json | tr '\n' ' ')" "644 644 644 "
    rm v.npy i.npy d.json
    cp x.npy before.npy
    run -4 dmlop slice --index 0 x.npy -o x.npy --no-clobber
    assert_same_file x.npy before.npy
    assert_only_files x.npy link.npy new.npy before.npy
}

@test "outputs: places that cannot be written leave nothing behind" {
    dmlop make --sizes 4 --range -o x.npy
    refuses 4 "missing/y.npy" slice x.npy -o missing/y.npy
    mkdir d
    run -4 dmlop slice x.npy -o d
    run -4 bash -c '"$1" slice x.npy >/dev/full' _ "$DMLOP"
    assert_output --partial "standard output: cannot write: No space left on device"
    run -4 bash -c '"$1" --help >/dev/full' _ "$DMLOP"
    run bash -c 'trap "" XFSZ; ulimit -f 1; "$1" topk -k 1 x.npy -o v.npy --indices /dev/full' _ \
        "$DMLOP"
    assert_failure 4
    assert_only_files x.npy d
}

@test "outputs: devices, FIFOs and descriptors are written in place" {
    dmlop make --sizes 4 --range -o x.npy
    dmlop slice x.npy -o /dev/null
    mkfifo p
    cat p >got.npy &
    dmlop slice x.npy -o p
    wait
    assert_same_file x.npy got.npy
    dmlop slice x.npy -o /dev/fd/5 5>fd.npy
    assert_same_file x.npy fd.npy
}

@test "outputs: a descriptor is written where it stands, by all its names" {
    dmlop make --sizes 4 --range -o x.npy
    ln -s /dev/stdout link
    for name in - /dev/stdout /dev/fd/1 link; do
        echo before >log
        dmlop slice x.npy --format npy -o "$name" >>log
        { echo before; cat x.npy; } | cmp - log || fail "$name: other bytes"
        dmlop slice x.npy --format npy -o "$name" | cmp - x.npy || fail "$name: not in the pipe"
    done
    for name in - /dev/stdout link; do
        run -2 bash -c '"$1" topk -k 1 x.npy -o y.npy --indices "$2" >y.npy' _ "$DMLOP" "$name"
        assert_output --partial "the same file"
    done
    run -2 dmlop topk -k 1 x.npy -o - --indices /dev/stdout
    run --separate-stderr bash -c '"$1" topk -k 1 x.npy -o - --indices /dev/stdout >/dev/null' _ \
        "$DMLOP"
    assert_failure 2
}

@test "two outputs on one file are a usage error, however they are named" {
    dmlop make --sizes 4 --range -o x.npy
    ln -s y.npy l.npy
    for other in y.npy ./y.npy "$PWD/y.npy" l.npy; do
        refuses 2 "the same file" topk -k 1 x.npy -o y.npy --indices "$other"
    done
    touch y.npy
    ln y.npy hard.npy
    run -2 dmlop topk -k 1 x.npy -o y.npy --indices hard.npy
}

@test "a closed pipe ends quietly" {
    dmlop make --no-sync --dtype float64 --sizes 1000000 --fill 0 -o x.npy
    run --separate-stderr bash -c '
        "$1" slice x.npy --format json | head -c 10 >/dev/null
        echo "${PIPESTATUS[0]}"' _ "$DMLOP"
    assert_equal "$stderr" ""
    assert_equal "$output" 141
}

@test "a signal leaves no temporary and the old file" {
    py '
np.save("x.npy", np.zeros((4000, 4000), "f4"))
np.save("y.npy", np.zeros(3))
'
    cp y.npy old.npy
    "$DMLOP" slice --index ::-1 x.npy --format json -o y.npy &
    pid=$!
    while kill -0 $pid 2>/dev/null && ! compgen -G '.y.npy.dmlop-*' >/dev/null; do :; done
    kill -TERM $pid
    local code=0
    wait $pid || code=$?
    assert_equal "$code" 143
    assert_same_file y.npy old.npy
    assert_only_files x.npy y.npy old.npy
}

@test "--threads, --kernel, OMP_NUM_THREADS give the same bytes or a clear error" {
    py 'np.save("x.npy", np.random.default_rng(0).random((200, 300), "f4"))'
    dmlop topk -k 7 --axis 0 x.npy -o a.npy
    for t in 1 2 5 64; do
        dmlop topk -k 7 --axis 0 --threads "$t" -q x.npy -o b.npy
        assert_same_file a.npy b.npy
        OMP_NUM_THREADS=$t dmlop topk -k 7 --axis 0 x.npy -o b.npy
        assert_same_file a.npy b.npy
    done
    dmlop topk -k 7 --axis 0 --kernel reference x.npy -o b.npy
    assert_same_file a.npy b.npy
    dmlop topk -k 7 --axis 0 --kernel auto x.npy -o b.npy
    assert_same_file a.npy b.npy
    refuses 2 "reference" topk -k 7 x.npy --kernel sse9
    for t in 0 -1 x 99999999999; do
        run -2 dmlop topk -k 7 x.npy --threads "$t"
    done
}

@test "a build without OpenMP says so when threads are asked" {
    dmlop make --sizes 3 --fill 0 -o x.npy
    dmlop --version | grep -q OPENMP=0 || skip "this build has OpenMP"
    for command in "slice x.npy -o y.npy" "info x.npy" "run $SAMPLES/slice.model.json" selftest; do
        # shellcheck disable=SC2086 # words
        run -0 --separate-stderr dmlop $command --threads 2
        assert_regex "$stderr" \
            "warning: --threads 2: this build has no OpenMP and runs on one thread"
    done
}

@test "--timings: a table, or JSON of the documented schema" {
    dmlop make --sizes 30,40 --fill 0 -o x.npy
    run -0 --separate-stderr dmlop slice --index ::2 x.npy -o y.npy --timings
    assert_equal "$output" ""
    for word in load validate compute store total min median mean max; do
        assert_regex "$stderr" "$word"
    done
    dmlop topk -k 3 x.npy -o y.npy --timings=t.json --repeat 5 --warmup 2 --threads 1
    py '
t = json.load(open("t.json"))
assert list(t) == ["schema", "command", "operator", "kernel", "threads", "warmup", "iterations",
                   "phases_ns", "compute_ns", "bytes_in", "bytes_out", "operations"], list(t)
assert (t["schema"] == "dmlop.timings/1" and t["command"] == "topk"
        and t["operator"] == "DML_OPERATOR_TOP_K1")
assert (t["iterations"] == 5 and t["warmup"] == 2 and len(t["compute_ns"]["samples"]) == 5
        and t["threads"] == 1)
c, p = t["compute_ns"], t["phases_ns"]
s = sorted(c["samples"])
assert c["min"] == s[0] and c["max"] == s[4] and c["median"] == s[2] and c["mean"] == sum(s) // 5
assert (list(p) == ["load", "validate", "compute", "store", "total"] and p["compute"] >= sum(s)
        and p["total"] >= p["compute"] + p["load"] + p["store"])
assert t["bytes_in"] == 4800 and t["bytes_out"] == 30 * 3 * 8 and t["operations"] == 1200
'
    run -4 dmlop slice x.npy -o y.npy --timings=missing/t.json
    for n in 0 -1 x; do
        run -2 dmlop slice x.npy -o y.npy --repeat "$n"
    done
}

@test "--emit-descriptor: valid, and computes the same" {
    dmlop make --sizes 3,4,5 --range -o x.npy
    run -0 --separate-stderr dmlop slice --index '::-2, 1:, 2' x.npy --emit-descriptor
    echo "$output" >d.json
    dmlop validate d.json
    dmlop slice -d d.json x.npy -o a.npy
    dmlop slice --index '::-2, 1:, 2' x.npy -o b.npy --emit-descriptor=e.json
    assert_same_file a.npy b.npy
    assert_same_file d.json e.json
    dmlop topk -k 2 --axis 1 --smallest x.npy --emit-descriptor -o v.npy >d.json
    dmlop validate d.json
    dmlop topk -d d.json x.npy -o w.npy
    assert_same_file v.npy w.npy
    dmlop qmatmul --a-scale 1 --b-scale 1 --output-scale 1 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy \
        -o c.npy --emit-descriptor=d.json
    dmlop validate d.json
    dmlop qmatmul -d d.json --a-scale 1 --b-scale 1 \
        --output-scale 1 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy -o e.npy
    assert_same_file c.npy e.npy
}

@test "--emit-descriptor and --emit-model warn of what DirectML does not take" {
    dmlop make --dtype float64 --sizes 4 --range -o x.npy
    for option in --emit-descriptor=d.json --emit-model=m.json; do
        run -0 --separate-stderr dmlop topk -k all x.npy $option -o v.npy
        assert_regex "$stderr" "warning: DirectML does not accept this: .*topk.k-equals-axis"
        assert_regex "$stderr" "support.data-type"
    done
    run -1 dmlop validate d.json
}

@test "--bind by DirectML's names" {
    dmlop make --sizes 4 --range -o x.npy
    dmlop topk -k 2 --bind InputTensor=x.npy --bind OutputValueTensor=v.npy \
        --bind OutputIndexTensor=i.npy
    py 'assert np.load("v.npy").tolist() == [3, 2] and np.load("i.npy").tolist() == [3, 2]'
    refuses 2 "did you mean InputTensor" topk -k 2 --bind InputTensr=x.npy
    run -2 dmlop topk -k 2 --bind InputTensor
    run -2 dmlop topk -k 2 --bind InputTensor=x.npy --bind OutputValueTensor=v.npy -o w.npy
    assert_output --partial "bound twice"
    run -2 dmlop topk -k 2 --bind InputTensor=x.npy x.npy
}

@test "inputs that cannot be read" {
    refuses 3 "none.npy: cannot open: No such file or directory" slice none.npy
    mkdir d
    refuses 3 "directory" slice d
    ln -s loop loop
    run -3 dmlop slice loop
    run -3 dmlop slice -d none.json x.npy
    printf 'a\033[31m' >"$(printf 'e\033.npy')"
    refuses 3 'e\x1b.npy' slice "$(printf 'e\033.npy')"
}

@test "one status for what does not fit the input, another for what fits none" {
    py '
np.save("x.npy", np.arange(12, dtype="f4").reshape(3, 4))
np.save("a.npy", np.ones((2, 2), "i1"))
'
    q=(qmatmul a.npy a.npy --b-scale 1 --output-scale 1)
    status() { # STATUS ARGS
        run --separate-stderr dmlop "${@:2}"
        assert_failure "$1"
        assert_equal "$output" ""
        assert_regex "$stderr" "^dmlop: [a-z]*: "
    }
    status 3 topk -k 1 --axis -99999999999999999999 x.npy
    status 3 topk -k 1 x.npy --explain 3,0
    status 3 slice --offsets 0,0,0 x.npy
    status 3 slice x.npy --explain 0,4
    status 3 slice x.npy --explain 0,0,0
    status 3 "${q[@]}" --a-scale 1 --b-zero-point 1,2,3
    for k in -1 1e1 ''; do status 2 topk -k "$k" x.npy; done
}

@test "--dtype warns where no operand takes its type from it" {
    py '
np.save("x.npy", np.arange(3, dtype="f4"))
np.save("a.npy", np.ones((2, 2), "u1"))
'
    echo '[[1, 2], [3, 4]]' >u.json
    echo '{ "DataType": "INT8", "Sizes": [2], "Values": [1, 2] }' >t.json
    warning() { # FILE TYPE ARGS
        run -0 --separate-stderr dmlop "${@:3}"
        local ignored="--dtype INT16 is ignored: the tensor is $2"
        assert_equal "$stderr" \
            "dmlop: $3: $1: warning: $ignored; 'dmlop convert --dtype' converts it"
    }
    warning x.npy FLOAT32 slice --dtype int16 x.npy -o y.npy
    assert_same_file x.npy y.npy
    warning t.json INT8 topk -k 1 --dtype int16 t.json
    warning a.npy UINT8 qmatmul --dtype int16 --a-scale 1 --b-scale 1 --output-scale 1 a.npy a.npy
    warning x.npy FLOAT32 info --dtype int16 x.npy
    warning t.json INT8 info --dtype int16 t.json u.json
    warning x.npy FLOAT32 info --dtype int16 --stats x.npy
    warning u.json FLOAT32 slice --dtype int16 -d <(dmlop slice --emit-descriptor u.json) u.json
    run --separate-stderr dmlop compare --dtype int16 x.npy x.npy
    assert_equal "${#stderr_lines[@]}" 2
    for args in "slice --dtype float32 x.npy" "slice -q --dtype int16 x.npy" \
        "slice --dtype int16 u.json" "compare --dtype int16 u.json a.npy" \
        "qmatmul --dtype int8 --a-scale 1 --b-scale 1 --output-scale 1 u.json a.npy" \
        "convert --dtype int16 x.npy" "info --dtype int16 u.json"; do
        # shellcheck disable=SC2086
        run --separate-stderr dmlop $args
        assert_equal "$stderr" ""
    done
}

@test "an optional value without '=' is an operand, and the message says what may be meant" {
    dmlop make --sizes 4 --range -o x.npy
    extra() { # OPERAND HINT ARGS
        run -2 --separate-stderr dmlop "${@:3}"
        assert_equal "$output" ""
        assert_equal "$stderr" "dmlop: $3: too many operands: '$1'$2
dmlop: $3: try 'dmlop $3 --help'"
    }
    extra d.json "; did you mean --emit-descriptor=d.json?" slice x.npy --emit-descriptor d.json
    extra x.npy "; did you mean --emit-model=m.json?" topk --emit-model m.json -k 1 x.npy
    extra x.npy "; did you mean --timings=t.json?" topk --timings t.json -k 1 x.npy -o y.npy
    extra m.json "; did you mean --timings=t.json?" run --timings t.json m.json
    extra y.npy "; many inputs need --output-dir" slice x.npy y.npy
    extra y.npy "; many inputs need --output-dir" slice x.npy --timings -o z.npy y.npy
    extra b.json "; one model file is run at a time" run a.json b.json
    extra c.npy "" qmatmul --timings=t.json --a-scale 1 --b-scale 1 \
        --output-scale 1 a.npy b.npy c.npy
    assert_only_files x.npy
}

@test "--emit-descriptor=FILE and --emit-model=FILE compute nothing and print nothing without -o" {
    dmlop make --sizes 4 --range -o x.npy
    run -0 --separate-stderr dmlop topk -k 2 x.npy --emit-descriptor=d.json --emit-model=m.json
    assert_equal "$output$stderr" ""
    assert_only_files x.npy d.json m.json
    dmlop validate d.json m.json
    run --separate-stderr dmlop topk -v -k 2 x.npy --emit-descriptor=d.json
    refute_regex "$stderr" "running"
    run --separate-stderr dmlop topk -k 2 x.npy --emit-descriptor=d.json -o -  --format json
    assert_output --partial '"Values": [3, 2]'
    run -2 dmlop topk -k 2 x.npy --emit-model=m.json --indices i.npy
    assert_output "dmlop: topk: --emit-model alone computes nothing for --indices; add -o FILE"
    dmlop topk -k 2 x.npy --emit-model=m.json -o v.npy --indices i.npy
    assert_only_files x.npy d.json m.json v.npy i.npy
}
