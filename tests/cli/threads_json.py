"""A JSON tensor with errors, blanks and odd tokens gives the same for 1, 2, 3 and 8 threads.
DMLOP is the program."""
import os
import subprocess

import numpy as np
from program import dmlop

# one shows a race, and takes long
COUNTS = ((3, True),) if "TSAN_OPTIONS" in os.environ else ((2, False), (3, True), (8, False))
rng = np.random.default_rng(7)
text = ("["
        + ",\n".join("[" + ", ".join("%d.%d" % (i % 97, j) for j in range(50)) + "]"
                     for i in range(4000)) + "]")


def run(t, n, piped):
    open("t.json", "w", newline="").write(t)
    stdin = subprocess.Popen(["cat", "t.json"], stdout=subprocess.PIPE).stdout if piped else None
    name = "-" if piped else "t.json"
    p = dmlop("convert", "--format", "raw", "--threads", n, name, stdin=stdin, text=False)
    return (p.returncode, p.stdout,
            b"\n".join(x for x in p.stderr.replace(b"standard input", b"t.json").splitlines()
                       if b"no OpenMP" not in x))


def same(t, good):
    want = run(t, 1, False)
    assert good is None or (want[0] == 0) == good, want[2]
    for n, piped in COUNTS:
        assert run(t, n, piped) == want, (n, want[2])
    return want


plain = same(text, True)[1]
assert same(text.replace("\n", "\r\n"), True)[1] == plain
assert same(text.replace("]", ",]", 2500), True)[1] == plain
assert same(text.replace("\n", " // a row\n", 2500), True)[1] == plain
assert (same("{\"Values\": " + text + ", \"Sizes\": [4000, 50], \"DataType\": \"FLOAT32\"}",
             True)[1] == plain)
assert same(text.replace("[", " ").replace("]", " ").join("[]"), True)[1] == plain
same(text.replace("13.7,", "NaN,").replace("14.7,", "-Infinity,").replace("15.7,", "\"inf\","),
     True)
junk = ("x", "]", "[", ",", "\"", "\u00e9")
for i, at in enumerate([65536 * k + d for k in (1, 5, 9) for d in (-1, 0, 1)]
                       + list(rng.integers(0, len(text), 3)) + [len(text) - 1]):
    for c in junk if os.environ.get("EXPENSIVE") else junk[i % 3 :: 3]:
        same(text[:at] + c + text[at + 1 :], None)
same(text[:700000], False)
same(text.replace("3.49],", "3.49, 1],"), False)
same(text.replace("3.48, ", "", 1), False)
