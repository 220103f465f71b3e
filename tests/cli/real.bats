# Descriptors that programs make are valid, and refusals that people reported are named: real.py.
load helper

@test "descriptors that programs make are valid at their feature levels" {
    run -0 "$PYTHON" "$ROOT/tests/cli/real.py" valid
}

@test "refusals that people reported and explained are named at their places" {
    run -0 "$PYTHON" "$ROOT/tests/cli/real.py" refused
}
