"""Compares joined parts with the whole, byte for byte: operators, types, axes, grids. DMLOP is the
program."""
import os
import random
import shutil

import numpy as np
from program import printed

random.seed(5)
rng = np.random.default_rng(5)
TYPES = ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", ">f4", ">i2"]


def run(*a):
    return printed(*a, text=False)


def data(sizes, t):
    if "f" not in t:
        return rng.integers(0, 2 if t == "?" else 5, sizes).astype(t)
    x = rng.integers(-3, 4, sizes).astype(t)
    x[rng.random(sizes) < 0.1] = np.nan
    x[rng.random(sizes) < 0.1] = -0.0
    x[rng.random(sizes) < 0.05] = np.inf
    return x


def save(name, x):
    np.save(name, np.asfortranarray(x) if random.random() < 0.3 else x)


def grid(sizes):
    while True:
        axes = random.sample(range(len(sizes)), random.randint(1, len(sizes)))
        counts = [min(random.choice([1, 2, 3, sizes[a]]), sizes[a]) for a in axes]
        n = int(np.prod(counts))
        if n <= 16:
            break
    words = ["%d:%d" % (a - random.choice([0, len(sizes)]), c) for a, c in zip(axes, counts)]
    if random.random() < 0.3:
        i = random.randrange(len(words))
        words[i] = words[i].split(":")[0]
    return n, ["--part-axis=" + ",".join(words)]


def slice_case():
    sizes = [random.randint(1, 9) for _ in range(random.randint(1, 4))]
    save("x.npy", data(sizes, random.choice(TYPES)))
    index = ",".join("%d::%d" % (random.randrange(s), random.choice([1, 1, 2, 3, -1, -2]))
                     for s in sizes)
    return ["slice", "--index=" + index, "x.npy"], None


def topk_case():
    sizes = [random.randint(1, 12) for _ in range(random.randint(1, 3))]
    save("x.npy", data(sizes, random.choice([t for t in TYPES if t != "?"])))
    axis = random.randrange(len(sizes))
    k = random.choice(["1", str(min(2, sizes[axis])), str(sizes[axis]), "all"])
    return ["topk", "-k", k, "--axis", str(axis), random.choice(["--largest", "--smallest"]),
            "--nan", random.choice(["greatest", "last"]), "--index-type",
            random.choice(["uint32", "uint64", "int64"]), "x.npy"], (axis, sizes[axis])


def qmatmul_case():
    batch = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    m, k, n = [random.randint(1, 9) for _ in range(3)]
    a, b = random.choice(["i1", "u1"]), random.choice(["i1", "u1"])
    save("a.npy", rng.integers(0, 100, batch + [m, k]).astype(a))
    save("b.npy", rng.integers(0, 100, batch + [k, n]).astype(b))
    for name, sizes, t in (("as", [m, 1], "f4"), ("bs", [1, n], "f4"), ("cs", [m, 1], "f4"),
                           ("az", [m, 1], a), ("bz", [1, n], b)):
        np.save(name + ".npy", rng.integers(1, 9, sizes).astype(t))

    def either(number, name):
        return random.choice([number, name + ".npy"])

    return ["qmatmul", "--a-scale", either("0.5", "as"), "--b-scale", either("0.25", "bs"),
            "--output-scale", either("9", "cs"), "--a-zero-point", either("1", "az"),
            "--b-zero-point", either("2", "bz"), "a.npy", "b.npy"], None


for _ in range(24):
    args, along = random.choice([slice_case, topk_case, qmatmul_case])()
    indices = ["--indices", "i.npy"] if along else []
    run(*args, "-o", "whole.npy", *(["--indices", "wi.npy"] if along else []))
    sizes = list(np.load("whole.npy").shape)
    if along:
        sizes[along[0]] = along[1]
    n, axes = random.choice(
        [grid, lambda s: (random.choice([1, max(s), random.randint(1, max(s))]), [])])(sizes)
    if "last" not in args and random.random() < 0.4:  # the same by a descriptor
        with open("d.json", "wb") as f:
            f.write(run(*args, "--emit-descriptor"))
        args = (["qmatmul", "-d", "d.json", *args[1:]] if args[0] == "qmatmul"
                else [args[0], "--relaxed", "-d", "d.json", args[-1]])
    for i in random.sample(range(n), n):
        run(*args, "-o", "y.npy", "--part", "%d/%d" % (i, n), *axes, *indices)
    run("join", "y.npy.parts", *indices)
    assert open("y.npy", "rb").read() == open("whole.npy", "rb").read(), (args, n, axes)
    if along:
        assert open("i.npy", "rb").read() == open("wi.npy", "rb").read(), (args, n, axes)
    records = ["y.npy.parts/" + f for f in os.listdir("y.npy.parts") if f.endswith(".json")]
    random.shuffle(records)
    run("join", "-o", "z.npy", *records)
    assert open("z.npy", "rb").read() == open("whole.npy", "rb").read(), (args, n, axes)
    shutil.rmtree("y.npy.parts")
