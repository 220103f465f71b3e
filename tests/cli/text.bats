# Tensors as text: numbers in columns, and what `dmlop show` prints.
load helper

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
