#!/usr/bin/env python3
"""Golden files: what commands print, whole. golden.py [--write] FILE...

Lines of a golden file that begin with two blanks are a session in a shell, all others are prose:

  $ COMMAND           is run by bash, in a folder that is empty but for samples/
  1$ COMMAND          the same, where its status is 1
  E$ COMMAND          the same, without its last line, "FILE: 2 errors", which counts those above
  U$ COMMAND          its status is 2; left out is the last line, "dmlop: try 'dmlop --help'"
  > CONTINUED         further lines of it, such as a here-document's
  what standard output gets
  ! what standard error gets

A finding's listing, the line of the file and the carets below it, is written as «what the carets
mark» after the finding, if it has the number of the line and the column, or as «...what they mark»
if the line is cut at its beginning. Its hint follows on the same line. In findings.txt listings and
hints stay. A JSON tensor whose rows are below each other is one line, if it has room there.

All commands of a file run in one shell, with the functions of tests/cli/session.bash. Each file is
checked: the session is run, and must be what the file says. With --write the file is made to say
what came; read the difference, then commit it. Control characters are written \\x1b; a last line
without an end is followed by [no newline]."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

COMMAND = re.compile(r"  ([EU]|\d*)\$ ")
LISTING = re.compile(
    r"(?m)^( *[^ \n][^\n]*:(\d+):(\d+): [^\n]*)\n +\2 \| ([^\n]*)\n +\| ( *)(\^~*)$")
TENSOR = re.compile(
    r'(?m)^\{\n  ("DataType": "\w+",)\n  ("Sizes": \[.*\],)\n  "Values": (.*(?:\n {13}.*)*)\n\}$')
HINT = re.compile(r"(?m)^( *)([^ \n][^\n]*:\d+:\d+: (?:error|warning): [^\n]*)\n\1  (?=hint: )")
TRY = re.compile(r"(?m)^dmlop: (?:(\w+): )?try 'dmlop (?(1)\1 )--help'\n\Z")


def parse(text):
    """The commands and the prose of a golden file, in order: ("$", lines) or ("", lines)."""
    parts = []
    for line in text.split("\n"):
        if COMMAND.match(line):
            parts.append(("$", [COMMAND.sub("", line, count=1)]))
            more = True
        elif line.startswith("  > ") and more:
            parts[-1][1].append(line[4:])
        elif line == "  >" and more:
            parts[-1][1].append("")
        elif line and not line.startswith("  "):
            if not parts or parts[-1][0]:
                parts.append(("", []))
            parts[-1][1].append(line)
            more = False
        else:
            if parts and not parts[-1][0] and not line:
                parts[-1][1].append("")  # a paragraph of prose ends
            more = False
    return [(kind, "\n".join(lines).strip("\n").split("\n") if not kind else lines)
            for kind, lines in parts]


def run(commands):
    """What each command left: its standard output, its standard error, its status."""
    folder = tempfile.mkdtemp(prefix="golden.")
    out = tempfile.mkdtemp(prefix="golden.")
    try:
        os.symlink(os.path.join(ROOT, "samples"), os.path.join(folder, "samples"))
        script = ["source '%s/session.bash'" % HERE]
        for i, lines in enumerate(commands):
            script += ["{", *lines, "} >'%s/%d.out' 2>'%s/%d.err'" % (out, i, out, i),
                       "echo $? >'%s/%d.status'" % (out, i)]
        environment = dict(os.environ, PYTHON=os.environ.get("PYTHON", "/usr/bin/python3"),
                           ROOT=ROOT)
        environment.setdefault("DMLOP", os.path.join(ROOT, "build", "dmlop"))
        shell = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        results = []
        for i, lines in enumerate(commands):

            def left(what):
                with open(os.path.join(out, "%d.%s" % (i, what)), "rb") as f:
                    return f.read().decode("utf-8", "backslashreplace")

            try:
                results.append((left("out"), left("err"), int(left("status"))))
            except FileNotFoundError:
                sys.exit("golden.py: the shell did not come to '%s': %s"
                         % (lines[0], shell.stderr.decode()))
        return results
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(out)


def marked(listing):
    """A finding and what its carets mark, or the listing as it is."""
    finding, _, column, line, before, carets = listing.groups()
    cut = "..." * line.startswith("...")
    if cut if len(before) + 1 == int(column) else not cut:
        return listing.group()
    return "%s «%s%s»" % (finding, cut, line[len(before) :][: len(carets)])


def in_a_line(tensor):
    """A JSON tensor in one line, or as it is."""
    text = ""
    for row in tensor[3].split("\n"):
        opened = text.count("[") - text.count("]")
        if text and len(row) - len(row.lstrip()) != 12 + opened:
            return tensor[0]
        text += (" " if text else "") + row.lstrip()
    line = '{ %s %s "Values": %s }' % (*tensor.groups()[:2], text)
    return line if len(line) < 120 else tensor[0]


def uncounted(out):
    """Standard output without its last line, if that counts the findings above it; or None."""
    findings, _, last = out.removesuffix("\n").rpartition("\n")
    file = last.partition(":")[0]
    counts = []
    for severity in "error", "warning":
        n = len(re.findall(r"(?m)^%s:\d+:\d+: %s: " % (re.escape(file), severity), findings))
        counts += ["%d %s%s" % (n, severity, "s" * (n != 1))] * (n > 0)
    return findings + "\n" if last == "%s: %s" % (file, ", ".join(counts)) else None


def shown(text, mark, full):
    """Lines of a stream, as a golden file has them."""
    if not text:
        return []
    if not full:
        text = HINT.sub(r"\1\2  ", TENSOR.sub(in_a_line, LISTING.sub(marked, text)))
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda m: "\\x%02x" % ord(m.group()), text)
    lines = text.split("\n")
    lines = lines[:-1] if not lines[-1] else lines + ["[no newline]"]
    return [("  " + mark + line).rstrip(" ") for line in lines]


def written(parts, results, full):
    """The golden file of these commands and prose with these results."""
    lines = []
    results = iter(results)
    before = None
    for kind, text in parts:
        if before is not None and not kind:
            lines.append("")
        before = kind
        if not kind:
            lines += text
            continue
        out, err, status = next(results)
        findings = uncounted(out) if status == 1 and not full else None
        usage, err = status == 2 and TRY.search(err), TRY.sub("", err) if status == 2 else err
        mark = "E" if findings else "U" if usage else status or ""
        lines += ["  %s$ %s" % (mark, text[0])]
        lines += [("  > " + line).rstrip(" ") for line in text[1:]]
        lines += shown(findings or out, "", full) + shown(err, "! ", full)
    return "\n".join(lines) + "\n"


def main():
    write = sys.argv[1:2] == ["--write"]
    bad = 0
    for path in sys.argv[1 + write :]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        parts = parse(text)
        full = os.path.basename(path) == "findings.txt"
        got = written(parts, run([lines for kind, lines in parts if kind]), full)
        if parse(got) != parts:
            sys.exit("golden.py: %s: an output looks like a command, or a command like an output"
                     % path)
        if got == text:
            continue
        if write:
            with open(path, "w", encoding="utf-8") as f:
                f.write(got)
            print("%s: rewritten" % path)
        else:
            bad = 1
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), got.splitlines(True),
                                                       path, "what came"))
            print("where that is meant: make golden")
    sys.exit(bad)


main()
