"""Three violations at once: each is found as if alone, in text order, and nothing else. Prints how
many violations there are. DMLOP is the program."""
import itertools
import json
from program import dmlop

slice1 = '''{
 "type": "SLICE1",
 "desc": {
  "InputTensor": { "DataType": "FLOAT32", "Sizes": [1, 2, 4, 5],
    "TotalTensorSizeInBytes": 160, "GuaranteedBaseOffsetAlignment": 4 },
  "OutputTensor": { "DataType": "FLOAT32", "Flags": "NONE", "Sizes": [1, 1, 2, 3] },
  "DimensionCount": 4,
  "InputWindowOffsets": [0, 0, 0, 1],
  "InputWindowSizes": [1, 1, 4, 3],
  "InputWindowStrides": [1, 1, 2, 1]
 }
}
'''
topk = '''{
 "type": "TOP_K1",
 "desc": {
  "InputTensor": { "DataType": "INT8", "Sizes": [6, 7], "Strides": [7, 1] },
  "OutputValueTensor": { "DataType": "INT8", "Sizes": [6, 3], "Strides": [3, 1] },
  "OutputIndexTensor": { "DataType": "UINT32", "Sizes": [6, 3], "DimensionCount": 2 },
  "Axis": 1,
  "K": 3,
  "AxisDirection": "INCREASING"
 }
}
'''
cases = [
    (slice1,
     [("160,", "162,"), ("Alignment\": 4", "Alignment\": 6"), ('"NONE"', '"NON"'),
      ("[1, 1, 2, 3]", "[1, 0, 2, 3]"), ("Offsets\": [0, 0, 0, 1]", "Offsets\": [1, 0, 0, 1]"),
      ("[1, 1, 2, 1]", "[1, 1, 0, 1]"), ("\"DimensionCount\"", "\"Note\": 1, \"DimensionCount\""),
      ('"OutputTensor": { "DataType": "FLOAT32"', '"OutputTensor": { "DataType": "INT32"'),
      ("Sizes\": [1, 1, 4, 3]", "Sizes\": [1, 1.0, 4, 3]")]),
    (topk,
     [('"Strides": [7, 1]', '"Strides": [7]'), ('"Strides": [3, 1]', '"Strides": [0, 1]'),
      ("\"DimensionCount\": 2", "\"DimensionCount\": 3"), ("UINT32", "INT32"),
      ('"INCREASING"', '"UP"'), ("[6, 3], \"D", "[5, 3], \"D"),
      ('"OutputValueTensor": { "DataType": "INT8"', '"OutputValueTensor": { "DataType": "UINT8"'),
      ('"Axis": 1', '"Axis": 1, "Axis": 1')])]


def apply(text, edits):
    for a, b in edits:
        assert text.count(a) == 1, a
        text = text.replace(a, b)
    return text


names, want = [], []


def add(text):
    names.append("f%d.json" % len(names))
    open(names[-1], "w").write(text)


for text, edits in cases:
    for n in (1, 3):
        for some in itertools.combinations(edits, n):
            add(apply(text, some))
            want.append(some)
p = dmlop("validate", "--format", "json", *names)
files = json.loads(p.stdout)["files"]
alone = {}
for some, f in zip(want, files):
    found = [(x["rule"], x["pointer"]) for x in f["findings"]]
    places = [(x["line"], x["column"]) for x in f["findings"]]
    assert places == sorted(places), places
    if len(some) == 1:
        assert found, some
        alone[some[0]] = found
    else:
        expected = set().union(*(alone[e] for e in some))
        assert set(found) == expected and len(found) == len(expected), (some, set(found) ^ expected)
print(len(want))
