"""qmatmul --explain prints the floats so exactly that its arithmetic adds up. DMLOP is the program,
SAMPLES the folder of samples."""
import json
import os
import random
import re
from fractions import Fraction as F

import numpy as np
from program import printed

random.seed(8)
S = os.environ["SAMPLES"] + "/qmatmul-per-tensor."


def scale():
    r = random.random()
    v = (np.uint32(random.choice([random.getrandbits(32), 1, 0x007FFFFF, 0x7F7FFFFF,
                                  0x80000001])).view("f4") if r < 0.3
         else np.float32(2.0 ** random.randint(-3, 3)) if r < 0.6
         else np.float32(random.choice([1, 0.1, 1 / 3, 2 / 255, 1.5]) * random.uniform(0.5, 2)))
    return v if np.isfinite(v) and v != 0 else np.float32(0.1)


seen = set()
for trial in range(300):
    a, b, o = scale(), scale(), scale()
    zero = random.randint(-128, 127)
    args = ["qmatmul", "--a-scale", repr(float(a)), "--b-scale", repr(float(b)), "--output-scale",
            repr(float(o)), "--output-zero-point", str(zero), S + "a.npy", S + "b.npy"]
    out = printed(*args, "--explain", "0,1")
    m = re.search(r"^real value: (\S+) \* (\S+) \* (\S+) / (\S+) = (-?)(\S+?)(\.\.\.)?(e[+-]\d+)?$",
                  out, re.M)
    assert m, out
    assert [F(m.group(i)) for i in (2, 3, 4)] == [F(float(x)) for x in (a, b, o)], out
    exact = int(m.group(1)) * F(m.group(2)) * F(m.group(3)) / F(m.group(4))
    shown = F(m.group(6) + (m.group(8) or ""))
    assert (exact < 0) == bool(m.group(5)), out
    if m.group(7):  # cut off, not rounded
        digits = m.group(6).replace(".", "").lstrip("0")
        last = shown / int(digits)
        assert len(digits) == 20 and shown < abs(exact) < shown + last, (out, exact)
    else:
        assert shown == abs(exact), (out, exact)
    value = json.loads(printed(*args, "--format", "json"))["Values"][0][0][0][1]
    result = re.search(r"^result: (?:(-?\d+) \+ (-?\d+) = (-?\d+), within"
                       r"|clamped to (-?\d+), the (largest|smallest) INT8"
                       r"(?:: (-?\d+) \+ (-?\d+) = (-?\d+) is (above|below) it)?$)", out, re.M)
    g = result.groups()
    assert int(g[2] or g[3]) == value, out
    for x, y, z in (g[0:3], g[5:8]):
        if x is not None:
            assert int(x) + int(y) == int(z) and int(y) == zero and int(x) == round(exact), out
    seen.add((g[4], g[8]))
    assert (g[4] is None) == (-128 <= round(exact) + zero <= 127), out
assert len(seen) == 5, seen  # within; clamped at both ends, near and far
