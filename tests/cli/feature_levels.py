"""Compares what validate --feature-level accepts with the documented tables: operators, dimension
counts, data types and index types. DMLOP is the program."""
import json
import os
from program import dmlop

LEVELS = "1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4".split()
T16 = "FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16".split()
T8 = T16 + ["INT8", "UINT8"]
ALL = T8 + ["FLOAT64", "INT64", "UINT64"]
TABLE = {  # operator: [(level, ranks, types, index types)]
    "SLICE": [
        ("1_0", (4, 5), T16, []), ("2_1", (4, 5), T8, []), ("3_0", (1, 8), T8, []),
        ("4_1", (1, 8), ALL, [])],
    "SLICE1": [("2_1", (4, 5), T8, []), ("3_0", (1, 8), T8, []), ("4_1", (1, 8), ALL, [])],
    "TOP_K": [("2_0", (4, 4), ["FLOAT32", "FLOAT16"], ["UINT32"]), ("2_1", (4, 4), T8, ["UINT32"]),
              ("3_1", (1, 8), T8, ["UINT32"]),
              ("5_0", (1, 8), T8 + ["INT64", "UINT64"], ["UINT32", "UINT64"])],
    "TOP_K1": [("2_1", (4, 4), T8, ["UINT32"]), ("3_1", (1, 8), T8, ["UINT32"]),
               ("5_0", (1, 8), T8 + ["INT64", "UINT64"], ["UINT32", "UINT64"])],
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": [
        ("2_1", (4, 4), [(4, 4)], []), ("4_0", (2, 4), [(1, 4)], [])]}


def tensor(t, rank, last=2):
    return {"DataType": t, "Sizes": [1] * (rank - 1) + [last]}


def make(op, rank, t, it="UINT32", parameter=1):
    if op.startswith("SLICE"):
        p = "" if op == "SLICE" else "InputWindow"
        d = {"InputTensor": tensor(t, rank), "OutputTensor": tensor(t, rank),
             "DimensionCount": rank, p + "Offsets": [0] * rank, p + "Sizes": [1] * (rank - 1) + [2],
             p + "Strides": [1] * rank}
    elif op.startswith("TOP_K"):
        d = {"InputTensor": tensor(t, rank), "OutputValueTensor": tensor(t, rank, 1),
             "OutputIndexTensor": tensor(it, rank, 1), "Axis": rank - 1, "K": 1}
        if op == "TOP_K1":
            d["AxisDirection"] = "INCREASING"
    else:
        scale = tensor("FLOAT32", parameter, 1)
        d = {"ATensor": tensor("INT8", rank, 1), "AScaleTensor": scale,
             "BTensor": tensor("INT8", rank), "BScaleTensor": scale, "OutputScaleTensor": scale,
             "OutputTensor": tensor("INT8", rank)}
    return {"type": "DML_OPERATOR_" + op, "desc": d}


names, cases = [], {}
os.mkdir("d")
for op, rows in TABLE.items():
    q = op[0] == "Q"
    for rank in range(2 if q else 1, 9):
        for x in range(1, 9) if q else ALL:
            for it in ["UINT32", "UINT64"] if op[0] == "T" else [""]:
                if not q and rank not in (1, 3, 4, 5, 6, 8) or q and (rank > 5 or x > 5):
                    continue
                if rank not in (4, 6) and x not in ("FLOAT32", "INT8") and not q:
                    continue
                name = "d/%s-%d-%s-%s.json" % (op, rank, x, it)
                json.dump(make(op, rank, "INT8" if q else x, it, x if q else 1), open(name, "w"))
                cases[name] = (op, rank, x, it)


def want(op, rank, x, it, level):
    rows = [r for r in TABLE[op] if LEVELS.index(r[0]) <= LEVELS.index(level)]
    if not rows:
        return {"support.operator"}
    _, ranks, types, index = rows[-1]
    bad = set()
    if op[0] == "Q":
        lo, hi = types[0]
        if not ranks[0] <= rank <= ranks[1] or not lo <= x <= hi:
            bad.add("support.dimension-count")
    else:
        if not ranks[0] <= rank <= ranks[1]:
            bad.add("support.dimension-count")
        if x not in types:
            bad.add("support.data-type")
        if it and it not in index:
            bad.add("topk.index-data-type")
    return bad


n = 0
for level in LEVELS:
    out = dmlop("validate", "--feature-level", level, "--format", "json", *list(cases)).stdout
    found = {}
    for f in json.loads(out)["files"]:
        found[f["file"]] = {x["rule"] for x in f["findings"] if x["severity"] == "error"}
    for name, case in cases.items():
        if want(*case, level) == {"support.operator"}:
            assert "support.operator" in found[name], (name, level, found[name])
        else:
            assert found[name] == want(*case, level), (name, level, found[name], want(*case, level))
        n += 1
assert n == 3000, n
