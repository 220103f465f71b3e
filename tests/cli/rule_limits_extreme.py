"""Every integer of every operator's template, one at a time, at the ends of the integer types: the
check ends with findings or none. The sanitizers notice an overflow."""

import json
import os
import re

import program
from changes import changed

EXTREME = [-(2**63), -(2**31), -1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def dmlop(*words, text=None):
    done = program.dmlop(*words, input=text)
    assert "runtime error" not in done.stderr, done.stderr
    return done


def places(value, path=()):
    """The paths of all integers."""
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, (*path, i))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/desc/operators")
names = sorted(n.removesuffix(".json") for n in os.listdir(folder))
assert len(names) > 150, names
for name in names:
    text = dmlop("validate", "--template=DML_OPERATOR_" + name).stdout
    desc = json.loads(re.sub(r",(\s*[]}])", r"\1", re.sub(r"(?m)^\s*//.*$", "", text)))
    many = {}
    for path in places(desc["desc"], ("desc",)):
        for new in EXTREME:
            many[f"{'/'.join(map(str, path))} {new}"] = changed(desc, path, new)
    model = {"resources": {}, "dispatchables": many, "commands": []}
    done = dmlop("validate", "-", text=json.dumps(model))
    assert done.returncode == 1, (name, done)
