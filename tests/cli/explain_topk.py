"""Compares topk --explain of random elements with a stable sort: value, index, counts. DMLOP is the
program."""
import random
import re

import numpy as np
import topk_cases
from program import printed

random.seed(6)
rng = np.random.default_rng(6)
for trial in range(60):
    case = topk_cases.draw(rng, 7)
    a, axis, small, last = case.array, case.axis, case.smallest, case.nan_last
    printed("topk", *case.arguments, "-o", "v.npy", "--indices", "i.npy")
    v, i = np.load("v.npy"), np.load("i.npy")
    c = tuple(random.randrange(s) for s in v.shape)
    out = printed("topk", *case.arguments, "--explain", ",".join(map(str, c)))
    assert int(out.splitlines()[-1].split(" = ")[1]) == i[c], out
    value = out.splitlines()[-2].split(" = ")[2]
    assert (v.dtype.type(int(value) if value.lstrip("-").isdigit() else float(value)) == v[c]
            or value == "nan" and v[c] != v[c]), out
    source = list(c)
    source[axis] = slice(None)
    seq = a[tuple(source)].tolist()
    key = lambda x: ((x != x) * (1 if small or not last else -1), 0 if x != x else x)
    me = key(seq[i[c]])
    first = [x for x in seq if (key(x) < me if small else key(x) > me)]
    assert (", NaN last\n" in out) == last, out
    assert not last or "NaN counts as above every number" not in out, out
    equal = [j for j, x in enumerate(seq) if key(x) == me]
    m = re.search(r"^before it: (\d+) \w+(?: \((\d+) NaN\))?"
                  r" \+ (\d+) equal with a lower index = (\d+), its rank$", out, re.M)
    assert [int(x or 0) for x in m.groups()] == [len(first), sum(x != x for x in first),
                                                 equal.index(i[c]), c[axis]], out
    ties = re.search(r"^ties: (\d+) other", out, re.M)
    assert int(ties.group(1) if ties else 0) == len(equal) - 1, out
