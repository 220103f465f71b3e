"""Which output strides validate can decide on, and which it calls undecided. DMLOP is the
program."""
import json
from program import dmlop


def desc(sizes, strides):
    return {"type": "DML_OPERATOR_SLICE1",
            "desc": {"InputTensor": {"DataType": "INT8", "Sizes": sizes},
                     "OutputTensor": {"DataType": "INT8", "Sizes": sizes, "Strides": strides},
                     "DimensionCount": len(sizes), "InputWindowOffsets": [0] * len(sizes),
                     "InputWindowSizes": sizes, "InputWindowStrides": [1] * len(sizes)}}


def validate(what, *options):
    json.dump(what, open("d.json", "w"))
    return dmlop("validate", "--color=never", *options, "d.json")


apart = [2724573685, 2418525393, 3242996797, 2653940617, 4275361147]
r = validate(desc([84] * 5, apart))
assert r.returncode == 0 and "warning" not in r.stdout + r.stderr, r
s = [3242996797, 2724573685, 4275361147, 2418525393, 2653940617, 3000000019, 2999999929]
for sizes, strides, word in [
    ([2, 2, 40, 40], [5000, 5000, 40, 1], "error"),
    ([5, 5] + [20] * 6, [1, 1] + [25 * 20**i for i in range(6)], "error"),
    ([5, 5] + [20] * 6, [5, 6] + [45 * 20**i for i in range(6)], "valid"),
    ([16] * 8, s + [s[0] + s[1] - s[2]], "error"),
    ([40] * 6, s[:5] + [s[0] + s[1] - s[2]], "error"),
    ([1 << 15, 1 << 15], [(1 << 15) - 1, (1 << 15) - 2], "error"),
    ([1 << 15, 1 << 15], [1 << 15, (1 << 15) - 1], "valid"),
    ([1 << 15, 1 << 15], [(1 << 15) + 1, 1 << 15], "valid"),
    ([2, 1 << 30], [(1 << 30) - 1, 1], "error"), ([3, 1 << 30], [1 << 30, 1], "valid")]:
    r = validate(desc(sizes, strides))
    assert word in r.stdout + r.stderr and r.returncode == (word == "error"), (sizes, strides, r)
names = [f"o{i}" for i in range(40)]
model = {"resources": {}, "dispatchables": {n: desc([84] * 5, apart) for n in names},
         "commands": []}
r = validate(model, "--max-findings", "0")
text = r.stdout + r.stderr
assert "error" not in "".join(l for l in text.splitlines() if "[tensor.output-overlap]" in l), r
assert 20 < text.count("could not be decided [tensor.output-overlap]") < 40, r
HINT = "hint: use strides each of which is larger than all that the smaller ones reach"
assert text.count(HINT) == text.count("could not be decided"), r
# What is wrong beyond doubt further on stays an error.
model["dispatchables"]["z"] = desc([2], [0])
r = validate(model, "--max-findings", "0")
assert "error: OutputTensor.Strides[0] is 0" in r.stdout + r.stderr and r.returncode == 1, r
