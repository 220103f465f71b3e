# Mistakes of other people, as public bug reports have them: what dmlop says of each.
load helper

@test "what is said of mistakes in reports, whole" {
    golden reports
}

@test "an axis of -1 is fixed in every operator that has one" {
    "$PYTHON" "$ROOT/tests/cli/axes.py" "$DMLOP" "$ROOT/src/desc/operators" >said
    assert_equal "$(wc -l <said)" 20
    assert_equal "$(grep -c 'counts from the end in NumPy, DirectML wants' said)" 20
    assert_equal "$(grep -c '": \[*-' said || true)" 0
}
