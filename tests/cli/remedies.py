"""The remedies that messages print: each command or option is taken from the message and run as it
stands, and does what the message promises. A message that names a command or an option, and has no
row here, fails the test.

A row: the command that makes the message; the message, a regular expression whose groups are taken
from it; what is run, with {1} for the first group; what must come, a text of its output or a
command that succeeds."""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAME = "dmlop compare -q x.npy "
FINE = "true"

# Made as files; placeholders of messages that the test fills in.
SETUP = r"""
py '
import gzip, lzma, pickle
a = np.arange(6, dtype="f4").reshape(2, 3)
np.save("x.npy", a); np.save("h.npy", a + 0.5); np.save("b.npy", np.full((2, 3), 300, "i4"))
np.save("nan.npy", np.array([1, np.nan], "f4")); np.savez("m.npz", a=a, b=a)
np.save("t.npy", np.zeros((2, 3, 4), "f4")); np.save("one.npy", np.zeros((1, 4), "f4"))
open("x.npy.gz", "wb").write(gzip.compress(open("x.npy", "rb").read()))
open("x.npy.xz", "wb").write(lzma.compress(open("x.npy", "rb").read()))
open("x.json", "w").write(json.dumps(a.tolist())); open("w.json", "w", encoding="utf-16-le").write(
    json.dumps(a.tolist()))
pickle.dump(a, open("p.pkl", "wb")); a.tofile("x.bin")
np.save("o.npy", np.array([1, 2], object), allow_pickle=True); np.save("s.npy", np.array(["1"]))
np.save("c.npy", np.array([1j])); np.save("v.npy", np.zeros(2, "V2"))
with open("two.npy", "wb") as f:
    np.save(f, a); np.save(f, a)
np.save("qv.npy", np.ones(3, "i1")); np.save("qa.npy", np.ones((2, 3), "i1"))
np.save("qb.npy", np.ones((4, 3), "i1"))
np.savetxt("h.csv", [[0.5, 2**53 + 1]], "%.17g", ",")'
dmlop make --sizes 2000 --random 1 -o long.npy
dmlop show long.npy >long.txt
for i in 0 1; do dmlop slice x.npy -o y.npy --part $i/2; done
for i in 0 2; do dmlop slice t.npy -o lost.npy --part $i/3 --part-axis 1; done
cp -r lost.npy.parts gone.npy.parts
for i in 0 1; do dmlop topk -k 1 x.npy -o k.npy --part $i/2; done
cp "$SAMPLES"/*.* .
dmlop make --sizes 2,1 --fill 1 -o scale.npy
dmlop validate --template=dequantize >dequantize.desc.json
dmlop convert - -o 5.npy <<<5
ln -s .. up
sed -E 's/"K": +2/"K": 4/; s/1, 1, 3, 2/1, 1, 3, 4/' topk1-ex1.desc.json >k4.desc.json
sed -E 's/"K": +2/"K": 1/; s/1, 1, 3, [24]/1, 1, 3, 1/' topk1-ex1.desc.json >k1.desc.json
dmlop validate --template=padding | sed 's/MODE_[A-Z]*/MODE_SYMMETRIC/' >padding.desc.json
for i in 0 1; do dmlop slice x.npy -o hurt.npy --part $i/2; done
printf 'x' | dd of=hurt.npy.parts/part-00001-of-00002.npy bs=1 seek=130 conv=notrunc status=none
printf '0.0,1.0,2.0\n3.0,4.0,5.0\n' >x2.csv
printf '0,1\n0.5,0.25\n' >n.csv
cat >csv.model.json <<'E'
{ "resources": { "x": { "initialValuesDataType": "FLOAT32", "initialValues": {
    "sourcePath": "x2.csv" } } }, "dispatchables": {}, "commands": [] }
E
cat >outside.model.json <<'E'
{ "resources": { "a": { "initialValuesDataType": "FLOAT32",
    "initialValues": { "sourcePath": "x.json" } } },
  "dispatchables": {},
  "commands": [{ "type": "writeFile", "resource": "a", "targetPath": "../out.npy" }] }
E
sed 's/x.json/x.npy/; s,"\.\./,"up/,' outside.model.json >link.model.json
"""

ROWS = [
    # commands
    ("info x.npy.gz", r"unpack it with: (.*)", "{1}", SAME + "x.npy"),
    ("info x.npy.xz", r"unpack it with: (.*)", "{1}", SAME + "x.npy"),
    ("info w.json", r"convert it with: (.*)", "{1}", SAME + "w.utf8.json"),
    ("info p.pkl", r"convert it with: (.*) \(this", "{1}", SAME + "p.npy"),
    ("info x.bin", r"sizes: (dmlop convert --raw x.bin --dtype )TYPE( --sizes )LIST(.*)",
     "{1}float32{2}2,3{3}", SAME + "x.npy"),
    ("slice m.npz", r"as (m.npz:)NAME or by --array NAME; it lists them: (.*)",
     "{2} && dmlop show {1}b", "m.npz:a:"),
    ("info --array b - <m.npz", r"give FILE(:b)", "dmlop info m.npz{1}", "m.npz:b:"),
    ("show --array a x.npy", r"(--array a) is for FILE.npz", "dmlop show {1} m.npz", "m.npz:a:"),
    ("show m.npz:z", r"'(dmlop info)' lists", "{1} m.npz", "m.npz:b:"),
    ("show two.npy", r"read the first as (\S+), the next as (\S+) and", "dmlop show {1} {2}", FINE),
    ("show /dev/urandom", r"comes from: (.*)", "cp x.npy k && {1} && mv k x.npy", FINE),
    ("slice slice1-ex2.desc.json", r"well: (dmlop slice .*)INPUT", "{1}slice1-ex2.input.npy", FINE),
    ("topk topk1-ex1.desc.json", r"well: (dmlop topk .*)INPUT", "{1}topk1-ex1.input.npy", FINE),
    ("slice -d slice.model.json x.npy", r"run it with: (.*)", "{1}", "14, 16, 6, 8"),
    ("run slice1-ex2.desc.json", r"use dmlop (slice), topk", "dmlop {1} -d slice1-ex2.desc.json "
     "slice1-ex2.input.npy", FINE),
    ("slice -d x.npy x.npy", r"what it holds: (.*)", "{1}", "FLOAT32 {2,3}"),
    ("run x.npy", r"what it holds: (.*)", "{1}", "FLOAT32 {2,3}"),
    ("validate slice1-ex2.input.npy", r"with: (dmlop validate )DESCRIPTOR (.*)",
     "{1}slice1-ex2.desc.json {2}", "valid"),
    ("info n.csv", r"leave it out with (--skip-lines \d)", "dmlop info {1} n.csv", "FLOAT64 {2}"),
    ("compare x.npy long.txt", r"print them all with: (.*)", "{1} long.npy >all.txt",
     "dmlop compare long.npy all.txt"),
    ("join y.npy.parts -o y.json", r"'(dmlop convert)' makes", "dmlop join y.npy.parts && "
     "{1} y.npy -o y.json", SAME + "y.json"),
    ("convert x.npy -o i.npy --dtype int8 && dmlop compare --dtype int8 x.npy i.npy",
     r"'(dmlop convert --dtype)' converts", "{1} int8 x.npy -o i.npy", FINE),
    ("slice --nonsense", r"try '(.*)'", "{1}", "usage: dmlop slice"),
    ("nonsense", r"try '(.*)'", "{1}", "usage: dmlop"),
    ("validate --explain slice.nonsense", r"; '(.*)' lists them", "{1}", "slice.stride-zero"),
    ("validate --template=nonsense", r"such as (?:dmlop )?(\w+)", "dmlop validate --template={1}",
     "DML_OPERATOR_"),
    ("validate --schema=nonsense", r"operator, such as (\w+)", "dmlop validate --schema={1}",
     "$schema"),
    ("validate --template", r"name: (model) or an operator, such as (\w+)",
     "dmlop validate --template={1} && dmlop validate --template={2}", "resources"),
    # types that NumPy saves and dmlop does not read
    (
        "info o.npy",
        r'save (a.astype\(T\)), where T is (\S+) or \S+, of (a = .*)FILE(.*\)), which',
        "python3 -c 'import numpy; {3}\"o.npy\"{4}; T = {2}; numpy.save(\"o2.npy\", {1})'",
        "dmlop info o2.npy"),
    ("info s.npy", r'save (a.astype\(T\)), where T is (\S+) or',
     "python3 -c 'import numpy; a = numpy.load(\"s.npy\"); T = {2}; "
     "numpy.save(\"o2.npy\", {1})'", "dmlop info o2.npy"),
    ("info c.npy", r"save (a.real) and a.imag",
     "python3 -c 'import numpy; a = numpy.load(\"c.npy\"); numpy.save(\"o2.npy\", {1})'",
     "dmlop info o2.npy"),
    ("info v.npy", r"read it with (--dtype bfloat16)", "dmlop info {1} v.npy", FINE),
    # options
    ("convert b.npy --dtype int8 -o z.npy", r"; (--clamp) takes the nearest", "dmlop convert {1} "
     "b.npy --dtype int8 -o z.npy && dmlop show z.npy", "127"),
    ("convert h.npy --dtype int8 -o z.npy", r"; (--round) takes the nearest", "dmlop convert {1} "
     "h.npy --dtype int8 -o z.npy", FINE),
    ("convert nan.npy --dtype int8 -o z.npy", r"; (--clamp) takes 0", "dmlop convert {1} nan.npy "
     "--dtype int8 -o z.npy && dmlop show z.npy", "[1, 0]"),
    ("convert --dtype int8 -o z.npy - <<<[300]", r"; (--clamp) takes the nearer",
     "dmlop convert {1} --dtype int8 -o - - <<<[300] | dmlop show -", "[127]"),
    ("convert --dtype float16 -o z.npy - <<<[1e9]", r"; (--clamp) takes the largest",
     "dmlop convert {1} --dtype float16 -o - - <<<[1e9] | dmlop show -", "65504"),
    ("convert --dtype int8 -o z.npy - <<<[1.5]", r"; (--round) takes",
     "dmlop convert {1} --dtype int8 -o - - <<<[1.5] | dmlop show -", "[2]"),
    ("convert --dtype int8 -o z.npy - <<<[inf]", r"; (--clamp) takes the nearest number",
     "dmlop convert {1} --dtype int8 -o - - <<<[inf] | dmlop show -", "[127]"),
    ("convert --dtype int8 -o z.npy - <<<[nan]", r"; (--clamp) takes 0",
     "dmlop convert {1} --dtype int8 -o - - <<<[nan] | dmlop show -", "[0]"),
    ("convert t.npy -o z.csv", r"convert it with (--sizes)", "dmlop convert {1} 6,4 t.npy -o z.csv",
     FINE),
    ("topk -k 5 x.npy", r"use 1 to (3)", "dmlop topk -k {1} x.npy", FINE),
    ("compare x.npy h.npy", r"equal with (--atol \S+) or (--rtol \S+)",
     "dmlop compare x.npy h.npy {1} && dmlop compare x.npy h.npy {2}", FINE),
    ("compare nan.npy nan.npy", r"(--equal-nan)", "dmlop compare {1} nan.npy nan.npy", FINE),
    ("convert --dtype half x.npy -o z.npy", r"did you mean '(\w+)'",
     "dmlop convert --dtype {1} x.npy -o z.npy", FINE),
    ("convert --dtype none x.npy -o z.npy", r"types are (\S+) (\S+)",
     "dmlop convert --dtype {1} x.npy -o z.npy && dmlop convert --dtype {2} x.npy -o z.npy", FINE),
    ("slice x.npy -o z.xyz", r"use (\.npy), .*or say (--format npy)",
     "dmlop slice x.npy -o z{1} && dmlop slice x.npy {2} -o z.xyz", SAME + "z.xyz"),
    ("slice x.npy -o z.npz --format json", r"leave out (--format json)", "dmlop slice x.npy "
     "-o z.npz", "dmlop info z.npz"),
    ("info --raw x.bin", r"such as (--dtype float32) (--sizes 2,3), or (--sizes -1)",
     "dmlop info --raw {1} {2} x.bin && dmlop info --raw {1} {3} x.bin", "FLOAT32 {2,3}"),
    ("info --sizes 2,3 x.bin", r"give (--raw) as well",
     "dmlop info {1} --dtype float32 --sizes 2,3 x.bin", FINE),
    ("make -o z.npy --range", r"give such as (--sizes \S+)", "dmlop make -o z.npy --range {1}",
     FINE),
    ("make -o z.npy --sizes 3", r"give (--range), (--random )SEED or (--fill )VALUE",
     "dmlop make -o z.npy --sizes 3 {1} && dmlop make -o z.npy --sizes 3 {2}1 && "
     "dmlop make -o z.npy --sizes 3 {3}1", FINE),
    ("make -o z.npy --sizes 3 --between 0,1", r"add (--random )SEED",
     "dmlop make -o z.npy --sizes 3 {1}5 --between 0,1", FINE),
    ("make -o z.npy --sizes 3 --range 10,-1", r"as in (--range=10,-1)",
     "dmlop make -o z.npy --sizes 3 {1} && dmlop show z.npy", "[10,  9,  8]"),
    ("convert t.npy --squeeze 0,2 -o z.npy", r"an '=': (--squeeze=0),2",
     "dmlop convert one.npy {1} -o z.npy", FINE),
    ("convert x.npy h.npy", r"(--output-dir )DIR or -o FILE.npz",
     "dmlop convert x.npy h.npy {1}out && dmlop convert x.npy h.npy -o z.npz", FINE),
    ("topk --help", r"'(dmlop topk --help=all)' lists", "{1}", "--threads N"),
    ("qmatmul qa.npy qb.npy --output-dtype int32 -o z.npy", r"give (--transpose-b) if",
     "dmlop qmatmul qa.npy qb.npy --output-dtype int32 -o z.npy {1}", FINE),
    ("qmatmul qa.npy qa.npy --a-scale 1 --b-scale 1 -o z.npy", r"give (--output-scale) or",
     "dmlop qmatmul --transpose-b qa.npy qa.npy --a-scale 1 --b-scale 1 -o z.npy {1} 1", FINE),
    ("slice x.npy -o four.npy --part 0/4", r"use (--part-axis \S+)",
     "dmlop slice x.npy -o four.npy --part 0/4 {1}", FINE),
    ("slice x.npy -o z.npy --job a", r"needs (--part )I/N", "dmlop slice x.npy -o z.npy --job a "
     "{1}0/1", FINE),
    ("slice x.npy -o z.npy --part 0/1 --checksums", r"needs (--resume)",
     "dmlop slice x.npy -o z.npy --part 0/1 --checksums {1}", FINE),
    ("slice x.npy -o z.json --part 0/1", r"give (-o )FILE(.npy)", "dmlop slice x.npy {1}z{2} "
     "--part 0/1", FINE),
    ("slice x.npy -o - --part 0/1", r"give (-o )FILE(.npy)", "dmlop slice x.npy {1}z{2} --part 0/1",
     FINE),
    ("--version --quiet", r"with (--format text) or (--format json)",
     "dmlop --version {1} && dmlop --version {2}", "kernels"),
    ("show -v long.npy", r"; (--all) shows all", "dmlop show {1} long.npy >all.txt",
     "dmlop compare long.npy all.txt"),
    ("slice x.bin --raw --dtype float32 --sizes 2,3 --output-dir o",
     r"say (--format npy) or (--format json)",
     "for f in '{1}' '{2}'; do dmlop slice x.bin --raw --dtype float32 --sizes 2,3 "
     "--output-dir o $f && dmlop compare x.npy o/x.bin.${f#* } || exit; done", FINE),
    ("slice x.npy -d <(cat slice1-ex2.desc.json) --output-dir o", r"give a file to (-d)",
     "dmlop slice slice1-ex2.input.npy {1} slice1-ex2.desc.json --output-dir o", FINE),
    ("slice x.npy --explain 0,0 -o z.npy", r"use (z.txt)",
     "dmlop slice x.npy --explain 0,0 -o {1} && cat z.txt", "Output[0,0]"),
    ("slice x.npy --output-layout buffer -o z.npy", r"needs (-d): only",
     "dmlop slice slice1-ex2.input.npy --output-layout buffer -o z.npy {1} slice1-ex2.desc.json",
     FINE),
    ("qmatmul qa.npy <(dmlop make --sizes 3,3 --dtype int8 --fill 1 -o -) --transpose-b -o z.npy "
     "--output-dtype int32 && dmlop make --sizes 3,4 --dtype int8 --fill 1 -o kn.npy && "
     "dmlop qmatmul qa.npy kn.npy --transpose-b -o z.npy --output-dtype int32",
     r"leave out (--transpose-b) if", "dmlop qmatmul qa.npy kn.npy -o z.npy --output-dtype int32",
     FINE),
    ("qmatmul qv.npy qv.npy --output-dtype int32 -o z.npy --part 0/1", r"leave (--part) out",
     "dmlop qmatmul qv.npy qv.npy --output-dtype int32 -o z.npy", FINE),
    ("validate --feature-level 1_0 slice1-ex1.desc.json", r"use (--feature-level \S+) or higher",
     "dmlop validate {1} slice1-ex1.desc.json", "valid"),
    ("validate k4.desc.json", r", or (--relaxed) to sort", "dmlop validate {1} k4.desc.json", "K"),
    ("validate k1.desc.json", r"K 1 with (--relaxed)", "dmlop validate {1} k1.desc.json", "K"),
    ("validate --feature-level 2_1 padding.desc.json", r", or (--feature-level \S+) or higher",
     "dmlop validate {1} padding.desc.json", "valid"),
    ("validate - <<<'const DML_TOP_K1_OPERATOR_DESC *d;'",
     r"'(dmlop validate --template=\S+)' prints", "{1}", "TOP_K1"),
    ("validate - <<<'UINT s[] = { 1, 3 };'", r"'(dmlop validate --template=\S+)' prints", "{1}",
     "SLICE1"),
    ("validate - <<<'INT s[] = { -1, n };'",
     r"'(dmlop validate --template=)NAME' .* such as (\S+) or (\S+)", "{1}{2} && {1}{3}", "GEMM"),
    ("validate --template=model", r"'(dmlop validate) FILE' checks it, '(dmlop run) FILE' runs",
     "dmlop validate --template=model >t.model.json && {1} t.model.json && {2} t.model.json",
     "valid"),
    ("validate --template=topk1", r"'(dmlop validate) FILE' checks it, '(dmlop topk)",
     "dmlop validate --template=topk1 >t.json && {1} t.json && "
     "{2} -d t.json topk1-ex1.input.npy -o z.npy", "valid"),
    ("validate csv.model.json", r"convert it with: (.*)", "{1}", SAME + "x2.npy"),
    ("compare --atol 1 nan.npy nan.npy", r"equal with (--equal-nan)",
     "dmlop compare {1} nan.npy nan.npy", FINE),
    ("validate --fix --format json slice1-ex2.desc.json",
     r"(--fix) writes .* together with (--format)",
     "dmlop validate {1} slice1-ex2.desc.json", FINE),
    ("join hurt.npy.parts", r"(--part) I/N, without --resume or with (--resume --checksums)",
     "dmlop slice x.npy -o hurt.npy {1} 1/2 {2} && dmlop join hurt.npy.parts", SAME + "hurt.npy"),
    ("topk -k 1 x.npy --output-dir o --indices i.npy", r"without (--indices) it is",
     "dmlop topk -k 1 x.npy --output-dir o", FINE),
    ("slice -d topk1-ex1.desc.json x.npy", r"use '(dmlop topk)'",
     "{1} -d topk1-ex1.desc.json topk1-ex1.input.npy", FINE),
    ("validate - <<<[1,2]", r"checked with (--bind InputTensor=)FILE",
     "dmlop validate slice1-ex2.desc.json {1}slice1-ex2.input.npy", "valid"),
    ("validate outside.model.json", r"convert it to .npy with (dmlop convert), or",
     "{1} x.json -o x2.npy", SAME + "x2.npy"),
    ("validate outside.model.json", r"run it with (--allow-outside)",
     "sed -i s/x.json/x.npy/ outside.model.json && dmlop run {1} outside.model.json && "
     "rm ../out.npy", FINE),
    ("run link.model.json", r"use (--allow-outside)",
     "dmlop run {1} link.model.json && rm ../out.npy", FINE),
    ("validate --bind QuantizationTensors=x.npy dequantize.desc.json",
     r"use (QuantizationTensors\[0\]) for",
     "dmlop validate --bind {1}=scale.npy dequantize.desc.json", "valid"),
    ("join lost.npy.parts", r"parts are missing: (1)",
     "dmlop slice t.npy -o lost.npy --part {1}/3 --part-axis 1 && dmlop join lost.npy.parts",
     "dmlop compare lost.npy t.npy"),
    ("info gone.npy.parts", r"with (--part): (1)\n  then join them with: (.*)",
     "dmlop slice t.npy -o gone.npy {1} {2}/3 --part-axis 1 && {3}",
     "dmlop compare gone.npy t.npy"),
    ("info k.npy.parts", r"with (--indices) FILE", "dmlop join k.npy.parts {1} ki.npy", FINE),
    ("show hurt.npy.parts", r"join them with: (.*)", "{1} && rm hurt.npy", FINE),
    ("slice x.npy --index 0 --offsets 0,0", r"(--index) cannot", "dmlop slice x.npy {1} 0", FINE),
    ("show x.npy -o x.csv", r"use (x.txt)", "dmlop show x.npy -o {1}", FINE),
    ("compare <(echo '[1,2]') <(dmlop make --sizes 2 --dtype int8 --range -o -)",
     r"give (--dtype INT8)", "dmlop compare <(echo '[0,1]') "
     "<(dmlop make --sizes 2 --dtype int8 --range -o -) {1}", "equal"),
    ("info <(echo '18446744073709551615,-1')", r"(--dtype float64) rounds",
     "dmlop info <(echo '18446744073709551615,-1') {1}", "FLOAT64"),
    ("info --stats <(echo '[16777217]')", r"give (--dtype int64)",
     "dmlop info --stats <(echo '[16777217]') {1}", "INT64")]

# Messages that name a command or an option, and are not run: what they say instead.
NOT_RUN = {
    "its inputs or --job are others": "what differs",
    "cannot start %d threads": "it depends on the limits of the system",
    "this processor cannot run the kernel": "it depends on the processor",
    "dmlop %s\ncompiler": "not a message", "usage: dmlop %s": "not a message",
    "with --relaxed": "an explanation of a rule",
    ", with --portable only": "an explanation of a rule",
    "--largest or --smallest": "the name of an option", "parts; --part asks for": "what differs",
    "use another activation, or --feature-level": "the same hint as for other values",
    "A DxDispatch model to start from.": "a row runs it; it is broken into lines",
    "no --atol or --rtol makes them equal": "there is no remedy",
    "convert it to arrays": "of packages that may be missing; rows run the same for .npy"}

# A command or an option that is proposed, in a string of the source.
PROPOSES = re.compile(
    r"\bdmlop (?:compare|convert|info|join|make|qmatmul|run|show|slice|topk|validate|%s)\b"
    r"|(?:\b(?:use|give|say|add|with|or|leave out|needs|only for)|;) '?--[a-z]|python3 -c")


def shell(text):
    """Runs a text as it stands; returns the status and what it prints."""
    done = subprocess.run(
        ["bash", "-c",
         f'source "{ROOT}/tests/cli/session.bash"\npython3() {{ "$PYTHON" "$@"; }}\n' + text],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
    return done.returncode, done.stdout.decode(errors="replace")


UNPACKERS = ("gunzip ", "unxz ", "bunzip2 ", "unzstd ")


def try_row(makes, says, remedy, result):
    """Returns the message."""
    _, message = shell("dmlop " + makes)
    found = re.search(says, message)
    assert found, f"{makes}: no {says!r} in: {message}"
    groups = found.groups("")
    command = re.sub(r"\{(\d)\}", lambda m: groups[int(m[1]) - 1].strip("'\n"), remedy)
    if command.startswith(UNPACKERS) and not shutil.which(command.split()[0]):
        return message  # not installed here; the shell would empty the output all the same
    status, output = shell(command)
    assert status == 0, f"{makes}: {message}: {command}: status {status}: {output}"
    if result == "true" or result.startswith("dmlop "):
        status, output = shell(result)
        assert status == 0, f"{makes}: {command}: {result}: {output}"
    else:
        assert result in output, f"{makes}: {command}: {output}"
    return message


LITERAL = r'"(?:[^"\\\n]|\\.)*"'


def strings(text):
    """The string literals of C, adjacent ones joined."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for m in re.finditer(LITERAL + r"(?:\s*(?:PREFIX)?\s*" + LITERAL + ")*", text):
        parts = [part[1:-1] for part in re.findall(LITERAL, m[0])]
        yield "".join(parts)


def proposals():
    """Strings of the source that propose something."""
    for folder, _, names in os.walk(ROOT + "/src"):
        if os.path.relpath(folder, ROOT).startswith(("src/web", "src/os/windows", "src/os/wasi")):
            continue
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name)) as f:
                    for text in strings(f.read()):
                        if PROPOSES.search(text) and " " in text.strip():
                            yield name, text.replace('\\"', '"').replace("\\n", "\n")
    with open(ROOT + "/src/io/fragments/kinds.txt") as f:
        for line in f.read().replace("\n    ", " ").splitlines():
            if "|" in line and PROPOSES.search(line):
                yield "kinds.txt", line.split("| ")[1]


def main():
    status, output = shell("set -e" + SETUP)
    assert status == 0, output
    messages, wrong = "", []
    for row in ROWS:
        try:
            messages += try_row(*row)
        except AssertionError as e:
            wrong.append(str(e))
    for name, text in proposals():
        pieces = re.split(r"%(?:\.\*|\.\d+)?[a-z]+|[@$](?:\.[a-z0-9]*)?", text)
        longest = max(pieces, key=lambda piece: (bool(PROPOSES.search(piece)), len(piece)))
        if longest not in messages and not any(known in text for known in NOT_RUN):
            wrong.append(f"no row runs {name}: {text}")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    sys.exit(main())
