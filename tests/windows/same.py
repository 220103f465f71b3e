"""Descriptors and models: dmlop.exe prints what the program of this machine prints, byte for byte.
Names are given without folders, so that no path differs."""

import json
import os
import subprocess

from suite import ROOT, WINDOWS, exe, main, native, same, test, write

EXAMPLES = os.path.join(WINDOWS, "examples")  # of all operators
SEEDS = os.path.join(ROOT, "tests/fuzz/seeds")
subprocess.run([SEEDS, "descriptor", EXAMPLES], check=True, stdout=subprocess.DEVNULL)

# Folders, as in tests/web/same.mjs.
FOLDERS = [EXAMPLES, "samples", "src/check/examples", "tests/cli/golden",
           "tests/fuzz/corpus/descriptor", "tests/fuzz/corpus/model",
           "tests/fuzz/regress/descriptor", "tests/fuzz/regress/model"]
OPTIONS = [["--format", "text"], ["--format", "json", "--portable"],
           ["--format", "sarif", "--feature-level", "2_1"]]
EACH = 128  # files of a run
FIXED = 8  # of so many files one is corrected, which takes a run


def names_of(folder):
    return [n for n in sorted(os.listdir(folder))
            if os.path.isfile(os.path.join(folder, n)) and not n.endswith((".npy", ".txt"))
            and n != "demo"]


def add(name):
    folder = os.path.join(ROOT, name)
    names = names_of(folder)

    @test(f"{len(names)} files of {name}")
    def _(_):
        for options in OPTIONS:
            for i in range(0, len(names), EACH):
                same("validate", *options, *names[i : i + EACH], cwd=folder)

    @test(f"fixes of {name}")
    def _(_):
        for file in names[:: FIXED if len(names) > 2 * FIXED else 1]:
            same("validate", "--fix", file, cwd=folder)


for each in FOLDERS:
    if os.path.isdir(os.path.join(ROOT, each)):
        add(each)


@test("templates and schemas")
def _(folder):
    for file in sorted(os.listdir(os.path.join(ROOT, "src/desc/operators")))[::8]:
        same("validate", f"--template={file[:-5]}", cwd=folder)
    for schema in ("model", "descriptor", "slice1"):
        same("validate", f"--schema={schema}", cwd=folder)


@test("rules explained")
def _(folder):
    same("validate", "--rules", cwd=folder)
    same("validate", "--explain", "topk.k-equals-axis", cwd=folder)


@test("absolute paths differ by their drive only")
def _(folder):
    path = os.path.join(ROOT, "samples", "broken.json")
    for form in ("text", "json"):
        want = native("validate", "--format", form, path, cwd=folder)
        have = exe("validate", "--format", form, "Z:" + path, cwd=folder)
        assert have[0] == want[0] and have[1].replace(b"Z:/", b"/") == want[1], (have, want)


@test("SARIF has paths as URIs")
def _(folder):
    def uri(path):
        log = json.loads(exe("validate", "--format", "sarif", path, cwd=folder)[1])
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        return place["artifactLocation"]["uri"]

    os.mkdir(os.path.join(folder, "a b"))
    write(folder, "a b/x.json", b"{")
    full = os.path.join(folder, "a b", "x.json")
    assert uri("a b\\x.json") == uri(".\\a b/x.json")[2:] == "a%20b/x.json"
    assert uri("Z:" + full.replace("/", "\\")) == "file:///Z:" + full.replace(" ", "%20")


main()
