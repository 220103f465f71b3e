"""Random cases for topk: an array in a.npy and the arguments that say what is wanted of it."""
import random
from types import SimpleNamespace

import numpy as np

TYPES = ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">i2"]


def draw(rng, longest):
    """A case of one to four axes of 1 to `longest` elements. Few values are different, so that many
    elements are equal; floats have NaN, -0 and -inf among them."""
    t = np.dtype(random.choice(TYPES))
    shape = tuple(random.randint(1, longest) for _ in range(random.randint(1, 4)))
    a = rng.integers(0 if t.kind == "u" else -4, 5, shape).astype(t)
    if random.random() < 0.5:  # far from each other
        a = (a * (13 if t.itemsize < 2 else 6000)).astype(t)
    if t.kind == "f":
        a[rng.random(shape) < 0.1] = np.nan
        a[rng.random(shape) < 0.1] = -0.0
        a[rng.random(shape) < 0.1] = -np.inf
    np.save("a.npy", np.asfortranarray(a) if random.random() < 0.3 else a)
    axis = random.randint(-len(shape), len(shape) - 1)
    case = SimpleNamespace(array=a, axis=axis, k=random.randint(1, shape[axis]),
                           smallest=random.random() < 0.5, nan_last=random.random() < 0.4)
    case.arguments = ["-k", str(case.k), f"--axis={axis}"]
    case.arguments += ["--smallest" if case.smallest else "--largest"]
    case.arguments += ["--nan", "last" if case.nan_last else "greatest", "a.npy"]
    return case
