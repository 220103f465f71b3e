"""The last good value and the first bad one for each rule of topk and qmatmul. DMLOP is the
program."""
import json

from changes import changed
from program import dmlop


def rules(d, *options):
    json.dump(d, open("d.json", "w"))
    r = dmlop("validate", "--format", "json", *options, "d.json")
    return sorted(x["rule"] for x in json.loads(r.stdout)["files"][0]["findings"]
                  if x["severity"] == "error")


def edited(base, *edits):
    for path, value in edits:
        base = changed(base, ("desc", *path), value)
    return base


T = lambda t, *sizes: {"DataType": t, "Sizes": list(sizes)}
topk = {"type": "DML_OPERATOR_TOP_K1",
        "desc": {"InputTensor": T("FLOAT32", 2, 3, 4), "OutputValueTensor": T("FLOAT32", 2, 2, 4),
                 "OutputIndexTensor": T("UINT32", 2, 2, 4), "Axis": 1, "K": 2,
                 "AxisDirection": "INCREASING"}}
assert rules(topk) == []
for slot, rule in (("OutputValueTensor", "topk.value-sizes"),
                   ("OutputIndexTensor", "topk.index-sizes")):
    for axis, bad in ((0, 1), (0, 3), (1, 1), (1, 3), (2, 3), (2, 5)):
        assert rules(edited(topk, ((slot, "Sizes", axis), bad))) == [rule], (slot, axis, bad)
    for sizes in ([2, 4], [1, 2, 2, 4]):
        assert rules(edited(topk, ((slot, "Sizes"), sizes))) == ["topk.dimension-count"]
k3 = [(("K",), 3), (("OutputValueTensor", "Sizes", 1), 3), (("OutputIndexTensor", "Sizes", 1), 3)]
assert rules(edited(topk, *k3)) == ["topk.k-equals-axis"]
assert rules(edited(topk, *k3), "--relaxed") == []
assert rules(edited(topk, *k3, (("OutputValueTensor", "Sizes", 1), 2)),
             "--relaxed") == ["topk.value-sizes"]
assert rules(edited(topk, *k3, (("K",), 4))) == ["topk.k-exceeds-axis"]
assert rules(edited(topk, (("K",), 0))) == ["topk.k-zero"]
assert rules(edited(topk, (("Axis",), 3))) == ["topk.axis"]
assert rules(edited(topk,
                    (("OutputValueTensor", "DataType"), "FLOAT16"))) == ["topk.data-type-mismatch"]
assert rules(edited(topk, (("OutputIndexTensor", "DataType"), "INT32"))) == ["topk.index-data-type"]
full = {"type": "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY",
        "desc": {
            "ATensor": T("INT8", 2, 6, 3, 4), "AScaleTensor": T("FLOAT32", 1, 1, 3, 1),
            "AZeroPointTensor": T("INT8", 1, 1, 3, 1), "BTensor": T("UINT8", 2, 6, 4, 5),
            "BScaleTensor": T("FLOAT32", 1, 1, 1, 5), "BZeroPointTensor": T("UINT8", 1, 1, 1, 5),
            "OutputScaleTensor": T("FLOAT32", 1, 1, 3, 1),
            "OutputZeroPointTensor": T("INT8", 1, 1, 3, 1), "OutputTensor": T("INT8", 2, 6, 3, 5)}}
assert rules(full) == []
parameters = {"AScaleTensor": ("a-scale", 2, 3), "AZeroPointTensor": ("a-zero-point", 2, 3),
              "BScaleTensor": ("b-scale", 3, 5), "BZeroPointTensor": ("b-zero-point", 3, 5),
              "OutputScaleTensor": ("output-scale", 2, 3),
              "OutputZeroPointTensor": ("output-zero-point", 2, 3)}
for name, (rule, axis, n) in parameters.items():
    one = edited(full, ((name, "Sizes"), [1, 1, 1, 1]))
    assert rules(one) == [], name
    for at in range(4):
        for size in (2, 3, 4, 5, 6):
            want = [] if at == axis and size == n else ["qmatmul." + rule + "-sizes"]
            assert rules(edited(one, ((name, "Sizes", at), size))) == want, (name, at, size)
    for t in ("INT8", "UINT8", "FLOAT32", "INT32"):
        good = t == full["desc"][name]["DataType"]
        want = ([] if good
                else ["qmatmul.scale-data-type" if "scale" in rule
                      else "qmatmul.%s-data-type" % rule])
        assert rules(edited(full, ((name, "DataType"), t))) == want, (name, t)
for slot, axis, want in (("BTensor", 0, ["qmatmul.batch"]), ("BTensor", 1, ["qmatmul.batch"]),
                         ("OutputTensor", 0, ["qmatmul.batch"]),
                         ("OutputTensor", 1, ["qmatmul.batch"]), ("BTensor", 2, ["qmatmul.inner"])):
    for size in (1, 9):
        assert rules(edited(full, ((slot, "Sizes", axis), size))) == want, (slot, axis)
for size in (1, 9):
    assert "qmatmul.output-sizes" in rules(edited(full, (("OutputTensor", "Sizes", 2), size)))
    assert "qmatmul.output-sizes" in rules(edited(full, (("OutputTensor", "Sizes", 3), size)))
for slot in ("ATensor", "BTensor", "OutputTensor"):
    assert "qmatmul.data-type" in rules(edited(full, ((slot, "DataType"), "INT16"))), slot
for slot in ("BTensor", "OutputTensor"):
    for sizes in (full["desc"][slot]["Sizes"][1:], [1] + full["desc"][slot]["Sizes"]):
        assert "qmatmul.dimension-count" in rules(edited(full,
                                                         ((slot, "Sizes"), sizes))), (slot, sizes)
vector = {"type": full["type"], "desc": {n: T(t["DataType"], 1) for n, t in full["desc"].items()}}
assert "qmatmul.dimension-count" in rules(vector)
