#!/usr/bin/env python3
"""What --fix makes of one slip: slips.py [--all] [--seed N] [--show KIND] [OPERATOR...].

Each valid descriptor (the template of each operator, the samples, the pages' examples, those of
programs), as it is and as programs write it, with long names, DimensionCount and
TotalTensorSizeInBytes, gets one slip: a value, a size, a rank, a data type, a name or a key is
wrong, or a field is missing. --fix must
give the original back or leave an error, and write no value that was right. What cannot be
otherwise is in `permitted`, with the reason. Without --all, a sample is tried."""

import argparse
import collections
import glob
import json
import math
import multiprocessing.pool
import os
import random
import re
import subprocess
import sys

import real
from changes import changed, renamed
from operators_examples import MORE, PAGES
from program import DMLOP, ROOT

SAMPLE = 4000 if os.environ.get("EXPENSIVE") else 1000
BITS = re.compile(r"\d+$")
TYPES = {"FLOAT32": "FLOAT16", "FLOAT16": "FLOAT32", "INT8": "UINT8", "UINT8": "INT8",
         "INT32": "UINT32", "UINT32": "INT32", "INT64": "INT32", "UINT64": "UINT32",
         "INT16": "INT8", "UINT16": "UINT8", "FLOAT64": "FLOAT32"}
PREFIX = "DML_TENSOR_DATA_TYPE_"


def schemas():
    for path in glob.glob(os.path.join(ROOT, "src/desc/operators/*.json")):
        with open(path) as f:
            s = json.load(f)
        yield s["operator"], s


def enumerations():
    with open(os.path.join(ROOT, "src/desc/enumerations.json")) as f:
        return {type + "_": v["names"] for type, v in json.load(f).items()}


SCHEMAS, ENUMS = dict(schemas()), enumerations()


def originals():
    """Names and texts of valid descriptors, as objects."""
    for name, s in sorted(SCHEMAS.items()):
        if "example" in s:
            yield name, {"type": "DML_OPERATOR_" + name, "desc": s["example"]}
    for path in sorted(glob.glob(os.path.join(ROOT, "samples/*.desc.json"))):
        with open(path) as f:
            text = re.sub(r"^\s*//.*$", "", f.read(), flags=re.M)
        yield os.path.basename(path), json.loads(text)
    for name, what, desc in PAGES + MORE:
        yield name + " " + what, {"type": "DML_OPERATOR_" + name, "desc": desc}
    for _, function, _, top in real.descriptors():
        yield operator_of(top) + " " + function, top


def size_in_bytes(tensor):
    sizes = tensor["Sizes"]
    strides = tensor.get("Strides")
    if strides:
        last = sum((n - 1) * s for n, s in zip(sizes, strides))
    else:
        last = math.prod(sizes) - 1
    bits = int(BITS.search(tensor["DataType"]).group())
    return ((last + 1) * bits + 31) // 32 * 4


def full(value):
    """A descriptor as programs write it."""
    if isinstance(value, list):
        return [full(v) for v in value]
    if not isinstance(value, dict):
        return value
    new = {k: full(v) for k, v in value.items()}
    if "Sizes" in value and "DataType" in value:
        new["DataType"] = PREFIX + value["DataType"].replace(PREFIX, "")
        new["DimensionCount"] = len(value["Sizes"])
        new["TotalTensorSizeInBytes"] = size_in_bytes(value)
    return new


def walk(value, path=()):
    yield path, value
    if isinstance(value, (dict, list)):
        for k, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from walk(v, path + (k,))


def other_names(name):
    for prefix, names in ENUMS.items():
        if name.startswith(prefix) and name[len(prefix) :] in names:
            return [prefix + n for n in names if prefix + n != name][:2]
    prefix = PREFIX if name.startswith(PREFIX) else ""
    other = TYPES.get(name[len(prefix) :])
    return [prefix + other] if other else []


def slips(top):
    """Kinds, paths and objects with one slip."""
    for path, v in walk(top):
        if not path:
            continue
        key = path[-1]
        if isinstance(key, str):
            yield "drop", path, changed(top, path, None)
            if len(key) > 3:
                yield "key", path, renamed(top, path, key[:-2] + key[-1] + key[-2])
                yield "key case", path, renamed(top, path, key.lower())
        if v is True or v is False:
            yield "flag", path, changed(top, path, not v)
        elif isinstance(v, int):
            size = "size" if "Sizes" in path[-2:-1] else "number"
            for n in sorted({v + 1, v - 1, v * 2, 1, 0} - {v}):
                yield size, path, changed(top, path, n)
            yield "quotes", path, changed(top, path, str(v))
        elif isinstance(v, str):
            for name in other_names(v):
                yield "name", path, changed(top, path, name)
            yield "misspelt", path, changed(top, path, v[:-1])
            yield "misspelt", path, changed(top, path, v[:-1] + "1")
            if len(v) > 2:
                yield "misspelt", path, changed(top, path, v[:-3] + v[-2] + v[-3] + v[-1])
        elif isinstance(v, list) and v and isinstance(v[0], int):
            if len(v) > 1:
                yield "rank", path, changed(top, path, v[1:])
            yield "rank", path, changed(top, path, [1] + v)
            yield "sizes", path, changed(top, path, [1] * len(v))
        elif isinstance(v, dict) and "DataType" in v and len(v.get("Sizes", ())) > 1:
            yield "ones", path, changed(top, path, dict(v, Sizes=[1] * len(v["Sizes"])))


def leaves(value):
    return {path: v for path, v in walk(value) if not isinstance(v, (dict, list)) or not v}


def plain(value):
    """Without the prefixes of names, which may be left out."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.replace(PREFIX, "") if isinstance(value, str) else value


def wrong_values(original, slip, fixed):
    """Places where the fixed text has neither the original's value nor the slip's."""
    a, b, c = leaves(original), leaves(slip), leaves(fixed)
    return [p for p in sorted(set(a) | set(b) | set(c), key=str)
            if c.get(p) != b.get(p) and c.get(p) != a.get(p)]


def roles(operator):
    return {f["name"]: f.get("role") for f in SCHEMAS[operator]["fields"]}


def permitted(operator, kind, path, wrong):
    """The kind of an exception, or None. Where --fix cannot know better:
    - Of two values that contradict each other, one in a result and one in data or in attributes,
      the result is changed: a window has its output, not the output its window.
    - Of several sizes that are wrong at once, those that no rule binds stay: of ROI_ALIGN's output
      the height and width.
    - A parameter that has become one element is repeated by strides of 0.
    - An axis of -1 is what NumPy calls the last one."""
    role = roles(operator)
    field = str(path[1]) if len(path) > 1 else ""
    if wrong and all(len(p) > 1 and role.get(p[1]) == "output" for p in wrong):
        if field and role.get(field) != "output":
            return "a result follows data and attributes"
    elif not wrong and kind in ("ones", "sizes") and role.get(field) == "output":
        return "sizes that nothing binds stay"
    elif kind in ("ones", "sizes") and role.get(field) == "parameter":
        return "one element is repeated"
    elif wrong == [path] and re.match("Ax[ie]s", field):
        return "an axis counts from the end"
    return None


def tries(job):
    name, kind, path, original, slip = job
    p = subprocess.run([DMLOP, "validate", "--fix", "-"], input=json.dumps(slip),
                       capture_output=True, text=True)
    if p.returncode not in (0, 1):
        return "failure", job, p.stderr, ()
    fixed = json.loads(p.stdout)
    if fixed == slip and p.returncode == 0:
        return "not noticed", job, "", ()
    wrong = wrong_values(plain(original), plain(slip), plain(fixed))
    if wrong:
        a, c = leaves(plain(original)), leaves(plain(fixed))
        text = "".join(f"  {'/'.join(map(str, w))}: {a.get(w)} -> {c.get(w)}\n" for w in wrong)
        return "wrong", job, text + p.stderr.splitlines()[-1], wrong
    if p.returncode == 1:
        return "left", job, p.stderr, ()
    if plain(fixed) != plain(original):
        return "other", job, p.stderr, ()
    return "restored", job, p.stderr, ()


def jobs(only):
    for name, top in originals():
        if only and name.split()[0] not in only:
            continue
        for original in (top, full(top)):
            for kind, path, slip in slips(original):
                if slip != original:
                    yield name, kind, path, original, slip


def operator_of(top):
    return top.get("type", "").replace("DML_OPERATOR_", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="wrong,other")
    parser.add_argument("--permitted", action="store_true")
    parser.add_argument("operators", nargs="*")
    args = parser.parse_args()
    todo = list(jobs(args.operators))
    if not args.all and not args.operators:
        todo = random.Random(args.seed).sample(todo, SAMPLE)
    counts, exceptions, bad = collections.Counter(), collections.Counter(), 0
    with multiprocessing.pool.ThreadPool(2) as pool:
        for result, job, text, wrong in pool.imap(tries, todo, 16):
            name, kind, path, original, slip = job
            why = None
            if result in ("wrong", "other"):
                why = permitted(operator_of(original), kind, path, list(wrong))
            if why:
                exceptions[why] += 1
                result = "permitted"
            counts[result] += 1
            counts[result, kind] += 1
            if result in args.show.split(",") or (why and args.permitted):
                print(f"{result}: {name}: {kind} at {'/'.join(map(str, path))}")
                print(text)
            bad += result in ("wrong", "other", "failure")
    kinds = ("restored", "left", "permitted", "wrong", "other", "failure", "not noticed")
    for result in kinds:
        print(f"{result}: {counts[result]}", {k[1]: n for k, n in counts.items()
                                             if isinstance(k, tuple) and k[0] == result})
    print("permitted:", dict(exceptions))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
