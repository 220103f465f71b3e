# Tensors as text: numbers in columns, and what `dmlop show` prints.
load helper

@test "CSV in, CSV out in a pipe; standard input where there is no operand" {
    printf '1,5,3\n4,2,6\n' >x.csv
    assert_equal "$(dmlop topk -k 2 <x.csv | cat)" $'5,3\n6,4'
    assert_equal "$(dmlop slice --index ::-1 <x.csv | dmlop convert | cat)" $'4,2,6\n1,5,3'
    assert_equal "$(tr , '\t' <x.csv | dmlop slice | cat)" $'1\t5\t3\n4\t2\t6'
    assert_equal "$(dmlop slice x.csv --format json | dmlop compare - x.csv)" \
        "equal: 6 elements of {2,3}"
    dmlop convert --sizes 1,2,3 x.csv | grep -q '"Sizes": \[1, 2, 3\]'
    assert_equal "$(dmlop show <x.csv)" "$(dmlop show - <x.csv)"
    assert_equal "$(dmlop info <x.csv)" "$(dmlop info - <x.csv)"
    assert_equal "$(dmlop validate <"$SAMPLES/slice1-ex2.desc.json")" \
        "<stdin>: valid (DML_OPERATOR_SLICE1, feature level 6_4)"
    dmlop validate --fix <"$SAMPLES/broken.json" 2>/dev/null | dmlop validate | grep -q valid
    # A device is no input that was meant.
    for c in slice "topk -k 1" show info convert validate run; do
        # shellcheck disable=SC2086 # words
        run -2 dmlop $c </dev/null
    done
    refuses 3 "the file is empty" topk -k 1 < <(:)
}

@test "text that is read, written and refused" {
    golden text misled
}

@test "CSV: what numpy.savetxt writes is read as numpy.loadtxt reads it, and the reverse" {
    "$PYTHON" "$ROOT/tests/cli/text_numpy.py"
}

@test "what show prints in full is read: all types and ranks" {
    "$PYTHON" "$ROOT/tests/cli/text_shown.py"
}

@test "CSV: random tables are read as written, as Python and NumPy read them, or refused" {
    "$PYTHON" "$ROOT/tests/cli/text_tables.py"
}

@test "cells of any length are numbers or refused" {
    "$PYTHON" "$ROOT/tests/cli/text_lengths.py"
}

@test "CSV: what a message advises gives what it promises" {
    "$PYTHON" "$ROOT/tests/cli/text_remedies.py"
}
