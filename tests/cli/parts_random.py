"""Sets of parts that chance damages, mixes and links, and a command whose outputs may be anything:
parts_random.py SEED ROUNDS. DMLOP is the program. A command that fails changes no file; one that
succeeds writes the right bytes to its outputs and leaves all else, but join --remove removes its
own set after its output is whole. What is damaged can be computed again."""
import contextlib
import json
import os
import random
import shutil
import sys

import numpy as np
import program

LOG = []


def ran(*args, stdin=None):
    run = program.dmlop(*args, input=stdin, timeout=60)
    LOG.append((" ".join(args), run.returncode, run.stderr[:500]))
    return run.returncode


class Job:
    """NAME.parts of a whole, whole-NAME."""

    def __init__(self, chance, name):
        self.name, self.folder = name, name + ".parts"
        self.input = "x-" + name
        sizes = [chance.randrange(1, 7) for _ in range(chance.randrange(1, 4))]
        np.save(self.input, np.random.default_rng(chance.randrange(99)).integers(0, 9, sizes, "i4"))
        axis = chance.randrange(len(sizes))
        self.topk = chance.random() < 0.4
        self.words = ["slice", self.input]
        if self.topk:
            self.words = ["topk", "-k", "1", "--axis", str(axis), self.input]
            axis = chance.choice([axis, 0]) if sizes[0] > 1 else axis
        elif chance.random() < 0.5:
            self.words += ["--index=" + "::-1," * (len(sizes) - 1) + "::-1"]
        most = sizes[axis] if not self.topk or self.words[4] == str(axis) else sizes[0]
        self.parts = chance.randrange(1, most + 1)
        self.grid = ["--part-axis", str(axis)]
        self.whole = ["whole-" + name] + ["whole-i-" + name] * self.topk
        also = ["--indices", self.whole[1]] if self.topk else []
        assert ran(*self.words, "-o", self.whole[0], *also) == 0, LOG
        for i in range(self.parts):
            assert self.task(i) == 0, LOG

    def task(self, i, *more):
        part = "-o", self.name, "--part", f"{i}/{self.parts}"
        return ran(*self.words, *part, *self.grid, *more)

    def file(self, i, kind):
        return f"{self.folder}/part-{i:05}-of-{self.parts:05}{kind}"

    def kinds(self):
        return [".npy", ".json"] + [".indices.npy"] * self.topk


def rewrite(path, change):
    with open(path) as f:
        record = json.load(f)
    os.remove(path)
    with open(path, "w") as f:
        json.dump(change(record), f, indent=3)


def backwards(value):
    if isinstance(value, dict):
        return {k: backwards(value[k]) for k in reversed(value)}
    return value


def damage(chance, job, other):
    """Changes a set; returns how."""
    i = chance.randrange(job.parts)
    kind = chance.choice([k for k in job.kinds() if k != ".json"])
    data, record = job.file(i, kind), job.file(i, ".json")
    what = chance.choice(["none", "byte", "short", "lost", "record", "garbage", "keys", "link",
                          "hard", "loop"] + ["other", "stray"])
    if what == "byte":
        with open(data, "r+b") as f:
            f.seek(-1, 2)
            f.write(b"\x55")
    elif what == "short":
        os.truncate(data, chance.randrange(os.path.getsize(data)))
    elif what == "lost":
        os.remove(data)
    elif what == "record":
        os.remove(record)
    elif what == "garbage":
        with open(record, "r+b") as f:
            f.seek(chance.randrange(40))
            f.write(b"}")
    elif what == "keys":
        rewrite(record, backwards)
    elif what == "link":
        os.rename(data, "moved.npy")
        os.symlink("../moved.npy", data)
    elif what == "hard":
        os.link(data, "hard.npy")
    elif what == "loop":
        os.remove(data)
        os.symlink(os.path.basename(data), data)
    elif what == "other":
        for name in os.listdir(other.folder):
            if job.parts != other.parts or (job.parts > 1 and f"{i:05}-of" in name):
                shutil.copy(f"{other.folder}/{name}", job.folder)
    elif what == "stray":
        shutil.copy(data, job.folder + "/part-9.npy")
        shutil.copy(data, job.folder + "/part-00000-of-99999.npy")
    return what


def outputs(chance, jobs):
    """A path that an output may have."""
    job = chance.choice(jobs)
    part = job.file(chance.randrange(job.parts), chance.choice(job.kinds()))
    return chance.choice(
        ["o.npy", "o.npy", "o.npy", part, part, "./" + part, "alias/" + os.path.basename(part)]
        + ["link.npy", "hard.npy", "moved.npy", job.name, job.input, job.folder + "/o.npy"])


def command(chance, jobs):
    """Words, the outputs, the files that they should equal (None: not known), the set that is
    removed, the set that is read."""
    job = chance.choice(jobs)
    out, second = outputs(chance, jobs), outputs(chance, jobs)
    source = chance.choice([job.folder, job.folder + "/",
                            "alias" if job is jobs[0] else job.folder])
    kind = chance.choice(["join", "join", "remove", "slice", "convert", "timings", "task"])
    if kind in ("join", "remove"):
        words = ["join", source, "-o", out] + ["--remove"] * (kind == "remove")
        if job.topk and chance.random() < 0.6:
            return words + ["--indices", second], [out, second], job.whole, kind, job
        return words, [out], job.whole[:1], kind, job
    if kind == "timings":
        words = ["join", source, "-o", out, "--timings=" + second]
        return words, [out, second], [job.whole[0], None], kind, job
    if kind in ("slice", "convert"):  # say that the parts are to be joined
        return [kind, source, "-o", out], [out], [None], kind, job
    i = chance.randrange(job.parts)
    words = [*job.words, "-o", job.name, "--part", f"{i}/{job.parts}", *job.grid]
    words += chance.choice([[], ["--resume"], ["--resume", "--checksums"]])
    return words, [job.file(i, k) for k in job.kinds()], [None] * 3, kind, job


def snapshot():
    """What is found by each name, and where it is."""
    have = {}
    for folder, folders, names in os.walk("."):
        for name in folders + names:
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.islink(path):
                have[path] = "link " + os.readlink(path)
            elif name in names:
                with open(path, "rb") as f:
                    have[path] = f.read()
    return have


def where(path):
    """The name that is replaced when the path is written."""
    return os.path.relpath(os.path.realpath(path))


def trial(chance):
    LOG.clear()
    jobs = [Job(chance, "y.npy"), Job(chance, "z.npy")]
    os.symlink(jobs[0].folder, "alias")
    part = jobs[0].file(0, ".npy")
    os.symlink(chance.choice([part, "../" + os.path.basename(os.getcwd()) + "/" + part]),
               "link.npy")
    done = []
    for _ in range(chance.randrange(3)):
        with contextlib.suppress(OSError, ValueError):  # what is damaged already
            done.append(damage(chance, jobs[0], jobs[1]))
    for _ in range(3):
        words, outs, wholes, kind, job = command(chance, jobs)
        before, targets = snapshot(), [where(o) for o in outs]
        want = [w and before[w] for w in wholes]
        status = ran(*words)
        after = snapshot()
        changed = {k for k in before.keys() | after.keys() if before.get(k) != after.get(k)}
        what = (done, words, outs, status, changed, LOG)
        assert status in (0, 1, 2, 3, 4), what
        assert status == 0 or not changed, what
        assert status != 0 or kind not in ("slice", "convert"), what
        if status != 0:
            continue
        own = {f for f in before if f.startswith(job.folder + "/")}
        if kind == "task":
            assert changed <= set(targets), what
            continue
        if kind == "remove":
            gone = {f for f in changed if f not in after}
            assert gone <= own and not gone & set(targets), what
            changed -= gone
        else:
            assert not changed & (own - {job.folder + "/o.npy"}), what
        assert changed <= set(targets), what
        for target, bytes_of in zip(targets, want):
            npy = target.endswith(".npy")  # else JSON
            assert bytes_of is None or not npy or after[target] == bytes_of, what
        inputs = [j.file(i, k) for j in jobs for i in range(j.parts) for k in j.kinds()]
        inputs += [j.input for j in jobs]
        if kind == "remove":
            return
        if {where(i) for i in inputs if os.path.exists(i)} & changed:
            return  # of the other job, which the command does not read
    if {"other", "loop"} & set(done) or not os.path.isdir(jobs[0].folder):
        return
    for i in range(jobs[0].parts):
        status = jobs[0].task(i, "--resume", "--checksums")
        if status == 3 and "is of another job" in LOG[-1][2]:
            return  # an output has the name of a record
        assert status == 0, (done, LOG)
    for name in ("y.npy", "whole.npy"):
        if os.path.lexists(name):
            os.remove(name)
    assert ran("join", jobs[0].folder, "-o", "whole.npy") == 0, (done, LOG)
    with open("whole.npy", "rb") as f, open(jobs[0].whole[0], "rb") as g:
        assert f.read() == g.read(), (done, LOG)


def main(seed, rounds):
    top = os.getcwd()
    for i in range(int(rounds)):
        folder = f"{top}/t{i}"
        os.mkdir(folder)
        os.chdir(folder)
        try:
            trial(random.Random(f"{seed} {i}"))
        except AssertionError:
            print("seed", seed, "round", i)
            raise
        os.chdir(top)
        shutil.rmtree(folder)


main(*sys.argv[1:])
