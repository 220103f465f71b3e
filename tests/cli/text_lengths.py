"""Cells and options of any length: a number is read as Python reads it, and all else is refused.
DMLOP is the program."""
from program import dmlop

LENGTHS = [1, 2, 16, 17, 39, 40, 41, 254, 255, 256, 257, 258, 340, 341, 342]
LENGTHS += [508, 509, 510, 511, 512, 513, 1023, 1024, 5000]
FORMS = "1{.} {.} {.}1 -{.}e 1{.e} {1.} {.1} +{1.e} {0} {0}1 -{0}.5 +{0}. 1.{0}1 0.{0}1e{0}1 {1}"
FORMS += ' 1e{9} {1e} {-}1 {#} 1.#INF{0} 1.#IND{0} "{1}" "{.}" {nan}'


def value(text):
    """The number that a cell is, or None."""
    text = text.strip(" ")
    text = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    sign = -1.0 if text[:1] == "-" else 1.0
    bare = text.lstrip("+-")
    if "#" in bare and len(bare) > 5 and not bare.rstrip("0")[6:]:
        return {"1.#INF": sign * float("inf"), "1.#IND": float("nan")}.get(bare[:6])
    try:
        return float(text) if text.isascii() and " " not in text else None
    except ValueError:
        return None


for form in FORMS.split() + ["{ }1{ }", "1{ }x"]:
    for n in LENGTHS:
        cell = form
        while "{" in cell:
            head, rest = cell.split("{", 1)
            part, tail = rest.split("}", 1)
            cell = head + part * n + tail
        with open("t.csv", "w", encoding="ascii") as f:
            f.write(cell + ",2\n")
        made = dmlop("convert", "t.csv", "--dtype", "float64", "--format", "csv", "-o", "-")
        want = value(cell)
        what = f"{form} {n}: {made.returncode} {made.stdout[:80]}{made.stderr[:200]}"
        assert made.returncode in (0, 3), what
        if made.returncode == 0:
            got = float(made.stdout.split()[0])
            assert want is not None and (got == want or got != got and want != want), what
        else:
            assert want is None or abs(want) == float("inf") or len(cell) > 500, what
        made = dmlop("make", "--sizes", "1", f"--fill={cell}", "--format", "json", "-o", "-")
        assert made.returncode in (0, 2), f"--fill {form} {n}: {made.returncode} {made.stderr}"
