"""The manual page dmlop-operators(7), made from src/desc/operators.

tests/operators_page.py write|check: `check` fails if man/dmlop-operators.7 is not what
`write` would write.
"""

import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "man", "dmlop-operators.7")
RUN = {"SLICE": "slice", "SLICE1": "slice", "TOP_K": "topk", "TOP_K1": "topk",
       "QUANTIZED_LINEAR_MATRIX_MULTIPLY": "qmatmul"}

HEAD = r""".\" made by "make operators" from src/desc/operators
.Dd November 26, 2026
.Dt DMLOP-OPERATORS 7
.Os dmlop 0.1.0
.Sh NAME
.Nm dmlop-operators
.Nd the DirectML operators that dmlop checks
.Sh DESCRIPTION
.Nm dmlop
checks descriptors of all @COUNT@ operators of DirectML up to feature level 6_4, and runs five of
them.
This page lists the operators with their fields.
.Pp
After the description of an operator come the feature level that introduced it and the rules
that are checked:
.Bl -tag -width shape
.It Sy table
The rules that the tables of DirectML's pages state: fields and their types, values of enumerations,
data types and numbers of dimensions at each feature level, limits of numbers, flags, optional
tensors, lengths of arrays, and tensors that must agree in data type, number of dimensions or sizes.
What another source or a program that runs contradicts is a warning.
.It Sy shape
Rules that compute sizes from other fields, such as the output of a convolution, or hold numbers and
optional tensors against them.
The name after it is that of the recipe.
.It Sy run
All rules of an operator that
.Nm dmlop
runs; the name after it is the command.
.El
.Pp
A field is required unless it is marked
.Em optional .
A tensor is an input, an output, a state that the operator reads, or a parameter, such as a scale or
a bias, which fits the inputs.
An output that is marked
.Em may replace
can be bound to exactly the bytes of one of the inputs named.
.Ql dmlop validate --template NAME
prints an example of an operator.
.Sh OPERATORS
"""

TAIL = r""".Sh SEE ALSO
.Xr dmlop 1 ,
.Xr dmlop-validate 1 ,
.Xr dmlop-descriptor 5 ,
.Xr dmlop-model 5 ,
.Xr dmlop-rules 7
"""


def escape(text):
    """A text in mdoc, a line for each sentence."""
    text = re.sub(r"\. (?=[A-Z])", ".\n", text.replace("\\", "\\e"))
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def kind(field):
    words = [field["enum"] if field["kind"] == "enum" else field["kind"].replace("_", " ")]
    if "count" in field:
        words.append("of " + field["count"])
    if "role" in field:
        words.append(field["role"])
    if field.get("optional"):
        words.append("optional")
    if "over" in field:
        words.append("may replace " + ", ".join(field["over"]))
    return ", ".join(words)


def entry(operator):
    name = operator["operator"]
    checked = "table"
    if name in RUN:
        checked = f"run ({RUN[name]})"
    elif "shape" in operator:
        checked = f"table, shape ({operator['shape']})"
    lines = [f".Ss {name}", escape(operator["about"]),
             f"Feature level {operator['level']}; checked: {checked}.",
             ".Bl -tag -width Ds -compact"]
    for field in operator["fields"]:
        lines += [f".It Sy {field['name']} Pq {kind(field)}", escape(field["about"])]
    return lines + [".El"]


def page():
    lines = []
    files = sorted(glob.glob(os.path.join(ROOT, "src", "desc", "operators", "*.json")))
    for path in files:
        with open(path, encoding="ascii") as f:
            lines += entry(json.load(f))
    return HEAD.replace("@COUNT@", str(len(files))) + "\n".join(lines) + "\n" + TAIL


def main():
    if sys.argv[1:] == ["write"]:
        with open(PAGE, "w", encoding="ascii") as f:
            f.write(page())
    elif sys.argv[1:] == ["check"]:
        with open(PAGE, encoding="ascii") as f:
            if f.read() != page():
                sys.exit("man/dmlop-operators.7 differs from src/desc/operators: make operators")
    else:
        sys.exit(__doc__)


main()
