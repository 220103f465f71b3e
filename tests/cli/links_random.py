"""writeFile through random trees of links: links_random.py SEED COUNT. DMLOP is the program. A file
lands where the system finds it by the path that the model names, or, if a step of that path leaves
the output folder, goes round in links or through a file, nothing is new but folders."""
import json
import os
import random
import shutil
import sys
from program import dmlop

NAMES = ["a", "b", "c", "d"]


def text(chance, absolute):
    """A path of one to five steps."""
    steps = chance.choices([*NAMES, "..", ".", ""], k=chance.randrange(1, 6))
    at = chance.choice(absolute) if chance.random() < 0.2 else ""
    return at + "/".join(steps).lstrip("/") or "."


def build(chance, root):
    """Folders, links and a few files below root and beside it."""
    above = os.path.dirname(root)
    os.makedirs(root)
    folders = [root, root, root, above]
    absolute = [root + "/", root + "/", root + "x/", above + "/", "/"]
    for _ in range(chance.randrange(3, 14)):
        path = os.path.join(chance.choice(folders), chance.choice(NAMES))
        if os.path.lexists(path):
            continue
        what = chance.random()
        if what < 0.4:
            os.mkdir(path)
            folders.append(path)
        elif what < 0.95:
            os.symlink(text(chance, absolute), path)
        else:
            open(path, "w").close()
    return absolute


def oracle(root, path):
    """Where the file lands; None: it is refused. A folder that is missing is made."""
    at, steps, links = [], path.split("/"), 0
    while steps:
        step = steps.pop(0)
        if step in ("", "."):
            if not any(s for s in steps):
                return None  # a folder, not a file
            continue
        if step == "..":
            if not at:
                return None
            at.pop()
            if not steps:
                return None
            continue
        full = os.path.join(root, *at, step)
        if os.path.islink(full):
            links += 1
            to = os.readlink(full)
            if links > 40:
                return None
            if to.startswith("/"):
                if to != root and not to.startswith(root + "/"):
                    return None
                at, to = [], to[len(root) :]
            steps = to.split("/") + steps
        elif not steps:
            return None if os.path.isdir(full) else full
        elif os.path.lexists(full) and not os.path.isdir(full):
            return None
        else:
            at.append(step)
    return None


def files(folder):
    return {os.path.join(d, f) for d, _, names in os.walk(folder) for f in names
            if not os.path.islink(os.path.join(d, f)) and os.path.getsize(os.path.join(d, f)) > 0}


def main(seed, count):
    chance = random.Random(int(seed))
    landed = 0
    top = os.path.realpath(".")
    for i in range(int(count)):
        above = f"{top}/tree{i}"
        root = above + "/in"
        absolute = build(chance, root)
        path = text(chance, [""]).lstrip("/") or "a"
        want = oracle(root, path)
        resource = {"initialValuesDataType": "INT8", "initialValues": [7]}
        command = {"type": "writeFile", "resource": "r", "targetPath": path}
        model = {"resources": {"r": resource}, "dispatchables": {}, "commands": [command]}
        run = dmlop("run", "-q", "--no-sync", "-o", root, "-", input=json.dumps(model), timeout=60)
        have = files(above)
        what = (i, path, want, run.returncode, run.stderr, have)
        if not want or (".." in path and run.returncode == 1):  # a rule forbids most ".."
            assert run.returncode in (1, 4) and not have and run.stderr, what
        else:
            assert run.returncode == 0 and have == {want}, what
            assert os.path.realpath(f"{root}/{path}") == want, what
            landed += 1
        shutil.rmtree(above)
    assert landed > int(count) // 10, landed


main(*sys.argv[1:])
