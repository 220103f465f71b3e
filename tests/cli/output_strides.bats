# validate: which output strides let two elements overlap.
load helper

@test "output strides: many axes are decided; too much for one document is called undecided" {
    "$PYTHON" "$ROOT/tests/cli/output_strides.py"
}

@test "output strides: which overlap, against all elements counted" {
    py '
import itertools
from program import dmlop

rng = np.random.default_rng(11)
one = lambda n: ",".join(["1"] * n)
told = {False: 0, True: 0}
for i in range(160):
    rank = int(rng.integers(1, 5))
    sizes = rng.integers(1, 6, rank)
    strides = rng.integers(1, 14, rank)
    if i % 4 == 0:  # packed in some order, sometimes with one stride off by one
        order = rng.permutation(rank)
        step = 1
        for a in order:
            strides[a] = step
            step *= int(sizes[a])
        if i % 8 == 0:
            strides[rng.integers(rank)] += 1
    places = [int(np.dot(c, strides)) for c in itertools.product(*(range(n) for n in sizes))]
    overlap = len(set(places)) != len(places)
    told[overlap] += 1
    s = ",".join(map(str, sizes))
    open("d.json", "w").write(
        json.dumps({"type": "DML_OPERATOR_SLICE1",
                    "desc": {"InputTensor": {"DataType": "INT8", "Sizes": sizes.tolist()},
                             "OutputTensor": {"DataType": "INT8", "Sizes": sizes.tolist(),
                                              "Strides": strides.tolist()}, "DimensionCount": rank,
                             "InputWindowOffsets": [0] * rank, "InputWindowSizes": sizes.tolist(),
                             "InputWindowStrides": [1] * rank}}))
    r = dmlop("validate", "d.json")
    assert ("[tensor.output-overlap]"
            in r.stdout
            + r.stderr) == overlap and r.returncode == overlap, (sizes, strides, overlap, r)
assert min(told.values()) > 20, told
'
    # strides that no buffer can have
    cat >d.json <<'J'
{"type":"DML_OPERATOR_SLICE1","desc":{
  "InputTensor":{"DataType":"FLOAT64","Sizes":[8,8],"Strides":[4294967295,4294967295]},
  "OutputTensor":{"DataType":"FLOAT64","Sizes":[8,8],"Strides":[4294967295,1]},
  "DimensionCount":2,
  "InputWindowOffsets":[0,0],"InputWindowSizes":[8,8],"InputWindowStrides":[1,1]}}
J
    run -0 dmlop validate d.json
}
