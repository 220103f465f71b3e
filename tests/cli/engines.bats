# Parts as tasks of engines, of those that are installed; make check-engines wants all.
load helper

# engine NAME: its tests pass; skipped, with what is missing, where it is not installed.
engine() {
    run "$ROOT/tests/engines/run" "$1"
    if [[ $output =~ "not ok - $1: not installed:"([^;]*) ]]; then
        skip "not installed:${BASH_REMATCH[1]}; see make deps-engines"
    fi
    assert_success
    assert_line --regexp "^ok - $1: "
    assert_line "ok - all: no process is left"
    refute_line --regexp "^not ok"
}

@test "GNU parallel: --joblog and --resume-failed" {
    engine parallel
}

@test "GNU parallel over ssh, with sshd on loopback" {
    engine ssh
}

@test "Open MPI: --part auto" {
    engine openmpi
}

@test "MPICH: --part auto" {
    engine mpich
}

@test "Slurm: srun, an array, tasks submitted again, and a requeue" {
    engine slurm
}
