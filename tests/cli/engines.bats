# Parts as tasks of engines, those that cost little; make check-engines has all.
load helper

@test "GNU parallel: --joblog and --resume-failed" {
    parallel --version 2>/dev/null | grep -q '^GNU parallel' || skip "no GNU parallel; see make deps-engines"
    run -0 "$ROOT/tests/engines/run" parallel
    assert_output "ok - parallel: --joblog and --resume-failed
ok - all: no process is left

2 passed, 0 failed"
}
