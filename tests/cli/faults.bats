# Every allocation and every call of the system fails once: see tests/faults/faults.py for what is
# promised then.
load helper

# faults CASE...: dmlop with faults, each of which is handled; if EXPENSIVE is set, leaks are
# looked for, too.
faults() {
    local program=${B:-$ROOT/build}/tests/faults/dmlop
    [ -x "$program" ] || fail "$program is not built; run make tests"
    [ -n "${LEAKS+set}" ] || LEAKS=$("$ROOT/tests/lsan" "$program") || LEAKS=
    LEAKS=${EXPENSIVE:+$LEAKS} "$PYTHON" "$ROOT/tests/faults/faults.py" "$program" "$@"
}

@test "faults in slice" {
    faults slice slice-parts slice-copied slice-pipe slice-json slice-json-refused slice-stdout
    faults slice-descriptor slice-npz slice-many
}

@test "faults in topk and qmatmul" {
    faults topk topk-npz topk-many topk-sort qmatmul qmatmul-threads qmatmul-transposed emit
    faults explain explain-slice explain-topk
}

@test "faults in parts and join" {
    faults part part-copied part-resume part-resume-checksums join join-incomplete
    faults join-missing join-missing-checksums
}

@test "a folder for parts is in the folder above for good when it was made" {
    local part
    dmlop make --dtype float64 --sizes 12 --range -o a.npy
    for part in 0 1; do
        DMLOP_FAULT_LOG=$T/log$part "${B:-$ROOT/build}/tests/faults/dmlop" slice --part $part/2 \
            --part-axis 0 a.npy -o p.npy
    done
    py '
made, was_there = (int(dict(l.split() for l in open(f"log{i}"))["fsync"]) for i in (0, 1))
assert made == was_there + 1
'
}

@test "--no-clobber where the file system cannot rename to a new name alone" {
    local program=${B:-$ROOT/build}/tests/faults/dmlop reason
    dmlop make --dtype float64 --sizes 4 --range -o a.npy
    for reason in 22 38; do # EINVAL, ENOSYS
        DMLOP_FAULT=rename:1:$reason DMLOP_FAULT_LOG=$T/log "$program" slice --no-clobber \
            --index ::-1 a.npy -o b.npy
        rm log
        assert_only_files a.npy b.npy
        py 'assert np.load("b.npy").tolist() == [3, 2, 1, 0]'
        rm b.npy
    done
}

@test "text to standard output goes on after a signal, and when a pipe is full" {
    local program=${B:-$ROOT/build}/tests/faults/dmlop fault
    dmlop validate --rules --format json >want
    for fault in 1:4 2:4 1:short 1:11 2:11; do # EINTR, EAGAIN
        DMLOP_FAULT=write:$fault DMLOP_FAULT_LOG=$T/log \
            "$program" validate --rules --format json >have
        grep -q '^hit ' log || fail "no write was interrupted"
        assert_same_file have want
    done
    "$PYTHON" - <<'P'
import os, subprocess, time

r, w = os.pipe()
os.set_blocking(w, False)
p = subprocess.Popen([os.environ["DMLOP"], "validate", "--schema=model"], stdout=w)
os.close(w)
time.sleep(0.3)
with os.fdopen(r, "rb") as f:
    n = len(f.read())
assert p.wait() == 0 and n > 1 << 16, n
P
}

@test "faults in telling what parts are" {
    faults info-parts show-parts
}

@test "faults in validate" {
    faults validate validate-json validate-sarif validate-model validate-notation validate-csv
    faults validate-bind fix fix-stdout explain-rule explain-json rules-json schema completion-bash
    faults completion-zsh completion-fish
}

@test "faults in run, show, info, convert, compare, make" {
    faults run show show-pipe show-json info info-json compare compare-json
    faults convert convert-npz convert-many convert-scale convert-shape
    faults make-random make-range make-fill convert-csv show-csv show-titled
    faults show-raw slice-lzma slice-number slice-number-pipe fix-bind
}

@test "faults in lsp" {
    faults lsp
}

@test "no case of faults is left out" {
    run grep -cE '^[a-z-]+: [a-z]' "$ROOT/tests/faults/faults.py"
    assert_output "$(grep -h '^    faults ' "$ROOT/tests/cli/faults.bats" | sed 's/^ *faults //' |
        wc -w)"
}
