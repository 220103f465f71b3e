# Threads that cannot start, or should not: the others do the work, or the status is 4; no temporary
# file is left. Each test fails without what it is for: base/parallel.c, io/cleanup.c.
load helper

setup_file() {
    "${DMLOP:-build/dmlop}" --version --format json | grep -q '"threads": "OpenMP"' ||
        skip "a build without OpenMP starts none"
}

# The program whose calls can fail (tests/faults/faults.c). It has a shared OpenMP library, which
# GCC's build of dmlop does not: the library reads its variables before dmlop changes any.
FAULTS=${B:-$ROOT/build}/tests/faults/dmlop

inputs() {
    py '
np.save("a.npy", np.arange(1 << 20, dtype="f4").reshape(512, -1))
np.save("q.npy", np.ones((500, 500), "u1"))
'
    mkdir out
}

# each PROGRAM ENVIRONMENT...: runs commands with four threads in the environment. Sets `status` and
# `stderr` to those of the last and fails if their results differ from one thread's; a status of 4
# needs a message, and leaves no file.
each() {
    local args want
    for args in "slice --index ::-1 a.npy" "topk -k 300 a.npy" \
        "qmatmul --a-scale 1 --b-scale 1 --output-scale 9 q.npy q.npy" \
        "convert --dtype float64 a.npy"; do
        want=want.${args%% *}.npy
        # shellcheck disable=SC2086
        [ -e "$want" ] || dmlop $args --threads 1 -q -o "$want"
        # shellcheck disable=SC2086
        run --separate-stderr timeout 20 env "${@:2}" "$1" $args --threads 4 -o out/o.npy
        case $status in
        0) assert_same_file out/o.npy "$want" && rm out/o.npy ;;
        4) [[ $stderr == *"dmlop: ${args%% *}: cannot start "*" threads; choose fewer"* ]] ||
            fail "${*:2} $args says: $stderr" ;;
        *) fail "${*:2} $args: status $status: $stderr" ;;
        esac
        [ -z "$(ls -A out)" ] || fail "${*:2} $args leaves $(ls -A out)"
    done
    run --separate-stderr timeout 20 env "${@:2}" "$1" compare --threads 4 a.npy a.npy
    [ "$status" = 0 ] || [ "$status" = 4 ] || fail "${*:2} compare: status $status: $stderr"
}

@test "stacks of any size that the environment wants" {
    inputs
    for size in 1 16K 20K 64K 40G 400000G; do
        each "$DMLOP" OMP_STACKSIZE=$size
        assert_equal "$status:$stderr" 0:
        each "$DMLOP" GOMP_STACKSIZE=$size KMP_STACKSIZE=$size
        assert_equal "$status:$stderr" 0:
    done
    sanitized || (
        ulimit -S -s 100000000
        each "$DMLOP" A=
        assert_equal "$status:$stderr" 0:
    )
}

@test "stacks of any size that a shared OpenMP library has read before" {
    sanitized && skip "sanitizers need larger stacks"
    inputs
    for size in 1 16K 20K 64K 40G; do
        each "$FAULTS" OMP_STACKSIZE=$size
    done
}

@test "processors that there are not" {
    inputs
    local none
    for none in $(($(nproc --all) + 1)) 4000; do
        for variable in GOMP_CPU_AFFINITY="$none" GOMP_CPU_AFFINITY="0 $none" OMP_PLACES="{$none}" \
            KMP_AFFINITY="explicit,proclist=[$none]"; do
            each "$DMLOP" "$variable"
            each "$FAULTS" "$variable"
        done
    done
    run env GOMP_CPU_AFFINITY=4000 "$DMLOP" compare --threads 2 a.npy a.npy # LLVM's ignores it
    [ "$status" = 0 ] || assert_line "dmlop: compare: cannot start 2 threads; choose fewer with \
--threads or OMP_NUM_THREADS, or unset GOMP_CPU_AFFINITY"
}

@test "more threads than processors do not wait awake" {
    sanitized && skip "sanitizers are slow with as many threads"
    dmlop make --no-sync --sizes 2048,2048 --range -o a.npy
    local start=$SECONDS limit=120
    for variable in OMP_WAIT_POLICY={passive,active} GOMP_SPINCOUNT=infinite KMP_BLOCKTIME=infinite
    do # 0.3 s on 2 idle processors, 7 to 18 s if threads spin
        run -0 --separate-stderr timeout $limit env $variable "$DMLOP" topk -k 300 --threads 1024 \
            a.npy -o o.npy
        rm o.npy
        [ $limit != 120 ] || limit=$((5 + 10 * (SECONDS - start)))
    done
}

@test "the n-th thread cannot be started" {
    sanitized && skip "sanitizers need more address space"
    inputs
    ulimit -v 16000000 # so that the threads are tried before
    for n in 1 2 3; do
        DMLOP_FAULT=thread:$n:11 each "$FAULTS" A=
        assert_equal "$status" 0
        [[ $stderr == "dmlop: compare: warning: only $n of 4 threads could be started;"* ]] ||
            fail "$stderr"
    done
    for n in 2+ 3+ 4 5 6; do # the OpenMP library's own attempts
        DMLOP_FAULT=thread:$n:11 each "$FAULTS" A=
        assert_equal "$status" 4
    done
}

@test "several dmlop where processes are limited" {
    sanitized && skip "sanitizers start threads of their own"
    [ "$(id -u)" = 0 ] || skip "the limit would count what else this user runs"
    inputs
    open_to_all
    chmod 644 ./*.npy
    chmod 777 out
    for _ in $(seq ${EXPENSIVE:+4}8); do
        for j in 1 2 3 4; do
            (
                LIMITED_USER=65533 limited NPROC=14 slice --threads 6 --index ::-1 a.npy \
                    -o out/$j.npy 2>>err.$j || echo $? >>status.$j
            ) &
        done
        wait
    done
    run find . -name 'status.?' -exec sort -u {} +
    [ -z "$output" ] || assert_output 4
    assert_equal "$(find out -name '*.tmp')" ""
}
