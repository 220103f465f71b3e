# What all commands share: usage, help, formats, standard streams, outputs, threads, timings, exit statuses.
load helper

@test "no command, unknown commands and options" {
    run --separate-stderr dmlop
    assert_failure 2
    assert_equal "$output" ""
    run dmlop slcie
    assert_failure 2
    assert_output --partial "did you mean 'slice'?"
    run dmlop slice --ofsets 1 x.npy
    assert_failure 2
    assert_output --partial "did you mean '--offsets'?"
    run dmlop slice --off 1 x.npy
    assert_failure 2
    assert_output --partial "did you mean '--offsets'?"
    run dmlop slice --offsets
    assert_failure 2
    assert_output --partial "needs a value"
    run dmlop slice --quiet=yes x.npy
    assert_failure 2
    assert_output --partial "does not take a value"
    run dmlop slice -x
    assert_failure 2
    assert_output --partial "unknown option '-x'"
    run dmlop slice
    assert_failure 2
    assert_output --partial "InputTensor is not bound"
}

@test "help and version go to standard output" {
    for c in slice topk qmatmul validate; do
        run --separate-stderr dmlop "$c" --help
        assert_success
        assert_output --partial "usage: dmlop $c"
        assert_equal "$stderr" ""
        run --separate-stderr dmlop help "$c"
        assert_success
    done
    run dmlop --help
    assert_success
    for c in slice topk qmatmul validate; do assert_output --partial "  $c "; done
    run dmlop --version
    assert_success
    assert_output --regexp '^dmlop [0-9]+\.[0-9]+'
    assert_output --partial "reference"
}

@test "values of options: refused with what there is, converted only where no help is asked for" {
    local command
    while IFS='|' read -r command message; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr dmlop $command
        assert_failure 2
        assert_equal "$stderr" "dmlop: ${command%% *}: $message"
        # shellcheck disable=SC2086 # words
        run dmlop $command --help
        assert_success
    done <<'END'
topk --axis 1.5|--axis: '1.5' is not a whole number
topk --index-type int8|--index-type: 'int8' is not one of uint32, uint64
topk --largest --smallest|--largest and --smallest cannot be used together
topk -d d.json -k 1|-k and -d cannot be used together: the descriptor sets these parameters
topk -d d.json --smallest|--smallest and -d cannot be used together: the descriptor sets these parameters
slice -d d.json --sizes 1|--sizes and -d cannot be used together: the descriptor sets these parameters
slice --output-dir d -o y.npy|-o and --output-dir cannot be used together
slice --output-dir d --bind InputTensor=x.npy|--bind and --output-dir cannot be used together
qmatmul --output-type float32|--output-type: 'float32' is not one of int8, uint8
qmatmul -d d.json --output-type int8|--output-type and -d cannot be used together: the descriptor sets these parameters
slice --threads 1025|--threads: '1025' is not a number from 1 to 1024
info --threads 0|--threads: '0' is not a number from 1 to 1024
selftest --threads x|--threads: 'x' is not a number from 1 to 1024
run --repeat 2 --min-time 1|--repeat and --min-time cannot be used together
run --min-time 1000001|--min-time: '1000001' is not a number of seconds, 0 to 1000000
slice --warmup -1|--warmup: '-1' is not a number from 0 to 1000000
run --feature-level 7_0|--feature-level: '7_0' is not a feature level from 1_0 to 6_4
validate --color blue|--color: 'blue' is not one of auto, always, never
validate --max-findings 1000000001|--max-findings: '1000000001' is not a number from 0 to 1000000000
convert --dtype int9|--dtype: there is no type 'int9'; use float32, int8 and so on
convert --format xml|--format: 'xml' is not one of npy, json, raw
compare --format sarif|--format: 'sarif' is not one of text, json
compare --rtol -1|--rtol: '-1' is not a number of 0 or more, such as 1e-6
END
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    dmlop topk -k 9 -k 1 --axis x --axis 0 x.npy # the last one counts
}

@test "options and operands in any order; -- ends options; --opt value and --opt=value" {
    py 'np.save("-x.npy", np.arange(4, dtype="f4"))'
    run dmlop slice --format=json -- -x.npy
    assert_success
    run dmlop slice ./-x.npy --index 1:3 --format json
    assert_success
    assert_output --partial "[1, 2]"
}

@test "standard input and output, both formats" {
    py 'np.save("x.npy", np.arange(6, dtype="i2").reshape(2, 3))'
    dmlop slice --index 1 - <x.npy >y.npy
    py 'a = np.load("y.npy"); assert a.dtype == "i2" and a.tolist() == [[3, 4, 5]]'
    cat x.npy | dmlop slice --index 1 - | cat >z.npy
    assert_same_file y.npy z.npy
    echo '[[1, 2], [3, 4]]' | dmlop slice --index ::-1 - >z.json
    run cat z.json
    assert_output --partial '"Values": [[3, 4],'
    echo '[[1, 2], [3, 4]]' | dmlop slice --index ::-1 --dtype int8 --format npy - >z.npy
    py 'a = np.load("z.npy"); assert a.dtype == "i1" and a.tolist() == [[3, 4], [1, 2]]'
    run dmlop qmatmul --a-scale 1 --b-scale 1 --output-scale 1 - - <x.npy
    assert_failure 2
    assert_output --partial "only once"
    run dmlop slice --dtype int9 x.npy
    assert_failure 2
}

@test "the ending of -o decides the format, --format overrules it, otherwise the input's" {
    py 'np.save("x.npy", np.arange(3, dtype="f4"))'
    dmlop slice x.npy -o a.json
    dmlop slice x.npy -o a.npy
    dmlop slice x.npy -o b.npy --format json
    dmlop slice a.json -o c.dat
    assert_same_file a.json b.npy
    assert_same_file a.json c.dat
    assert_same_file a.npy x.npy
}

@test "a terminal gets JSON" {
    script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1), or no pseudo-terminal"
    py 'np.save("x.npy", np.arange(3, dtype="f4"))'
    run script -qec "'$DMLOP' slice x.npy" /dev/null
    assert_output --partial '"Values": [0, 1, 2]'
}

@test "outputs: an input may be replaced; modes and links are kept; --no-clobber" {
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    chmod 640 x.npy
    ln -s x.npy link.npy
    dmlop slice --index ::-1 x.npy -o link.npy
    [ -L link.npy ]
    assert_equal "$(stat -c %a x.npy)" 640
    py 'assert np.load("x.npy").tolist() == [3, 2, 1, 0]'
    (umask 027 && dmlop slice x.npy -o new.npy)
    assert_equal "$(stat -c %a new.npy)" 640
    cp x.npy before.npy
    run dmlop slice --index 0 x.npy -o x.npy --no-clobber
    assert_failure 4
    assert_same_file x.npy before.npy
    assert_only_files x.npy link.npy new.npy before.npy
}

@test "outputs: places that cannot be written leave nothing behind" {
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    run dmlop slice x.npy -o missing/y.npy
    assert_failure 4
    assert_output --partial "missing/y.npy"
    mkdir d
    run dmlop slice x.npy -o d
    assert_failure 4
    run bash -c '"$1" slice x.npy >/dev/full' _ "$DMLOP"
    assert_failure 4
    assert_output --partial "standard output: cannot write: No space left on device"
    run bash -c '"$1" --help >/dev/full' _ "$DMLOP"
    assert_failure 4
    run bash -c 'trap "" XFSZ; ulimit -f 1; "$1" topk -k 1 x.npy -o v.npy --indices /dev/full' _ "$DMLOP"
    assert_failure 4
    assert_only_files x.npy d
}

@test "outputs: devices, FIFOs and descriptors are written in place" {
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
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
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    ln -s /dev/stdout link
    for name in - /dev/stdout /dev/fd/1 link; do
        echo before >log
        dmlop slice x.npy --format npy -o "$name" >>log
        { echo before; cat x.npy; } | cmp - log || fail "$name: other bytes"
        dmlop slice x.npy --format npy -o "$name" | cmp - x.npy || fail "$name: not in the pipe"
    done
    for name in - /dev/stdout link; do
        run bash -c '"$1" topk -k 1 x.npy -o y.npy --indices "$2" >y.npy' _ "$DMLOP" "$name"
        assert_failure 2
        assert_output --partial "the same file"
    done
    run dmlop topk -k 1 x.npy -o - --indices /dev/stdout
    assert_failure 2
}

@test "two outputs on one file are a usage error, however they are named" {
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    ln -s y.npy l.npy
    for other in y.npy ./y.npy "$PWD/y.npy" l.npy; do
        run dmlop topk -k 1 x.npy -o y.npy --indices "$other"
        assert_failure 2
        assert_output --partial "the same file"
    done
    touch y.npy
    ln y.npy hard.npy
    run dmlop topk -k 1 x.npy -o y.npy --indices hard.npy
    assert_failure 2
}

@test "a closed pipe ends quietly" {
    py 'np.save("x.npy", np.zeros(1000000, "f8"))'
    run --separate-stderr bash -c 'set -o pipefail; "$1" slice x.npy --format json | head -c 10 >/dev/null; echo "${PIPESTATUS[0]}"' _ "$DMLOP"
    assert_equal "$stderr" ""
    assert_equal "$output" 141
}

@test "a signal leaves no temporary and the old file" {
    py 'np.save("x.npy", np.zeros((4000, 4000), "f4")); np.save("y.npy", np.zeros(3))'
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
    run dmlop topk -k 7 x.npy --kernel sse9
    assert_failure 2
    assert_output --partial "reference"
    for t in 0 -1 x 99999999999; do
        run dmlop topk -k 7 x.npy --threads "$t"
        assert_failure 2
    done
}

@test "a build without OpenMP says so when threads are asked" {
    py 'np.save("x.npy", np.zeros(3, "f4"))'
    dmlop --version | grep -q OPENMP=0 || skip "this build has OpenMP"
    for command in "slice x.npy -o y.npy" "info x.npy" "run $SAMPLES/slice.model.json" selftest; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr dmlop $command --threads 2
        assert_success
        assert_regex "$stderr" "warning: --threads 2: this build has no OpenMP and runs on one thread"
    done
}

@test "--timings: a table, or JSON of the documented schema" {
    py 'np.save("x.npy", np.zeros((30, 40), "f4"))'
    run --separate-stderr dmlop slice --index ::2 x.npy -o y.npy --timings
    assert_success
    assert_equal "$output" ""
    for word in load validate compute store total min median mean max; do assert_regex "$stderr" "$word"; done
    dmlop topk -k 3 x.npy -o y.npy --timings=t.json --repeat 5 --warmup 2 --threads 1
    py '
t = json.load(open("t.json"))
assert list(t) == ["schema", "command", "operator", "kernel", "threads", "warmup", "iterations", "phases_ns", "compute_ns", "bytes_in", "bytes_out", "operations"], list(t)
assert t["schema"] == "dmlop.timings/1" and t["command"] == "topk" and t["operator"] == "DML_OPERATOR_TOP_K1"
assert t["iterations"] == 5 and t["warmup"] == 2 and len(t["compute_ns"]["samples"]) == 5 and t["threads"] == 1
c, p = t["compute_ns"], t["phases_ns"]
s = sorted(c["samples"]); assert c["min"] == s[0] and c["max"] == s[4] and c["median"] == s[2] and c["mean"] == sum(s) // 5
assert list(p) == ["load", "validate", "compute", "store", "total"] and p["compute"] >= sum(s) and p["total"] >= p["compute"] + p["load"] + p["store"]
assert t["bytes_in"] == 4800 and t["bytes_out"] == 30 * 3 * 8 and t["operations"] == 1200
'
    run dmlop slice x.npy -o y.npy --timings=missing/t.json
    assert_failure 4
    for n in 0 -1 x; do
        run dmlop slice x.npy -o y.npy --repeat "$n"
        assert_failure 2
    done
}

@test "--emit-descriptor: valid, and computes the same" {
    py 'np.save("x.npy", np.arange(60, dtype="f4").reshape(3, 4, 5))'
    run --separate-stderr dmlop slice --index '::-2, 1:, 2' x.npy --emit-descriptor
    assert_success
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
    dmlop qmatmul --a-scale 1 --b-scale 1 --output-scale 1 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy -o c.npy --emit-descriptor=d.json
    dmlop validate d.json
    dmlop qmatmul -d d.json --a-scale 1 --b-scale 1 --output-scale 1 "$SAMPLES"/qmatmul-per-tensor.{a,b}.npy -o e.npy
    assert_same_file c.npy e.npy
}

@test "--emit-descriptor and --emit-model warn of what DirectML does not take" {
    py 'np.save("x.npy", np.arange(4, dtype="f8"))'
    for option in --emit-descriptor=d.json --emit-model=m.json; do
        run --separate-stderr dmlop topk -k all x.npy $option -o v.npy
        assert_success
        assert_regex "$stderr" "warning: DirectML does not accept this: .*topk.k-equals-axis"
        assert_regex "$stderr" "support.data-type"
    done
    run dmlop validate d.json
    assert_failure 1
}

@test "--bind by DirectML's names" {
    py 'np.save("x.npy", np.arange(4, dtype="f4"))'
    dmlop topk -k 2 --bind InputTensor=x.npy --bind OutputValueTensor=v.npy --bind OutputIndexTensor=i.npy
    py 'assert np.load("v.npy").tolist() == [3, 2] and np.load("i.npy").tolist() == [3, 2]'
    run dmlop topk -k 2 --bind InputTensr=x.npy
    assert_failure 2
    assert_output --partial "did you mean InputTensor"
    run dmlop topk -k 2 --bind InputTensor
    assert_failure 2
    run dmlop topk -k 2 --bind InputTensor=x.npy --bind OutputValueTensor=v.npy -o w.npy
    assert_failure 2
    assert_output --partial "bound twice"
    run dmlop topk -k 2 --bind InputTensor=x.npy x.npy
    assert_failure 2
}

@test "inputs that cannot be read" {
    run dmlop slice none.npy
    assert_failure 3
    assert_output --partial "none.npy: cannot open: No such file or directory"
    mkdir d
    run dmlop slice d
    assert_failure 3
    assert_output --partial "directory"
    ln -s loop loop
    run dmlop slice loop
    assert_failure 3
    run dmlop slice -d none.json x.npy
    assert_failure 3
    printf 'a\033[31m' >"$(printf 'e\033.npy')"
    run dmlop slice "$(printf 'e\033.npy')"
    assert_failure 3
    assert_output --partial 'e\x1b.npy'
}
