#!/usr/bin/python3
"""Every option with every mode of its command: it changes what the command prints, writes or says,
it is refused, or this file says why it has nothing to do there. Makes its files in the current
folder."""

import os, random, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

DMLOP, SAMPLES = os.environ["DMLOP"], os.environ["SAMPLES"]
SHARE = 1 if os.environ.get("EXPENSIVE") else 0.3  # of the pairs that are tried

# What each option is given; options without a value: None. "COMMAND OPTION" is for a command.
VALUES = {
    "all": None, "allow-outside": None, "array": "a", "atol": "9", "axis": "0", "b-sizes": "3,3",
    "between": "2,3", "bind": "InputTensor=x.npy", "bins": "3", "checksums": None, "clamp": None,
    "clientProcessId": "1", "color": "always",
    "cpp": None, "dump-header": None, "dtype": "int32", "edge": "1", "equal-nan": None,
    "explain": "0,1", "validate explain": "slice.stride-zero", "feature-level": "1_0", "fill": "3",
    "fix": None, "format": "json", "histogram": None, "in-place": None, "index": "..., ::2",
    "index-type": "int64", "indices": "i.npy", "input-folder": "other", "job": "name", "k": "1",
    "kernel": "reference", "largest": None, "max-findings": "1", "min-time": "0", "missing": "2",
    "nan": "last", "info nan": None, "no-clobber": None, "no-progress": None, "no-sync": None,
    "offsets": "1,1", "output-dir": "dir", "output-dtype": "uint8", "output-folder": "dir",
    "output-layout": "buffer", "output-scale": "2", "output-sizes": "2,2", "output-type": "uint8",
    "output-zero-point": "3", "a-scale": "2", "b-scale": "2", "a-zero-point": "1",
    "b-zero-point": "1", "part": "0/2", "part-axis": "1", "permute": "1,0", "portable": None,
    "precision": "0", "quiet": None, "random": "2", "range": "=5", "raw": None, "relaxed": None,
    "remove": None, "repeat": "2", "resume": None, "round": None, "rtol": "9", "rules": None,
    "samples": None, "scale": "0.5", "schema": "=gemm", "sizes": "3,3", "skip-lines": "1",
    "smallest": None, "squeeze": "=0", "stats": None, "stdio": None, "strides": "2,2",
    "template": "=gemm", "threads": "1", "timings": "=t.json", "transpose-b": None, "verbose": None,
    "warmup": "1", "zero-point": "3", "descriptor": "slice.json", "topk descriptor": "topk.json",
    "qmatmul descriptor": "qmatmul.json", "emit-descriptor": "=d.json", "emit-model": "=m.json",
    "output": "out.txt",
    "convert sizes": "9", "convert format": "raw", "slice sizes": "2,2",
    "operator output": "out.npy", "convert output": "out.json",
    "make output": "out.json", "join output": "out.npy"}

SCALES = ["--a-scale", "1", "--b-scale", "1", "--output-scale", "1"]
MATRICES = SCALES + ["a.npy", "a.npy"]
# The modes of each command, and further options that a mode must have.
MODES = {
    "slice": [
        ["x.npy"], ["-d", "slice.json", "x.npy"], ["x.npy", "-o", "y.npy"],
        ["x.npy", "--explain", "0,0"], ["x.npy", "--emit-descriptor"],
        ["x.npy", "--emit-model"], ["x.npy", "--output-dir", "many"],
        ["x.npy", "-o", "y.npy", "--part", "1/2"], ["x.npy", "-o", "y.npy", "--emit-descriptor"]],
    "topk": [
        ["-k", "2", "x.npy"], ["-d", "topk.json", "x.npy"], ["-k", "2", "x.npy", "-o", "y.npy"],
        ["-k", "2", "x.npy", "--explain", "0,0"], ["-k", "2", "x.npy", "--emit-descriptor"],
        ["-k", "2", "x.npy", "--emit-model"], ["-k", "2", "x.npy", "--output-dir", "many"],
        ["-k", "2", "x.npy", "-o", "y.npy", "--part", "1/2"]],
    "qmatmul": [MATRICES, ["-d", "qmatmul.json"] + MATRICES, MATRICES + ["--explain", "0,0"],
                MATRICES + ["--emit-descriptor"], MATRICES + ["--emit-model"],
                MATRICES + ["-o", "y.npy", "--part", "1/2"]],
    "join": [["parts.npy.parts"], ["--missing", "2", "half.npy.parts"]],
    "validate": [
        ["broken.json"], ["--format", "json", "broken.json"], ["--format", "sarif", "broken.json"],
        ["--fix", "broken.json"], ["--fix", "--in-place", "broken.json"],
        ["--fix", "-o", "fixed.json", "broken.json"], ["--rules"],
        ["--explain", "slice.stride-zero"], ["--schema=slice"], ["--template=slice"]],
    "run": [["model.json"]],
    "show": [["many.npy"], ["f.npy", "--index", "::-1"]],
    "info": [["x.npy"], ["x.csv"], ["--format", "json", "x.npy"], ["--stats", "x.npy"]],
    "convert": [["f.npy"], ["x.csv"], ["f.npy", "-o", "c.json"], ["f.npy", "--output-dir", "many"],
                ["f.npy", "--dtype", "int8", "--scale", "0.1"]],
    "compare": [["x.npy", "f.npy"], ["--format", "json", "x.npy", "f.npy"], ["a.npz", "b.npz"]],
    "make": [["--sizes", "2,3", "--range"], ["--sizes", "2,3", "--random", "1"],
             ["--sizes", "2,3", "--fill", "1"]],
    "selftest": [[]],
    "completion": [["bash"]]}

# What need not show: it decides the time or the way, not the result, or it is for inputs of another
# kind than those here. Or the option says what is so anyway.
SILENT = {
    "threads": "the same bytes on every number of threads",
    "kernel": "the same bytes by every kernel",
    "no-sync": "only waiting",
    "no-clobber": "the output does not exist",
    "no-progress": "the input is small",
    "quiet": "there is no warning",
    "verbose": "there is nothing more to say",
    "color": "only messages are colored",
    "raw": "a .npy is read as it is",
    "skip-lines": "only of CSV",
    "dtype": "only of what does not name its type",
    "relaxed": "no limit is exceeded",
    "portable": "nothing there is read differently",
    "feature-level": "as good at that level",
    "max-findings": "there are not as many",
    "repeat": "the same bytes each time", "warmup": "the same", "min-time": "the same",
    "samples": "of the table that a terminal shows; JSON has them",
    "input-folder": "there is no such file", "allow-outside": "nothing leads outside",
    "largest": "as without it", "axis": "the axis is the same", "checksums": "nothing is damaged",
    "resume": "no part is there", "nan": "there is none", "array": "there is one",
    "round": "--clamp or the type decides", "clamp": "all values fit",
    "all": "all are shown", "equal-nan": "there is no NaN", "atol": "", "rtol": "",
    "index-type": "values alone are written",
    "output-layout": "the strides are packed", "transpose-b": "", "job": "of the record",
    "part": "a descriptor that is written is that of the whole job"}
# But these modes compute or check nothing: there they are refused.
IDLE = {"--rules": "portable relaxed feature-level max-findings skip-lines",
        "--schema=slice": "portable relaxed feature-level max-findings skip-lines format",
        "--template=slice": "portable relaxed feature-level max-findings skip-lines format",
        "slice.stride-zero": "portable relaxed feature-level max-findings skip-lines",
        "--explain": "kernel repeat warmup min-time samples no-sync no-clobber output-layout",
        "--emit-descriptor": "kernel repeat warmup min-time samples output-layout",
        "--emit-model": "kernel repeat warmup min-time samples output-layout",
        "--missing": "no-sync no-clobber"}


def make_files():
    np.save("x.npy", np.arange(9, dtype="f4").reshape(3, 3))
    np.save("f.npy", np.arange(9, dtype="f4").reshape(3, 3) / 4)
    np.save("many.npy", np.arange(1200, dtype="f4") / 4)
    np.save("a.npy", np.arange(9, dtype="i1").reshape(3, 3))
    np.savez("a.npz", a=np.arange(4.0))
    np.savez("b.npz", a=np.zeros(4))
    np.arange(9, dtype="u1").tofile("x.npy.raw")
    with open("x.csv", "w", encoding="utf-8") as f:
        f.write("1,2\n3,4\n5,6\n")
    dmlop("slice", "x.npy", "--index", "::2", "--emit-descriptor=slice.json")
    dmlop("topk", "-k", "1", "x.npy", "--emit-descriptor=topk.json")
    dmlop("qmatmul", *MATRICES, "--output-dtype", "uint8", "--emit-descriptor=qmatmul.json")
    for name in ("qmatmul.model.json", "qmatmul-mixed-sign.b.npy"):
        shutil.copy(SAMPLES + "/" + name, name)
    os.rename("qmatmul.model.json", "model.json")
    for part in "01":
        dmlop("topk", "-k", "1", "x.npy", "-o", "parts.npy", "--part", part + "/2")
    dmlop("topk", "-k", "1", "x.npy", "-o", "half.npy", "--part", "0/2")
    shutil.copy(SAMPLES + "/broken.json", "broken.json")


def dmlop(*args, folder="."):
    return subprocess.run([DMLOP, *args], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)


def read_files(folder):
    files = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                files[os.path.relpath(path, folder)] = f.read()
    return files


def outcome(args):
    """The status and all that is printed and written, without times."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        shutil.copytree("files", folder, dirs_exist_ok=True, copy_function=os.link)
        p = dmlop(*args, folder=folder)
        files = read_files(folder)
    said = (p.stdout + p.stderr).decode("utf-8", "replace")
    return p.returncode, re.sub(r"\d+\.\d+ (ms|G)", "TIME", said), files


def value_of(command, option):
    kind = "operator" if command in ("slice", "topk", "qmatmul") else command
    for name in ("%s %s" % (command, option), "%s %s" % (kind, option), option):
        if name in VALUES:
            return VALUES[name]
    sys.exit("%s: what value has --%s? See VALUES" % (command, option))


def check(command, mode, option, base, before):
    value = value_of(command, option)
    args = ["--" + option + value] if value and value[0] == "=" else ["--" + option]
    args += [value] if value and value[0] != "=" else []
    if option == "skip-lines" and "x.csv" not in mode:
        return []
    status, said, files = outcome([command, *args, *mode])
    where = "dmlop %s %s: " % (command, " ".join(mode + args))
    idle = [o for m, list_ in IDLE.items() if m in mode for o in list_.split()]
    if status == 2:
        return [where + "refused, but wrote"] if files != before else []
    if option in idle and not ("-o" in mode and "--explain" not in mode):
        return [where + "has no meaning, and is not refused"]
    if (status, said, files) == base and option not in SILENT:
        letter = {"output": "-o", "k": "-k", "descriptor": "-d"}.get(option)
        if not any(m.startswith("--" + option) or m == letter for m in mode):
            return [where + "changes nothing"]
    if option == "output" and status == 0 and "-q" not in mode:
        name = value if "-o" not in mode else mode[mode.index("-o") + 1]
        if not any(n.startswith(name) for n in files):
            return [where + "writes no " + name]
    return []


def main():
    os.mkdir("files")
    os.chdir("files")
    make_files()
    os.chdir("..")
    before = read_files("files")
    pool = ThreadPoolExecutor(os.cpu_count())
    bad, pairs = [], []
    for command, modes in MODES.items():
        helped = dmlop(command, "--help=all").stdout.decode()
        options = re.findall(r"^ {2,6}(?:-\w, )?--([a-zA-Z-]+)", helped, re.M)
        for mode in modes:
            base = outcome([command, *mode])
            if base[0] == 2:
                bad.append("dmlop %s %s: refused: %s" % (command, " ".join(mode), base[1]))
            for option in options:
                if option != "help" and random.random() < SHARE:
                    pairs.append(pool.submit(check, command, mode, option, base, before))
    for pair in pairs:
        bad += pair.result()
    print("\n".join(bad + ["%d pairs" % len(pairs)]))
    sys.exit(len(bad) > 0 or len(pairs) < 800 * SHARE)


main()
