# The limits that dmlop(1) states, at each and one past it, and its table of memory.
load helper

@test "a descriptor has at most 64 MiB, a model 1 GiB" {
    py '
import os

text = open(os.environ["SAMPLES"] + "/slice1-ex1.desc.json").read()
for n, name in ((64 << 20, "at.json"), ((64 << 20) + 1, "past.json")):
    open(name, "w").write(text + " " * (n - len(text)))
with open("model.json", "w") as f:
    f.write("{" + " " * 4096)
    f.truncate((1 << 30) + 1)
'
    dmlop slice -d at.json "$SAMPLES/slice1-ex1.input.npy" -o o.npy
    run dmlop slice -d past.json "$SAMPLES/slice1-ex1.input.npy" -o o.npy
    assert_failure 3
    assert_output --partial "past.json: the text is longer than 64 MiB"
    run dmlop validate past.json
    assert_failure 3
    assert_output --partial "past.json: the text is longer than 64 MiB"
    refute_output --partial "valid ("
    run dmlop validate model.json
    assert_failure 3
    assert_output --partial "model.json: the text is longer than 1024 MiB"
}

@test "JSON nests 64 deep" {
    py '
for n in (64, 65):
    open(f"t{n}.json", "w").write("{\"x\":" + "[" * (n - 1) + "1" + "]" * (n - 1) + "}")
    open(f"v{n}.json", "w").write("[" * n + "1" + "]" * n)'
    run dmlop validate t64.json
    assert_failure 1
    assert_output --partial "[desc.operator-missing]"
    run dmlop validate t65.json
    assert_failure 1
    assert_output --partial "more than 64 levels deep"
    for n in 64 65; do
        run dmlop slice v$n.json -o o.npy
        assert_failure 3
        assert_equal "${#lines[@]}" 1
    done
}

@test "8 dimensions of a descriptor, 32 of a file" {
    py '
import json

for n in (8, 9):
    t = {"DataType": "FLOAT32", "Sizes": [1] * n}
    one, zero = [1] * n, [0] * n
    json.dump(
        {
            "type": "DML_OPERATOR_SLICE1",
            "desc": {
                "InputTensor": t,
                "OutputTensor": t,
                "DimensionCount": n,
                "InputWindowOffsets": zero,
                "InputWindowSizes": one,
                "InputWindowStrides": one,
            },
        },
        open(f"d{n}.json", "w"),
    )
for n in (32, 33):
    h = (
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (" + "1, " * n + "), }"
    ).encode().ljust(240) + b"\n"
    open(f"r{n}.npy", "wb").write(
        b"\x93NUMPY\x01\x00" + len(h).to_bytes(2, "little") + h + b"\0" * 4
    )
'
    run dmlop validate d8.json
    assert_success
    run dmlop validate d9.json
    assert_failure 1
    assert_output --partial "[tensor.dimension-count]"
    run dmlop info r32.npy
    assert_success
    run dmlop info r33.npy
    assert_failure 3
    assert_output --partial "32"
}

@test "1 to 1024 threads" {
    py 'np.save("a.npy", np.arange(6, dtype="f4"))'
    dmlop slice --threads 1024 -q a.npy -o o.npy
    for n in 0 1025 -1 x; do
        run dmlop slice --threads $n a.npy -o o.npy
        assert_failure 2
        assert_output --partial "1 to 1024"
    done
}

@test "peak memory is what the manual's table allows" {
    sanitized && skip "sanitizers take memory of their own"
    py '
import os

MB = 1 << 20
a = np.arange(16 * MB, dtype="f4").reshape(1024, -1)
np.save("a.npy", a)
np.save("f.npy", np.asfortranarray(a))
np.save("t.npy", np.asfortranarray(np.ones((64, 64, 128, 128), "u1")))
np.save("q.npy", np.ones((4096, 4096), "u1"))
np.save("i.npy", np.arange(2 * MB, dtype="i4"))
np.save("l.npy", np.arange(16 * MB, dtype="i4"))
np.savez_compressed("z.npz", a=np.arange(8 * MB, dtype="u1"))
os.system("$DMLOP convert i.npy -o i.json")
for i in range(4):
    os.system(f"$DMLOP slice a.npy --part {i}/4 -o a.npy --no-sync")
    os.system(f"$DMLOP topk -k 4096 a.npy --part {i}/4 --part-axis 1 -o k.npy --no-sync")
open("d.json", "w").write(
    "{\"type\":\"DML_OPERATOR_SLICE1\",\"desc\":{\"Sizes\":[" + "1," * (1 << 20) + "1]}}"
)
open("m.json", "w").write(
    "{ \"resources\": { \"r\": { \"initialValuesDataType\": \"FLOAT32\", \"initialValues\": ["
    + "1," * (2 << 20)
    + "1] } }, \"dispatchables\": {}, \"commands\": [] }"
)
one = {
    "type": "SLICE",
    "InputTensor": {"DataType": "INT8", "Sizes": [2]},
    "OutputTensor": {"DataType": "INT8", "Sizes": [1]},
    "Offsets": [0],
    "Sizes": [1],
    "Strides": [1],
}
slices = {"%x" % i: one for i in range(50000)}
model = {"resources": {}, "dispatchables": slices, "commands": []}
json.dump(model, open("s.json", "w"), separators=(",", ":"))
'
    "$PYTHON" -c '
import os

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
    ("topk -k 8000 --threads 2 a.npy -o o.npy", 2 * A + 2 * 32 * 8000),
    ("topk -k 10 --axis 0 --threads 2 a.npy -o o.npy", A),
    ("topk -k 16384 --threads 2 a.npy -o o.npy --indices x.npy", 3 * A + 16 * 16384 * 2),
    ("topk -k 16777216 --threads 2 l.npy -o o.npy --indices x.npy", 3 * A + 16 * 16 * MB),
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
'
}
