# Files that NumPy reads or writes, and what became of them on their way.
load helper

@test "whatever numpy.dtype() makes one of our types of is read" {
    "$PYTHON" "$ROOT/tests/cli/numpy_descr.py"
}

@test "what NumPy reads, and what damaged it" {
    golden numpy
}
