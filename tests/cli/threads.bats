# Threads change the time that the work takes, and nothing else.
load helper

@test "the OpenMP library prints nothing: what dmlop reads of its variables it warns of itself" {
    dmlop --version --format json | grep -q '"threads": "OpenMP"' ||
        skip "a build without OpenMP reads none of them"
    dmlop make --no-sync --sizes 2048,1024 --range -o x.npy
    for v in OMP_NUM_THREADS=abc OMP_NUM_THREADS=0 OMP_NUM_THREADS=-1 OMP_NUM_THREADS=2x; do
        run -0 --separate-stderr env "$v" "$DMLOP" slice --index ::-1 x.npy -o y.npy --no-sync
        assert_equal "$stderr" "dmlop: slice: warning: $v is not a number of threads; it is ignored"
        run env "$v" "$DMLOP" slice -q --index ::-1 x.npy -o y.npy --no-sync
        assert_output ""
        run env "$v" "$DMLOP" slice --threads 2 --index ::-1 x.npy -o y.npy --no-sync
        assert_output ""
        run env "$v" "$DMLOP" validate "$SAMPLES/slice1-ex1.desc.json"
        refute_output --partial OMP
    done
    for v in OMP_NUM_THREADS= OMP_NUM_THREADS=2,3 OMP_NUM_THREADS=2,x OMP_NUM_THREADS=2147483647 \
        OMP_SCHEDULE=x OMP_PROC_BIND=x OMP_PLACES=x OMP_STACKSIZE=x OMP_DYNAMIC=x \
        OMP_WAIT_POLICY=x \
        OMP_DISPLAY_ENV=true OMP_DISPLAY_ENV=verbose OMP_DISPLAY_AFFINITY=true OMP_THREAD_LIMIT=x \
        OMP_NESTED=x OMP_CANCELLATION=x OMP_TARGET_OFFLOAD=x \
        OMP_ALLOCATOR=x GOMP_SPINCOUNT=x GOMP_CPU_AFFINITY=x GOMP_STACKSIZE=x KMP_AFFINITY=x \
        KMP_SETTINGS=1 KMP_BLOCKTIME=x; do
        run -0 env "$v" "$DMLOP" slice --threads 2 --index ::-1 x.npy -o y.npy --no-sync
        assert_output ""
    done
    run -3 --separate-stderr env OMP_SCHEDULE=x OMP_PLACES=x "$DMLOP" slice none.npy -o y.npy
    assert_equal "$stderr" "dmlop: slice: none.npy: cannot open: No such file or directory"
    # a closed standard error stays so
    run -3 bash -c 'OMP_PLACES=x "$DMLOP" slice none.npy -o y.npy 2>&-'
    run -4 bash -c 'OMP_PLACES=x "$DMLOP" --version >&- 2>/dev/null'
}

@test "1 to 64 threads give the same bytes" {
    py '
import os
from program import dmlop

rng = np.random.default_rng(5)
np.save("a.npy", rng.integers(-1000, 1000, (7, 200000)).astype("f4"))
np.save("l.npy", rng.integers(0, 1000, 3000000).astype("i2"))
np.save("q.npy", rng.integers(0, 255, (200, 700), "u1"))
np.save("w.npy", rng.integers(-128, 127, (700, 300), "i1"))
for c in ["slice --index ::-1,1::3 a.npy", "topk -k 50 a.npy", "topk -k 5 --axis 0 a.npy",
          "topk -k 100000 l.npy", "topk -k 3000000 l.npy",
          "qmatmul --a-scale 0.02 --b-scale 0.01 --output-scale 0.7 --a-zero-point 3 q.npy w.npy"]:
    want = None
    for n in [1, 3] if "TSAN_OPTIONS" in os.environ else [1, 2, 3, 5, 8, 16, 33, 64]:
        p = dmlop(*c.split(), "--threads", n, "-q", text=False)
        assert p.stdout == (want := want or p.stdout) and not p.returncode and not p.stderr, (c, n)
'
}

@test "a slice of many parts, from a file and through a pipe, on 1 to 9 threads" {
    py 'np.save("a.npy", np.random.default_rng(3).integers(0, 1000, (40, 300, 600)).astype("f4"))'
    for index in 1:39:2,::2,5:500:3 3:,::-1,:: ::,7:,::2; do
        dmlop slice --index "$index" --threads 1 --repeat 1 a.npy -o want.npy
        for n in 1 2 3 9; do
            dmlop slice --index "$index" --threads $n a.npy -o o.npy
            assert_same_file o.npy want.npy
            # shellcheck disable=SC2002
            cat a.npy | dmlop slice --index "$index" --threads $n - -o o.npy
            assert_same_file o.npy want.npy
        done
        head -c 20000000 a.npy >cut.npy
        for n in 1 3; do
            run -3 dmlop slice --index "$index" --threads $n - -o none.npy <cut.npy
            # shellcheck disable=SC2002
            run -3 --separate-stderr bash \
                -c 'cat cut.npy | "$DMLOP" slice -q --index "$1" --threads "$2" - -o none.npy' _ \
                "$index" $n
            assert_equal "$(wc -l <<<"$stderr")" 1
            [ ! -e none.npy ]
        done
    done
}

@test "convert, compare, info --stats: the same for 1, 2, 3 and 8 threads" {
    "$PYTHON" "$ROOT/tests/cli/threads_same.py"
}

@test "a JSON tensor with errors, blanks and odd tokens: the same for 1, 2, 3 and 8 threads" {
    "$PYTHON" "$ROOT/tests/cli/threads_json.py"
}

@test "no thread can be started: fewer threads, with a warning" {
    dmlop --version --format json | grep -q '"threads": "OpenMP"' ||
        skip "a build without OpenMP starts none"
    sanitized a && skip "the leak checker starts a thread of its own"
    [ "$(id -u)" = 0 ] || skip "the limit would count what else this user runs"
    open_to_all
    py '
np.save("a.npy", np.arange(1 << 22, dtype="i4").reshape(64, -1))
np.save("q.npy", np.ones((500, 500), "u1"))
'
    chmod 644 ./*.npy
    for args in "slice --index ::2,::-1 a.npy" "topk -k 3 a.npy" "topk -k 16384 a.npy" \
        "qmatmul --a-scale 1 --b-scale 1 --output-scale 9 q.npy q.npy"; do
        # shellcheck disable=SC2086
        dmlop $args --threads 1 -o want.npy
        # shellcheck disable=SC2086
        run -0 limited NPROC=0 $args --threads 4 -o o.npy
        local only='only 1 of [0-9] threads could be started; they have done all the work'
        assert_output --regexp "^dmlop: [a-z]*: warning: $only\$"
        assert_same_file o.npy want.npy
        # shellcheck disable=SC2086
        run -0 limited NPROC=0 $args --threads 4 -q -o o.npy
        assert_output ""
    done
    run -0 limited NPROC=0 info --stats a.npy --threads 4
}

# Waits until the other threads of dmlop "${@:2}" are $1 while its first one waits for a reader:
# "awake" if one is ready to run for a tenth of a second, "asleep" if none is. Processor time would
# not tell: on a crowded machine, threads that are awake may get hardly any.
threads_are() {
    "$PYTHON" - "$@" <<'P'
import glob, os, subprocess, sys, time

p = subprocess.Popen([os.environ["DMLOP"], *sys.argv[2:]], stdout=subprocess.PIPE)
times, end = 0, time.monotonic() + 20
while times < 10 and time.monotonic() < end:
    time.sleep(0.01)
    states = {}
    for name in glob.glob(f"/proc/{p.pid}/task/*/stat"):
        try:
            with open(name) as f:
                states[int(name.split("/")[-2])] = f.read().rpartition(")")[2].split()[0]
        except OSError:
            pass  # the thread has ended
    waits = states.pop(p.pid, None) == "S" and len(states) > 0
    now = "awake" if "R" in states.values() else "asleep"
    times = times + 1 if waits and now == sys.argv[1] else 0
p.stdout.read()
assert p.wait() == 0
assert times == 10, f"not {sys.argv[1]}: {' '.join(sys.argv[2:])}"
P
}

@test "threads that wait sleep, unless the user wants them awake" {
    dmlop --version --format json | grep -q '"threads": "OpenMP"' ||
        skip "a build without OpenMP has none"
    sanitized && skip "sanitizers start threads of their own"
    py '
np.save("a.npy", np.arange(1 << 20, dtype="i4").reshape(1024, -1))
np.save("l.npy", np.arange(500000, dtype="i4"))
np.save("q.npy", np.ones((512, 512), "u1"))
'
    local args
    for args in "slice --index :,::-1 a.npy" "topk -k 500000 l.npy" \
        "qmatmul --a-scale 1 --b-scale 1 --output-scale 9 q.npy q.npy"; do
        # shellcheck disable=SC2086
        threads_are asleep $args --threads 2
    done
    OMP_WAIT_POLICY=passive threads_are asleep topk -k 500000 --threads 2 l.npy
    OMP_WAIT_POLICY=active threads_are awake topk -k 500000 --threads 2 l.npy
}

@test "work that pays for no other thread starts none" {
    dmlop --version --format json | grep -q '"threads": "OpenMP"' ||
        skip "a build without OpenMP has none"
    py '
np.save("t.npy", np.ones((4, 4), "f4"))
np.save("q.npy", np.ones((4, 4), "u1"))
np.save("a.npy", np.ones(1 << 22, "f4"))
'
    for args in "slice t.npy" "topk -k 2 t.npy" \
        "qmatmul --a-scale 1 --b-scale 1 --output-scale 9 q.npy q.npy"; do
        # shellcheck disable=SC2086
        OMP_NUM_THREADS=8 run --separate-stderr dmlop $args -v -o o.npy
        assert_success
        assert_regex "$stderr" "on at most 1 thread[^s]"
    done
    OMP_NUM_THREADS=8 run --separate-stderr dmlop topk -k 2 a.npy -v -o o.npy
    assert_regex "$stderr" "on at most 8 threads[^s]"
    OMP_NUM_THREADS=3 run --separate-stderr dmlop slice --index ::-1 a.npy -v -o o.npy
    assert_regex "$stderr" "on at most 3 threads[^s]"
    command -v taskset >/dev/null || return 0
    run --separate-stderr taskset -c "$(taskset -cp $$ |
        sed 's/.*: //; s/[-,].*//')" "$DMLOP" topk -k 2 a.npy -v -o o.npy
    assert_regex "$stderr" "on at most 1 thread[^s]"
}
