# What goes wrong around a program: full disks, limits, files that change, lists of descriptors that
# are short.
load helper

setup_file() {
    export ASAN_OPTIONS=allocator_may_return_null=1
}

@test "a full device" {
    dmlop make --sizes 100000 --range -o a.npy
    for format in npy json; do
        run -4 dmlop slice a.npy --format "$format" -o /dev/full
        assert_output "dmlop: slice: /dev/full: cannot write: No space left on device"
    done
    for args in "info a.npy" "show a.npy" "show --all a.npy" "info --format json --stats a.npy" \
        "validate $SAMPLES/broken.json" "validate --rules" "compare a.npy a.npy" --version --help \
        "slice --help" "run $SAMPLES/slice.model.json" "convert a.npy"; do
        # shellcheck disable=SC2086
        run -4 bash -c '"$DMLOP" "$@" 2>&1 >/dev/full' _ $args
        assert_output --partial "No space left on device"
        assert_equal "${#lines[@]}" 1
    done
}

@test "a full file system keeps the old file and no temporary" {
    mkdir small
    mount -t tmpfs -o size=1m none small 2>/dev/null || skip "file systems cannot be mounted here"
    py '
np.save("a.npy", np.arange(1 << 20, dtype="f4"))
np.save("b.npy", np.arange(1000, dtype="f4"))
'
    cp b.npy small/o.npy
    for args in "slice a.npy" "slice --index ::2 a.npy" "convert a.npy" "topk -k 500000 a.npy" \
        "slice --format json a.npy"; do
        # shellcheck disable=SC2086
        run dmlop $args -o small/o.npy
        echo "$args: $output"
        [ "$status" = 4 ] &&
            [[ "$output" == *"small/o.npy: cannot write: No space left on device" ]] ||
            { umount small; false; }
        cmp b.npy small/o.npy && [ "$(ls -A small)" = o.npy ] || { umount small; false; }
    done
    dmlop slice b.npy -o small/o.npy --index ::2
    umount small
}

@test "a file system without room for the last bytes of a stream" {
    mkdir small
    mount -t tmpfs -o size=8m none small 2>/dev/null || skip "file systems cannot be mounted here"
    dmlop make --no-sync --sizes 1024,4096 --range -o a.npy
    echo old >small/o.npy
    # shellcheck disable=SC2016
    run bash -c 'cat a.npy | "$DMLOP" slice --index 1: - -o small/o.npy'
    found="$(cat small/o.npy) $(ls -A small)"
    umount small
    assert_failure 4
    assert_output "dmlop: slice: small/o.npy: cannot write: No space left on device"
    assert_equal "$found" "old o.npy"
}

@test "a folder that may not be written, a file that may not be read" {
    open_to_all
    dmlop make --sizes 10 --range -o a.npy
    mkdir closed
    cp a.npy closed/o.npy
    chmod 555 closed
    chmod 644 closed/o.npy a.npy
    run limited "" slice a.npy -o closed/o.npy
    chmod 755 closed
    assert_failure 4
    assert_output "dmlop: slice: closed/o.npy: cannot write in folder 'closed': Permission denied"
    chmod 0 a.npy
    run -3 limited "" slice a.npy -o o.npy
    assert_output "dmlop: slice: a.npy: cannot open: Permission denied"
    assert_not_exist o.npy
}

@test "ulimit -f: the file is too large for the limit" {
    dmlop make --no-sync --sizes 1048576 --range -o a.npy
    cp a.npy o.npy
    # shellcheck disable=SC2016
    run bash -c 'ulimit -f 100; "$DMLOP" slice --index 1: a.npy -o o.npy'
    assert_equal "$status" $((128 + $(kill -l XFSZ)))
    # shellcheck disable=SC2016
    run -4 bash -c 'trap "" XFSZ; ulimit -f 100; "$DMLOP" slice --index 1: a.npy -o o.npy'
    assert_output "dmlop: slice: o.npy: cannot write: File too large"
    cmp a.npy o.npy
    assert_only_files a.npy o.npy
}

@test "ulimit -v: memory that cannot be had is exit status 4" {
    sanitized && skip "sanitizers take address space of their own"
    py '
np.save("a.npy", np.zeros(1 << 24, dtype="f4"))
open("a.json", "w").write("[" + "1," * 30000000 + "1]")
'
    echo old >o.npy
    for args in "topk --threads 1 -k 16777216 a.npy" "slice a.json" \
        "convert --dtype float64 a.npy" "slice --timings --index ::-1 a.npy"; do
        # shellcheck disable=SC2016,SC2086
        run bash -c 'ulimit -v 100000; "$DMLOP" "$@" -o o.npy || exit' _ $args
        echo "$args: $output"
        assert_failure 4
        assert_equal "${#lines[@]}" 1
        assert_output --regexp 'out of memory|Cannot allocate memory'
        assert_equal "$(cat o.npy)" old
    done
    assert_only_files a.npy a.json o.npy
}

@test "ulimit -n 3: no descriptor for an input, or for an output" {
    sanitized && skip "sanitizers need descriptors of their own"
    dmlop make --sizes 10 --range -o a.npy
    # the loader needs one for the shared libraries, so standard input makes room, which is filled
    # before anything is opened
    # shellcheck disable=SC2016
    run -4 bash -c 'ulimit -n 3; "$DMLOP" slice a.npy -o o.npy <&-'
    assert_output "dmlop: slice: a.npy: cannot open: Too many open files"
    # shellcheck disable=SC2016
    run -4 bash -c 'ulimit -n 3; "$DMLOP" validate "$1" <&-' _ "$SAMPLES/slice.model.json"
    assert_output "dmlop: validate: $SAMPLES/slice.model.json: cannot open: Too many open files"
    # shellcheck disable=SC2016
    run -4 bash -c 'ulimit -n 4; "$DMLOP" slice a.npy -o o.npy <&- 3>&- 4>&-'
    assert_output "dmlop: slice: o.npy: cannot create a temporary file in '.': Too many open files"
    assert_only_files a.npy
}

@test "no descriptor for a file that a model names" {
    sanitized && skip "sanitizers need descriptors of their own"
    [ -e /proc/self/stat ] || skip "there is no /proc"
    py '
import json, os, resource, subprocess, sys, time
np.save("a.npy", np.zeros((1, 1, 4, 4), "f4"))
text = open(os.environ["SAMPLES"] + "/slice.model.json").read()
model = json.loads(text[text.index("{"):])  # after a comment
model["resources"]["input"] = {"initialValues": {"sourcePath": "a.npy"}}
for command in "run", "validate":
    p = subprocess.Popen([os.environ["DMLOP"], command, "-"], stdin=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    while open("/proc/%d/stat" % p.pid).read().split()[2] != "S":  # until it reads its input
        time.sleep(0.01)
    resource.prlimit(p.pid, resource.RLIMIT_NOFILE, (3, 3))
    err = p.communicate(json.dumps(model))[1]
    assert err == "dmlop: %s: a.npy: cannot open: Too many open files\n" % command, err
    assert p.returncode == 4, p.returncode
'
}

@test "ulimit -s 64: a small stack does" {
    sanitized && skip "sanitizers take more stack"
    py '
import subprocess, os
from program import dmlop

np.save("a.npy", np.random.default_rng(1).standard_normal((300, 3000)).astype("f4"))
np.save("q.npy", np.random.default_rng(1).integers(0, 255, (300, 300), "u1"))
np.savez("z.npz", a=np.arange(10, dtype="f4"))
deep = "[" * 64 + "1" + "]" * 64
open("deep.json", "w").write("{ \"type\": " + deep + " }")
S = os.environ["SAMPLES"]
for c in [
    "slice --index ::2,::-1 a.npy -o o.npy", "slice --index :,1::3 a.npy -o o.json",
    "topk -k 7 a.npy -o o.npy", "topk -k 200 --axis 0 a.npy -o o.npy",
    "qmatmul --a-scale 1 --b-scale 1 --output-scale 9999 q.npy q.npy -o o.npy --threads 3",
    "validate deep.json", f"validate {S}/qmatmul.model.json", f"run {S}/slice.model.json",
    "info --stats --histogram a.npy", "info z.npz", "show a.npy", "show --index ::-1 z.npz:a",
    "slice z.npz:a -o o.npy", "convert --dtype float64 a.npy -o o.npy", "compare a.npy a.npy",
    f"validate --fix {S}/broken.json", "validate --explain json.syntax", "validate --schema",
    f"validate --format sarif {S}/broken.json", "--version", "selftest", "completion fish"]:
    p = subprocess.run(["bash", "-c", "ulimit -s 64; exec \"$DMLOP\" \"$@\"", "_", *c.split()],
                       capture_output=True)
    q = dmlop(*c.split(), text=False)
    assert (p.returncode, p.stderr) == (q.returncode, q.stderr), (c, p)
'
}

@test "closed standard streams" {
    dmlop make --sizes 10 --range -o a.npy
    # shellcheck disable=SC2016
    run -0 bash -c '"$DMLOP" slice --index 1: a.npy -o o.npy <&- >&- 2>&-'
    py 'assert np.array_equal(np.load("o.npy"), np.arange(1, 10, dtype="f4"))'
    # shellcheck disable=SC2016
    run -4 bash -c '"$DMLOP" slice a.npy >&-'
    assert_output --partial "standard output: cannot"
    # shellcheck disable=SC2016
    run -3 bash -c '"$DMLOP" slice - -o p.npy <&-'
    assert_output "dmlop: slice: standard input: cannot read: Bad file descriptor"
    # shellcheck disable=SC2016
    run -3 bash -c '"$DMLOP" validate nope.json >&- 2>&-'
    # shellcheck disable=SC2016
    run -4 bash -c '"$DMLOP" info a.npy >&-'
    assert_only_files a.npy o.npy
}

# cut NAME ARGS...: runs dmlop and cuts NAME to 1000 bytes half a second after that is mapped;
# $status is -N where signal N ended it.
cut_short() {
    "$PYTHON" - "$@" <<'P'
import os, subprocess, sys
from program import until_mapped
p = subprocess.Popen([os.environ["DMLOP"], *sys.argv[2:]])
until_mapped(p, sys.argv[1])
os.truncate(sys.argv[1], int(os.environ.get("CUT", "1000")))
sys.exit(p.wait() % 256)
P
}

@test "an input that is cut short while it is mapped" {
    dmlop make --no-sync --dtype uint8 --sizes 67108864 --fill 0 -o a.npy
    echo old >o.npy
    run -3 cut_short a.npy topk -k 3 --no-progress --min-time 60 a.npy -o o.npy
    assert_output "dmlop: topk: a.npy: the file became shorter while it was being read"
    assert_equal "$(cat o.npy)" old
    assert_only_files a.npy o.npy
    # the name is escaped as in other messages
    name=$'e\033[31m\302\233\351.npy'
    dmlop make --no-sync --dtype uint8 --sizes 67108864 --fill 0 -o b.npy
    mv b.npy "$name"
    run -3 cut_short "$name" topk -k 3 --no-progress --min-time 60 "$name" -o o.npy
    assert_output \
        "dmlop: topk: e\x1b[31m\u009b\xe9.npy: the file became shorter while it was being read"
    rm "$name"
    # by less than a page, which raises no signal
    dmlop make --dtype uint8 --sizes 10000 --fill 1 -o a.npy
    CUT=10100 run cut_short a.npy topk -k 3 --no-progress --min-time 2 a.npy -o o.npy
    assert_failure 3
    assert_output --regexp "^dmlop: topk: a.npy: the file became shorter while it was being read$"
    assert_equal "$(cat o.npy)" old
    assert_only_files a.npy o.npy
}

@test "an input that is cut short while its bytes are written out" {
    py '
import os, subprocess, time

np.save("a.npy", np.zeros(32 << 20, dtype="u1"))
open("o.npy", "w").write("old")
r, w = os.pipe()
p = subprocess.Popen([os.environ["DMLOP"], "slice", "--index", "1:", "a.npy"], stdout=w,
                     stderr=subprocess.PIPE)
os.close(w)
os.read(r, 4096)
time.sleep(0.3)  # it waits for room in the pipe
os.truncate("a.npy", 1000)
while os.read(r, 1 << 16):
    pass
err = p.communicate()[1].decode()
assert (
    p.returncode == 3
    and err == "dmlop: slice: a.npy: the file became shorter while it was being read\n"
), (p.returncode, err)
'
}

@test "an input that disappears, is replaced, or grows while it is read" {
    py '
import os, subprocess
from program import until_mapped

a = np.arange(1 << 20, dtype="i4")
for change in (lambda: os.remove("a.npy"),
               lambda: (open("b", "w").write("x"), os.rename("b", "a.npy")),
               lambda: open("a.npy", "ab").write(b"x" * 9999)):
    np.save("a.npy", a)
    p = subprocess.Popen([os.environ["DMLOP"], "topk", "-k", "3", "--min-time", "1", "a.npy", "-o",
                          "o.npy", "--no-progress"], stderr=subprocess.PIPE)
    until_mapped(p, "a.npy")
    change()
    assert p.communicate()[1] == b"" and p.returncode == 0
    assert list(np.load("o.npy")) == [(1 << 20) - 1, (1 << 20) - 2, (1 << 20) - 3]
'
}

@test "FIFOs, directories, symlink loops" {
    dmlop make --sizes 10 --range -o a.npy
    mkfifo f
    mkdir d
    ln -s x y
    ln -s y x
    cat a.npy >f &
    dmlop slice --index 1: f -o o.npy
    wait
    py 'assert np.array_equal(np.load("o.npy"), np.arange(1, 10, dtype="f4"))'
    cat f >o2.npy &
    dmlop slice --index 1: a.npy -o f
    wait
    assert_same_file o.npy o2.npy
    run -3 dmlop slice d -o o3.npy
    assert_output "dmlop: slice: d: is a directory; give a file that is in it"
    run -3 dmlop slice x -o o3.npy
    assert_output "dmlop: slice: x: cannot open: Too many levels of symbolic links"
    run -4 dmlop slice a.npy -o d
    assert_output "dmlop: slice: d: cannot write: is a directory"
    run -4 dmlop slice a.npy -o x
    assert_output "dmlop: slice: x: cannot write: Too many levels of symbolic links"
    for c in validate "info" "run" "convert" "show"; do
        refuses 3 "Too many levels of symbolic links" $c x
        refuses 3 "is a directory" $c d
    done
    assert_only_files a.npy f d x y o.npy o2.npy
}

@test "an archive is opened without a descriptor left: what ran out, status 4" {
    sanitized && skip "sanitizers open files of their own"
    open_to_all
    py '
np.savez("x.npz", x=np.zeros(3, "f4"))
np.savez("y.npz", x=np.zeros(3, "f4"))
np.save("x.npy", np.zeros(3, "f4"))'
    tried=0
    for command in "info x.npz y.npz" "show x.npy x.npz" "compare -q x.npy x.npz:x" \
        "slice x.npz:x --output-dir out"; do
        for n in {3..12}; do
            status=0
            # shellcheck disable=SC2086 # words
            output=$(limited NOFILE=$n $command 2>&1 >/dev/null) || status=$?
            [ $status = 0 ] && break
            [ $status = 127 ] && continue # the program's own libraries need some
            [ $status = 4 ] || fail "$command, $n: status $status: $output"
            [[ $output == *"Too many open files"* && $output != *damaged* ]] || fail "$output"
            tried=$((tried + 1))
        done
        assert_equal $status 0
    done
    [ $tried -ge 8 ] || fail "only $tried were refused"
}
