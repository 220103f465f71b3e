"""Every string that numpy.dtype() makes one of dmlop's types of is read as that type, and no other
string: of all letters, sizes and names, with and without a byte order."""

import string
import warnings

import numpy as np
from program import dmlop

warnings.simplefilter("ignore")
types = "f4 f2 f8 i1 i2 i4 i8 u1 u2 u4 u8".split()
ours = {np.dtype(o + t): t for t in types for o in "<>"}
names = {np.dtype(o + t): n for t, n in zip(types, "FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 "
         "UINT8 UINT16 UINT32 UINT64".split()) for o in "<>"}
names[np.dtype("?")] = "BOOL (UINT8)"

words = {k for k in getattr(np, "sctypeDict", {}) if isinstance(k, str)} | set(string.ascii_letters)
words |= {c + str(n) for c in string.ascii_letters for n in (*range(17), 32, 64, 128)}
words |= set("long ulong bool int float uint f04 i+4 f-4 f44 b8 e2 d8 I4 l8".split())
words |= {"f 4", "f4 ", " f4", "int8 byte", "single double", "float16 "}
texts = {o + w for w in words for o in ("", "<", ">", "=", "|")}
texts |= {p + w for w in ("f4", "<f4", "single", ">i2") for p in ("()", "1", "<()")} - {"<()>i2"}
texts |= {w + "," for w in ("f4", ">f4", "single", "?")} | {"f4,f4", "(2,)f4", "2f4", ",", ""}

paths = []
for text in sorted(texts):
    try:
        want = np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        want = None
    data = np.zeros(3, want if want in names else "V16").tobytes()
    header = ("{'descr': %r, 'fortran_order': False, 'shape': (3,), }\n" % text).encode()
    path = "%d.npy" % len(paths)
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + data)
    paths.append((path, text, want if want in names else None))
run = dmlop("info", *(p for p, _, _ in paths))
lines = dict(line.split(": ", 1) for line in run.stdout.splitlines())
for path, text, want in paths:
    got = lines.get(path)
    if want is None:  # "n" is a type of NumPy 2 only
        refused = any("%s: %sNumPy type" % (path, w) in run.stderr for w in ("", "unknown "))
        assert refused or text.strip("<>=|") in ("n", "N"), (text, got)
        continue
    order = "big" if want.byteorder == ">" else "little"
    assert got and got.startswith(names[want] + " {3}, C order, %s-endian" % order), (text, got)
assert sum(w is not None for _, _, w in paths) > 140, len(paths)
