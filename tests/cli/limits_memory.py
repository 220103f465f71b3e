"""How much memory commands take at most for the files of limits.bats. DMLOP is the program."""
import math
import os
import random

MB = 1 << 20
size = os.path.getsize


def peak(args, stdin="/dev/null"):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.dup2(1, 2)
        os.execv(os.environ["DMLOP"], ["dmlop", *args.split()])
    usage = os.wait4(pid, 0)[2]
    return usage.ru_maxrss * 1024


def topk_bound(sizes, axis, k, threads, bytes_of_element):
    """What the table says of topk, for a file in C order."""
    length = sizes[axis]
    rows = math.prod(sizes) // length
    r = min(max(2 * k, k + 64), length)
    columns = next((n for n in reversed(sizes[axis + 1 :]) if n > 1), 1)
    bound = rows * (length * bytes_of_element + k * (bytes_of_element + 4))
    bound += threads * (64 if bytes_of_element == 8 else 32) * r
    if columns > 1:
        bound += threads * (MB + min(columns * (24 * r + 4096), 64 * MB))
    return bound


def topk_shapes(n):
    """Sizes, axis, K, threads, data type: those that once took more than the table said, and n by
    chance, of up to 32 MB."""
    yield (20000, 1000), 0, 1900, 1, "float32"
    yield (40000, 500), 0, 3900, 16, "float32"
    chance = random.Random(45)
    for _ in range(n):
        dtype = chance.choice(["uint8", "float32", "float64"])
        count = chance.choice([2, 8, 32]) * MB // element_bytes(dtype)
        length = int(2 ** chance.uniform(5, 20))
        last = int((count // length) ** chance.random())
        sizes = [length, max(1, count // length // last), last]
        axis = chance.randrange(3)
        sizes[0], sizes[axis] = sizes[axis], length
        k = int(length ** chance.uniform(0.1, 1))
        yield tuple(sizes), axis, k, chance.choice([1, 2, 4, 16, 64]), dtype


def element_bytes(dtype):
    return int("".join(c for c in dtype if c.isdigit())) // 8


A, I, J, Q, T, Z = (
    size("a.npy"),
    size("i.npy"),
    size("i.json"),
    size("q.npy"),
    size("t.npy"),
    8 * MB,
)
for args, bound in [
    ("slice --index ::2 a.npy -o o.npy", A),
    ("slice --index :,::-1 a.npy -o o.npy", A),
    ("slice --index 5:6 a.npy -o o.npy", 0),
    ("slice --index :,7:8 f.npy -o o.npy", 0),
    ("slice --index :,::2 f.npy -o o.npy", A),
    ("slice --threads 2 t.npy -o o.npy", 2 * T + 6 * MB),
    ("slice --index ::4 --format json a.npy -o o.json", A + A // 4),
    ("slice --timings a.npy -o o.npy", 2 * A),
    ("slice z.npz:a -o o.npy", Z),
    ("slice i.json -o o.npy", 2 * I + J),
    ("topk -k 10 --threads 2 a.npy -o o.npy", A),
    ("topk -k 8000 --threads 2 a.npy -o o.npy", topk_bound((1024, 16384), 1, 8000, 2, 4)),
    ("topk -k 10 --axis 0 --threads 2 a.npy -o o.npy", topk_bound((1024, 16384), 0, 10, 2, 4)),
    ("topk -k 16384 --threads 2 a.npy -o o.npy --indices x.npy", 3 * A + 32 * 16384 * 2),
    ("topk -k 16777216 --threads 2 l.npy -o o.npy --indices x.npy", 3 * A + 32 * 16 * MB),
    (
        "qmatmul --threads 2 --a-scale 1 --b-scale 1 --output-scale 99 q.npy q.npy -o o.npy",
        5 * Q + 8 * MB,
    ),
    ("show a.npy", 0),
    ("show --all i.npy", I),
    ("show i.json", I + J),
    ("show z.npz:a", Z),
    ("info a.npy", 0),
    ("info --stats a.npy", A),
    ("compare a.npy f.npy", 2 * A),
    ("convert --dtype float64 i.npy -o o.npy", 3 * I),
    ("convert i.npy -o o.json", I),
    ("convert i.json -o o.npy", 2 * I + J),
    ("convert f.npy --sizes -1 -o o.npy", 2 * A),
    ("convert f.npy --permute 1,0 -o o.npy", A),
    ("join a.npy.parts -o o.npy", A),
    ("join k.npy.parts -o o.npy --indices x.npy", 2 * A),
    ("slice --index 5:6 a.npy.parts -o o.npy", 0),
    ("slice --index ::2 a.npy.parts -o o.npy", A),
    ("slice --index ::4 --format json a.npy.parts -o o.json", A + A // 4),
    ("topk -k 10 --threads 2 a.npy.parts -o o.npy", 2 * A),
    ("topk -k 10 --threads 2 --part 0/4 a.npy.parts -o p.npy", A // 2),
    ("slice --part 0/4 --timings a.npy.parts -o q.npy", A // 2),
    ("show a.npy.parts", 0),
    ("show --index 5,:: k.npy.parts:indices", 0),
    ("info --stats a.npy.parts", A + 8 * MB),
    ("compare a.npy.parts a.npy", 2 * A + 8 * MB),
    ("convert a.npy.parts -o o.npy", A + 8 * MB),
    ("convert --dtype float64 a.npy.parts -o o.npy", 3 * A + 8 * MB),
    ("convert a.npy.parts -o o.json", A + 8 * MB),
    ("make --sizes 64,1024,1024 --random 1", 0),
    ("make --sizes 64,1024,1024 --fill 1 --format json", 0),
    ("make --dtype int8 --sizes 2048,1024 --range=0,0 --format json", 2 * MB),
    ("validate m.json", 18 * size("m.json")),
    ("run m.json", 18 * size("m.json") + 3 * 8 * MB),
    ("validate s.json", 18 * size("s.json")),
    ("validate d.json", 60 * size("d.json")),
    ("validate c.json", 18 * size("c.json")),
    ("validate --max-findings 0 c.json", 18 * size("c.json") + 64 * MB),
    ("validate --fix c.json", 36 * size("c.json") + 64 * MB),
    ("validate b.json", 20 * size("b.json")),
    ("validate --max-findings 0 k.json", 20 * size("k.json") + 64 * MB),
    ("validate n.json", 40 * size("n.json")),
]:
    have = peak(args)
    assert have <= bound + 32 * MB, (args, have // MB, bound // MB)
assert peak("slice --index 1: - -o o.npy", "a.npy") <= A + 32 * MB
assert peak("show - --edge 1", "a.npy") <= 32 * MB
r, w = os.pipe()
if os.fork() == 0:
    os.close(r)
    with os.fdopen(w, "wb") as f, open("a.npy", "rb") as g:
        f.write(g.read())
    os._exit(0)
os.close(w)
have = peak("slice --index :,1:,::1 - -o o.npy".replace(",::1", ""), f"/dev/fd/{r}")
assert have <= 36 * MB, have // MB

for sizes, axis, k, threads, dtype in topk_shapes(16):
    text = ",".join(map(str, sizes))
    values = random.Random(k).choice(["--random 1", "--fill 1"])
    assert os.system(f"$DMLOP make -q --dtype {dtype} --sizes {text} {values} -o m.npy") == 0
    have = peak(f"topk -q -k {k} --axis {axis} --threads {threads} m.npy -o o.npy")
    bound = topk_bound(sizes, axis, k, threads, element_bytes(dtype))
    assert have <= bound + 32 * MB, (sizes, axis, k, threads, dtype, have // MB, bound // MB)
