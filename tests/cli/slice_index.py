"""Compares slice --index with basic slicing by NumPy, for random arrays. DMLOP is the program."""
import random

import numpy as np
from program import dmlop

random.seed(7)


def part(n):
    r = random.random()
    pick = lambda: "" if random.random() < 0.35 else str(random.randint(-n - 3, n + 3))
    if r < 0.15:
        return str(random.randint(-n, n - 1))
    if r < 0.3:
        return ":"
    step = random.choice(["", ":", ":1", ":2", ":-1", ":-2", ":3", ":-3", ":7"])
    return pick() + ":" + pick() + step


done = 0
while done < 120:
    shape = tuple(random.randint(1, 6) for _ in range(random.randint(1, 5)))
    a = np.arange(np.prod(shape),
                  dtype=random.choice(["f4", "i2", "u1", "f8", "i8", "u4", "f2"])).reshape(shape)
    n = random.randint(1, len(shape))
    entries = [part(s) for s in shape[:n]]
    if random.random() < 0.3:
        at = random.randint(0, n)
        entries = ([part(s) for s in shape[:at]] + ["..."]
                   + [part(s) for s in shape[len(shape) - (n - at) :]] if n > at
                   else entries + ["..."])
    spec = ", ".join(entries)

    def keep(i, e):  # an integer keeps its axis
        try:
            v = int(e)
        except ValueError:
            return e
        return f"{v}:{v + 1}" if v != -1 else "-1:"

    want = eval("a[" + ", ".join(keep(i, e) for i, e in enumerate(entries)) + "]")
    np.save("a.npy", np.asfortranarray(a) if random.random() < 0.3 else a)
    r = dmlop("slice", "--index", spec, "a.npy", "-o", "b.npy", text=False)
    if want.size == 0:
        assert r.returncode == 3 and b"selects nothing" in r.stderr, (shape, spec, r)
        continue
    assert r.returncode == 0, (shape, spec, r)
    got = np.load("b.npy")
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), (
        shape, spec, got, want)
    done += 1
