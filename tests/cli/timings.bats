# What --timings and -v tell, and that a report never costs a result.
load helper

@test "the timings and a result never share a file" {
    dmlop make --sizes 6 --range -o x.npy
    echo before | tee y.json >before.json
    ln -s y.json link.json
    for report in y.json ./y.json "$PWD/y.json" link.json; do
        refuses 2 "to the same file" slice x.npy -o y.json --timings="$report"
        assert_same_file y.json before.json
    done
    refuses 2 "to the same file" topk -k 1 x.npy -o v.npy --indices i.json --timings=i.json
    run -2 --separate-stderr dmlop slice x.npy --timings=-
    assert_equal "$output" ""
    assert_only_files x.npy y.json before.json link.json
}

@test "the timings may go to standard output when the result does not" {
    dmlop make --sizes 6 --range -o x.npy
    dmlop slice x.npy -o y.npy --timings=- >t.json
    assert_same_file x.npy y.npy
    py 'assert json.load(open("t.json"))["operations"] == 6'
}

@test "a report or indices that nothing would be computed for are refused" {
    dmlop make --sizes 6 --range -o x.npy
    refuses 2 "for --indices; add -o FILE" topk -k 1 x.npy --emit-descriptor --indices i.npy
    refuses 2 "for --timings; add -o FILE" topk -k 1 x.npy --emit-descriptor --timings=t.json
    assert_only_files x.npy
    dmlop topk -k 1 x.npy --emit-descriptor --indices i.npy --timings=t.json -o v.npy >d.json
    assert_only_files x.npy i.npy t.json v.npy d.json
}

@test "timings leave the result and every input form as they are" {
    py '
from program import printed

rng = np.random.default_rng(11)
a = rng.random((70, 300), "f4")
np.save("c.npy", a)
np.save("f.npy", np.asfortranarray(a))
np.save("s.npy", a.astype(">f4"))
json.dump(a.tolist(), open("j.json", "w"))
for name in ["c.npy", "f.npy", "s.npy", "j.json"]:
    for args in [["slice", "--index", "::-3, 7:290:2"], ["slice", "--index", "-1, ::-299"],
                 ["slice", "--offsets", "69,299"], ["topk", "-k", "5", "--axis", "0"]]:
        printed(*args, name, "-o", "a.npy")
        printed(*args, name, "-o", "b.npy", "--timings=t.json", "--warmup", "1", "--repeat", "2")
        assert open("a.npy", "rb").read() == open("b.npy", "rb").read(), (name, args)
'
    dmlop slice -d "$SAMPLES/slice-ex2.desc.json" "$SAMPLES/slice-ex2.input.npy" -o y.json \
        --timings=t.json
    assert_same_file y.json "$SAMPLES/slice-ex2.expected.json"
}

@test "timings of a slice touch no more of a large file than from its first element to its last" {
    sanitized && skip "sanitizers take memory of their own"
    py '
f = open("big.npy", "wb")
np.lib.format.write_array_header_1_0(
    f, {"descr": "|u1", "fortran_order": False, "shape": (1 << 20, 1 << 15)})
f.truncate(f.tell() + (1 << 35))
import resource
from program import printed

printed("slice", "--index", "12345:12347, -3:", "big.npy", "-o", "y.npy", "--timings=t.json")
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 200000, "KiB"
'
}

@test "the first computation of mapped data is timed in memory" {
    sanitized && skip "sanitizers slow all down alike"
    py 'np.save("x.npy", np.zeros((64, 1 << 20), "u1"))'
    dmlop slice x.npy -o y.npy --no-sync --threads 1 --timings=t.json
    # Mapping alone takes some 15 microseconds; touching 16384 pages of 4 KiB takes milliseconds.
    py '
t = json.load(open("t.json"))
assert t["phases_ns"]["load"] > 100000, t
'
}

@test "-v says what was read, run and written" {
    dmlop make --sizes 2,3 --fill 0 -o x.npy
    run -0 --separate-stderr dmlop topk -k 1 x.npy -o v.npy --indices i.npy -v --threads 1 \
        --kernel reference
    assert_equal "$output" ""
    assert_line_of_stderr 'dmlop: topk: x.npy: InputTensor is FLOAT32 {2,3}'
    assert_line_of_stderr \
        'dmlop: topk: running DML_OPERATOR_TOP_K1 with kernel reference on at most 1 thread'
    assert_line_of_stderr 'dmlop: topk: v.npy: OutputValueTensor is FLOAT32 {2,1}'
    assert_line_of_stderr 'dmlop: topk: i.npy: OutputIndexTensor is UINT32 {2,1}'
}

@test "-v says in every command what was read as what, and nothing without it" {
    py '
np.save("x.npy", np.zeros((2, 3), "f4"))
np.save("f.npy", np.asfortranarray(np.ones((2, 3), "i1")))
'
    echo '[[0, 0, 0], [0, 0, 0]]' >x.json
    run -0 --separate-stderr dmlop convert -v f.npy --dtype int16 -o y.bin
    assert_line_of_stderr 'dmlop: convert: f.npy: INT8 {2,3}, .npy version 1.0, Fortran order'
    assert_line_of_stderr 'dmlop: convert: y.bin: written as raw data: INT16 {2,3}'
    run --separate-stderr dmlop convert -v y.bin --dtype int16 --sizes 3,2
    assert_line_of_stderr 'dmlop: convert: y.bin: INT16 {3,2}, raw data'
    assert_line_of_stderr 'dmlop: convert: written as .npy: INT16 {3,2}'
    run --separate-stderr dmlop compare -v x.npy x.json
    assert_line_of_stderr 'dmlop: compare: x.npy: FLOAT32 {2,3}, .npy version 1.0, C order'
    assert_line_of_stderr 'dmlop: compare: x.json: FLOAT32 {2,3}, JSON that does not name its type'
    run --separate-stderr dmlop info -v x.npy x.json
    assert_line_of_stderr 'dmlop: info: x.npy: only the header is read; the data begins at byte 128'
    assert_line_of_stderr 'dmlop: info: x.json: read as a whole; it does not name its type'
    run --separate-stderr dmlop info -v --stats --threads 1 x.npy
    assert_line_of_stderr 'dmlop: info: statistics on at most 1 thread'
    assert_line_of_stderr 'dmlop: info: x.npy: read as a whole'
    for command in "convert f.npy -o y.npy" "compare x.npy x.npy" "info --stats x.npy" \
        "topk -k 1 x.npy -o v.npy" "topk -k 1 x.npy -o v.npy -q" \
        "validate $SAMPLES/slice1-ex1.desc.json" "run $SAMPLES/slice.model.json"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr dmlop $command
        assert_equal "$stderr" ""
    done
}

@test "-v of validate, run and selftest" {
    local n
    n=$(dmlop validate --rules | grep -c '^[a-z]')
    local by="$n rules, feature level 5_0"
    run --separate-stderr dmlop validate -v --feature-level 5_0 \
        --portable "$SAMPLES/slice1-ex1.desc.json" "$SAMPLES/slice.model.json"
    assert_line_of_stderr \
        "dmlop: validate: $SAMPLES/slice1-ex1.desc.json: read as a descriptor: $by"
    assert_line_of_stderr "dmlop: validate: $SAMPLES/slice.model.json: read as a model file: $by"
    run --separate-stderr dmlop validate -v "$SAMPLES/slice1-ex1.desc.json"
    refute_regex "$stderr" ": $n rules"
    run --separate-stderr dmlop validate -v --bind "InputTensor=$SAMPLES/slice1-ex1.input.npy" \
        "$SAMPLES/slice1-ex1.desc.json"
    local file=$SAMPLES/slice1-ex1.input.npy
    assert_line_of_stderr "dmlop: validate: $file: FLOAT32 {1,1,4,4}, .npy version 1.0, C order"
    run --separate-stderr dmlop validate --fix -v "$SAMPLES/broken.json"
    assert_regex "$stderr" "broken.json: [0-9]+ rules, feature level 6_4"
    run -0 --separate-stderr dmlop run -v --kernel reference --threads 1 "$SAMPLES/slice.model.json"
    local counts="resources: 2, dispatchables: 1, commands: 2"
    assert_line_of_stderr "dmlop: run: $SAMPLES/slice.model.json: $counts, feature level 6_4"
    local how="with kernel reference on at most 1 thread"
    assert_line_of_stderr "dmlop: run: dispatch 'slice' runs DML_OPERATOR_SLICE1 $how"
    run -0 --separate-stderr dmlop selftest -v -q --threads 1
    how="on at most 1 thread, the reference that it is compared with on 1"
    assert_line_of_stderr "dmlop: selftest: every kernel runs $how"
}

# assert_line_of_stderr LINE: one of the lines of standard error, whole.
assert_line_of_stderr() {
    grep -qxF -- "$1" <<<"$stderr" || fail "no line '$1' in: $stderr"
}
