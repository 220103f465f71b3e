"""Tensors of every format between the two programs; files and names as Windows has them."""

import fcntl
import glob
import gzip
import itertools
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import zipfile
from contextlib import contextmanager

import numpy as np

from suite import (EXE, PATIENCE, ROOT, WINDOWS, Skip, command, exe, good, main, native, read,
                   refused, same, test, windows_path, write)

TYPES = "float64 float32 float16 int64 int32 int16 int8 uint64 uint32 uint16 uint8".split()
WINE = os.environ["WINE"]
HOLD = os.path.join(WINDOWS, "tests", "windows", "hold.exe")


def save(folder, name, array):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        np.save(f, array)
    return path


def same_file(folder, name, *arguments):
    """Both programs write the same bytes with `-o` and a file of this name."""
    want = native(*arguments, "-o", "native." + name, cwd=folder)
    have = exe(*arguments, "-o", "exe." + name, cwd=folder)
    assert have == want, (arguments, have, want)
    assert want[0] == 0, want
    assert read(folder, "exe." + name) == read(folder, "native." + name), arguments


def start(*arguments, cwd):
    """dmlop.exe, running."""
    return subprocess.Popen([EXE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            cwd=cwd)


def started(n, *arguments, cwd):
    """dmlop.exe, running, whose first n bytes of output have been read."""
    p = start(*arguments, cwd=cwd)
    if p.stdout.read(n):
        return p
    assert p.communicate() == (b"", b"") and p.returncode == 1  # see command
    p = start(*arguments, cwd=cwd)
    p.stdout.read(n)
    return p


def bmp(folder):
    write(folder, "a b.bmp", b"BM\x40\0\0\0\0\0\0\0" + bytes(20))
    return "a b.bmp"


def only(folder, *names):
    have = sorted(os.listdir(folder))
    assert have == sorted(names), have


# --- formats ---


def add_type(dtype):
    @test(f"{dtype}: npy, json, csv, tsv, raw and back")
    def _(folder):
        made = ["--dtype", dtype, "--sizes", "5,7", "--random", "3"]
        native("make", *made, "-o", "x.npy", cwd=folder)
        for kind in ("npy", "json", "csv", "tsv", "bin"):
            same_file(folder, "x." + kind, "convert", "x.npy")
            more = ["--sizes", "5,7"] if kind == "bin" else []
            more += ["--dtype", dtype] if kind in ("bin", "csv", "tsv") else []
            same_file(folder, "back.npy", "convert", *more, "native.x." + kind)
            assert read(folder, "exe.back.npy") == read(folder, "x.npy"), kind


for each in TYPES:
    add_type(each)


@test("npy of NumPy: every type, both byte orders, Fortran order, versions, several in a file")
def _(folder):
    arrays = []
    codes = ("f8", "f4", "f2", "i8", "i2", "i1", "u4", "u1", "b1")
    for code, order in itertools.product(codes, "<>"):
        x = np.arange(24) % 2 if code == "b1" else np.arange(24) - 12 * (code[0] != "u")
        x = x.astype(order + code if code[1] != "1" else code).reshape(2, 3, 4)
        arrays.append(f"{code}{'lb'['<>'.index(order)]}.npy")
        save(folder, arrays[-1], np.asfortranarray(x))
    same("info", *arrays, cwd=folder)
    for name in arrays[::4]:
        same("show", name, cwd=folder)
    with open(os.path.join(folder, "many.npy"), "wb") as f:
        for version in ((1, 0), (2, 0), (3, 0)):
            np.lib.format.write_array(f, np.full((2, 2), version[0]), version)
    for i in range(3):
        same("show", f"many.npy:{i}", cwd=folder)


@test("npz: stored, deflate, bzip2, LZMA; written by both")
def _(folder):
    x = np.arange(5000, dtype="f4").reshape(50, 100)
    for name, how in (("s", zipfile.ZIP_STORED), ("d", zipfile.ZIP_DEFLATED),
                      ("b", zipfile.ZIP_BZIP2), ("l", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(os.path.join(folder, name + ".npz"), "w", how) as z:
            for member in ("a", "é"):
                with z.open(member + ".npy", "w") as f:
                    np.lib.format.write_array(f, x + len(member))
        want = native("convert", name + ".npz:a", cwd=folder)
        have = exe("convert", name + ".npz:a", cwd=folder)
        assert have == want and want[0] == 0, (name, have[2], want[2])
        same("info", name + ".npz", cwd=folder)
    save(folder, "x.npy", x)
    save(folder, "y.npy", x.astype("i8"))
    same_file(folder, "z.npz", "convert", "x.npy", "y.npy")
    same_file(folder, "k.npz", "topk", "-k", "3", "x.npy", "--indices", "i.npy")
    same("compare", "exe.z.npz:x", "x.npy", cwd=folder)


@test("files that are no archives, by name, by member and as standard input")
def _(folder):
    x = save(folder, "x.npy", np.arange(6, dtype="i1").reshape(2, 3))
    np.savez(os.path.join(folder, "z.npz"), a=np.load(x))
    z = read(folder, "z.npz")
    contents = {
        "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "page": b"<!DOCTYPE html>\n<html></html>\n",
        "gzip": gzip.compress(read(folder, "x.npy"), mtime=0),
        "empty": b"",
        "cut": z[:-1],
        "half": z[: len(z) // 2],
        "npy": read(folder, "x.npy")}
    for name, data in contents.items():
        write(folder, name + ".npz", data)
        write(folder, name + ".npy", z if name == "npy" else data)
        same("info", "-", cwd=folder, given=data)
    same("info", *[n + end for n in contents for end in (".npz", ".npz:a", ".npy")], cwd=folder)
    for how in ("show", "slice", "topk -k 1", "convert --format json", "compare x.npy"):
        same(*how.split(), "half.npz:a", cwd=folder)
        same(*how.split(), "npy.npz", cwd=folder)


@test("json and csv with CRLF, BOM; descriptors with CRLF")
def _(folder):
    write(folder, "t.json", "\ufeff[[1, 2],\r\n [3, 4.5]]\r\n")
    write(folder, "t.csv", "1,2\r\n3,4\r\n")
    write(folder, "t.tsv", "1\t2\r\n3\t4\r\n")
    write(folder, "bad.json", "[[1, 2],\r\n [3, x]]\r\n")
    for name in ("t.json", "t.csv", "t.tsv", "bad.json"):
        same("show", name, cwd=folder)
    for name in ("broken.json", "slice1-ex1.desc.json", "slice.model.json"):
        text = read(os.path.join(ROOT, "samples"), name).replace(b"\n", b"\r\n")
        write(folder, name, text)
        for options in ([], ["--format", "json"], ["--format", "sarif"]):
            same("validate", *options, name, cwd=folder)
    same("validate", "--fix", "broken.json", cwd=folder)


@test("UTF-16 with a byte-order mark, as Windows PowerShell writes it")
def _(folder):
    texts = {"t.json": "[[1, 2],\r\n [3, 4.5]]\r\n", "bad.json": "[[1, 2],\r\n [3, x]]\r\n",
             "t.csv": "a;é\r\n1;2\r\n3;4\r\n", "bad.csv": "1;2\r\n3;€\r\n",
             "broken.json": read(os.path.join(ROOT, "samples"), "broken.json").decode()}
    for name, text in texts.items():
        for mark, code in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
            utf16 = mark + text.encode(code)
            for how in (["show"], ["validate", "--format", "json"]):
                write(folder, name, text)
                want = exe(*how, name, cwd=folder)
                write(folder, name, utf16)
                assert same(*how, name, cwd=folder) == want, (how, name)
                same(*how, "-", cwd=folder, given=utf16)
    _, fixed, err = same("validate", "--fix", "broken.json", cwd=folder)
    assert fixed.startswith(b"//") and b"was UTF-16, and is written as UTF-8" in err, err
    write(folder, "cut.json", utf16[:-1])
    same("show", "cut.json", cwd=folder)


# --- commands ---


@test("models write files, below their folder only")
def _(folder):
    save(folder, "x.npy", np.arange(12, dtype="f4").reshape(3, 4))

    def model(target):
        write(folder, "m.json",
              json.dumps({"resources": {"x": {"initialValues": {"sourcePath": "x.npy"}}},
                          "dispatchables": {},
                          "commands": [{"type": "writeFile", "resource": "x", "targetPath": target,
                                        "dimensions": [3, 4]}]}))

    os.makedirs(os.path.join(folder, "out", "sub"))
    for target in ("y.npy", "sub/y.npy"):
        model(target)
        good("run", "m.json", "--output-folder", "out", cwd=folder)
        assert read(folder, "out/" + target) == read(folder, "x.npy")
        os.remove(os.path.join(folder, "out", target))
    model("here.npy")  # in the current folder of the drive
    good("run", "m.json", "--output-folder", "Z:", cwd=folder)
    assert read(folder, "here.npy") == read(folder, "x.npy")
    for target in ("sub\\y.npy", "../y.npy", "..\\y.npy", "sub\\..\\..\\y.npy", "C:\\y.npy",
                   "C:y.npy", "\\y.npy", "/y.npy", "\\\\server\\share\\y.npy", "sub/../../y.npy",
                   "y.npy:stream", "nul", "sub/con.npy", "dot.", "sub/space "):
        model(target)
        before = sorted(os.listdir(folder))
        status, _, err = exe("run", "m.json", "--output-folder", "out", cwd=folder)
        assert status in (1, 3, 4), (target, status, err)
        assert sorted(os.listdir(folder)) == before, target
        only(os.path.join(folder, "out"), "sub")


@test("a sourcePath may be absolute, with a drive; a targetPath only with --allow-outside")
def _(folder):
    x = windows_path(save(folder, "x.npy", np.arange(12, dtype="f4").reshape(3, 4)))
    target = windows_path(os.path.join(folder, "y.npy")).replace("\\", "/")
    for source in (x, x.replace("\\", "/"), os.path.join(folder, "x.npy")):
        model = {"resources": {"x": {"initialValues": {"sourcePath": source}}}}
        model.update(dispatchables={}, commands=[])
        write(folder, "m.json", json.dumps(model))
        good("validate", "m.json", cwd=folder)
        model["commands"] = [{"type": "writeFile", "resource": "x", "targetPath": target,
                              "dimensions": [3, 4]}]
        write(folder, "m.json", json.dumps(model))
        status, out, _ = exe("validate", "m.json", cwd=folder)
        assert status == 1 and b"begins with a drive letter" in out, out
        good("run", "--allow-outside", "m.json", cwd=folder)
        assert read(folder, "y.npy") == read(folder, "x.npy")
        os.remove(os.path.join(folder, "y.npy"))


@test("parts of both programs are joined by both, and told of")
def _(folder):
    save(folder, "x.npy", np.random.default_rng(1).random((40, 30)).astype("f4"))
    native("topk", "-k", "4", "x.npy", "-o", "want.npy", "--indices", "wanti.npy", cwd=folder)
    for name, programs in (("a", (exe, exe)), ("b", (native, exe)), ("c", (exe, native))):
        for part, program in enumerate(programs):
            status, _, err = program("topk", "-k", "4", "x.npy", "-o", name + ".npy", "--indices",
                                     name + "i.npy", "--part", f"{part}/2", cwd=folder)
            assert status == 0, (name, err)
        same("info", name + ".npy.parts", cwd=folder)
        same("show", name + ".npy.parts", cwd=folder)
        for join in (native, exe):
            status, _, err = join("join", name + ".npy.parts", cwd=folder)
            assert status == 0, err
            assert read(folder, name + ".npy") == read(folder, "want.npy"), (name, join)
            os.remove(os.path.join(folder, name + ".npy"))
    assert not [n for n in os.listdir(folder) if n.endswith(".tmp")]


@test("many inputs: --output-dir, a pattern")
def _(folder):
    for i in range(3):
        save(folder, f"x{i}.npy", np.arange(10 * i, 10 * i + 10))
    good("slice", "--index", "::2", "--output-dir", "one", "x0.npy", "x1.npy", "x2.npy", cwd=folder)
    good("slice", "--index", "::2", "--output-dir", "two", "x*.npy", cwd=folder)
    native("slice", "--index", "::2", "--output-dir", "want", "x0.npy", "x1.npy", "x2.npy",
           cwd=folder)
    for i, d in itertools.product(range(3), ("one", "two")):
        assert read(folder, f"{d}/x{i}.npy") == read(folder, f"want/x{i}.npy")
    only(os.path.join(folder, "two"), "x0.npy", "x1.npy", "x2.npy")
    good("slice", "--index", "::2", "--output-dir", "Z:", "one/x0.npy", cwd=folder)
    assert np.array_equal(np.load(os.path.join(folder, "x0.npy")), [0, 4, 8])


@test("make, compare: statuses 0 to 4")
def _(folder):
    for name, values in (("a.npy", "0,1"), ("b.npy", "1,1")):
        same_file(folder, name, "make", "--sizes", "3", f"--range={values}")
    same("compare", "exe.a.npy", "native.a.npy", cwd=folder)
    assert same("compare", "exe.a.npy", "native.b.npy", cwd=folder)[0] == 1
    assert same("compare", "exe.a.npy", cwd=folder)[0] == 2
    assert same("show", "missing.npy", cwd=folder)[0] == 3
    refused(4, "nowhere", "make", "--sizes", "3", "--range", "-o", "nowhere/x.npy", cwd=folder)
    same("selftest", "--quick", cwd=folder)


@test("standard input and output are binary")
def _(folder):
    x = np.tile(np.array([10, 13, 26, 0, 255], dtype="u1"), 2000)
    save(folder, "x.npy", x)
    data = read(folder, "x.npy")
    assert good("convert", "-", cwd=folder, given=data) == data
    assert good("slice", "--index", ":", "-", cwd=folder, given=data) == data
    shell = ["bash", "-c"]
    assert command(*shell, '"$0" convert - <x.npy >y.npy', EXE, cwd=folder) == (0, b"", b"")
    assert read(folder, "y.npy") == data
    said = command(*shell, '"$0" convert x.npy | "$0" info -', EXE, cwd=folder)[1]
    assert b"UINT8 {10000}" in said, said


@test("a reader that has enough is no error")
def _(folder):
    save(folder, "x.npy", np.arange(100000))
    for command in ("show --all x.npy", "convert x.npy", "convert x.npy --format json",
                    "validate --schema"):
        p = started(10, *command.split(), cwd=folder)
        p.stdout.close()
        assert p.stderr.read() == b"", command
        assert p.wait(300) in (0, 4), command


@test("the language server over pipes")
def _(folder):
    script = write(
        folder,
        "lsp.py",
        """import sys
sys.path.insert(0, sys.argv[1])
from lsp_client import Server
with Server() as s:
    text = open(sys.argv[2], newline='').read()
    s.open('file:///C:/d.desc.json', text)
    found = s.diagnostics('file:///C:/d.desc.json')
    assert len(found) >= 3, found
    s.check(text)
    s.check(text.replace('\\n', '\\r\\n'))
    document = {'uri': 'file:///C:/d.desc.json'}
    assert s.call('textDocument/documentSymbol', {'textDocument': document})
""")
    subprocess.run(["/usr/bin/python3", script, os.path.join(ROOT, "tests", "cli"),
                    os.path.join(ROOT, "samples", "broken.json")], check=True, timeout=300,
                   env=dict(os.environ, DMLOP=EXE))


@test("the .zip: its program has its manual, and lines for Windows run in samples")
def _(folder):
    (archive,) = glob.glob(os.path.join(os.path.dirname(WINDOWS), "windows", "*.zip"))
    with zipfile.ZipFile(archive) as z:
        z.extractall(folder)
    (top,) = os.listdir(folder)
    samples = os.path.join(folder, top, "samples")

    def packed(*arguments):
        program = os.path.join(folder, top, "dmlop.exe")
        status, out, err = command(WINE, program, *arguments, cwd=samples)
        assert status == 0, (arguments, status, err)
        return out

    page = packed("help", "slice")
    assert b"DMLOP-SLICE(1)" in page and b"--index" in page and page.isascii(), page[:200]
    script = packed("completion", "powershell").replace(b"\n", b"\r\n")
    assert script == read(folder, os.path.join(top, "completions", "dmlop.ps1"))
    for page in "README.md", "man/dmlop-run.1":
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            lines = re.findall(r"(?m)^(?:    )?> (.+)$", f.read())
        assert lines, page
        for line in lines:
            name, *arguments = (a.strip('"') for a in re.findall(r'"[^"]*"|\S+', line))
            # DxDispatch writes what dmlop writes.
            out = packed(*([] if name == "dmlop" else ["run"]), *arguments)
    assert out == b"equal: 4 elements of {2,2}\n", out


# --- names ---

NAMES = ["tensor-日本語-é.npy", "with space & (1) % ^.npy", "-dash.npy", "😀.npy"]


@test("names in UTF-8 are read, written and printed")
def _(folder):
    x = save(folder, "x.npy", np.arange(6))
    for name in NAMES:
        good("convert", "x.npy", "-o", "./" + name, cwd=folder)
        assert read(folder, name) == open(x, "rb").read()
        same("info", "./" + name, cwd=folder)
        same("show", "./" + name + "x", cwd=folder)  # the message names it
    good("slice", "--index", ":3", "--output-dir", "ö", *["./" + n for n in NAMES], cwd=folder)
    only(os.path.join(folder, "ö"), *NAMES)


@test("paths with drives and backslashes; members of archives")
def _(folder):
    os.makedirs(os.path.join(folder, "sub", "d"))
    x = save(os.path.join(folder, "sub", "d"), "x.npy", np.arange(6))
    np.savez(os.path.join(folder, "sub", "d", "x.npz"), a=np.arange(6), b=np.arange(7))
    with open(os.path.join(folder, "two.npy"), "wb") as f:
        np.save(f, np.arange(2))
        np.save(f, np.arange(9))
    w = windows_path(folder)
    for path, sizes in (
        (w + "\\sub\\d\\x.npy", "{6}"), (w + "/sub/d/x.npy", "{6}"),
        (w + "\\sub\\..\\sub\\d\\x.npy", "{6}"), ("sub\\d\\x.npy", "{6}"),
        (".\\sub/d\\x.npy", "{6}"), (w + "\\sub\\d\\x.npz:b", "{7}"), ("sub\\d\\x.npz:a", "{6}"),
        (w + "\\two.npy:1", "{9}"), ("two.npy:0", "{2}"),
        ("\\\\?\\" + w + "\\sub\\d\\x.npy", "{6}"), ("\\\\.\\" + w + "\\sub\\d\\x.npy", "{6}"),
        (w[2:] + "\\sub\\d\\x.npy", "{6}"), ("Z:sub\\d\\x.npy", "{6}"), ("SUB\\D\\X.NPY", "{6}")):
        out = good("info", path, cwd=folder).decode()
        assert f"INT64 {sizes}" in out and out.startswith(path + ":"), (path, out)
    for i, path in enumerate((w + "\\o{}.npy", "sub\\o{}.npy", "Z:o{}.npy",
                              w + "\\sub\\o{}.npz:m")):
        good("convert", x, "-o", path.format(i), cwd=folder)
    for path in ("o0.npy", "sub/o1.npy", "o2.npy"):
        assert read(folder, path) == open(x, "rb").read(), path
    assert np.load(os.path.join(folder, "sub", "o3.npz"))["m"].shape == (6,)
    good("convert", x, "-o", "C:\\windows\\temp\\o.npy", cwd=folder)
    temp = os.path.join(os.environ["WINEPREFIX"], "drive_c", "windows", "temp", "o.npy")
    assert open(temp, "rb").read() == open(x, "rb").read()
    assert b"{6}" in good("info", "C:\\windows\\temp\\o.npy", cwd=folder)
    os.remove(temp)
    refused(3, "Q:\\x.npy", "info", "Q:\\x.npy", cwd=folder)
    refused(4, "", "convert", x, "-o", "Q:\\x.npy", cwd=folder)


@test("a path of 300 characters")
def _(folder):
    deep = os.path.join(*["d" * 60] * 5)
    os.makedirs(os.path.join(folder, deep))
    x = save(folder, "x.npy", np.arange(6))
    for path in (deep + "/y.npy", windows_path(os.path.join(folder, deep, "z.npy"))):
        assert len(path) > 300
        good("convert", "x.npy", "-o", path, cwd=folder)
        assert b"{6}" in good("info", path, cwd=folder)
    assert read(folder, deep + "/z.npy") == open(x, "rb").read()
    good("slice", "--index", "1:", "--output-dir", deep + "/new", deep + "/y.npy", cwd=folder)
    good("topk", "-k", "2", deep + "/y.npy", "-o", deep + "/k.npy", "--part", "0/1", cwd=folder)
    good("join", deep + "/k.npy.parts", cwd=folder)
    only(os.path.join(folder, deep, "new"), "y.npy")


@test("quotes that cmd leaves in words get a hint")
def _(folder):
    save(folder, "x.npy", np.arange(6).reshape(2, 3))
    hint = "cmd does not know single quotes; use double quotes"
    refused(2, hint, "slice", "--index", "'...,", "::-2'", "x.npy", cwd=folder)
    refused(2, hint, "slice", "--index", "'...,::2'", "x.npy", cwd=folder)
    refused(3, hint, "show", "'x.npy'", cwd=folder)
    # What wine's C library makes of "C:\work\" x.npy, as cmd passes it on.
    word = 'C:\\work" x.npy'
    said = f"in the word {word}: a backslash before the closing quote keeps it"
    refused(4, said, "slice", "--index", "1:", "--output-dir", word, "x.npy", cwd=folder)
    refused(2, said, "slice", "--index", "1:", "--output-dir", word, cwd=folder)
    refused(3, '; convert it with: python3 -c "import sys', "show", bmp(folder), cwd=folder)
    only(folder, "x.npy", "a b.bmp")


@test("names of devices, and characters that no name has, are refused and named")
def _(folder):
    save(folder, "x.npy", np.arange(6))
    os.mkdir(os.path.join(folder, "d"))
    for name, device in (("nul.npy", "nul"), ("aux", "aux"), ("COM1.npy", "COM1"), ("CON", "CON"),
                         ("con.tar.npy", "con"), ("Prn .npy", "Prn"), ("d/Lpt9.csv", "Lpt9"),
                         ("d\\NUL", "NUL"), (windows_path(folder + "/aux.json"), "aux"),
                         ("aux/x.npy", "aux")):
        said = f"'{device}' is the name of a device"
        refused(4, "cannot write: " + said, "convert", "x.npy", "-o", name, cwd=folder)
        refused(3, "cannot open: " + said, "info", name, cwd=folder)
        refused(3, "cannot open: " + said, "validate", name, cwd=folder)
    for name, c in (("a?b.npy", "?"), ("a*b.npy", "*"), ("d/a<b.npy", "<"), ("a>b.json", ">"),
                    ("a|b.csv", "|"), ('a"b.npy', '"'), ("a?/b.npy", "?")):
        said = f"'{c}' is not allowed in a file's name"
        refused(4, "cannot write: " + said, "convert", "x.npy", "-o", name, cwd=folder)
        refused(3, "cannot open: " + said, "info", name, cwd=folder)
    for name in ("com10.npy", "auxiliary.npy", "con1.npy", "nul_.npy"):
        good("convert", "x.npy", "-o", name, cwd=folder)
        os.remove(os.path.join(folder, name))
    only(os.path.join(folder, "d"))
    only(folder, "d", "x.npy")


@test("NUL is an output and an empty input")
def _(folder):
    save(folder, "x.npy", np.arange(6))
    for name in ("NUL", "nul", "\\\\.\\NUL"):
        good("convert", "x.npy", "-o", name, cwd=folder)
        status, _, err = exe("info", name, cwd=folder)
        assert status == 3, err
    only(folder, "x.npy")


# --- consoles ---


def console(folder, command):
    """What wine draws for a command of dmlop.exe in a console, a frame for each write: what the
    frames show, and the code pages and the status that hold.c says."""
    result = os.path.join(folder, "console.txt")
    exe_path = windows_path(os.path.join(WINDOWS, "dmlop.exe"))
    child, fd = pty.fork()
    if child == 0:
        os.chdir(folder)
        line = f"{exe_path} {command}"
        os.execv(WINE, [WINE, HOLD, "console", windows_path(result), line])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    drawn, ended = b"", False
    while not ended or select.select([fd], [], [], 0.2)[0]:
        ended = ended or os.waitpid(child, os.WNOHANG)[0] != 0
        if select.select([fd], [], [], 0.05)[0]:
            try:
                drawn += os.read(fd, 65536)
            except OSError:
                break
    if not ended:
        os.waitpid(child, 0)
    os.close(fd)
    frames = drawn.decode().split("\x1b[?25l")
    text = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", f.replace("\x1b[1C", " ")) for f in frames]
    return text, read(folder, "console.txt").decode().split()


def needs_console():
    if not os.path.exists("/dev/ptmx"):
        raise Skip("no pseudo-terminal here")


@test("a console gets UTF-8 whole, and keeps its code page")
def _(folder):
    needs_console()
    save(folder, "é€.npy", np.arange(6, dtype="f4").reshape(2, 3))
    for name, status, text in (
            ("é€.npy", "0", "é€.npy: FLOAT32 {2,3}, C order, little-endian, 24 bytes, .npy 1.0\n"),
            ("ü€.npy", "3", "dmlop: info: ü€.npy: cannot open: No such file or directory\n"),
            ("--help", "0", "usage: dmlop info "), ("", "2", "dmlop: info: no file is given\n")):
        frames, (before, meanwhile, after, have) = console(folder, "info " + name)
        assert any(f.startswith(text) for f in frames), (text, frames)
        assert before == meanwhile == after != "65001", (before, meanwhile, after)
        assert have == status, (name, have, frames)


@test("progress is drawn whole on a console")
def _(folder):
    needs_console()
    for name in ("a.npy", "b.npy"):
        save(folder, name, np.ones((1500, 1500), "i1"))
    frames, (before, meanwhile, after, status) = console(
        folder,
        "qmatmul --kernel reference --threads 1 --a-scale 1 --b-scale 1 --output-scale 1 "
        "-o y.npy a.npy b.npy")
    progress = r"dmlop: qmatmul: [0-9.]+ .B of 4.5 MB, [0-9.]+ .B/s, [0-9]+ s left *"
    assert any(re.fullmatch(progress, f) for f in frames), frames
    assert before == meanwhile == after and status == "0", (frames, before, status)


# --- files that others have, full disks, ends ---


@contextmanager
def held(how, path, *milliseconds):
    """Another program of Windows has the file; see hold.c."""
    holder = [WINE, HOLD, how, windows_path(path), *milliseconds]
    p = subprocess.Popen(holder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    first = p.stdout.readline()
    if not first:  # see command
        p.communicate()
        p = subprocess.Popen(holder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        first = p.stdout.readline()
    try:
        assert first.strip() == b"ready"
        yield
    finally:
        p.communicate()


@test("a file that another program has for itself is not read, replaced or removed")
def _(folder):
    x, y = save(folder, "x.npy", np.arange(6)), save(folder, "y.npy", np.arange(7))
    before = open(x, "rb").read()
    with held("alone", x):
        refused(3, "has the file open", "info", "x.npy", cwd=folder)
        refused(3, "has the file open", "slice", "--index", "1:", "x.npy", "-o", "z.npy",
                cwd=folder)
        refused(4, "has the file open", "slice", "--index", "1:", "y.npy", "-o", "x.npy",
                cwd=folder)
        refused(4, "", "slice", "--index", "1:", "y.npy", "-o", "x.npy", "--no-clobber", cwd=folder)
    assert open(x, "rb").read() == before
    only(folder, "x.npy", "y.npy")
    good("slice", "--index", "1:", "y.npy", "-o", "x.npy", cwd=folder)
    assert np.load(x).size == 6 and np.load(y).size == 7


@test("a file that another program has open for half a second is replaced, and removed, then")
def _(folder):
    x = save(folder, "x.npy", np.arange(6))
    save(folder, "y.npy", np.arange(7))
    for how in ("kept", "alone"):
        save(folder, "x.npy", np.arange(6))
        with held(how, x, "500"):
            good("slice", "--index", "1:", "y.npy", "-o", "x.npy", cwd=folder)
        assert np.array_equal(np.load(x), np.arange(1, 7))
    only(folder, "x.npy", "y.npy")


@test("a file that another program keeps is waited for for 5 seconds, then status 4 says who")
def _(folder):
    x = save(folder, "x.npy", np.arange(6))
    save(folder, "y.npy", np.arange(7))
    before = open(x, "rb").read()
    with held("kept", x):
        begin = time.monotonic()
        refused(4,
                "x.npy: cannot replace: another program (an editor, a virus scanner, an indexer, ",
                *("slice", "--index", "1:", "y.npy", "-o", "x.npy"), cwd=folder)
        assert 4.5 < time.monotonic() - begin < 60
        # What will not change is not waited for.
        begin = time.monotonic()
        refused(3, "No such file", "info", "none.npy", cwd=folder)
        os.mkdir(os.path.join(folder, "d"))
        refused(4, "is a directory", "slice", "--index", "1:", "y.npy", "-o", "d", cwd=folder)
        assert time.monotonic() - begin < 4.5
    assert open(x, "rb").read() == before
    only(folder, "d", "x.npy", "y.npy")


@test("two tasks that compute the same part at once both succeed, 48 times")
def _(folder):
    save(folder, "x.npy", np.arange(600))
    task = ["topk", "-k", "3", "x.npy", "-o", "k.npy", "--part", "0/1"]
    for _ in range(48):
        for p in [start(*task, cwd=folder), start(*task, cwd=folder)]:
            out, err = p.communicate()
            assert p.returncode == 0 or (p.returncode == 1 and not out + err), (out, err)
        part = "part-00000-of-00001"
        only(folder + "/k.npy.parts", part + ".indices.npy", part + ".json", part + ".npy")
    good("join", "k.npy.parts", cwd=folder)
    assert np.array_equal(np.load(folder + "/k.npy"), [599, 598, 597])


@test("a file that another program has mapped is read; replaced whole or not at all")
def _(folder):
    x = save(folder, "x.npy", np.arange(600000))
    save(folder, "y.npy", np.arange(7))
    before = open(x, "rb").read()
    with held("mapped", x):
        assert b"{600000}" in good("info", "x.npy", cwd=folder)
        status, _, err = exe("slice", "--index", "1:", "y.npy", "-o", "x.npy", cwd=folder)
        after = open(x, "rb").read()
        assert status == 0 or (status == 4 and b"open or mapped" in err), (status, err)
        assert (after == before) == (status == 4)
    only(folder, "x.npy", "y.npy")


@test("an output that is the input: replaced whole, or a message and the input as it was")
def _(folder):
    for n in (6, 600000):
        x = save(folder, "x.npy", np.arange(n))
        before = open(x, "rb").read()
        status, _, err = exe("slice", "--index", "1:", "x.npy", "-o", "x.npy", cwd=folder)
        assert status in (0, 4), (status, err)
        if status == 4:
            assert b"open or mapped" in err and open(x, "rb").read() == before, err
        else:
            assert np.array_equal(np.load(x), np.arange(1, n))
        only(folder, "x.npy")


@test("a file that is only read is not replaced")
def _(folder):
    x = save(folder, "x.npy", np.arange(6))
    before = open(x, "rb").read()
    os.chmod(x, 0o444)
    status, _, err = exe("make", "--sizes", "3", "--range", "-o", "x.npy", cwd=folder)
    want = native("make", "--sizes", "3", "--range", "-o", "x.npy", cwd=folder)
    assert os.getuid() == 0 or (status == want[0]), (status, err, want)
    only(folder, "x.npy")
    assert status == 0 or open(x, "rb").read() == before


@test("a file that becomes shorter while it is read is a message")
def _(folder):
    x = save(folder, "x.npy", np.arange(1 << 22))
    p = started(1 << 10, "convert", "x.npy", "--dtype", "float64", cwd=folder)
    os.truncate(x, 4096)
    _, err = p.communicate()
    assert p.returncode == 3 and b"x.npy: the file became shorter" in err, (p.returncode, err)


@test("a full disk: message, status 4, nothing is left")
def _(folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        raise Skip("no small disk can be mounted")
    try:
        for size in ("1000,1000", "300000"):
            make = ["make", "--sizes", size, "--range", "-o", "disk/x.npy"]
            refused(4, "No space left on device", *make, cwd=folder)
            only(disk)
        save(disk, "old.npy", np.arange(100000, dtype="i4"))
        before = read(disk, "old.npy")
        make = ["make", "--sizes", "1000,200", "--range", "-o", "disk/old.npy"]
        refused(4, "No space left on device", *make, cwd=folder)
        only(disk, "old.npy")
        assert read(disk, "old.npy") == before
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def interrupted(folder, how, path="y.npy"):
    """Ends a long write by a signal of this system, once its temporary file is there."""
    write(folder, "y.npy", "old")
    for _ in range(2):  # see command
        p = start("make", "--sizes", "40000,20000", "--range", "-o", path, cwd=folder)
        while len(os.listdir(folder)) == 1 and p.poll() is None:
            time.sleep(0.01)
        if p.poll() != 1:
            break
        assert p.communicate() == (b"", b"")
    assert p.poll() is None, p.returncode
    p.send_signal(how)
    p.communicate()
    assert read(folder, "y.npy") == b"old"


@test("Ctrl-C ends a long write, and nothing is left")
def _(folder):
    for path in ("y.npy", "Z:y.npy"):
        interrupted(folder, signal.SIGINT, path)  # wine makes Ctrl-C of it, and ends with 0
        for _ in range(100 * PATIENCE):  # until wine sees the end of the process
            if len(os.listdir(folder)) == 1:
                break
            time.sleep(0.01)
        only(folder, "y.npy")


@test("a process that is killed leaves the old file, and a temporary one at most")
def _(folder):
    interrupted(folder, signal.SIGKILL)
    for name in os.listdir(folder):
        assert re.fullmatch(r"y\.npy|\.y\.npy\.dmlop-[0-9]+-[0-9]+\.tmp", name), name


main()
