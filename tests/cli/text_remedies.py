"""What the messages about CSV advise gives what they promise: options are run as printed, and texts
changed where the message says. DMLOP is the program."""
import os
import re
import subprocess

import numpy as np

D = os.environ["DMLOP"]


def convert(text, *options):
    with open("t.csv", "w", encoding="utf-8", newline="") as f:
        f.write(text)
    command = [D, "convert", "--no-sync", "t.csv", "-o", "t.npy", *options]
    return subprocess.run(command, capture_output=True, text=True)


def refused(text, advice):
    """Where the text is refused, line and column counted from 0, and what the advice matched."""
    got = convert(text)
    assert got.returncode == 3 and not os.path.exists("t.npy"), (text, got)
    place = re.match(r"dmlop: convert: t\.csv: line (\d+), column (\d+): ", got.stderr)
    match = re.search(advice, got.stderr)
    assert place and match, (text, got.stderr)
    return int(place[1]) - 1, int(place[2]) - 1, match


def gives(text, values, *options):
    got = convert(text, *options)
    assert got.returncode == 0, (text, options, got.stderr)
    np.testing.assert_array_equal(np.load("t.npy"), values)
    os.remove("t.npy")


# The line is left out.
lines = ["NA", "-", "null", "12:30", "Loaded 5 rows", "OFF", "#N/A", "5%", "(5)", "%d"]
for first in lines + ["true,2", ",0,1"]:
    for before in "", "# c\n\n", "\r":
        text = before + first + "\n1,2\n3,4.5\n"
        _, _, match = refused(text, r"; to leave out this line: (--skip-lines) (\d+)$")
        gives(text, [[1, 2], [3, 4.5]], match[1], match[2])
text = "0,1\n0.5,0.25\n7,8\n"
match = re.search(r"warning: .* with (--skip-lines) (\d+)\n", convert(text).stderr)
gives(text, [[0.5, 0.25], [7, 8]], match[1], match[2])

# A missing number is nan.
for cell in "NA", "#N/A", "", "n/a", "-", "null", "#DIV/0!", "?":
    texts = ["1,2\n@,4\n5,6\n", "1,2\n3,4\n5,@\n", "x,y\n1,2\n@,4\n", "1;@\n3;4\n", "1\t2\n@\t4\n"]
    for text in texts:
        wrong = text.replace("@", cell)
        line, column, _ = refused(wrong, "write nan where (a number|one) is missing")
        lines = wrong.split("\n")
        lines[line] = lines[line][:column] + "nan" + lines[line][column + len(cell) :]
        assert "\n".join(lines) == text.replace("@", "nan"), text
        plain = "\n".join(lines).replace(";", ",").replace("\t", ",").splitlines()
        values = np.genfromtxt(plain, delimiter=",", skip_header=text[0] == "x")
        gives("\n".join(lines), values)
line, _, _ = refused("1,2\n3\n", "write nan where a number is missing$")
gives("1,2\n3,nan\n", [[1, 2], [3, np.nan]])

# A comment goes before the first row or after the last.
for text in "1,2\n# c\n3,4\n", "1 2\n3 4 # c\n":
    refused(text, "a comment begins with '# ', before the first row of numbers or after the last")
    for moved in "# c\n@", "@# c\n":
        gives(moved.replace("@", text.replace(" # c", "").replace("# c\n", "")), [[1, 2], [3, 4]])

# Commas in numbers, separators at the end of a line.
numbers = ("1,5;2\n", "1.5;2\n"), ('"10,000","2"\n', '"10000","2"\n'), ("1,234;5\n", "1.234;5\n")
for text, right in numbers:
    refused(text, "write decimal points, and no commas between thousands")
    gives(right, [float(x.strip('"')) for x in re.split("[;,]", right.strip())])
refused("1,2,\n3,4,\n", "end the lines without a separator")
gives("1,2\n3,4\n", [[1, 2], [3, 4]])
refused("1|2,3\n", "separate cells by ',', ';', tabs or blanks")
gives("1,2,3\n", [1, 2, 3])

# Whole numbers are rounded if that is said.
for whole in 2**53 + 1, -(2**53) - 1, 2**64 - 1, 10**20 - 1:
    for text in f"{whole}\n0.5\n-1\n", f"0.5\n-1\n{whole}\n", f"-1\n{whole}\n0.5\n":
        _, _, match = refused(text, r"; (--dtype) (float64) rounds them$")
        gives(text, [float(x) for x in text.split()], match[1], match[2])
