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
    run -3 dmlop slice -d past.json "$SAMPLES/slice1-ex1.input.npy" -o o.npy
    assert_output --partial "past.json: the text is longer than 64 MiB"
    run -3 dmlop validate past.json
    assert_output --partial "past.json: the text is longer than 64 MiB"
    refute_output --partial "valid ("
    run -3 dmlop validate model.json
    assert_output --partial "model.json: the text is longer than 1024 MiB"
}

@test "JSON nests 64 deep" {
    py '
for n in (64, 65):
    open(f"t{n}.json", "w").write("{\"x\":" + "[" * (n - 1) + "1" + "]" * (n - 1) + "}")
    open(f"v{n}.json", "w").write("[" * n + "1" + "]" * n)'
    finds "[desc.operator-missing]" t64.json
    finds "more than 64 levels deep" t65.json
    for n in 64 65; do
        run -3 dmlop slice v$n.json -o o.npy
        assert_equal "${#lines[@]}" 1
    done
}

@test "a key has at most 1024 bytes with its quotes" {
    for n in 1022 1023; do
        py "open('k$n.json', 'w').write('{\"resources\": {\"' + 'a' * $n + '\": 0}}')"
    done
    run dmlop validate k1022.json
    refute_output --partial "longer"
    run -1 dmlop validate k1023.json
    assert_output --partial "k1023.json:1:16: error: a key is longer than 1024 bytes [json.syntax]"
}

@test "10000 findings are kept, whatever is asked for; all are counted" {
    py '
model = "{\"resources\":{},\"dispatchables\":{},\"commands\":[%s]}"
open("c.json", "w").write(model % ",".join(["{}"] * 30000 + ["{\"type\":\"no\"}"]))'
    for n in 0 1000000000 10000; do
        dmlop validate --max-findings $n c.json >found || [ $? = 1 ]
        grep -qx "c.json: 30001 errors; 10000 of them shown, see --max-findings" found
        assert_equal "$(grep -c "lacks type" found)" 10000
    done
    dmlop validate --max-findings 7 --format json c.json >f.json || [ $? = 1 ]
    py '
f = json.load(open("f.json"))["files"][0]
assert f["errors"] == 30001
assert [x["pointer"] for x in f["findings"]] == ["/commands/%d" % i for i in range(7)]'
}

@test "a text of unknown names takes seconds" {
    sanitized && skip "sanitizers are slow"
    expensive
    py '
import random

random.seed(1)

def name():
    return "".join(random.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", k=50))

def write(path, resources, dispatchables, commands):
    open(path, "w").write(
        "{\"resources\":{%s},\"dispatchables\":{%s},\"commands\":[%s]}"
        % tuple(map(",".join, (resources, dispatchables, commands)))
    )

some = ["\"%s\":{\"sizeInBytes\":4}" % name() for i in range(60)]
write("o.json", [], ["\"%d\":{\"type\":\"%s\"}" % (i, name()) for i in range(60000)], [])
prints = ["{\"type\":\"print\",\"resource\":\"%s\"}" % name() for i in range(60000)]
write("p.json", some, [], prints)
first = [k for i in range(30000) for k in ("%x" % i, "%x" % -i)]
write("d.json", ["\"a\":{%s}" % ",".join("\"%s\":0" % k for k in first[::-1] + first)], [], [])

def join(path, tensor):
    tensors = ",".join(tensor % i for i in range(120000))
    open(path, "w").write(
        "{\"type\":\"JOIN\",\"desc\":{\"Axis\":1,\"InputTensors\":[%s]}}" % tensors
    )

join("k.json", "{\"DataTyp\":\"FLOAT3\",\"Size\":[1,%d]}")
join("s.json", "{\"DataType\":\"FLOAT32\",\"Sizes\":[%d],\"Strides\":[1,2]}")'
    for f in o p d k s; do
        run -1 timeout 25 "$DMLOP" validate --max-findings 0 $f.json
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
                "InputTensor": t, "OutputTensor": t, "DimensionCount": n,
                "InputWindowOffsets": zero, "InputWindowSizes": one, "InputWindowStrides": one
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
    run -0 dmlop validate d8.json
    finds "[tensor.dimension-count]" d9.json
    run -0 dmlop info r32.npy
    refuses 3 "32" info r33.npy
}

# reads_member STATUS FILE: exits with the status, 3 because of the ratio of sizes.
reads_member() {
    run dmlop info --stats "$2.npz:a"
    [ "$status" = "$1" ] || fail "status $status of $2: $output"
    [ "$status" = 0 ] || assert_output --partial "more than 200 times"
}

@test "200 times what an archive has of a member, whatever its directory says" {
    dmlop info none.npz:a 2>&1 | grep -q libzip && skip "no libzip"
    py '
import io, struct, zipfile

SIZE = 260 << 20


def archive(name, noise):
    data = np.zeros(SIZE, "u1")
    data[:noise] = np.random.default_rng(0).integers(0, 256, noise, dtype="u1")
    np.savez_compressed(name, a=data)
    with open(name, "rb") as f:
        return f.read()


def claim(text, local, central):
    """The sizes of the member in its header and in the directory; None: as they are."""
    text = bytearray(text)
    for magic, at, size in ((b"PK\1\2", 20, central), (b"PK\3\4", 18, local)):
        start = text.rindex(magic) if magic == b"PK\1\2" else 0
        if size is not None:
            struct.pack_into("<I", text, start + at, size)
    return text


def pad(text, n):
    """The same with n bytes between the member and the directory."""
    start = text.rindex(b"PK\1\2")
    end = bytearray(text[start:])
    struct.pack_into("<I", end, end.rindex(b"PK\5\6") + 16, start + n)
    return text[:start] + bytes(n) + end


def put(name, text):
    with open(name + ".npz", "wb") as f:
        f.write(text)


text = archive("honest.npz", 0)
put("beyond", claim(text, None, 10 << 20))
put("padded", claim(pad(text, 10 << 20), None, 10 << 20))
put("both", claim(pad(text, 10 << 20), 10 << 20, 10 << 20))
archive("enough.npz", 2 << 20)
'
    reads_member 3 honest
    reads_member 3 beyond
    reads_member 3 padded
    reads_member 3 both
    reads_member 0 enough
}

@test "1 to 1024 threads" {
    dmlop make --sizes 6 --range -o a.npy
    dmlop slice --threads 1024 -q a.npy -o o.npy
    for n in 0 1025 -1 x; do
        refuses 2 "1 to 1024" slice --threads $n a.npy -o o.npy
    done
}

@test "peak memory is what the manual's table allows" {
    sanitized && skip "sanitizers take memory of their own"
    expensive
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
open("d.json", "w").write("{\"type\":\"DML_OPERATOR_SLICE1\",\"desc\":{\"Sizes\":["
                          + "1," * (1 << 20) + "1]}}")
open("m.json", "w").write(
    "{ \"resources\": { \"r\": { \"initialValuesDataType\": \"FLOAT32\", \"initialValues\": ["
    + "1," * (2 << 20) + "1] } }, \"dispatchables\": {}, \"commands\": [] }")
one = {"type": "SLICE", "InputTensor": {"DataType": "INT8", "Sizes": [2]},
       "OutputTensor": {"DataType": "INT8", "Sizes": [1]}, "Offsets": [0], "Sizes": [1],
       "Strides": [1]}
slices = {"%x" % i: one for i in range(50000)}
model = {"resources": {}, "dispatchables": slices, "commands": []}
json.dump(model, open("s.json", "w"), separators=(",", ":"))
model = "{\"resources\":{%s},\"dispatchables\":{},\"commands\":[%s]}"
open("c.json", "w").write(model % ("", ",".join(["{}"] * 1000000)))
open("b.json", "w").write(model % (",".join(["\"\":0"] * 500000), ""))
keys = ",".join("\"%x\":0" % i for i in range(50000))
open("k.json", "w").write(model % ("\"" + "a" * 1022 + "\":{" + keys + "}", ""))
open("n.json", "w").write(model % (",".join("a%x:0" % i for i in range(200000)), ""))
'
    "$PYTHON" "$ROOT/tests/cli/limits_memory.py"
}

@test "peak memory is what the table allows for what chance chooses" {
    sanitized && skip "sanitizers take memory of their own"
    expensive
    run -0 "$PYTHON" "$ROOT/tests/cli/limits_random.py" 45 4
    assert_output ""
    run -0 "$PYTHON" "$ROOT/tests/cli/limits_random.py" 45 8 found
    assert_output ""
}
