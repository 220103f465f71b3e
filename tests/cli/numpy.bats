# Files that NumPy reads or writes, and what became of them on their way.
load helper

@test "whatever numpy.dtype() makes one of our types of is read" {
    sanitized && skip "fuzz_npy reads more headers"
    expensive
    "$PYTHON" "$ROOT/tests/cli/numpy_descr.py"
}

@test "what NumPy reads, and what damaged it" {
    golden numpy
}

@test "a member that is compressed by zstd is read, or named" {
    py '
import zipfile
with zipfile.ZipFile("z.npz", "w") as z: z.writestr("a.npy", "stored")
b = bytearray(open("z.npz", "rb").read())
b[b.index(b"PK\3\4") + 8] = b[b.index(b"PK\1\2") + 10] = 93
open("z.npz", "wb").write(b)'
    run -3 dmlop show z.npz:a
    assert_output --regexp 'compressed by zstd \(method 93\), which libzip does not|is damaged'
}
