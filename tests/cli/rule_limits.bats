# Rules of topk, qmatmul and models: the last good value and the first bad one.
load helper

@test "topk and qmatmul rules: the last good value and the first bad one" {
    "$PYTHON" "$ROOT/tests/cli/rule_limits_operators.py"
}

@test "models: the last good value and the first bad one" {
    export SAMPLES
    "$PYTHON" "$ROOT/tests/cli/rule_limits_models.py"
}

@test "every integer of every operator at the ends of the integer types" {
    "$PYTHON" "$ROOT/tests/cli/rule_limits_extreme.py"
}
