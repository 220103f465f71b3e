"""convert, compare and info --stats give the same for 1, 2, 3 and 8 threads. DMLOP is the
program."""
import json
import os

import numpy as np
from program import dmlop

COUNTS = (3,) if "TSAN_OPTIONS" in os.environ else (2, 3, 8)  # one shows a race, and takes long

rng = np.random.default_rng(6)
a = rng.standard_normal((300, 1001)).astype("f4")
a[7, 5] = np.nan
a[200, 9] = np.inf
a[299, 1000] = -np.inf
b = a * np.float32(1.0001)
b[150, 3] = 1e30
b[250] = 0
np.save("a.npy", a)
np.save("b.npy", b)
np.save("f.npy", np.asfortranarray(a))
np.save("s.npy", a.astype(">f4"))
np.save("t.npy", np.asfortranarray(rng.integers(-9, 9, (7, 30, 40, 50), dtype="i2").astype(">i2")))
np.save("i.npy", rng.integers(-100, 100, 700000).astype("i4"))
i = np.load("i.npy")
i[600000] = 128
i[600001] = 200
np.save("j.npy", i)


def run(c, n, stdin=None):
    p = dmlop(*c.split(), "--threads", str(n), stdin=stdin, text=False)
    return (p.returncode, p.stdout,
            b"\n".join(x for x in p.stderr.splitlines() if b"no OpenMP" not in x))


def same(c, path=None):
    want = run(c, 1, path and open(path))
    for n in COUNTS:
        assert run(c, n, path and open(path)) == want, (c, n)
    return want


for x in "abfst":
    open(x + ".json", "wb").write(same("convert --format json %s.npy" % x)[1])
for x in "fst":
    open("o.npy", "wb").write(same("convert --format npy %s.npy" % x)[1])
    assert (np.array_equal(np.load("o.npy"), np.load(x + ".npy"), equal_nan=x != "t")
            and np.load("o.npy").dtype.byteorder in "=|<")
assert open("a.json").read() == open("f.json").read() == open("s.json").read()
values = json.loads(open("a.json").read().replace("\"nan\"", "NaN").replace(
                        "\"inf\"", "Infinity").replace("\"-inf\"", "-Infinity"))["Values"]
assert np.array_equal(np.array(values, "f4"), a, equal_nan=True)
for c in ("--format npy a.json", "--format npy t.json", "--format npy --dtype int64 t.json",
          "--format raw --dtype float64 f.npy", "--dtype int8 i.npy",
          "--dtype float16 --clamp b.npy", "--dtype int8 --clamp j.npy", "--dtype int8 j.npy",
          "--dtype uint8 i.npy"):
    same("convert " + c)
assert b"128 at index [600000] does not fit INT8" in same("convert --dtype int8 j.npy")[2]
assert b"2 values did not fit INT8" in same("convert --dtype int8 --clamp j.npy")[2]
same("convert --format npy -", "a.json")
same("convert --format json -", "a.json")
for c in ("a.npy b.npy", "--rtol 1e-3 a.npy b.npy", "--rtol 1e-5 --atol 1e-6 b.npy a.npy",
          "--equal-nan a.npy f.npy", "--equal-nan a.json s.npy", "f.npy b.json", "i.npy j.npy",
          "s.npy s.npy"):
    for form in ("", "--format json "):
        same("compare " + form + c)
for x in ("a.npy", "s.npy", "t.npy", "i.npy", "a.json"):
    same("info --histogram " + x)
