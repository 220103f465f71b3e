"""What is in dmlop.exe and beside it, and the examples for Windows in README and the manual."""

import glob
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import time
import xml.etree.ElementTree
import zipfile

from suite import ROOT, WINDOWS, Skip, command, main, read, same, test, write

BUILD = os.path.dirname(WINDOWS)
PACKAGE = os.path.join(BUILD, "windows")
VERSION = subprocess.run([os.environ["DMLOP"], "--version"], capture_output=True, text=True,
                         check=True).stdout.split()[1]
NAME = f"dmlop-{VERSION}"
ZIP = f"{NAME}-windows.zip"
SAMPLES = os.path.join(ROOT, "samples")


def headers(program):
    """The lowest version of Windows, characteristics, and sizes of tables."""
    optional = struct.unpack_from("<I", program, 0x3C)[0] + 24
    return (struct.unpack_from("<HH", program, optional + 48),
            struct.unpack_from("<H", program, optional + 70)[0],
            [struct.unpack_from("<II", program, optional + 112 + 8 * i)[1] for i in range(16)])


def epoch():
    """The time of the commit that the package is of; None in a source without history."""
    got = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True,
                         text=True)
    return int(os.environ.get("SOURCE_DATE_EPOCH") or got.stdout or 0) or None


@test("dmlop.exe exports nothing, and asks for Windows 10 and all protections there are")
def exports(folder):
    EXPORTS, RESOURCES = 0, 2
    HIGH_ENTROPY, DYNAMIC_BASE, NX = 0x20, 0x40, 0x100
    program = read(PACKAGE, "dmlop.exe")
    lowest, characteristics, tables = headers(program)
    assert ROOT.encode() not in program
    assert lowest == (10, 0), lowest
    assert characteristics & (HIGH_ENTROPY | DYNAMIC_BASE | NX) == 0x160, hex(characteristics)
    assert tables[EXPORTS] == 0 and tables[RESOURCES] > 0, tables


@test("dmlop.exe has its version as a resource")
def version(folder):
    program = read(PACKAGE, "dmlop.exe")
    fixed = program.index(struct.pack("<II", 0xFEEF04BD, 0x10000))
    high, low = struct.unpack_from("<II", program, fixed + 8)
    have = f"{high >> 16}.{high & 0xFFFF}.{low >> 16}"
    assert (have, low & 0xFFFF) == (VERSION, 0), have
    for key, value in ("FileVersion", VERSION), ("ProductName", "dmlop"), ("InternalName", "dmlop"):
        text = (key + "\0").encode("utf-16-le")
        at = program.index(text) + len(text)
        have = program[at : at + 64].decode("utf-16-le", "replace")
        assert have.lstrip("\0").split("\0")[0] == value, (key, have)


@test("dmlop.exe has a manifest: UTF-8, long paths, no other rights than its user's")
def manifest(folder):
    program = read(PACKAGE, "dmlop.exe")
    text = program[program.index(b"<?xml") : program.index(b"</assembly>") + len("</assembly>")]
    have = {e.tag.rpartition("}")[2]: e for e in xml.etree.ElementTree.fromstring(text).iter()}
    assert have["activeCodePage"].text == "UTF-8"
    assert have["longPathAware"].text == "true"
    assert have["requestedExecutionLevel"].get("level") == "asInvoker"
    assert have["assemblyIdentity"].get("version") == VERSION + ".0"


@test("the .zip has one folder, with the files beside it, and times of the commit")
def contents(folder):
    with zipfile.ZipFile(os.path.join(PACKAGE, ZIP)) as z:
        names = z.namelist()
        assert names == sorted(names)
        times = {i.date_time for i in z.infolist()}
        for i in z.infolist():
            assert not i.extra and i.filename.startswith(NAME + "/"), i
            assert z.read(i) == read(PACKAGE, i.filename[len(NAME) + 1 :]), i.filename
    beside = [p for p in glob.glob(PACKAGE + "/**", recursive=True) if os.path.isfile(p)]
    beside = {os.path.relpath(p, PACKAGE) for p in beside}
    others = {p for p in beside if p.startswith(("dmlop-", "manifests/"))}
    assert {n[len(NAME) + 1 :] for n in names} == beside - others
    assert {os.path.basename(p) for p in glob.glob(SAMPLES + "/*")} - {"demo"} == {
        n.rpartition("/")[2] for n in names if "/samples/" in n}
    want = {f"man/{os.path.basename(p)[:-2]}.txt" for p in glob.glob(ROOT + "/man/*.[1-8]")}
    assert want == {p for p in beside if p.startswith("man/")}
    if epoch():
        even = (epoch() + 1) // 2 * 2  # as archives have it
        assert times == {time.gmtime(even)[:6]}, (times, even)


@test("the .zip has the notices of all libraries that are linked")
def notices(folder):
    arguments = [os.path.join(WINDOWS, "map"), os.path.join(PACKAGE, "licenses")]
    got = command(os.path.join(ROOT, "tests/noticed"), *arguments, cwd=folder)
    assert got == (0, b"", b""), got
    shutil.copytree(arguments[1], os.path.join(folder, "some"))
    os.remove(os.path.join(folder, "some", "cjson.txt"))
    got = command(os.path.join(ROOT, "tests/noticed"), arguments[0], "some", cwd=folder)
    assert got == (1, b"some has no notice of libcjson\n", b""), got


@test("the .zip is the same, byte for byte, when it is packed again; its SHA-256 is beside it")
def packed_again(folder):
    sha256 = hashlib.sha256(read(PACKAGE, ZIP)).hexdigest()
    assert read(PACKAGE, ZIP + ".sha256") == f"{sha256}  {ZIP}\n".encode()
    if not epoch():
        raise Skip("this source has no history")
    parts = os.path.join(folder, "parts")
    os.mkdir(parts)
    for name in "dmlop.exe", "map":
        shutil.copy(os.path.join(WINDOWS, name), parts)
    for name in "lib", "licenses":
        os.symlink(os.path.join(WINDOWS, name), os.path.join(parts, name))
    schemas = [name.partition(".")[0] for name in os.listdir(PACKAGE + "/schemas")]
    environment = {"SOURCE_DATE_EPOCH": str(epoch()), "SCHEMAS": " ".join(schemas),
                   "DOWNLOADS": "https://dmlop.example.net/releases", "TZ": "Asia/Tokyo"}
    again = os.path.join(folder, "again")
    subprocess.run([os.path.join(ROOT, "tests/windows/package"), parts, again, VERSION], cwd=ROOT,
                   env={**os.environ, **environment}, check=True)
    assert read(PACKAGE, ZIP) == read(again, ZIP)
    assert not os.path.exists(os.path.join(parts, NAME))


def yaml(text):
    """The plain lines of a manifest."""
    return {key: value for key, value in re.findall(r"^[- ]*(\w+): (.+)$", text, re.M)}


@test("manifests of winget and scoop name this .zip and what is in it")
def manifests(folder):
    sha256 = hashlib.sha256(read(PACKAGE, ZIP)).hexdigest()
    url = f"https://dmlop.example.net/releases/{ZIP}"
    folder = os.path.join(PACKAGE, "manifests")
    names = ["", ".installer", ".locale.en-US"]
    assert sorted(os.listdir(folder)) == sorted(["dmlop.json"]
                                                + [f"dmlop.dmlop{n}.yaml" for n in names])
    for name in os.listdir(folder):
        assert "@" not in read(folder, name).decode(), name
    scoop = json.loads(read(folder, "dmlop.json"))
    assert scoop["version"] == VERSION and scoop["license"] == "MIT"
    assert scoop["architecture"] == {"64bit": {"url": url, "hash": sha256}}
    winget = {n: yaml(read(folder, f"dmlop.dmlop{n}.yaml").decode()) for n in names}
    for have in winget.values():
        assert have["PackageIdentifier"] == "dmlop.dmlop" and have["PackageVersion"] == VERSION
        assert have["ManifestVersion"] == "1.6.0"
    assert [winget[n]["ManifestType"] for n in names] == ["version", "installer", "defaultLocale"]
    have = winget[".installer"]
    assert have["InstallerUrl"] == url and have["InstallerSha256"] == sha256
    assert have["NestedInstallerType"] == "portable" and have["InstallerType"] == "zip"
    with zipfile.ZipFile(os.path.join(PACKAGE, ZIP)) as z:
        assert have["RelativeFilePath"].replace("\\", "/") in z.namelist()
        assert f"{scoop['extract_dir']}/{scoop['bin']}" in z.namelist()
    assert winget[".locale.en-US"]["ShortDescription"] == scoop["description"] != ""


def cmd(folder, line):
    """What a line gives in wine's cmd, with dmlop.exe and a stand-in for dxdispatch on the PATH."""
    programs = os.path.join(folder, "programs")
    if not os.path.exists(programs):
        shutil.copytree(os.path.join(PACKAGE, "man"), os.path.join(programs, "man"))
        shutil.copy(os.environ["EXE"], programs)
        write(programs, "dxdispatch.bat", "@dmlop run -o . %1\r\n")
    write(programs, "line.bat", f"@echo off\r\n{line}\r\n")
    path = "Z:" + programs.replace("/", "\\")
    return command(os.environ["WINE"], "cmd", "/c", f"{path}\\line.bat",
                   cwd=os.path.join(folder, "samples"), env={**os.environ, "WINEPATH": path})


def examples():
    """Blocks of lines after '>', as they are in README and the manual, and the tour of the .zip's
    README.txt; and commands within sentences of dmlop(1), WINDOWS. With the file's name, and the
    statuses."""
    pages = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(ROOT + "/man/*.[1-8]"))]
    for page in pages:
        with open(page, encoding="utf-8") as f:
            for block in re.findall(r"(?:^ *> .*\n)+", f.read(), re.M):
                yield page, [(line.lstrip()[2:], 0) for line in block.splitlines()]
    page = os.path.join(ROOT, "tests/windows/README.txt")
    with open(page, encoding="ascii") as f:
        yield page, [(line, 0) for line in re.findall(r"^  (\.\.\\dmlop .*)", f.read(), re.M)]
    page = os.path.join(ROOT, "man/dmlop.1.md")
    with open(page, encoding="utf-8") as f:
        windows = f.read().partition("\n# WINDOWS\n")[2].partition("\n# ")[0]
    found = re.findall(r"`(dmlop [^`]*)`(?:\s+ends with a message and status (\d))?", windows)
    yield page, [(line, int(status or 0)) for line, status in found]


@test("examples of README and the manual for Windows run as they are, in cmd")
def as_they_are(folder):
    shutil.copytree(SAMPLES, os.path.join(folder, "samples"))
    shutil.copy(os.environ["EXE"], folder)
    samples = os.path.join(folder, "samples")
    shutil.copy(os.path.join(samples, "slice1-ex2.input.npy"), os.path.join(samples, "x.npy"))
    n = 0
    for page, lines in examples():
        assert lines, page
        for line, wanted in lines:
            status, out, err = cmd(folder, line)
            assert status == wanted, (page, line, status, out, err)
            assert re.match(r"(\.\.\\)?(dmlop|dxdispatch|mkdir) ", line), (page, line)
            n += 1
    assert n >= 12, n
    for name in "product.npy", "cpu/product.npy", "x.npy":
        assert os.path.exists(os.path.join(samples, name)), name


main()
