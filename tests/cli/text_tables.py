"""Random tables as text: what dmlop reads is what was written, and what Python's csv module and
NumPy read; everything else is refused. DMLOP is the program; SEED repeats a run."""
import csv
import io
import os
import random
import sys
from fractions import Fraction

import numpy as np
from program import dmlop

SEED = os.environ.get("SEED") or str(random.SystemRandom().randrange(10**9))
RUNS = 1500 if os.environ.get("EXPENSIVE") else 400
rng = random.Random(SEED)
ODD = ["", "NA", "#N/A", "#DIV/0!", "-", ".", "?", "x", "12:30", "1,5", "1.234,5", "10,000", "1e"]
ODD += ["1 2", "--1", "1.2.3", "(5)", "5%", "\u22125", "1.#J", '"', '"1', "#", "# 1", "1 # c"]
ODD += ["0x1", "null", "1_0"]
SPECIAL = {"nan": "nan", "NaN": "nan", "inf": "inf", "-INF": "-inf", "+Infinity": "inf"}
SPECIAL |= {"1.#INF": "inf", "-1.#INF0": "-inf", "1.#QNAN": "nan", "-1.#IND": "nan"}
SPECIAL["-nan(ind)"] = "nan"


def big():
    at = rng.choice([2**53, 2**63, 2**64, 10**15, 10**16, 10**20, 10**22, 2**70])
    return str(rng.choice([1, 1, -1]) * (at + rng.randint(-2, 2)))


def number(kinds):
    kind = rng.choice(kinds)
    if kind == "whole":
        return str(rng.randint(-99, 99))
    if kind == "big":
        return big()
    if kind == "special":
        return rng.choice(list(SPECIAL))
    if kind == "relaxed":
        return rng.choice(["+5", "007", "-00.5", ".5", "5.", "+.5e1", "-0", "0e0", "1E+2", "-0.0"])
    x = rng.choice([rng.gauss(0, 1), rng.uniform(-1e300, 1e300), rng.random() * 1e-310])
    return rng.choice(["%r", "%.3g", "%.18e", "%+.2f", "%.25g"]) % x


def value(cell):
    """The exact value of a cell that is a number, or nan, inf, -inf; None for others."""
    cell = SPECIAL.get(cell, cell)
    if cell in ("nan", "inf", "-inf"):
        return cell
    try:
        return Fraction(cell) if cell.isascii() and "/" not in cell and "_" not in cell else None
    except ValueError:
        return None


def is_whole(cell):
    return cell.lstrip("+-").isdigit() and not (Fraction(cell) == 0 and cell[0] == "-")


def expected_type(cells):
    """The type that holds all numbers, or None."""
    whole = [int(c) for c in cells if is_whole(c)]
    if len(whole) == len(cells):
        for name, low, high in ("int64", -(2**63), 2**63 - 1), ("uint64", 0, 2**64 - 1):
            if all(low <= v <= high for v in whole):
                return name
    fits = all(abs(v) < 2**64 and int(float(v)) == v for v in whole)
    return "float64" if fits else None


def table():
    """A text, its rows of cells, the lines before them, the separator, and if it is right."""
    kinds = rng.choice([["whole"], ["whole", "big"], ["float"], ["whole", "big", "float"],
                        ["whole", "float", "relaxed", "special"]])
    rows, columns = rng.randint(1, 6), rng.randint(1, 5)
    cells = [[number(kinds) for _ in range(columns)] for _ in range(rows)]
    sep = rng.choice([",", ";", "\t", " ", "  ", ", ", " ; ", " \t"])
    good, lines, skip = True, [], 0
    if rng.random() < 0.4:
        i, j = rng.randrange(rows), rng.randrange(columns)
        odd = rng.choice(ODD)
        another = odd in ("#", "# 1") and j == 0  # a comment, a name, or a row of more cells
        another = another or (columns == 1 and i == 0 and odd == "x")
        if not another and (min(rows, columns) > 1 or (odd and not set(odd) & set(" ,;"))):
            cells[i][j] = odd
            good = False
    written = [[f'"{c}"' if rng.random() < 0.1 else c for c in row] for row in cells]
    lines = [sep.join(row) for row in written]
    end = rng.choice(["", "", "", "", sep.strip(" "), sep])
    if end:
        good = good and not end.strip(" \t")
        lines = [x + end for x in lines]
    head = []
    if rng.random() < 0.4:
        some = ["x", "time", "b_2", "\u0394t", '"a, b"', '"time;s"', "_y"]
        names = [rng.choice(some) for _ in cells[0]]
        if rng.random() < 0.3:
            odd = rng.choice(["NA", "null", "-", "5x", "?", "1.#X", "true"])
            names[rng.randrange(columns)] = odd
            good = False
        if rng.random() < 0.1:
            names.append("more")
            good = False
        head = [sep.join(names)]
    comments = ["# a b", "#x,y", "## 1 2", "#"]
    for _ in range(rng.choice([0, 0, 1, 2])):
        head.insert(rng.randint(0, len(head)), rng.choice(comments + [""]))
    skip = len(head)
    lines = head + lines + rng.choice([[], [], ["# end"], ["", "#"]])
    if rng.random() < 0.1:
        lines.insert(rng.randint(skip, skip + rows), "")
    if rng.random() < 0.1 and rows > 1:
        lines.insert(skip + 1 + lines[skip : skip + 1].count(""), rng.choice(comments))
        good = False
    ends = rng.choice([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\r", "\r\n"]])
    text = "".join(x + rng.choice(ends) for x in lines)
    if rng.random() < 0.2:
        text = text.rstrip("\r\n")
    return text, cells, skip, sep, good


def read(text):
    bom = b"\xef\xbb\xbf" if rng.random() < 0.1 else b""
    with open("t.csv", "wb") as f:
        f.write(bom + text.encode())
    got = dmlop("convert", "--no-sync", "t.csv", "-o", "t.npy")
    assert got.returncode in (0, 3), (got.returncode, got.stderr)
    return np.load("t.npy") if got.returncode == 0 else None


def fail(text, *what):
    sys.exit(f"SEED={SEED}: {text!r}\n" + "\n".join(map(str, what)))


def same(a, b):
    return a.shape == b.shape and np.array_equal(a.astype("f8"), b.astype("f8"), equal_nan=True)


counts = {"read": 0, "refused": 0, "csv": 0, "loadtxt": 0, "genfromtxt": 0}
for _ in range(RUNS):
    text, cells, skip, sep, good = table()
    flat = [c for row in cells for c in row]
    values = [value(c) for c in flat]
    kind = expected_type(flat) if None not in values else None
    got = read(text)
    if got is None:
        counts["refused"] += 1
        if good and kind:
            fail(text, "was refused")
        continue
    counts["read"] += 1
    if kind is None:
        fail(text, "was read as", got)
    want = np.array([float(v) if kind == "float64" else int(v) for v in values], dtype=kind)
    want = want.reshape(len(cells), len(cells[0])).squeeze()
    equal = np.array_equal(got, want, equal_nan=kind == "float64")
    if got.dtype != kind or got.shape != want.shape or not equal:
        fail(text, "was read as", got, "and is", want)
    # other readers, of what all of them know
    delimiter = sep.strip(" ") or None
    rest = "".join(io.StringIO(text, newline=None).readlines()[skip:])
    plain = not any(c in SPECIAL and "#" in c or "(" in c for c in flat)
    if delimiter in (",", ";"):
        lines = [x for x in rest.split("\n") if x.strip() and not x.startswith("#")]
        other = [[c.strip(' "') for c in r] for r in csv.reader(lines, delimiter=delimiter)]
        if [value(c) for r in other for c in r] != values:
            fail(text, "csv:", other)
        counts["csv"] += 1
    if plain:
        options = {"delimiter": None if sep == " \t" else delimiter}
        try:
            other = np.loadtxt(io.StringIO(rest), quotechar='"', ndmin=2, **options)
        except ValueError as e:  # of blanks before a quote, and tabs at the ends of lines
            if '"' not in rest and "\t\n" not in rest + "\n":
                fail(text, "loadtxt:", e)
            continue
        if not same(got.reshape(other.shape) if got.size == other.size else got, other):
            fail(text, "loadtxt:", other, got)
        counts["loadtxt"] += 1
        if '"' not in rest:
            other = np.genfromtxt(io.StringIO(rest), **options)
            if not same(got, other):
                fail(text, "genfromtxt:", other, got)
            counts["genfromtxt"] += 1
if min(counts.values()) < RUNS / 40:
    fail(counts, "some readers were hardly compared")
