#!/usr/bin/env python3
"""Descriptors from JSON to C++ to a running program to JSON: dump.py COMMAND [OPTION...].

header: prints a stand-in for DirectML.h, made from the table of operators.
trip: `validate --cpp` of each descriptor goes into one program, with `validate --dump-header`. What
it writes must have the values of the descriptor, and --cpp must print the same for it.
hostile: every operator with null pointers and with counts of 2^32 - 1, and dump_hostile.cpp, under
sanitizers: what is written must be JSON with comments, in which validate finds errors.
stories: the programs and reports of dmlop-dump(7).
versions: the header compiles with the first DirectML.h, which does not say its version; operators
that came later are not known.

--all takes all descriptors of the operators' tests, not only the templates and some of this file's,
and all versions. COMPILER... are the compilers, --std=... the standards. DIRECTML_H (make check
TESTS=dump.bats DIRECTML_H=FILE) is taken in place of the stand-in, by the compiler for Windows; a
program is run by $DUMP_RUNNER, such as wine."""

import concurrent.futures
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import operators
import real
from program import DMLOP

DIRECTML_H = os.environ.get("DIRECTML_H")
HERE = os.path.dirname(os.path.abspath(__file__))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wsign-compare", "-Werror"]
MARK = "\x1e"
TYPES = """UNKNOWN FLOAT32 FLOAT16 UINT32 UINT16 UINT8 INT32 INT16 INT8 FLOAT64 UINT64 INT64 UINT4
INT4""".split()
MEMBERS = {
    "tensor": "const DML_TENSOR_DESC *%s", "tensor_array": "const DML_TENSOR_DESC *%s",
    "uint": "UINT %s", "int": "INT %s", "float": "FLOAT %s", "bool": "BOOL %s",
    "size_2d": "DML_SIZE_2D %s", "scale_bias": "const DML_SCALE_BIAS *%s",
    "scalar_union": "DML_SCALAR_UNION %s", "uint_array": "const UINT *%s",
    "int_array": "const INT *%s", "float_array": "const FLOAT *%s",
    "operator": "const DML_OPERATOR_DESC *%s", "operator_array": "const DML_OPERATOR_DESC *%s"}
BASE = """#ifndef DIRECTML_H
#define DIRECTML_H
#include <cstdint>
typedef unsigned int UINT;
typedef int INT;
typedef int BOOL;
typedef float FLOAT;
typedef double DOUBLE;
typedef std::int8_t INT8;
typedef std::int16_t INT16;
typedef std::int32_t INT32;
typedef std::int64_t INT64;
typedef std::uint8_t UINT8, BYTE;
typedef std::uint16_t UINT16;
typedef std::uint32_t UINT32;
typedef std::uint64_t UINT64;
#define TRUE 1
#define FALSE 0
#ifndef DML_TARGET_VERSION
#define DML_TARGET_VERSION 0x6400
#endif
enum DML_TENSOR_TYPE { DML_TENSOR_TYPE_INVALID, DML_TENSOR_TYPE_BUFFER };
enum DML_TENSOR_FLAGS { DML_TENSOR_FLAG_NONE = 0, DML_TENSOR_FLAG_OWNED_BY_DML = 1 };
"""
STRUCTS = """struct DML_BUFFER_TENSOR_DESC {
    DML_TENSOR_DATA_TYPE DataType;
    DML_TENSOR_FLAGS Flags;
    UINT DimensionCount;
    const UINT *Sizes;
    const UINT *Strides;
    UINT64 TotalTensorSizeInBytes;
    UINT GuaranteedBaseOffsetAlignment;
};
struct DML_TENSOR_DESC { DML_TENSOR_TYPE Type; const void *Desc; };
struct DML_OPERATOR_DESC { DML_OPERATOR_TYPE Type; const void *Desc; };
struct DML_SIZE_2D { UINT Width, Height; };
struct DML_SCALE_BIAS { FLOAT Scale, Bias; };
#if DML_TARGET_VERSION >= 0x2100
union DML_SCALAR_UNION {
    BYTE Bytes[8];
    INT8 Int8; UINT8 UInt8; INT16 Int16; UINT16 UInt16;
    INT32 Int32; UINT32 UInt32; INT64 Int64; UINT64 UInt64;
    FLOAT Float32; DOUBLE Float64;
};
#endif
"""


def since(level):
    return "#if DML_TARGET_VERSION >= 0x%s00" % level.replace("_", "")


def level_of(op):
    return "1_0" if op.get("in_first_header") else op["level"]


def enumeration(name, values):
    """An enumeration of values with their levels; none may be below the first's."""
    lines = [since(values[0][1]), "enum %s {" % name]
    for value, level in values:
        gate = level > values[0][1]
        lines += [since(level)] * gate + ["    %s," % value] + ["#endif"] * gate
    return lines + ["};", "#endif"]


def stand_in():
    """The text of a header like DirectML.h, with the members of structs in its order."""
    ops = sorted(operators.tables().values(), key=lambda op: (level_of(op), op["operator"]))
    path = os.path.join(operators.ROOT, "src", "desc", "enumerations.json")
    with open(path, encoding="utf-8") as f:
        enums = json.load(f)
    prefix = "DML_TENSOR_DATA_TYPE"
    types = [("%s_%s" % (prefix, t), "6_3" if t.endswith("NT4") else "1_0") for t in TYPES]
    names = [("DML_OPERATOR_" + op["operator"], level_of(op)) for op in ops]
    lines = BASE.splitlines()
    lines += enumeration(prefix, types)
    lines += enumeration("DML_OPERATOR_TYPE", [("DML_OPERATOR_INVALID", "1_0")] + names)
    for name, e in enums.items():
        full = ["%s_%s" % (name, n) for n in e["names"]]
        lines += enumeration(name, list(zip(full, e["since"])))
    lines += STRUCTS.splitlines()
    for op in ops:
        lines += [since(level_of(op)), "struct DML_%s_OPERATOR_DESC {" % op["operator"]]
        for f in op["fields"]:
            member = MEMBERS.get(f["kind"]) or f["enum"] + " %s"
            lines.append("    " + member % f["name"] + ";")
        lines += ["};", "#endif"]
    lines += ["#ifdef FIRST_VERSION", "#undef DML_TARGET_VERSION", "#endif", "#endif"]
    return "\n".join(lines) + "\n"


def output(*command, text=None, ok=(0,)):
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    if run.returncode not in ok:
        sys.exit("%s: status %d\n%s" % (" ".join(command), run.returncode, run.stderr[:3000]))
    return run.stdout


def plain(text):
    """JSON without comments."""
    strings = r'("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*'
    return json.loads(re.sub(strings, lambda m: m.group(1) or "", text, flags=re.S))


class Build:
    """A folder with both headers, and a compiler."""

    def __init__(self, folder, compiler, options):
        self.folder, self.compiler, self.options = folder, compiler, options
        output(DMLOP, "validate", "--dump-header", "-o", os.path.join(folder, "dmlop_dump.h"))
        os.mkdir(os.path.join(folder, "system"))
        header = os.path.join(folder, "system", "DirectML.h")
        if DIRECTML_H:
            shutil.copy(DIRECTML_H, header)
            return
        with open(header, "w", encoding="utf-8") as f:
            f.write(stand_in())

    def run(self, text, *options, link=True):
        """What a program writes, given its text."""
        source = os.path.join(self.folder, "program.cpp")
        program = os.path.join(self.folder, "program.exe")
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        what = ["-o", program] if link else ["-fsyntax-only"]
        static = ["-static"] if "mingw" in self.compiler else []
        output(*self.compiler.split(), *WARNINGS, *self.options, *options, *static,
               "-DDML_TARGET_VERSION_USE_LATEST", "-D_Maybenull_=", "-I", self.folder,
               "-isystem" if DIRECTML_H else "-I", os.path.join(self.folder, "system"), source,
               *what)
        return output(*os.environ.get("DUMP_RUNNER", "").split(), program) if link else ""


# Macros of <windows.h> that get into the way.
MACROS = """#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
"""
HEAD = """#include <cmath>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
%s#include "dmlop_dump.h"
""" % ("" if DIRECTML_H else MACROS)


def number(value, bits):
    """A number as that type has it; NaN equals NaN."""
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value) or bits == 64:
        return value
    kind = "<e" if bits == 16 else "<f"
    return struct.unpack(kind, struct.pack(kind, value))[0]


def named(value, prefix):
    return value if value.startswith(prefix) else prefix + value


def tensor(t):
    """A tensor's values; what is left out has its default."""
    t = t.get("Desc", t)
    flags = t.get("Flags", "NONE")
    flags = {named(f.strip(), "DML_TENSOR_FLAG_") for f in
             (flags.split("|") if isinstance(flags, str) else flags)}
    bits = int(re.search(r"\d+", t["DataType"])[0])
    sizes, strides = t["Sizes"], t.get("Strides") or None
    last = math.prod(sizes)
    if strides:
        last = 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    return [named(t["DataType"], "DML_TENSOR_DATA_TYPE_"), sizes, strides,
            flags - {"DML_TENSOR_FLAG_NONE"},
            t.get("TotalTensorSizeInBytes") or (last * bits + 31) // 32 * 4,
            t.get("GuaranteedBaseOffsetAlignment", 0)]


def values(desc, tables):
    """The values of a descriptor, by the table of its operator."""
    op = tables[re.sub("^DML_OPERATOR_", "", desc.get("type") or desc["Type"])]
    fields = desc.get("desc", desc.get("Desc", desc))
    scalar = [fields[f["name"]] for f in op["fields"] if f.get("enum") == "DML_TENSOR_DATA_TYPE"]
    result = {"operator": op["operator"]}
    for f in op["fields"]:
        v, kind = fields.get(f["name"]), f["kind"]
        if v is None:
            counted = [fields[g["name"]] for g in op["fields"]
                       if g.get("count") == f["name"] and g["name"] in fields]
            v = len(counted[0]) if counted else None
        elif kind == "tensor":
            v = tensor(v)
        elif kind == "tensor_array":
            v = [tensor(t) for t in v]
        elif kind == "enum":
            v = named(v, f["enum"] + "_")
        elif kind == "float":
            v = number(v, 32)
        elif kind == "float_array":
            v = [number(x, 32) for x in v]
        elif kind == "scale_bias":
            v = [number(v["Scale"], 32), number(v["Bias"], 32)]
        elif kind == "scalar_union":
            if isinstance(v, dict):
                ((member, v),) = v.items()
                if member == "UInt16" and scalar[0].endswith("FLOAT16"):
                    v = struct.unpack("<e", struct.pack("<H", v))[0]
            if "FLOAT" in scalar[0]:
                v = number(v, int(scalar[0][-2:]))
        elif kind == "operator":
            v = values(v, tables)
        elif kind == "operator_array":
            v = [values(a, tables) for a in v]
        if v is not None:
            result[f["name"]] = v
    return result


def fill(dtype, value):
    return {"type": "DML_OPERATOR_FILL_VALUE_CONSTANT",
            "desc": {"OutputTensor": {"DataType": dtype, "Sizes": [1, 1, 2, 2]},
                     "ValueDataType": dtype, "Value": value}}


def relu(**fields):
    t = {"DataType": "FLOAT32", "Sizes": [2, 3, 4, 5]}
    return {"type": "DML_OPERATOR_ACTIVATION_LEAKY_RELU",
            "desc": {"InputTensor": {**t, **fields}, "OutputTensor": t, "Alpha": 0.1}}


def clip(low, high):
    return {"Type": "ELEMENT_WISE_CLIP",
            "Desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]},
                     "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]},
                     "ScaleBias": {"Scale": 1e-45, "Bias": -0.0}, "Min": low, "Max": high}}


OWN = [
    fill("FLOAT16", 65504), fill("FLOAT16", -6e-8), fill("FLOAT16", {"UInt16": 1}),
    fill("FLOAT16", "nan"), fill("FLOAT16", "-inf"), fill("FLOAT32", {"Float32": 1.5}),
    fill("FLOAT32", 16777217), fill("FLOAT32", 3.4028234663852886e38), fill("FLOAT32", "nan"),
    fill("FLOAT64", 0.1), fill("FLOAT64", 5e-324), fill("FLOAT64", "inf"), fill("FLOAT64", 3),
    fill("INT8", -128), fill("INT16", -32768), fill("INT32", -(2**31)), fill("INT64", -(2**63)),
    fill("INT64", 2**63 - 1), fill("UINT8", 255), fill("UINT16", 65535), fill("UINT32", 2**32 - 1),
    fill("UINT64", 2**64 - 1), fill("UINT64", 2**63 - 1),
    relu(Strides=[60, 20, 5, 1]), relu(Strides=[80, 0, 5, 1], TotalTensorSizeInBytes=4096),
    relu(Flags="OWNED_BY_DML"), relu(GuaranteedBaseOffsetAlignment=256),
    relu(Flags=["NONE"]), relu(DimensionCount=4),
    clip("nan", "inf"), clip("-inf", 0.30000001192092896), clip(-0.0, 1e-45), clip(1e20, 1.1e20)]


def descriptors(every):
    found = [(name, operators.template(name)[0]) for name in operators.tables()]
    found += [("own %d" % i, json.dumps(d)) for i, d in enumerate(OWN)]
    if every:
        found += [("%s, %s" % (n, w), json.dumps({"type": "DML_OPERATOR_" + n, "desc": d}))
                  for n, w, d in operators.PAGES + operators.MORE]
        found += [("%s, %s" % row[:2], json.dumps(row[3])) for row in real.descriptors()]
    return found


def cpp(text):
    return output(DMLOP, "validate", "--quiet", "--cpp", "-", text=text)


def trip(build, cases, code):
    tables = operators.tables()
    wrong = []
    lines = [HEAD]
    for i, statements in enumerate(code):
        lines.append("static void f%d()\n{\n%s    dmlop_dump(desc, stdout);\n}\n" % (i, statements))
    lines.append("int main()\n{\n")
    lines += ["    f%d();\n    std::fputs(\"\\x1e\", stdout);\n" % i for i in range(len(code))]
    dumps = build.run("".join(lines) + "    return 0;\n}\n").split(MARK)[:-1]
    if len(dumps) != len(cases):
        return ["%d of %d descriptors are written" % (len(dumps), len(cases))]
    for (name, text), statements, dump in zip(cases, code, dumps):
        want, got = values(plain(text), tables), values(plain(dump), tables)
        if want != got:
            wrong.append("%s:\n  %s\n  %s" % (name, want, got))
        elif cpp(dump) != statements:
            wrong.append("%s: --cpp prints something else for %s" % (name, dump))
    print("%s: %d descriptors of %d operators" % (
        build.compiler, len(cases), len({values(plain(t), tables)["operator"] for _, t in cases})))
    return wrong


def zeros(op):
    """Two functions: all fields are 0; all counts are 2^32 - 1, with pointers to one entry."""
    name = op["operator"]
    parts = ["    DML_%s_OPERATOR_DESC d = {};\n" % name,
             "    const DML_OPERATOR_DESC desc = { DML_OPERATOR_%s, &d };\n" % name,
             "    dmlop_dump(desc, stdout);\n"]
    most = []
    for f in op["fields"]:
        kind = f["kind"].replace("_array", "")
        if "count" in f:
            most.append("    d.%s = 4294967295u;\n" % f["count"])
            most.append("    d.%s = &one_%s;\n" % (f["name"], kind))
        elif kind in ("tensor", "operator", "scale_bias"):
            most.append("    d.%s = &one_%s;\n" % (f["name"], kind))
    return ["{\n" + "".join(parts) + "}\n",
            "{\n" + parts[0] + "".join(most) + "".join(parts[1:]) + "}\n"]


ONES = """static const UINT one_uint = 1;
static const INT one_int = 1;
static const FLOAT one_float = 1;
static const DML_SCALE_BIAS one_scale_bias = { 1, 1 };
static const DML_BUFFER_TENSOR_DESC one_buffer = { DML_TENSOR_DATA_TYPE_FLOAT32,
    DML_TENSOR_FLAG_NONE, 4294967295u, &one_uint, &one_uint, 4, 0 };
static const DML_TENSOR_DESC one_tensor = { DML_TENSOR_TYPE_BUFFER, &one_buffer };
static const DML_OPERATOR_DESC one_operator = { DML_OPERATOR_GEMM, nullptr };
"""


def hostile(build, sanitize):
    with open(os.path.join(HERE, "dump_hostile.cpp"), encoding="utf-8") as f:
        own = f.read()
    functions = [z for op in operators.tables().values() for z in zeros(op)]
    lines = [HEAD, ONES, own]
    lines += ["static void f%d()\n%s" % (i, text) for i, text in enumerate(functions)]
    lines.append("int main()\n{\n    hostile();\n")
    lines += ["    f%d();\n    std::fputs(\"\\x1e\", stdout);\n" % i for i in range(len(functions))]
    text = "".join(lines) + "    return 0;\n}\n"
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if sanitize else []
    dumps = build.run(text, *options).split(MARK)[:-1]
    wrong = []
    with open(os.path.join(HERE, "dump_hostile.txt"), encoding="utf-8") as f:
        expected = f.read().split("%\n")
    if "--write" in sys.argv:
        expected = dumps[: len(dumps) - len(functions)]
        with open(os.path.join(HERE, "dump_hostile.txt"), "w", encoding="utf-8") as f:
            f.write("%\n".join(expected))
    for i, dump in enumerate(dumps):
        plain(dump)
        if i < len(expected):
            if dump != expected[i]:
                wrong.append("hostile %d, not as in dump_hostile.txt:\n%s" % (i, dump))
        found = json.loads(output(DMLOP, "validate", "--format", "json", "-", text=dump, ok=(0, 1)))
        if not found["files"][0]["findings"]:
            wrong.append("no finding:\n" + dump)
    if len(dumps) != len(expected) + len(functions):
        wrong.append("%d dumps of %d" % (len(dumps), len(expected) + len(functions)))
    print("%s: %d descriptors that are wrong" % (build.compiler, len(dumps)))
    return wrong


def versions(build, level):
    """Compiles with a version; the number after its operators is unknown."""
    ops = sorted(operators.tables().values(), key=lambda op: (level_of(op), op["operator"]))
    known = sum(level_of(op) <= level for op in ops)
    dump = "    dmlop_dump(DML_OPERATOR_DESC{ DML_OPERATOR_TYPE(%d), nullptr }, stdout);\n"
    main = HEAD + "int main()\n{\n" + dump % known + dump % (known + 1) + "}\n"
    text = build.run(main, "-DDML_TARGET_VERSION=0x%s00" % level.replace("_", ""),
                     *["-DFIRST_VERSION"] * (level == "1_0"))
    wanted = ('"DML_OPERATOR_%s' % ("" if DIRECTML_H else ops[known - 1]["operator"]),
              "%d /* no operator of this DirectML.h */" % (known + 1))
    return ["version %s: no %s in %s" % (level, w, text) for w in wanted if w not in text]


def stories(build):
    """The programs that dmlop-dump(7) shows write what it shows, and validate prints the rest."""
    with open(os.path.join(operators.ROOT, "man", "dmlop-dump.7"), encoding="utf-8") as f:
        blocks = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed$", f.read(), re.M | re.S)
    wrong = [] if len(blocks) == 9 else ["%d blocks" % len(blocks)]
    for program, dump, report in zip(blocks[::3], blocks[1::3], blocks[2::3]):
        got = build.run(HEAD + "int main()\n{\n" + program + "dmlop_dump(desc, stdout);\n}\n")
        said = output(DMLOP, "validate", "-", text=got, ok=(1,))
        if got != dump or said.replace("<stdin>", "refused.desc.json") != report:
            wrong.append(got + said)
    return wrong


def main():
    command = sys.argv[1]
    every = "--all" in sys.argv
    standards = [a for a in sys.argv[2:] if a.startswith("--std=")] or ["--std=c++11"]
    compilers = [a for a in sys.argv[2:] if not a.startswith("--")] or ["g++"]
    if command == "header":
        print(stand_in(), end="")
        return
    cases = descriptors(every) if command == "trip" else []
    code = [cpp(text) for _, text in cases]
    levels = sorted({level_of(op) for op in operators.tables().values()})

    def work(compiler, standard, level):
        with tempfile.TemporaryDirectory(prefix="dump.") as folder:
            build = Build(folder, compiler, ["-" + standard.lstrip("-"), "-O0"])
            if command == "trip":
                return trip(build, cases, code)
            if command == "stories":
                return stories(build)
            return versions(build, level) if level else hostile(build, "--plain" not in sys.argv)

    jobs = [(c, s, l) for c in compilers for s in standards
            for l in ((levels if every else levels[:1]) if command == "versions" else [None])]
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count())) as pool:
        wrong = sum(pool.map(lambda job: work(*job), jobs), [])
    if wrong:
        sys.exit("\n".join(wrong[:20]) + "\n%d wrong" % len(wrong))


if __name__ == "__main__":
    main()
