# Descriptors that programs make are valid, and refusals that people reported are named. See real.py.
load helper

@test "descriptors that programs make are valid at their feature levels" {
    run "$PYTHON" "$ROOT/tests/cli/real.py" valid
    assert_success
}
