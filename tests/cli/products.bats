# dmlop qmatmul: products over several blocks of K, by every kernel.
load helper

@test "products over several blocks of K: rows, sizes of values, every kernel, 1 and 3 threads" {
    dmlop --version | sed -nE 's/^ *qmatmul //p' | sed 's/ (not on this processor)/!/g' >kernels
    "$PYTHON" "$ROOT/tests/cli/products.py"
}
