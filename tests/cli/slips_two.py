"""Two numbers of each operator's example are 0, or one more, at once: `validate` reads all of them
to the end. Without EXPENSIVE, one in seven is tried. Prints how many there were."""
import itertools
import json
import os
import random
import re

from program import dmlop
from slips import SCHEMAS

MOST = 1000  # files of one command
SHARE = 1 if os.environ.get("EXPENSIVE") else 0.15


def mutants():
    for name, schema in sorted(SCHEMAS.items()):
        text = json.dumps({"type": name, "desc": schema.get("example")})
        numbers = [m.span() for m in re.finditer(r"(?<![\w\"-])\d+(?![\w\".])", text)]
        slips = [(at, n) for at in numbers for n in ("0", str(int(text[slice(*at)]) + 1))]
        for ((b, e), x), ((b2, e2), y) in itertools.combinations(slips, 2):
            if b != b2 and random.random() < SHARE:
                yield text[:b] + x + text[e:b2] + y + text[e2:]


def validate(*names):
    return dmlop("validate", "--max-findings", 1, *names)


def check(texts):
    names = [f"{i}.json" for i in range(len(texts))]
    for name, text in zip(names, texts):
        with open(name, "w") as f:
            f.write(text)
    done = validate(*names)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 1 and last[0].startswith(names[-1]), [
        text for name, text in zip(names, texts) if validate(name).returncode < 0]


found = iter(mutants())
count = 0
while texts := list(itertools.islice(found, MOST)):
    check(texts)
    count += len(texts)
assert count > 50_000 * SHARE, count
print(count)
