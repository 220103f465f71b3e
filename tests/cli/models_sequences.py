"""Sequences of models: the values that repeated addition gives in each type, as NumPy adds, and the
first one that is not finite."""

import json
import random

import numpy as np
from program import dmlop

names = {t: np.dtype(t.lower()) for t in "FLOAT16 FLOAT32 FLOAT64".split()}
names.update({s + "INT%d" % b: np.dtype(s.lower() + "int%d" % b)
              for s in ("", "U") for b in (8, 16, 32, 64)})


def model(name, count, start, delta):
    return json.dumps(
        {"resources": {"x": {"initialValuesDataType": name,
                             "initialValues": {"valueCount": count, "valueStart": start,
                                               "valueDelta": delta}}}, "dispatchables": {},
         "commands": [{"type": "writeFile", "resource": "x", "targetPath": "x.bin"}]})


def dmlop_values(name, count, start, delta):
    """The elements that dmlop writes, and where it says that they leave the type's range."""
    r = dmlop("run", "-", "-o", ".", input=model(name, count, start, delta))
    assert r.returncode == 0, r.stderr
    at = r.stderr.split("element ")[1].split()[0] if "run.sequence-range" in r.stderr else None
    return np.fromfile("x.bin", names[name].newbyteorder("<"), count), at


def added(name, count, start, delta):
    t = names[name].type
    value, step = t(start), t(delta)
    values = np.empty(count, names[name])
    with np.errstate(all="ignore"):
        for i in range(count):
            values[i] = value
            value = t(value + step)
    return values


def check(name, count, start, delta):
    got, at = dmlop_values(name, count, start, delta)
    want = added(name, count, start, delta)
    assert got.tobytes() == want.astype(got.dtype).tobytes(), (name, count, start, delta)
    if names[name].kind == "f":
        infinite = np.flatnonzero(~np.isfinite(want))
        assert at == (str(infinite[0]) if len(infinite) else None), (name, start, delta, at)


got, _ = dmlop_values("FLOAT32", 16, 0.1, 0.1)
assert [str(got[i]) for i in (7, 9, 15)] == ["0.8000001", "1.0000001", "1.6000003"], got
for name in names:
    check(name, 300, 1, 3)
    check(name, 300, 100, 27 if name[0] == "U" else -27)
    check(name, 7, 0, 0)
for name, most in ("FLOAT16", 65504.0), ("FLOAT32", float(np.finfo("f4").max)), (
    "FLOAT64", float(np.finfo("f8").max)):
    check(name, 3000, 0.1, 0.1)
    check(name, 3000, -1.7, 0.3)
    check(name, 3000, most, -most / 1000)
    check(name, 3000, most / 2, most / 2000)
    check(name, 3000, -most, most / 777)
    check(name, 3000, 0, most / 2900)
    check(name, 60, 0, float(np.finfo(names[name]).smallest_subnormal))
check("FLOAT16", 20000, -2050, 1)
check("FLOAT16", 70000, 1, -0.01)
rng = random.Random(1)
for _ in range(60):  # as many binades as there are
    name = rng.choice(["FLOAT16", "FLOAT32", "FLOAT64"])
    top = {"FLOAT16": 15, "FLOAT32": 127, "FLOAT64": 1023}[name]
    start = rng.choice([-1, 1]) * (1 + rng.random()) * 2.0 ** (top - rng.randrange(14))
    delta = rng.choice([-1, 1]) * (1 + rng.random()) * 2.0 ** (top - rng.randrange(6, 12))
    if abs(start) <= float(np.finfo(names[name]).max):
        check(name, 3000, start, delta)

# As many steps as no memory has room for are counted, too: a delta of 1.5 units in the last place
# of the second largest binade, where each sum is a tie; 2^128 is reached after 13/12 * 2^24 steps.
for name, delta, first in ("FLOAT32", 2.0**103 * 1.5, 18175318), (
    "FLOAT64", 2.0**970 * 1.5, 9757799192636075):
    r = dmlop("validate", "-", input=model(name, (1 << 60) - 2, 0, delta))
    assert "element %d of" % first in r.stdout, (first, r.stdout)
