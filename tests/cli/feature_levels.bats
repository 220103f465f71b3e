# validate --feature-level: what each operator supports at each level.
load helper

@test "feature levels: operators, dimension counts, data types and index types, all combinations" {
    "$PYTHON" "$ROOT/tests/cli/feature_levels.py"
}
