"""convert changes a number only by --round or --clamp, and says how many. DMLOP is the program."""
import json
import random
from fractions import Fraction

import numpy as np
from program import dmlop


def run(*a):
    return dmlop("convert", *a, "--no-sync")


def tells(text, file, dtype, *options, status=3):
    r = run(file, "--dtype", dtype, *options, "-o", "y.npy")
    said = "".join(x for x in r.stderr.splitlines(True) if "no OpenMP" not in x)
    assert (r.returncode, said) == (status,
                                    text and "dmlop: convert: %s: %s\n" % (file, text)), (r, text)
    return np.load("y.npy").tolist() if status == 0 else None


def plural(n, text):
    return "%d value%s %s" % (n, "" if n == 1 else "s", text)


def clamped(n, dtype):
    return "warning: " + plural(
        n, "did not fit %s; each was replaced by the nearest one that does" % dtype.upper())


def rounded(n):
    return "warning: " + plural(
        n, "had a fraction; each was rounded to the nearest whole number, halves to the even one")


def both(file, n, dtype, m):
    return clamped(n, dtype) + "\ndmlop: convert: " + file + ": " + rounded(m)


# .npy and JSON: the element, its value and the option that would do
whole = "is not a whole number, and INT8 holds only whole numbers; --round takes the nearest one"
nearer = "--clamp takes the nearer of these"
x = np.array([[1, 2.5], [-0.5, 3.5]])
np.save("x.npy", x)
json.dump(x.tolist(), open("x.json", "w"))
tells("2.5 at index [0,1] " + whole, "x.npy", "int8")
tells("line 1, column 8: [0][1]: 2.5 " + whole, "x.json", "int8")
for f in "x.npy", "x.json":
    assert tells("", f, "int8", "--round", status=0) == [[1, 2], [0, 4]]
    assert tells(rounded(3), f, "uint8", "--clamp", status=0) == [[1, 2], [0, 4]]
    assert tells("", f, "int8", "--round", "--clamp", status=0) == [[1, 2], [0, 4]]
    assert tells("", f, "float16", status=0) == x.tolist()
open("t.json",
     "w").write("{\"DataType\": \"INT8\", \"Sizes\": [3], \"Values\": [1.5, 127.5, -200]}")
assert tells(both("t.json", 2, "int8", 1), "t.json", "int8", "--clamp", status=0) == [2, 127, -128]
tells("line 1, column 52: Values[1]: 127.5 is outside INT8, -128 to 127; " + nearer, "t.json",
      "int8", "--round")
r = run("t.json", "--round", "--clamp", "--format", "json")
assert "[2, 127, -128]" in r.stdout
# what --clamp alone replaces: whatever the numbers are
for f, t, v, want in [("[18446744073709551616]", "uint64", "18446744073709551616", 2**64 - 1),
                      ("[1e400]", "uint64", "1e400", 2**64 - 1),
                      ("[-1e400]", "int64", "-1e400", -(2**63)),
                      ("[9223372036854775808]", "int64", "9223372036854775808", 2**63 - 1),
                      ("[-1]", "uint64", "-1", 0),
                      ("[18446744073709551615.5]", "uint64", "18446744073709551615.5", 2**64 - 1)]:
    open("v.json", "w").write(f)
    tells("line 1, column 2: [0]: %s is outside %s, %d to %d; %s"
          % (v, t.upper(), *((0, 2**64 - 1) if t[0] == "u" else (-(2**63), 2**63 - 1)), nearer),
          "v.json", t)
    assert tells(clamped(1, t), "v.json", t, "--clamp", status=0) == [want]
for t, most in (("float16", 65504), ("float32", float(np.finfo("f4").max)),
                ("float64", np.finfo("f8").max)):
    open("v.json", "w").write("[1e400, 2, -1e400, \"inf\", -Infinity]")
    tells("line 1, column 2: [0]: 1e400 is too large for %s; " % t.upper()
          + "--clamp takes the largest number it holds", "v.json", t)
    assert tells(clamped(2, t), "v.json", t, "--clamp",
                 status=0) == [most, 2, -most, np.inf, -np.inf]
open("v.json", "w").write("[\"-inf\", 1, Infinity, NaN, \"NaN\"]")
tells("line 1, column 2: [0]: \"-inf\" is outside UINT64, which is an integer type; "
      "--clamp takes the nearest number it holds", "v.json", "uint64", "--round")
assert tells(clamped(4, "uint64"), "v.json", "uint64", "--clamp",
             status=0) == [0, 1, 2**64 - 1, 0, 0]
assert tells(clamped(4, "int16"), "v.json", "int16", "--clamp",
             status=0) == [-32768, 1, 32767, 0, 0]
open("v.json", "w").write("[NaN]")
tells("line 1, column 2: [0]: NaN is outside INT8, which is an integer type; --clamp takes 0",
      "v.json", "int8")
np.save("n.npy", np.array([np.nan, np.inf], "f4"))
tells("nan at index [0] does not fit INT8; --clamp takes 0", "n.npy", "int8", "--round")
assert tells(clamped(2, "int8"), "n.npy", "int8", "--clamp", status=0) == [0, 127]
# rounded once, from the text
once = "1.00048828125000000000000001"
open("d.json", "w").write("[%s, -%s, 1.000000059604644775390625000001]" % (once, once))
for options in (), ("--clamp",), ("--round",):
    assert tells("", "d.json", "float16", *options, status=0) == [1.0009765625, -1.0009765625, 1]
    assert tells("", "d.json", "float32", *options, status=0)[2] == 1.00000011920928955078125
# many pieces, many threads: as exact arithmetic has it, and counted once
random.seed(7)
words = [str(random.randrange(-300, 300))
         + random.choice(["", "", ".0", ".5", ".50000000000000000000000000001", ".25e0", "e-1",
                          ".05e1"]) for i in range(60000)]
open("m.json", "w").write("[" + ", ".join(words) + "]")
exact = [Fraction(w) for w in words]
whole = [round(v) for v in exact]
misfit = sum(not -128 <= v <= 127 for v in whole)
fraction = sum(-128 <= v <= 127 and v != e for v, e in zip(whole, exact))
for threads in "1", "2", "5":
    assert tells(both("m.json", misfit, "int8", fraction), "m.json", "int8", "--clamp", "--threads",
                 threads, status=0) == [min(max(v, -128), 127) for v in whole]
    assert tells("", "m.json", "int16", "--round", "--threads", threads, status=0) == whole
r = run("m.json", "--dtype", "int16", "--round", "-v", "-o", "y.npy")
assert ("m.json: %d values had a fraction; each" % sum(v != e for v, e in zip(whole, exact))
        in r.stderr)
