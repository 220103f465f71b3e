# --explain of slice, topk and qmatmul: how one element of the output comes about.
load helper

@test "what --explain prints, whole" {
    golden explain
}

@test "slice: the value is the one that is computed, from files, pipes and every type" {
    py '
import random
from program import printed

random.seed(4)
rng = np.random.default_rng(4)
for trial in range(60):
    t = random.choice(["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4",
                       ">i8"])
    shape = tuple(random.randint(1, 6) for _ in range(random.randint(1, 5)))
    a = rng.integers(0, 256, shape + (np.dtype(t).itemsize,), dtype="u1")
    a = (a & 1 if t == "?" else a).view(t)[..., 0]
    np.save("a.npy", np.asfortranarray(a) if random.random() < 0.3 else a)
    spec = ",".join(random.choice(["::-1", "::2", ":", "::-3", "-1:"]) for _ in shape)
    want = eval("a[" + spec + "]")
    c = tuple(random.randrange(s) for s in want.shape)
    write = [x if random.random() < 0.7 else x - n for x, n in zip(c, want.shape)]
    piped = random.random() < 0.3
    where = " ".join(map(str, write)), "-" if piped else "a.npy"
    out = printed("slice", "--index", spec, "--explain", *where, stdin=open("a.npy"))
    last = out.splitlines()[-1].split(" = ")
    text = lambda c: "[" + ",".join(map(str, c)) + "]"
    assert last[0] == "Output" + text(c), out
    source = tuple(eval(last[1][5:]))
    assert a[source].tobytes() == want[c].tobytes(), out
    v = want[c]
    kind = np.dtype(t).newbyteorder("=").type
    assert (kind(int(last[2]) if last[2].lstrip("-").isdigit() else float(last[2])) == v
            or last[2] == "nan" and v != v), (out, v)
    for i, line in enumerate(out.splitlines()[3:-1]):
        left, right = line.rsplit("  ", 1)[1].split(" = ")
        assert eval(left) == int(right) == source[i], out
'
}

@test "topk: value, index and counts of random elements of every type, against a stable sort" {
    "$PYTHON" "$ROOT/tests/cli/explain_topk.py"
}

@test "qmatmul: the arithmetic of any element, and the value that is computed" {
    "$PYTHON" "$ROOT/tests/cli/explain_products.py"
    n=$SAMPLES/qmatmul-per-row
    dmlop qmatmul -d "$n.desc.json" --a-scale "$n.a-scale.npy" \
        --a-zero-point "$n.a-zero-point.npy" --b-scale "$n.b-scale.npy" \
        --b-zero-point "$n.b-zero-point.npy" --output-scale "$n.output-scale.npy" \
        --output-zero-point "$n.output-zero-point.npy" "$n".{a,b}.npy --explain 1,1
}

@test "qmatmul: a float is printed for what it is, so that the arithmetic adds up" {
    "$PYTHON" "$ROOT/tests/cli/explain_floats.py"
}

@test "coordinates in every notation, and what is none" {
    x=$SAMPLES/slice1-ex1.input.npy
    for bad in x '' 0,0,0, ,0,0,0 '[0,0,0,0' '0,0,0,0]' '[0,0,0,0}' '[0,0,0,0] 1' 1.5,0,0,0 0,0,,0 \
        0,0,0,0x --0,0,0,0; do
        run -2 dmlop slice "$x" --explain="$bad"
        local list="a list of whole numbers, one for each axis of the output"
        assert_output "dmlop: slice: --explain: '$bad' is not $list, which is {1,1,4,4}"
    done
    for c in 0,0,3,3 '0 0 3 3' '[0, 0, 3, 3]' '{0,0,3,3}' '(0, 0, 3, 3)' ' 0 , 0 , 3 , 3 ' \
        0,0,-1,-1; do
        run -0 dmlop slice "$x" --explain "$c"
        assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
    done
    run dmlop slice --explain {0, 0, 3, -1} "$x" # several words of the shell
    assert_line "Output[0,0,3,3] = Input[0,0,3,3] = 16"
}
