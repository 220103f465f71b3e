"""Compares what commands give for parts with what they give for the whole. DMLOP is the program."""
import json
import os
import random
import shutil
import subprocess

import numpy as np

D = os.environ["DMLOP"]
random.seed(4)
rng = np.random.default_rng(4)


def run(*a):
    p = subprocess.run([D, *a], capture_output=True)
    assert p.returncode in (0, 1) and not p.stderr, (a, p)
    return p


def same(parts, whole, *args, out=True):
    results = []
    for name, o in ((parts, "a.npy"), (whole, "b.npy")):
        p = run(*[a.replace("@", name) for a in args], *(["--no-sync", "-o", o] if out else []))
        results.append(
            (
                p.returncode,
                p.stdout.replace(parts.encode(), whole.encode()),
                open(o, "rb").read() if out else None,
            )
        )
    assert results[0] == results[1], (args, results)


def window(n):
    a = random.randrange(n)
    b = random.randint(a + 1, n)
    s = random.choice([1, 1, 2, 3, -1, -2])
    return f"{a}:{b}:{s}" if s > 0 else f"{b - 1}:{a - 1 if a else ''}:{s}"


def check(parts, whole):
    y = np.load(whole)
    rank = y.ndim
    zeros = "--explain=" + ",".join("0" * rank)
    for _ in range(2):
        index = "--index=" + ",".join(window(n) for n in y.shape)
        same(parts, whole, "slice", index, "@")
        same(parts, whole, "slice", index, "@", "--format", "json", out=False)
        same(parts, whole, "slice", index, "@", zeros, out=False)
        same(parts, whole, "show", index, "@", out=False)
    for args in (
        ["show", "--edge", "1", "@"],
        ["show", "--all", "@"],
        ["info", "@"],
        ["info", "--format", "json", "--histogram", "@"],
    ):
        same(parts, whole, *args, out=False)
    order = list(range(rank))
    random.shuffle(order)
    for args in (
        ["@"],
        ["@", "--dtype", "float64"],
        ["@", "--sizes=-1"],
        ["@", "--permute=" + ",".join(map(str, order))],
    ):
        same(parts, whole, "convert", *args)
    same(parts, whole, "convert", "@", "--format", "json", out=False)
    z = y.copy()
    z.reshape(-1)[-1] = not z.reshape(-1)[-1]
    np.save("z.npy", z)
    same(parts, whole, "compare", "@", "z.npy", out=False)
    same(parts, whole, "compare", "--format", "json", "z.npy", "@", out=False)
    if y.dtype.kind != "b":
        axis = random.randrange(rank)
        k = random.randint(1, y.shape[axis])
        same(parts, whole, "topk", "-k", str(k), "--axis", str(axis), "@")
        same(parts, whole, "topk", "-k", str(k), "--axis", str(axis), "@", zeros, out=False)
    for op, jobs in (("slice", ["--index=" + ",".join(["::-1"] * rank)]), ("topk", ["-k", "1"])):
        if op == "topk" and y.dtype.kind == "b":
            continue
        axis = random.randrange(rank)
        n = random.randint(1, min(3, y.shape[axis]))
        for name, of in (("p.npy", parts), ("q.npy", whole)):
            for i in range(n):
                run(
                    op,
                    *jobs,
                    of,
                    "--no-sync",
                    "--part",
                    f"{i}/{n}",
                    "--part-axis",
                    str(axis),
                    "-o",
                    name,
                )
        for f in os.listdir("q.npy.parts"):
            a, b = (open(d + f, "rb").read() for d in ("p.npy.parts/", "q.npy.parts/"))
            assert json.loads(a)["job"] == json.loads(b)["job"] if f.endswith("json") else a == b, (
                op,
                f,
            )
        shutil.rmtree("p.npy.parts")
        shutil.rmtree("q.npy.parts")


for turn, t in enumerate(["f2", "f4", "f8", "i1", "u1", "i2", "u4", "i8", "?", "f4"]):
    sizes = [random.choice([1, 2, 3, 5, 8, 13]) for _ in range(turn % 4 + 1)]
    rank, axis = len(sizes), random.randrange(turn % 4 + 1)
    np.save("x.npy", rng.integers(0, 2 if t == "?" else 90, sizes).astype(t))
    topk = turn % 2 == 1
    k = random.randint(1, sizes[axis])
    args = (
        ["topk", "-k", str(k), "--axis", str(axis)]
        if topk
        else ["slice", "--index=" + ",".join(random.choice([":", "::-1"]) for _ in sizes)]
    )
    axes = random.sample(range(rank), random.randint(1, min(rank, 2)))
    counts = [min(random.choice([2, 3]), sizes[a]) for a in axes]
    n = int(np.prod(counts))
    for i in range(n):
        run(
            *args,
            "x.npy",
            "--no-sync",
            "--part",
            f"{i}/{n}",
            "--part-axis",
            ",".join(f"{a}:{c}" for a, c in zip(axes, counts)),
            "-o",
            "y.npy",
        )
    run(
        "join",
        "y.npy.parts",
        "-o",
        "w.npy",
        "--no-sync",
        *(["--indices", "wi.npy"] if topk else []),
    )
    check("y.npy.parts", "w.npy")
    if topk:
        check("y.npy.parts:indices", "wi.npy")
    shutil.rmtree("y.npy.parts")
