#!/usr/bin/env python3
"""Descriptors that programs make, and refusals that people reported: real.py valid | refused.

tests/operators/real/ has a JSON file for each program, and in it a line for each descriptor: the
function that makes it, its feature level, its operator and its fields. A tensor is written as
"f32 1,3,4 / 12,4,1 owned", its type, sizes, strides and the flag OWNED_BY_DML; "+4" is a larger
size in bytes. Programs fill in a tensor's DimensionCount and TotalTensorSizeInBytes by one formula,
and so does tensor().

valid: dmlop accepts each at its level, except those in REFUSED_YET.
refused: of each of refusals.json, an error is at the place that the report explains, and says so,
except for those in MISSED_YET."""

import glob
import json
import math
import os
import re
import sys
import tempfile
from program import ROOT, dmlop

FOLDER = os.path.join(ROOT, "tests", "operators", "real")
KINDS = {"f": "FLOAT", "i": "INT", "u": "UINT"}
TENSOR = re.compile(r"([fiu])(\d+) ([\d,]+)(?: / ([\d,]+))?( \+4)?( owned)?$")
NEEDED = {"descriptors": 240, "operators": 110, "refusals": 30}

# Valid ones that are refused as yet, with the rule that is wrong.
REFUSED_YET = {}
# Refusals that nothing names as yet, with the rule that is missing.
MISSED_YET = {}


def tensor(strided, kind, bits, sizes, strides, more, owned):
    sizes = [int(n) for n in sizes.split(",")]
    result = {"DataType": KINDS[kind] + bits, "DimensionCount": len(sizes), "Sizes": sizes}
    packed = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    last = math.prod(sizes)
    if strides or strided:
        result["Strides"] = [int(n) for n in strides.split(",")] if strides else packed
        last = 1 + sum((n - 1) * s for n, s in zip(sizes, result["Strides"]))
    result["TotalTensorSizeInBytes"] = (last * int(bits) + 31) // 32 * 4 + int(more or 0)
    if owned:
        result["Flags"] = "DML_TENSOR_FLAG_OWNED_BY_DML"
    return result


def whole(value, strided=False):
    """VALUE with all tensors in it written out; STRIDED: also strides of packed tensors."""
    if isinstance(value, dict):
        return {key: whole(item, strided) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item, strided) for item in value]
    match = TENSOR.match(value) if isinstance(value, str) else None
    return tensor(strided, *match.groups()) if match else value


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def descriptors():
    """All descriptors: file, function, feature level, descriptor."""
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.json"))):
        name = os.path.basename(path)
        if name == "refusals.json":
            continue
        data = read(name)
        for function, level, operator, fields in data["descriptors"]:
            desc = whole(fields, data.get("strides", False))
            yield name, function, level, {"type": "DML_OPERATOR_" + operator, "desc": desc}


def findings(texts, level):
    """What dmlop says of each text at LEVEL, errors only."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, text in enumerate(texts):
            paths.append(os.path.join(folder, "%d.json" % i))
            with open(paths[-1], "w", encoding="utf-8") as file:
                json.dump(text, file)
        options = "--format", "json", "--feature-level", level
        result = dmlop("validate", *options, *paths)
    if result.returncode not in (0, 1):
        sys.exit(result.stderr)
    files = json.loads(result.stdout)["files"]
    return [[f for f in file["findings"] if f["severity"] == "error"] for file in files]


def enough(what, count):
    if count < NEEDED[what]:
        sys.exit("%d %s, but %d are needed" % (count, what, NEEDED[what]))


def valid():
    rows = list(descriptors())
    enough("descriptors", len(rows))
    enough("operators", len({row[3]["type"] for row in rows}))
    bad, refused = [], set()
    for level in sorted({row[2] for row in rows}):
        at_level = [row for row in rows if row[2] == level]
        for row, found in zip(at_level, findings([row[3] for row in at_level], level)):
            key = "%s: %s" % (row[3]["type"].replace("DML_OPERATOR_", ""), row[1])
            if found:
                refused.add(key)
                if key not in REFUSED_YET:
                    bad += ["%s: %s (%s)" % (row[0], key, level)]
                    bad += ["    %(pointer)s: %(message)s [%(rule)s]" % f for f in found]
    bad += ["not refused any more: " + key for key in sorted(set(REFUSED_YET) - refused)]
    return bad


def refused():
    reports = read("refusals.json")["refusals"]
    enough("refusals", len(reports))
    bad, missed = [], set()
    for report in reports:
        operator, place, word = report["operator"], report["place"], report["word"]
        text = {"type": "DML_OPERATOR_" + operator, "desc": whole(report["desc"])}
        found = findings([text], report.get("level", "6_4"))[0]
        if any(f["pointer"] == place and word in f["message"] for f in found):
            continue
        missed.add(report["report"])
        if report["report"] not in MISSED_YET:
            bad += ["%s: no error at %s with '%s'" % (report["report"], place, word)]
            bad += ["    %(pointer)s: %(message)s [%(rule)s]" % f for f in found]
    bad += ["not missed any more: " + key for key in sorted(set(MISSED_YET) - missed)]
    return bad


if __name__ == "__main__":
    BAD = {"valid": valid, "refused": refused}[sys.argv[1]]()
    sys.exit("\n".join(BAD) if BAD else 0)
