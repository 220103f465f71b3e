"""Tensors with an element for each channel, given as vectors: the hint has sizes with which the
descriptor is valid. All operators' templates are tried, and some shapes by hand."""

import copy
import json
import os
import re
from program import dmlop

HERE = os.path.dirname(os.path.abspath(__file__))


def validate(desc):
    """The exit status, and (the tensor, the hint) of each finding."""
    done = dmlop("validate", "--format", "json", "-", input=json.dumps(desc))
    findings = json.loads(done.stdout)["files"][0]["findings"]
    return done.returncode, [(f["pointer"].split("/")[2], f["hint"]) for f in findings]


def numbers(text):
    return [int(n) for n in text.split(",")]


def follow(desc, names):
    """Makes these tensors vectors, and then what the hints say."""
    for name in names:
        tensor = desc["desc"][name]
        tensor["Sizes"] = [max(tensor["Sizes"])]
        tensor.pop("Strides", None)
    status, hints = validate(desc)
    assert status == 1, (desc, hints)
    assert sorted(n for n, _ in hints) == sorted(names), (names, hints)
    for name, hint in hints:
        found = re.match(r"use \{([\d,]+)\}(?: with Strides \{([\d,]+)\})?", hint)
        assert found, (name, hint)
        desc["desc"][name]["Sizes"] = numbers(found[1])
        if found[2]:
            desc["desc"][name]["Strides"] = numbers(found[2])
    assert validate(desc) == (0, []), (desc, hints, validate(desc))
    return {name: desc["desc"][name] for name in names}


def template(name):
    text = dmlop("validate", "--template=DML_OPERATOR_" + name).stdout
    return json.loads(re.sub(r",(\s*[]}])", r"\1", re.sub(r"(?m)^\s*//.*$", "", text)))


def is_per_channel(value):
    sizes = value.get("Sizes", []) if isinstance(value, dict) else []
    return len(sizes) > 2 and sizes[1] > 1 and [1] * len(sizes) == [sizes[0], 1, *sizes[2:]]


tried = 0
for file in sorted(os.listdir(HERE + "/../../src/desc/operators")):
    operator = template(file.removesuffix(".json"))
    tensors = [k for k, v in operator["desc"].items() if is_per_channel(v)]
    if "CONVOLUTION" not in file and "NORMALIZATION" not in file:
        continue  # sizes of other meanings may look like that
    for some in [[name] for name in tensors] + [tensors] * (len(tensors) > 1):
        print(file, some, follow(copy.deepcopy(operator), some))
        tried += 1
assert tried > 20, tried


def tensor(*sizes, type="FLOAT32"):
    return {"DataType": type, "Sizes": list(sizes)}


def check(name, fields, vectors, want):
    got = follow({"type": "DML_OPERATOR_" + name, "desc": copy.deepcopy(fields)}, vectors)
    for vector in vectors:
        assert got[vector]["Sizes"] == want[0], got
        assert got[vector].get("Strides") == want[1], got


big = tensor(2, 64, 7, 7)
norm = {n + "Tensor": tensor(64) for n in ("Mean", "Variance", "Scale", "Bias")}
fields = {"InputTensor": big, **norm, "OutputTensor": big, "Spatial": True, "Epsilon": 1e-5}
check("BATCH_NORMALIZATION", fields, list(norm), ([1, 64, 1, 1], None))
square = tensor(2, 64, 7, 64)
fields = {**fields, "InputTensor": square, "OutputTensor": square}
check("BATCH_NORMALIZATION", fields, list(norm), ([1, 64, 1, 1], None))
whole = ([2, 64, 7, 7], [0, 1, 0, 0])
fields = {"InputTensor": big, "SlopeTensor": tensor(64), "OutputTensor": big}
check("ACTIVATION_PARAMETERIZED_RELU", fields, ["SlopeTensor"], whole)
fields = {"InputTensor": tensor(2, 64, 7, 7, type="UINT8"), "ScaleTensor": tensor(64),
          "ZeroPointTensor": tensor(64, type="UINT8"), "OutputTensor": big}
check("ELEMENT_WISE_DEQUANTIZE_LINEAR", fields, ["ScaleTensor", "ZeroPointTensor"], whole)
