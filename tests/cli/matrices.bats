# dmlop qmatmul: vectors, batches that are broadcast, weights that are stored transposed; the files
# that an emitted descriptor was made from; --part auto by arrays that count otherwise.
load helper

@test "vectors, broadcast batches, --transpose-b: as NumPy's matmul, by every way to run them" {
    dmlop --version | sed -nE 's/^ *qmatmul //p' | sed 's/ (not on this processor)/!/g' >kernels
    "$PYTHON" "$ROOT/tests/cli/matrices.py"
}

@test "what is printed of matrices, emitted descriptors and arrays of tasks, whole" {
    golden matrices
}
