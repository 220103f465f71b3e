"""The last good value and the first bad one for each rule of models. DMLOP is the program, SAMPLES
the folder of samples."""
import json
import os

from changes import changed
from program import dmlop


def load():
    return json.loads("\n".join(l for l in open(os.environ["SAMPLES"] + "/slice.model.json")
                                if not l.startswith("//")))


def check(*edits, command=("validate", "--format", "json")):
    m = load()
    for path, value in edits:
        m = changed(m, path, value)
    json.dump(m, open("m.json", "w"))
    return dmlop(*command, "m.json")


def rules(*edits):
    r = check(*edits)
    assert r.returncode in (0, 1), r
    return sorted(x["rule"] for x in json.loads(r.stdout)["files"][0]["findings"]
                  if x["severity"] == "error")


IN, OUT, D0 = ("resources", "input"), ("resources", "output"), ("dispatchables", "slice", "desc")
BIND = ("commands", 0, "bindings")
assert rules() == []
# the input needs 64 bytes
big = (IN + ("initialValues", "valueCount"), 24)


def part(**v):
    return (BIND + ("InputTensor",), dict(name="input", **v))


assert rules(big, part(elementOffset=8, elementCount=16)) == []
assert rules(big, part(elementOffset=8, elementCount=17)) == ["run.binding-size"]
assert rules(big, part(elementOffset=9)) == ["run.binding-size"]
assert rules(big, part(elementCount=15)) == ["run.binding-size"]
assert rules(big, part(elementOffset=24)) == ["run.binding-size"]
assert rules(big, part(elementOffset=23, elementCount=1)) == ["run.binding-size"]
assert rules(big,
             part(elementOffset=33, elementSizeInBytes=1, elementCount=64)) == ["run.binding-size"]
for huge in (2**62, 2**62 + 16, 2**63 - 1):
    assert rules(big, part(elementOffset=huge)) == ["run.binding-size"]
    assert rules(big, part(elementOffset=0, elementCount=huge)) == ["run.binding-size"]
    assert rules(big, part(elementOffset=huge, elementSizeInBytes=4)) == ["run.binding-size"]
assert rules((IN + ("initialValues", "valueCount"), 15)) == ["run.binding-size"]
# a binding begins at a multiple of 16 bytes, and of GuaranteedBaseOffsetAlignment
assert rules(big, part(elementOffset=4, elementSizeInBytes=4)) == []
assert rules(big, part(elementOffset=3, elementSizeInBytes=4)) == ["run.binding-alignment"]
assert rules(big, part(elementOffset=8, elementSizeInBytes=1)) == ["run.binding-alignment"]
assert rules(big, part(elementOffset=16, elementSizeInBytes=1)) == []
aligned = (D0 + ("InputTensor", "GuaranteedBaseOffsetAlignment"), 32)
assert rules(big, aligned, part(elementOffset=8)) == []
assert rules(big, aligned, part(elementOffset=4)) == ["run.binding-alignment"]
assert rules(big, (D0 + ("InputTensor", "TotalTensorSizeInBytes"), 96)) == []
assert rules(big, (D0 + ("InputTensor", "TotalTensorSizeInBytes"), 100)) == ["run.binding-size"]
# input and output in one resource: side by side, or sharing 16 bytes
both = lambda i, o, n: [
    (IN + ("initialValues", "valueCount"), n), part(elementOffset=i, elementCount=16),
    (BIND + ("OutputTensor",), dict(name="input", elementOffset=o, elementCount=4))]
assert rules(*both(0, 16, 20)) == [] and rules(*both(4, 0, 20)) == []
assert rules(*both(0, 12, 20)) == rules(*both(4, 4, 20)) == ["run.output-overlap"]
# values of several types have no one size
several = (IN, {"initialValues": [{"name": "v", "type": "FLOAT32", "value": i} for i in range(20)]})
assert rules(several) == [] and rules(several, part(elementOffset=1)) == ["desc.field-missing"]
assert rules(several, part(elementOffset=4, elementSizeInBytes=4)) == []
assert rules((IN,
              {"initialValues": [{"name": "v", "type": "UNKNOWN", "value": 1}],
               "sizeInBytes": 64})) == ["run.initial-type"]
assert rules((BIND, 7)) in (["desc.field-type"],
                            ["desc.field-type", "run.tensor-unbound", "run.tensor-unbound"])
assert rules((("commands", 1, "resource"), None)) == ["desc.field-missing"]
assert rules((("commands", 1, "resource"), 7)) == ["desc.field-type"]
assert rules((("commands", 0, "dispatchable"), "none")) == ["run.dispatchable-unknown"]
# sizes of resources
value = lambda **v: (IN + ("initialValues",), v)
assert (rules(value(valueCount=16, valueStart=1)) == ["run.initial-values"]
        == rules(value(valueCount=16, value=1, valueStart=1)))
assert (rules(value(valueCount=16, valueDelta=1)) == ["run.initial-values"]
        == rules(value(valueCount=16, value=1, valueDelta=1)))
for count in (2**61, 2**62, 2**62 + 16, 2**63 - 1):
    assert rules(value(valueCount=count, value=1)) == ["run.resource-size"], count
assert rules((IN + ("sizeInBytes",), 64)) == [] and rules((IN + ("sizeInBytes",), 63)) == [
    "run.resource-size"] == rules((IN + ("sizeInBytes",), 60))
assert rules((IN + ("initialValuesOffsetInBytes",), 4), (IN + ("sizeInBytes",), 68)) == []
assert rules((IN + ("initialValuesOffsetInBytes",), 5),
             (IN + ("sizeInBytes",), 68)) == ["run.resource-size"]
assert rules((IN + ("initialValuesOffsetInBytes",), 2**63 - 1)) == ["run.resource-size"]
assert rules((IN, {"initialValuesDataType": "UINT8", "initialValues": list(range(256))})) == []
assert rules((IN, {"initialValuesDataType": "UINT8", "initialValues": list(range(257))})) == [
    "run.value-range"]
assert rules((IN, {"initialValuesDataType": "INT8", "initialValues": [-128] * 64})) == []
assert set(rules((IN, {"initialValuesDataType": "INT8", "initialValues": [-129] * 64}))) == {
    "run.value-range"}
# an input of 6 bytes takes 8
assert (rules((D0 + ("InputTensor",), {"DataType": "UINT8", "Sizes": [1, 1, 2, 3]}),
              (D0 + ("OutputTensor",), {"DataType": "UINT8", "Sizes": [1, 1, 2, 3]}),
              (D0 + ("InputWindowOffsets",), [0] * 4), (D0 + ("InputWindowSizes",), [1, 1, 2, 3]),
              (D0 + ("InputWindowStrides",), [1] * 4),
              (IN, {"initialValuesDataType": "UINT8", "initialValues": [1] * 6})) == [])
# files
write = lambda path, **v: (("commands", 1),
                           dict(type="writeFile", resource="output", targetPath=path, **v))
for path, want in (("y.npy", []), ("s/y.npy", []), ("..y.npy", []), ("s/..y.npy", []),
                   ("../y.npy", ["run.path-outside"]), ("s/../y.npy", ["run.path-outside"]),
                   ("/y.npy", ["run.path-outside"]), ("s/..", ["run.path-outside"]), (".npy", []),
                   ("y.txt", [])):
    assert rules(write(path)) == want, (path, rules(write(path)))
for dimensions, want in (([4], []), ([2, 2], []), ([3], ["run.dimensions"]),
                         ([5], ["run.dimensions"]), ([1, 1, 4], []),
                         ([4294967295] * 3, ["run.dimensions"])):
    assert rules(write("y.npy", dimensions=dimensions)) == want, dimensions


def sequence(type, count, start, delta):
    """What run prints of a resource that is a sequence."""
    values = {"valueCount": count, "valueStart": start, "valueDelta": delta}
    resource = {"initialValuesDataType": type, "initialValues": values}
    edits = (("resources",), {"r": resource}), (("dispatchables",), {})
    commands = [{"type": "print", "resource": "r"}]
    return check(*edits, (("commands",), commands), command=("run",)).stdout


for t in "INT8 UINT8 INT16 UINT16 INT32 UINT32 INT64 UINT64".split():
    assert sequence(t, 5, 3, 2) == "Resource 'r': 3, 5, 7, 9, 11\n", t
for t in ("FLOAT16", "FLOAT32", "FLOAT64"):
    assert sequence(t, 4, 0.5, 0.25) == "Resource 'r': 0.5, 0.75, 1, 1.25\n", t
# a long one is printed whole
whole = ", ".join(map(str, range(300000)))
assert sequence("INT32", 300000, 0, 1) == "Resource 'r': %s\n" % whole

# an output exactly over an input, if the operator may work in place, and no other overlap
TENSOR = {"DataType": "FLOAT32", "Sizes": [8]}
SUM = {n: TENSOR for n in ("ATensor", "BTensor", "OutputTensor")}
STEP = ("InputParametersTensor", "InputFirstMomentTensor", "InputSecondMomentTensor")
STEP += ("GradientTensor", "OutputParametersTensor", "OutputFirstMomentTensor")
ADAM = {n: TENSOR for n in STEP + ("OutputSecondMomentTensor",)}
ADAM.update(TrainingStepTensor={"DataType": "UINT32", "Sizes": [1]})
ADAM.update({n: 0.5 for n in ("LearningRate", "Beta1", "Beta2", "Epsilon")})


def bound(operator, desc, **places):
    """The rules that a dispatch breaks: tensors lie at a byte of `input`, others in `output`."""
    here = {t: 32 * i for i, t in enumerate(t for t in desc if "Tensor" in t)}
    return rules((IN + ("initialValues", "valueCount"), 80),
                 (OUT + ("initialValues", "valueCount"), 80),
                 (("dispatchables", "slice"), {"type": operator, "desc": desc}),
                 (("commands",),
                  [{"type": "dispatch", "dispatchable": "slice",
                    "bindings": {t: {"name": "input" if t in places else "output",
                                     "elementOffset": places.get(t, at), "elementSizeInBytes": 1}
                                 for t, at in here.items()}}]))


OVERLAP = ["run.output-overlap"]
assert bound("ELEMENT_WISE_ADD", SUM) == []
assert bound("ELEMENT_WISE_ADD", SUM, BTensor=0, OutputTensor=0) == []
assert bound("ELEMENT_WISE_ADD", SUM, ATensor=0, BTensor=0, OutputTensor=0) == []
assert bound("ELEMENT_WISE_ADD", SUM, ATensor=0, BTensor=16, OutputTensor=0) == OVERLAP
assert bound("ELEMENT_WISE_ADD", SUM, BTensor=16, OutputTensor=0) == OVERLAP
larger = dict(SUM, BTensor=dict(TENSOR, Strides=[2]))
assert bound("ELEMENT_WISE_ADD", larger, BTensor=0, OutputTensor=0) == OVERLAP
once = dict(SUM, BTensor=dict(TENSOR, Strides=[0]))
assert bound("ELEMENT_WISE_ADD", once, BTensor=0, OutputTensor=0) == OVERLAP
COPY = {"InputTensor": TENSOR, "OutputTensor": TENSOR}
assert bound("CAST", COPY, InputTensor=0, OutputTensor=0) == OVERLAP
AXES = dict(COPY, AxisCount=1, Axes=[0])
assert bound("ACTIVATION_SOFTMAX1", AXES, InputTensor=0, OutputTensor=0) == OVERLAP
for operator, more in (("ACTIVATION_GELU", {}), ("ACTIVATION_SWISH", {"SigmoidInputScale": 1.0}),
                       ("ACTIVATION_HARD_SWISH", {"Alpha": 0.2, "Beta": 0.5}),
                       ("ELEMENT_WISE_NEGATE", {})):
    assert bound(operator, dict(COPY, **more), InputTensor=0, OutputTensor=0) == [], operator
    assert bound(operator, dict(COPY, **more), InputTensor=16, OutputTensor=0) == OVERLAP, operator
assert bound("ADAM_OPTIMIZER", ADAM) == []
assert bound("ADAM_OPTIMIZER", ADAM, InputParametersTensor=0, OutputParametersTensor=0) == []
assert bound("ADAM_OPTIMIZER", ADAM, TrainingStepTensor=0, OutputParametersTensor=0) == OVERLAP
assert bound("ADAM_OPTIMIZER", ADAM, OutputFirstMomentTensor=0, OutputParametersTensor=0) == OVERLAP
