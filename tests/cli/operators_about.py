#!/usr/bin/env python3
"""What the files of operators say in words, `about`, is checked: operators_about.py

Each sentence with a number, or with a word such as "at least" or "must", states a limit, which a
program breaks in a valid descriptor so that validate must find it, or is one of those in NOTES,
which state none. A new sentence of another form fails: it needs a rule and a row of LIMITS."""

import copy
import json
import re
import sys

from operators import LAST, TYPES, levels, tables, template, tensors_of, validate
from operators_examples import MORE, PAGES

STATES = re.compile(
    r"\d|must|at least|at most|below|above|only|cannot|divide|required|multiple|different|less than"
    r"|\bneeds?\b")
NOTES = [
    r"(.*, )?usually (-?[\d.]+(/\d)?|\{.*\}|1 / sqrt\(size of a head\))", r"the default is \d",
    r".*\b[xn] >=? .*|.*f\(.*\) = .*|max\(0, x\) \+ .*|exp\(x\) divided by .*",
    r".*\b(if|for) .*, else .*|.*x if x.*|.*[01] (if|for) .*|1 or 0|-1, 0 or 1|0 is false",
    r"-?0.5 for pixel centers(, 0 for corners)?|1: no gaps|0 for none|above 1 enlarges",
    r"(.* value|The value of .*) that means 0|elements without an index are 0",
    r"0 (is )?the main one, .*|if below the first, the band is what is outside",
    r".*the sign of the dividend.*|strides of 0 broadcast|The dividends|.* 1 minus the .*",
    r".* to divide by the standard deviation.*|.* to avoid a division by 0",
    r".*the first (sum|product) is \d|INCREASING runs from index 0 .*|negative ones, from 3_0, .*",
    r"How many elements are not 0: .*|.* in both directions from 0|.*elements? (of A|for a) .*",
    r"Computes the gradients? of [A-Z_]+\d?( and [A-Z_]+\d)?(: gradients in .*)?",
    r"Resizes a tensor as RESAMPLE\d does, .*|Raises each element to at least Min",
    r"(Convolves|Multiplies matrices of) 8-bit integers, .*|Counts the bits .*|.* 0 elsewhere",
    r"Fills a tensor with pseudo-random 32-bit numbers|PHILOX_4X32_10|elements .* become 0",
    r".*the rest is the input or 0|below 0 from its end|no effect from 4_0 on|0 selects B, .*",
    r"(index in the batch, )?x1, y1, x2, y2|The number of the step, one element, from 1",
    r".*,? without leading sizes of 1|\d per direction|Lists the coordinates of all elements .*",
    r"A negative step starts from the end of the window|from 4_0 also \{.*\}|1 is to its right",
    r"[DH] (directions|hidden features).*|The matrices that are written, .*",
    r"Copies a part of a tensor, with a step of at least 1 in each dimension",
    r"Convolves an input with filters, forward or backward, in 1 to 3 spatial dimensions"]


def put(*values):
    """Descriptors with other values of a field; in an array, of all entries."""

    def plant(d, name, match):
        for value in values:
            copied = copy.deepcopy(d)
            if isinstance(copied[name], dict):
                copied[name]["Width"] = value
            elif isinstance(copied[name], list):
                copied[name] = [value] * len(copied[name])
            else:
                copied[name] = value
            yield copied, LAST

    return plant


def spatial(d, name, match):
    yield dict(d, **{name: int(match[2]) + 1}), LAST
    yield dict(d, **{name: int(match[1]) - 1}), LAST


def more(d, name, match):
    yield dict(d, **{name: d[name] + 1}), LAST


def twice(d, name, match):
    yield dict(d, AxisCount=2, **{name: [0, 0]}), LAST
    yield dict(d, AxisCount=1, **{name: [8]}), LAST


def before(d, name, match):
    """The value 0.5, at the level before the one that a sentence names."""
    yield dict(d, **{name: 0.5}), earlier(match[1])


def earlier(level):
    return levels()[levels().index(level) - 1]


def alone(d, name, match):
    yield {k: v for k, v in d.items() if k != match[2]}, earlier(match[1])


def left_out(d, name, match):
    yield {k: v for k, v in d.items() if k != name}, earlier(match[1])


def owned(d, name, match):
    for field in [f for f in d if f.endswith("Tensor") and not f.startswith("Output")]:
        yield dict(d, **{field: dict(d[field], Flags="OWNED_BY_DML")}), LAST


def modes(d, name, match):
    for mode, level in re.findall(r"([A-Z]+) \(from (\d_\d)\)", match.string):
        yield dict(d, **{name: "DML_PADDING_MODE_" + mode}), earlier(level)


def narrow(d, name, match):
    """No channel of the input, at the level before."""
    yield dict(d, **{name: dict(d[name], Sizes=[1, 1, 1, 1])}), earlier(match[1])


def sizes(d, name, match):
    """One more along each axis: at least one of them is wrong."""
    tensor = d[name][0] if isinstance(d[name], list) else d[name]
    copies = []
    for i, size in enumerate(tensor["Sizes"]):
        copied = copy.deepcopy(d)
        at = copied[name][0] if isinstance(d[name], list) else copied[name]
        at["Sizes"][i] = size + 1
        copies.append((copied, LAST))
    yield copies


def types(d, name, match):
    """Each data type that the sentence does not name."""
    named = re.findall(r"\b(?:UINT|INT|FLOAT)\d+", match.string)
    for other in TYPES:
        if other not in named:
            yield dict(d, **{name: dict(d[name], DataType=other)}), LAST


def other_type(d, name, match):
    for other in TYPES:
        if other != d[name]["DataType"]:
            yield dict(d, **{name: dict(d[name], DataType=other)}), LAST


def scale_type(d, name, match):
    copied = dict(d, InputTensor=dict(d["InputTensor"], DataType="INT32"))
    yield dict(copied, **{name: dict(d[name], DataType="FLOAT16")}), LAST


def required(d, name, match):
    yield {k: v for k, v in d.items() if k not in (name, "OutputROIGradientTensor")}, LAST


def for_max(d, name, match):
    copied = {k: v for k, v in d.items() if k != name}
    yield dict(copied, ReductionFunction="DML_REDUCE_FUNCTION_MAX"), LAST


def fused(d, name, match):
    for tensor in [f for f in d if f.endswith("Tensor")]:
        d = dict(d, **{tensor: dict(d[tensor], DataType="INT32")})
    yield d, LAST


# What a sentence of this form says, and how to break it. Descriptors in a list: one is found.
LIMITS = [
    (r"at least 1 before feature level (\d_\d)", before), (r"at least 1\b", put(0)),
    (r"above 0", put(0, -1)), (r"\bnot 0$", put(0)),
    (r"exponent of the norm, (\d) or (\d)", spatial), (r"dimensions, (\d) (?:or|to) (\d)", spatial),
    (r"1 or 3", put(2)), (r"different ones, below the number", twice),
    (r"(below|less than) the number of dimensions", put(8)), (r"that of the tensors minus 2", more),
    (r"divides (height|the channels|the widths)", put(7)), (r"less than the input's size", put(99)),
    (r"must be (?:less than|at most) the input's size", put(99)),
    (r"Before (\d_\d), only with (\w+)", alone), (r"before (\d_\d), as many channels", narrow),
    (r"required before (\d_\d)", left_out), (r"required for MAX", for_max),
    (r"is required", required), (r"cannot be OWNED_BY_DML", owned), (r"SYMMETRIC \(from", modes),
    (r"FLOAT32 for INT32", scale_type), (r"applied to the output, of FLOAT32 or FLOAT16", fused),
    (r"\b(?:UINT|INT|FLOAT)\d+", types), (r"of (\w's|its|the \w+'s) type$", other_type),
    (r"\{|one element|sizes?\b", sizes)]


def sentences(text):
    return [s for s in re.split(r"(?<=\D)[.;:] |(?<=[\d\w)}|'])\.$|(?<=\d)[.;:] ", text) if s]


def planted():
    """Each sentence: its place, the form that it has, the descriptors that break it."""
    bases = {name: [template(name)[1]["desc"]] for name in tables()}
    for name, _, desc in PAGES + MORE:
        bases[name].append(desc)
    for name, op in tables().items():
        for field in [{"name": "", "about": op["about"]}, *op["fields"]]:
            for sentence in filter(STATES.search, sentences(field["about"])):
                place = "%s.%s: %s" % (name, field["name"], sentence)
                if any(re.fullmatch(note, sentence) for note in NOTES):
                    continue
                form = next((f for f in LIMITS if re.search(f[0], sentence)), None)
                have = [d for d in bases[name] if not field["name"] or field["name"] in d]
                if not form or not have:
                    yield place, "no rule" if not form else "no example", []
                    continue
                match = re.search(form[0], sentence)
                yield place, form[0], list(form[1](have[0], field["name"], match))


def main():
    wrong, groups, forms = [], [], set()
    for place, form, broken in planted():
        forms.add(form)
        if not broken:
            wrong.append("%s (%s)" % (place, form))
        for group in broken:
            groups.append((place, group if isinstance(group, list) else [group]))
    flat = [(i, place.split(".")[0], desc, level) for i, (place, group) in enumerate(groups)
            for desc, level in group]
    found = set()
    for level in levels():
        part = [f for f in flat if f[3] == level]
        texts = [json.dumps({"type": "DML_OPERATOR_" + f[1], "desc": f[2]}) for f in part]
        for (i, *_), findings in zip(part, validate(texts, level)):
            if findings:
                found.add(i)
    wrong += ["%s: not found" % p for i, (p, _) in enumerate(groups) if i not in found]
    unused = [f[0] for f in LIMITS if f[0] not in forms]
    wrong += ["no sentence has the form '%s'" % f for f in unused]
    print("%d limits in words, %d not checked" % (len(groups), len(wrong)))
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
