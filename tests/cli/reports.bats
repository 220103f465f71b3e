# Mistakes of other people, as public bug reports have them: what dmlop says of each.
load helper

@test "what is said of mistakes in reports, whole" {
    golden reports
}

@test "an axis of -1 is explained in every operator that has one, and fixed" {
    "$PYTHON" "$ROOT/tests/cli/axes.py" "$ROOT/src/desc/operators" >said
    assert_equal "$(wc -l <said)" 20
    assert_equal "$(grep -c 'counts from the end in NumPy, DirectML wants' said)" 20
    # the others' templates would contradict the last axis: of GATHER* and SCATTER the sizes, and
    # MEAN_VARIANCE_NORMALIZATION1 has it already
    assert_equal "$(grep -c '": \[*-' said || true)" 4
}
