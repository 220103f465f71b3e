# Slices that go straight from input to output: in parts, through pipes, of files larger than
# memory.
load helper

# npy_head DTYPE SHAPE: the header of such an array.
npy_head() {
    py "
header = {'descr': '$1', 'fortran_order': False, 'shape': ($2)}
np.lib.format.write_array_header_1_0(sys.stdout.buffer, header)"
}

@test "slices of several parts, from a file, a pipe and a redirected file, are NumPy's" {
    py '
import random
from program import printed

seed = random.randrange(10**6)
print("seed", seed)
random.seed(seed)
shapes = [
    (5, 700, 900), (2, 3, 400, 500), (1500, 1700), (3000001,), (300000, 3, 2), (1, 1, 2500000),
    (64, 64, 33, 17)
]
for shape in shapes:
    for _ in range(3):
        t = random.choice(["u1", "<f2", "<f4", "<f8", ">f4", ">i2", "?"])
        a = (np.arange(np.prod(shape)) * 7919 % 251).astype(t).reshape(shape)
        if random.random() < 0.3:
            a = np.asfortranarray(a)
        spec, index = [], []
        for size in shape:
            step = random.choice([1, 1, 1, 2, 3, 7, -1, -2])
            low, high = (
                sorted(random.sample(range(size + 1), 2)) if random.random() < 0.6 else (0, size)
            )
            if step < 0:
                low, high = high - 1, low - 1 if low else None
            index.append(slice(low, high, step))
            spec.append("%d:%s:%d" % (low, "" if high is None else high, step))
        want = np.ascontiguousarray(a[tuple(index)])
        np.save("x.npy", a)
        np.save("w.npy", want.astype(want.dtype.newbyteorder("<")))
        whole = open("w.npy", "rb").read()
        args = ["--no-sync", "--threads", random.choice("12"), "--index", ", ".join(spec)]
        printed("slice", *args, "x.npy", "-o", "y.npy")
        assert open("y.npy", "rb").read() == whole, (seed, shape, t, spec)
        data = open("x.npy", "rb").read()
        printed("slice", *args, "-", "-o", "y.npy", input=data, text=False)
        assert open("y.npy", "rb").read() == whole, (seed, shape, t, spec, "pipe")
        out = printed("slice", *args, "-", stdin=open("x.npy", "rb"), text=False)
        assert out == whole, (seed, shape, t, spec, "redirected")
'
}

@test "a slice of a 100 GB file touches its own pages only" {
    npy_head '|u1' '100 << 30,' >x.npy
    truncate -s $(((100 << 30) + $(stat -c %s x.npy))) x.npy || skip "no such files here"
    printf 'abc' | dd of=x.npy bs=1 seek=50000000128 conv=notrunc status=none
    start=$(date +%s%N)
    dmlop slice --index 50000000000:50000000005 x.npy -o y.npy
    dmlop slice --index ::10000000000 x.npy -o z.npy
    end=$(date +%s%N)
    py '
assert bytes(np.load("y.npy")) == b"abc\0\0"
z = np.load("z.npy")
assert z.shape == (11,) and z[5] == 97 and z.sum() == 97
'
    [ $((end - start)) -lt 2000000000 ] || fail "$(((end - start) / 1000000)) ms"
}

@test "a pipe larger than memory is sliced on its outer axes, forwards, inner axes backwards too" {
    sanitized && skip "sanitizers take memory of their own"
    npy_head '<f4' '1000, 100000' >head
    for index in '10:900' '::3' '1:2' '::100, ::-1' ':5, 1:99999:7'; do
        (cat head; head -c 400000000 /dev/zero) | (
            ulimit -v 150000
            "$DMLOP" slice --threads 1 --index "$index" --no-sync -o y.npy -
        ) || fail "$index"
        INDEX=$index py '
import os

y = np.load("y.npy", mmap_mode="r")
x = np.broadcast_to(np.float32(0), (1000, 100000))
assert y.shape == eval("x[%s]" % os.environ["INDEX"]).shape and not y[::50].any()'
    done
}

@test "a pipe that ends early, or goes on, is found though the slice is there already" {
    dmlop make --sizes 100,100 --fill 0 -o x.npy
    echo old >y.npy
    run -3 bash -c 'head -c 39000 x.npy | "$DMLOP" slice --index :5 -o y.npy -'
    local needs="FLOAT32 {100,100} needs 40000 bytes, but only 38872 are there"
    assert_output "dmlop: slice: standard input: the data is cut short: $needs"
    run -3 bash -c '(cat x.npy; echo much more) | "$DMLOP" slice --index :5 -o y.npy -'
    assert_output --partial "bytes follow the data of FLOAT32 {100,100}"
    run -3 bash -c 'head -c 4000 x.npy | "$DMLOP" slice --index 50: -o y.npy -'
    assert_output --partial "cut short"
    assert_equal "$(cat y.npy)" old
    assert_only_files x.npy y.npy
}

@test "no room for the output is found before the work, and the old file stays" {
    dmlop make --no-sync --sizes 1000,1000 --fill 1 -o x.npy
    echo old >y.npy
    for index in ... '::-1' ':,::-1' '::2,::2'; do
        run bash -c 'trap "" XFSZ; ulimit -f 900
            "$DMLOP" slice --index "$1" -o y.npy x.npy' _ "$index"
        assert_failure 4
        assert_output "dmlop: slice: y.npy: cannot write: File too large"
        assert_equal "$(cat y.npy)" old
        assert_only_files x.npy y.npy
    done
}

@test "a large slice may replace its own input" {
    py '
np.save("x.npy", np.arange(1000000, dtype="f4").reshape(1000, 1000))
np.save("w.npy", np.load("x.npy")[100:900])
'
    dmlop slice --index 100:900 x.npy -o x.npy
    assert_same_file x.npy w.npy
}

@test "a kernel that does not exist is refused though nothing is left for it to do" {
    dmlop make --sizes 100,1000 --fill 0 -o x.npy
    run -2 dmlop slice --kernel nonesuch x.npy -o y.npy
    assert_only_files x.npy
}
