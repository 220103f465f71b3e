"""What show prints of scalars, empty tensors, eight and 32 axes. DMLOP is the program."""

import numpy as np
from program import printed


def show(a, *args):
    np.save("x.npy", a)
    return printed("show", *args, "x.npy")


assert (show(np.int64(-(2**63)), "--index", "...")
        == "x.npy[...]: (Sizes:{}, DataType:INT64)\n-9223372036854775808\n")
for s in ((0,), (2, 0), (0, 3), (10**6, 0, 5)):
    for args in ((), ("--all",), ("--edge", "2")):
        want = ",".join(map(str, s))
        assert (show(np.zeros(s, "f4"), *args)
                == f"x.npy: (Sizes:{{{want}}}, DataType:FLOAT32)\n[]\n")
assert (show(np.zeros((1,) * 32, "i1"))
        == "x.npy: (Sizes:{" + ",".join("1" * 32) + "}, DataType:INT8)\n" + "[" * 32 + "0"
        + "]" * 32 + "\n")
# Three at each end of many axes are too many: the outer ones show less.
a = np.arange(10**6, dtype="i4").reshape((10,) * 6)
text = show(a)
values = [int(v)
          for v in text.split("\n", 1)[1].replace("[", " ").replace("]", " ").replace(
              ",", " ").replace("...", " ").split()]
assert values == [1000 * i + 100 * j + 10 * k + l for i in (0, 1, 8, 9) for j in (0, 1, 2, 7, 8, 9)
                  for k in (0, 1, 2, 7, 8, 9) for l in (0, 1, 2, 7, 8, 9)]
assert text.endswith("[9990, 9991, 9992, ..., 9997, 9998, 9999]]]],\n\n  ...],\n\n ...]\n"), text[
    -200:]
text = show(np.zeros((2,) * 16, "u1"))
assert text.count("0") - text.split("\n")[0].count("0") <= 1000
# --edge is what is asked for; --all shows all.
assert show(a[0, 0], "--edge", "9") == show(a[0, 0], "--all")
assert sum(c.isdigit() for c in show(np.zeros((30, 40), "i1"), "--all").split("\n", 1)[1]) == 1200
