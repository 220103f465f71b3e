#!/usr/bin/env python3
"""All operators of DirectML, as `validate` checks them: operators.py COMMAND [FILE].

templates: the template of every operator is valid at every feature level that has the operator.
pages: the examples of the reference pages are valid (operators_examples.py).
faults: a program plants one fault in a valid descriptor, at every place: a size, a data type, a
rank, a count, the name of a value, a missing or misspelt field, a value of another JSON type, a
number out of the range of its C type. A fault is found if an error leads to its place, or to a
tensor that depends on it; the share NEEDED must be found. FILE gets the list of the others.
fixes: --fix never changes right values and leaves errors.
schemas: the JSON Schemas accept all these valid descriptors, and refuse many of the faults.

The tables in src/desc/operators have the fields, types and ranks, but not the sizes that fit
together."""

import collections
import glob
import json
import os
import re
import sys
import tempfile

from changes import changed
from operators_examples import MORE, PAGES
from program import ROOT, dmlop, printed

NEEDED = 0.99
FIXED = ("size", "data type", "other data type", "rank", "count")  # kinds of faults
BATCH = 800  # files a call
LAST = "6_4"
TYPES = ["FLOAT32", "FLOAT16", "FLOAT64", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16",
         "UINT32", "UINT64"]
TENSORS = ("tensor", "tensor_array")
ARRAYS = ("uint_array", "int_array", "float_array")

# Tensors of which any size is as valid as another, at all axes or at some.
ANY_SIZE = {
    "FILL_VALUE_CONSTANT": ["OutputTensor"],
    "FILL_VALUE_SEQUENCE": ["OutputTensor"],
    "RANDOM_GENERATOR": ["OutputTensor"],
    "DIAGONAL_MATRIX": ["OutputTensor"],
    "MAX_UNPOOLING": ["OutputTensor"],
    "ONE_HOT": ["ValuesTensor"],
    "RESAMPLE": ["InputTensor", "OutputTensor"],
    "RESAMPLE1": ["InputTensor", "OutputTensor"],
    "RESAMPLE2": ["InputTensor", "OutputTensor"],
    "RESAMPLE3": ["InputTensor", "OutputTensor"],
    "RESAMPLE_GRAD": ["InputGradientTensor", "OutputGradientTensor"],
    "RESAMPLE_GRAD1": ["InputGradientTensor", "OutputGradientTensor"],
    "SLICE": ["InputTensor"],
    "SLICE1": ["InputTensor"],
    "SLICE_GRAD": ["OutputGradientTensor"]}  # a larger one
ANY_SIZE_AT = {"ROI_POOLING": {"InputTensor": [0, 2, 3]},
               "ROI_ALIGN": {"InputTensor": [0, 2, 3], "OutputTensor": [2, 3]},
               "ROI_ALIGN1": {"InputTensor": [0, 2, 3], "OutputTensor": [2, 3]},
               "ROI_ALIGN_GRAD": {"InputGradientTensor": [2, 3]}}
# The same along Axis or Axes.
ANY_SIZE_ALONG_AXIS = {"ARGMIN": "InputTensor", "ARGMAX": "InputTensor", "REDUCE": "InputTensor",
                       "GATHER": "InputTensor", "GATHER_ELEMENTS": "InputTensor",
                       "ONE_HOT": "OutputTensor", "TOP_K": "InputTensor", "TOP_K1": "InputTensor"}
# Each size is that of another tensor or 1.
BROADCAST = {"Mean": "Input", "Variance": "Input", "Scale": "Input", "Bias": "Input", "AScale": "A",
             "AZeroPoint": "A", "BScale": "B", "BZeroPoint": "B", "OutputScale": "Output",
             "OutputZeroPoint": "Output"}
# Sizes of 1 may precede the others.
ATTENTION = ["QueryTensor", "KeyTensor", "ValueTensor", "BiasTensor", "MaskTensor",
             "RelativePositionBiasTensor", "PastKeyTensor", "PastValueTensor", "OutputTensor",
             "OutputPresentKeyTensor", "OutputPresentValueTensor"]
ANY_LEADING_ONES = {
    "FILL_VALUE_CONSTANT": ["OutputTensor"],
    "FILL_VALUE_SEQUENCE": ["OutputTensor"],
    "RANDOM_GENERATOR": ["OutputTensor"],
    "DIAGONAL_MATRIX": ["OutputTensor"],
    "ADAM_OPTIMIZER": ["TrainingStepTensor"],
    "NONZERO_COORDINATES": ["InputTensor", "OutputCountTensor", "OutputCoordinatesTensor"],
    "QUANTIZED_LINEAR_AVERAGE_POOLING": [
        "InputScaleTensor", "InputZeroPointTensor", "OutputScaleTensor", "OutputZeroPointTensor"],
    "ROI_ALIGN": ["ROITensor", "BatchIndicesTensor"],
    "ROI_ALIGN1": ["ROITensor", "BatchIndicesTensor"],
    "ROI_ALIGN_GRAD": ["ROITensor", "BatchIndicesTensor", "OutputROIGradientTensor"],
    "MULTIHEAD_ATTENTION": ATTENTION,
    "MULTIHEAD_ATTENTION1": ATTENTION,
    "FOLD": ["InputTensor"],
    "UNFOLD": ["OutputTensor"]}


def tables():
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "desc", "operators", "*.json"))):
        with open(path, encoding="utf-8") as f:
            table = json.load(f)
        found[table["operator"]] = table
    return found


def levels():
    with open(os.path.join(ROOT, "src", "desc", "schema.h"), encoding="utf-8") as f:
        return re.findall(r'\bX\((\d_\d)\)', f.read())


def template(name):
    text = printed("validate", "--template", name)
    return text, json.loads(re.sub(r"^ *//.*$", "", text, flags=re.M))


def validate(texts, level=LAST):
    """What validate finds in each text."""
    found = []
    with tempfile.TemporaryDirectory(prefix="operators.") as folder:
        for start in range(0, len(texts), BATCH):
            names = []
            for i, text in enumerate(texts[start : start + BATCH]):
                names.append("%d.json" % i)
                with open(os.path.join(folder, names[-1]), "w", encoding="utf-8") as f:
                    f.write(text)
            options = "--format", "json", "--feature-level", level
            run = dmlop("validate", *options, *names, cwd=folder)
            if run.returncode not in (0, 1):
                sys.exit("status %d: %s" % (run.returncode, run.stderr))
            files = json.loads(run.stdout)["files"]
            assert [f["file"] for f in files] == names
            found += [f["findings"] for f in files]
    return found


def check_templates():
    wrong = []
    ops, all_levels = tables(), levels()
    texts = {name: template(name)[0] for name in ops}
    for level in all_levels:
        names = [n for n in ops if all_levels.index(ops[n]["level"]) <= all_levels.index(level)]
        for name, findings in zip(names, validate([texts[n] for n in names], level)):
            wrong += ["%s at %s: %s %s" % (name, level, f["pointer"], f["message"])
                      for f in findings]
    print("%d templates, %d levels" % (len(ops), len(all_levels)))
    return wrong


def check_pages():
    wrong = []
    examples = PAGES + MORE
    texts = [json.dumps({"type": "DML_OPERATOR_" + name, "desc": desc})
             for name, _, desc in examples]
    for (name, what, _), findings in zip(examples, validate(texts)):
        wrong += ["%s, %s: %s %s" % (name, what, f["pointer"], f["message"]) for f in findings]
    print("%d examples of %d operators" % (len(examples), len({name for name, _, _ in examples})))
    return wrong


class Fault:
    """A descriptor with a fault: where it was planted, and in which fields it may be reported."""

    def __init__(self, op, kind, place, desc, fields, warning=False):
        self.op, self.kind, self.place, self.fields, self.warning = op, kind, place, fields, warning
        self.text = json.dumps({"type": "DML_OPERATOR_" + op, "desc": desc})

    def at_place(self, finding):
        """True if an error leads to one of the fields, or its text names the first."""
        if finding["severity"] != "error" and not self.warning:
            return False
        pointers = [finding["pointer"], *(r["pointer"] for r in finding["related"])]
        if any(p == "/desc/" + f or p.startswith("/desc/" + f + "/") for p in pointers
               for f in self.fields):
            return True
        return any(re.search(r"\b%s\b" % f, finding["message"]) for f in self.fields[:1])


def supported(op, tensor):
    """The types and the ranks of a tensor at the last level."""
    row = [r for r in op.get("support", []) if tensor in r["tensors"]]
    return (row[-1]["types"], row[-1]["rank"]) if row else ([], [1, 8])


def agree(op, tensor, aspect):
    """The tensors that a tensor must agree with."""
    return sorted({t for row in op.get("same", [])
                   if aspect in row["of"] and tensor in row["tensors"] for t in row["tensors"]})


def tensors_of(op, desc):
    """Each tensor that a descriptor has: its field, its place and its description."""
    for field in op["fields"]:
        value = desc.get(field["name"])
        if value is not None and field["kind"] == "tensor":
            yield field["name"], [field["name"]], value
        elif value is not None and field["kind"] == "tensor_array":
            for i, entry in enumerate(value):
                yield field["name"], [field["name"], i], entry


def misspelling(key):
    return key[:2] + key[3:] if len(key) > 3 else key + "x"


def renamed(desc, old, new):
    return {new if key == old else key: value for key, value in desc.items() if new or key != old}


def fills_steps(name, field, axis, desc):
    """The steps of a window leave room for another element along this axis."""
    whole = ("OutputGradientTensor" if "InputGradientTensor" in desc else "OutputTensor"
             if name == "FOLD" else "InputTensor")
    window = (desc.get("WindowSize") or desc.get("WindowSizes")
              or desc.get("FilterTensor", {}).get("Sizes", [])[2:])
    if not window or "Strides" not in desc or axis < 2:
        return False
    i = axis - 2
    stride = desc["Strides"][i]
    # A forward convolution of the output gives the input.
    if desc.get("Direction") == "DML_CONVOLUTION_DIRECTION_BACKWARD":
        return field in ("FilterTensor", "OutputTensor") and stride > 1
    rest = desc[field]["Sizes"][axis] + desc["StartPadding"][i] + desc["EndPadding"][i] - 1
    rest -= (window[i] - 1) * desc.get("Dilations", [1] * len(window))[i]
    return field == whole and rest % stride + 1 < stride


def is_valid_size(name, field, axis, desc):
    """One more along this axis is valid, too."""
    tensor = desc[field]
    if field in ANY_SIZE.get(name, []) or axis in ANY_SIZE_AT.get(name, {}).get(field, []):
        return True
    if ANY_SIZE_ALONG_AXIS.get(name) == field and axis in desc.get("Axes", [desc.get("Axis")]):
        return True
    whole = desc.get(BROADCAST.get(field.removesuffix("Tensor"), "") + "Tensor")
    if (whole and tensor["Sizes"][axis] == 1 and len(whole["Sizes"]) == len(tensor["Sizes"])
        and whole["Sizes"][axis] == 2):
        return True
    if name.startswith("GATHER_ND") and field == "InputTensor":  # axes that the tuples select
        first = (len(tensor["Sizes"]) - desc["InputDimensionCount"]
                 + desc.get("BatchDimensionCount", 0))
        return first <= axis < first + desc["IndicesTensor"]["Sizes"][-1]
    if (name in ("RNN", "GRU", "LSTM") and "OutputSequenceTensor" not in desc
        and field == "InputTensor" and axis == 1):
        return True
    if name == "DIAGONAL_MATRIX1" and "InputTensor" not in desc:
        return True
    if (name == "ROI_ALIGN_GRAD" and field == "OutputGradientTensor" and axis != 1
        and "InputTensor" not in desc):
        return True
    if (name == "NONZERO_COORDINATES" and field == "OutputCoordinatesTensor"
        and axis == len(tensor["Sizes"]) - 1):
        # as many coordinates as the input has axes
        return tensor["Sizes"][axis] < len(desc["InputTensor"]["Sizes"])
    return fills_steps(name, field, axis, desc)


def tensor_faults(name, op, desc):
    outputs = [f["name"] for f in op["fields"] if f.get("role") == "output"]
    for field, place, tensor in tensors_of(op, desc):
        sizes, same_type = tensor["Sizes"], agree(op, field, "DataType")
        related = [field, *agree(op, field, "Sizes"), *outputs]

        def fault(what, wrong, fields, *path):
            return Fault(name, what, [*place, *path], changed(desc, [*place, *path], wrong), fields)

        for i, size in enumerate(sizes):
            if len(place) == 1 and is_valid_size(name, field, i, desc):
                continue
            yield fault("size", size + 1, related, "Sizes", i)
        types, rank = supported(op, field)
        others = [t for t in TYPES if t not in types]
        if types and others:
            yield fault("data type", others[-1], [field, *same_type], "DataType")
        others = [t for t in types or TYPES if t != tensor["DataType"]]
        if len(same_type) > 1 and any(t in desc for t in same_type if t != field) and others:
            yield fault("other data type", others[0], [field, *same_type], "DataType")
        related = [field, *agree(op, field, "DimensionCount"), *outputs]
        if (len(sizes) < 8 and field not in ANY_LEADING_ONES.get(name, [])
            and (name != "DIAGONAL_MATRIX1" or "InputTensor" in desc)):
            yield fault("rank", [1, *sizes], related, "Sizes")
        for key, kind, wrong in (("Sizes", "JSON type", 3), ("DataType", "JSON type", [1]),
                                 ("DataType", "enumeration", "FLOAT31")):
            yield fault(kind, wrong, [field], key)
        yield fault("range", 2**32, [field], "Sizes", 0)
        for key in ("DataType", "Sizes"):
            yield Fault(name, "missing", [*place, key],
                        changed(desc, place, {k: v for k, v in tensor.items() if k != key}),
                        [field])
            yield Fault(name, "misspelt", [*place, key],
                        changed(desc, place, renamed(tensor, key, misspelling(key))), [field], True)


TEXT, TEXT_IN_ARRAY = ("JSON type", "x"), ("JSON type", "x", 0)
WRONG = {"uint": [TEXT, ("range", 2**32), ("range", -1)], "int": [TEXT, ("range", 2**31)],
         "float": [TEXT, ("range", 1e39)], "scalar_union": [TEXT], "bool": [TEXT],
         "size_2d": [("range", 2**32, "Width"), ("range", -1, "Height")],
         "uint_array": [("range", 2**32, 0), TEXT_IN_ARRAY],
         "int_array": [("range", 2**31, 0), TEXT_IN_ARRAY],
         "float_array": [("range", 1e39, 0), TEXT_IN_ARRAY]}


def value_faults(name, op, desc):
    kinds = {f["name"]: f["kind"] for f in op["fields"]}
    for f in op["fields"]:
        field, kind = f["name"], f["kind"]
        if field not in desc:
            continue
        value = desc[field]

        def fault(what, wrong, *path):
            return Fault(name, what, [field, *path], changed(desc, [field, *path], wrong), [field])

        if not f.get("optional"):
            yield Fault(name, "missing", [field], renamed(desc, field, None), [field])
        yield Fault(name, "misspelt", [field], renamed(desc, field, misspelling(field)),
                    [field, misspelling(field)], True)
        yield fault(
            "JSON type",
            3 if kind in TENSORS + ARRAYS + ("operator", "operator_array", "size_2d", "scale_bias")
            else {"a": 1})
        counted = [a["name"] for a in op["fields"] if a.get("count") == field and a["name"] in desc]
        if counted:
            yield Fault(name, "count", [field], changed(desc, [field], value + 1),
                        [field, *counted])
        for wrong in WRONG.get(kind, []) if value or kind not in ARRAYS else []:
            yield fault(*wrong)
        if kind == "enum":
            yield fault("enumeration", value + "X")
        if kind == "scalar_union" and "INT" in str(desc.get("ValueDataType",
                                                            desc.get("PaddingValueDataType"))):
            yield fault("range", 2**64)
        if kind in ARRAYS and value and f.get("count"):
            yield Fault(name, "count", [field], changed(desc, [field], value + value[-1:]),
                        [field, f["count"]])
        if kind == "operator" and value:
            yield fault("enumeration", value["type"] + "X", "type")
            yield fault("activation", "DML_OPERATOR_SLICE", "type")
    assert all(key in kinds for key in desc), (name, desc)


def faults():
    ops = tables()
    bases = [(name, template(name)[1]["desc"]) for name in ops]
    bases += [(name, desc) for name, _, desc in PAGES + MORE]
    for name, desc in bases:
        yield from tensor_faults(name, ops[name], desc)
        yield from value_faults(name, ops[name], desc)


def check_faults(path=None):
    planted, missed, kinds = list(faults()), [], collections.Counter()
    lost = collections.Counter()
    for fault, findings in zip(planted, validate([f.text for f in planted])):
        kinds[fault.kind] += 1
        if any(fault.at_place(f) for f in findings):
            continue
        lost[fault.kind] += 1
        said = ["\n    %s %s: %s" % (f["rule"], f["pointer"], f["message"]) for f in findings]
        missed.append("%s: %s: %s%s" % (fault.op, fault.kind, "/".join(map(str, fault.place)),
                                        "".join(said) or ": nothing"))
    share = 1 - len(missed) / len(planted)
    for kind in sorted(kinds):
        print("%-16s %5d of %5d" % (kind, kinds[kind] - lost[kind], kinds[kind]))
    print("%d faults, %.2f%% found at their place" % (len(planted), 100 * share))
    if path:
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in sorted(missed))
    return [] if share >= NEEDED else missed[:40]


def differences(old, new, place=""):
    """The places at which two texts of JSON differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [d for k in old for d in differences(old[k], new[k], place + "/" + k)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new)
        return [d for i, (a, b) in enumerate(pairs) for d in differences(a, b, place + "/%d" % i)]
    return [] if old == new else [place]


def check_fixes():
    """No fix changes right values and leaves errors, or is counted and changes nothing. Every NTH
    fault is planted."""
    nth, wrong = 5 if os.environ.get("EXPENSIVE") else 40, []
    planted = [f for f in faults() if f.kind in FIXED][::nth]
    for fault in planted:
        run = dmlop("validate", "--fix", "-", input=fault.text)
        changes = differences(json.loads(fault.text), json.loads(run.stdout))
        place = "/desc/" + "/".join(str(p) for p in fault.place)
        others = [c for c in changes if not c.startswith(place)]
        if run.returncode and others:
            wrong.append("%s: %s: %s" % (fault.op, place, others))
        count = re.search(r"<stdin>: (\d+) values? fixed", run.stderr)[1]
        if (count == "0") != (not changes):
            wrong.append("%s: %s: %s values fixed: %s" % (fault.op, place, count, changes))
    print("%d faults, %d wrong fixes" % (len(planted), len(wrong)))
    return wrong


def check_schemas():
    """The JSON Schemas accept what is valid, and nothing of the wrong JSON type. A seventh of the
    faults is planted, or all if EXPENSIVE is set."""
    import jsonschema

    wrong, schemas = [], {}
    for name in tables():
        schema = json.loads(printed("validate", "--schema", name))
        schemas[name] = jsonschema.Draft202012Validator(schema)
    valid = [(name, template(name)[1]["desc"]) for name in schemas]
    valid += [(name, desc) for name, _, desc in PAGES + MORE]
    for name, desc in valid:
        for e in schemas[name].iter_errors({"type": "DML_OPERATOR_" + name, "desc": desc}):
            wrong.append("%s: %s: %s" % (name, list(e.absolute_path), e.message))
    refused = 0
    for fault in list(faults())[:: 1 if os.environ.get("EXPENSIVE") else 7]:
        floats = "1e+39" in fault.text or str(2**64) in fault.text  # JSON numbers have no range
        if fault.kind in ("JSON type", "missing") or fault.kind == "range" and not floats:
            refused += 1
            if schemas[fault.op].is_valid(json.loads(fault.text)):
                wrong.append("%s: %s: %s is accepted" % (fault.op, fault.kind, fault.place))
    print("%d descriptors accepted, %d refused" % (len(valid), refused))
    return wrong


COMMANDS = {"templates": check_templates, "pages": check_pages, "faults": check_faults,
            "fixes": check_fixes, "schemas": check_schemas}

if __name__ == "__main__":
    wrong = COMMANDS[sys.argv[1]](*sys.argv[2:])
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(1 if wrong else 0)
