# The benchmarks run, and what they print for programs is JSON.
load helper

bench() { # NAME ARGS...
    [ -x "$B/tests/bench/bench_$1" ] || skip "not built"
    "$B/tests/bench/bench_$1" -r 1 -s 0 "${@:2}"
}

@test "bench: a line for the machine, then one a case, as JSON" {
    bench qmatmul -j -t 2 'u8*s8    1 x 128x128x128' >qmatmul
    bench topk -j -t 1 'INT8     {1,10000000}         k=100 equal' >topk
    bench slice -j -t 1 'UINT8    {64,64,128,128}      last axis ::4' >slice
    bench json -j 'UINT8    {2000,1000}          write' >json
    bench worst -j -t 1 >worst
    py '
number = (int, float)
wanted = {"bench": str, "type": str, "shape": str, "what": str, "threads": int, "ms": number,
          "rate": number, "unit": str, "rounds": int, "disturbed": bool}
against = {"kernel": str, "yardstick": str, "yardstick_rate": number, "ratio": number}
threads = {"qmatmul": [1, 2], "topk": [1], "slice": [1], "json": [1], "worst": [1, 1]}
for name in threads:
    head, *cases = map(json.loads, open(name))
    machine = head["machine"]
    assert machine["processor"] and machine["compiler"] and machine["system"], machine
    assert 1 <= machine["processors_allowed"] <= machine["processors"], machine
    assert (set(machine["kernels"]) == {"slice", "topk", "qmatmul"}
            and len(machine["load"].split()) == 3), machine
    assert [c["threads"] for c in cases] == threads[name], cases
    for c in cases:
        expected = {**wanted, **(against if name != "json" and "yardstick" in c else {})}
        assert all(isinstance(c[key], kind) for key, kind in expected.items()), c
        assert c["bench"] == name and c["ms"] > 0 and c["rate"] > 0, c
        assert name not in ("slice", "topk") or c["ratio"] > 0, c
'
}

@test "bench: for people it begins with the machine and ends with what disturbed it" {
    bench qmatmul -k reference -t 1 'u8*s8    1 x 128x128x128' >out
    run cat out
    assert_line --index 0 --regexp '[0-9]+ of [0-9]+ processors, [0-9]+ threads by default$'
    assert_line --index 2 \
        --regexp '^kernels: slice [a-z0-9]+, topk [a-z0-9]+, qmatmul [a-z0-9]+, load( [0-9.]+){3}$'
    assert_line --index 3 \
        --regexp '^u8\*s8 +1 x 128x128x128 +1 +reference +[0-9.]+ ms +[0-9.e+]+ GMAC/s'
    assert_line --index 4 \
        --regexp '^1 cases in [0-9]+ s; others used [0-9]+ % of the processors; [01] cases stayed'
    bench slice -m >out
    assert_equal "$(wc -l <out)" 3
    run -2 bench slice -r 0
    run -2 bench slice -t 0
    run -2 bench topk one two
    run -2 bench topk -k nothing 'INT8     {1,10000000}         k=100 equal'
}

@test "bench: a comparison with peers names machine and versions, and counts wrong outputs" {
    [ -x "$B/tests/bench/bench_slice" ] || skip "not built"
    BENCH=$B/tests/bench/bench_slice ONEDNN=none NODE_PATH= "$PYTHON" \
        "$ROOT/tests/bench/peers_qmatmul.py" --json \
        --rounds 1 --seconds 0 'u8*s8 1 x 128x128x128' >peers 2>/dev/null
    py '
head, case = map(json.loads, open("peers"))
assert head["machine"]["peers"]["numpy"] == np.__version__, head
assert case["wrong"]["dmlop"] == case["wrong"]["numpy"] == 0 and case["ratios"]["numpy"] > 0, case
assert case["unit"] == "GMAC/s" and case["ms"] > 0 and case["threads"] == 1, case
'
}

@test "bench: README.md, the page and the plots are those of the report" {
    run -0 "$PYTHON" "$ROOT/tests/bench/report.py" check
}

# Read without report.py, which makes them.
@test "bench: the tables name the fastest peer of each case, also where it is faster than dmlop" {
    ROOT=$ROOT py '
import os, re

root = os.environ["ROOT"]
report = json.load(open(root + "/tests/bench/report.json"))

def part_of_file(name):
    text = open(root + "/" + name, encoding="utf-8").read()
    return text[text.index("bench-report: begin") : text.index("bench-report: end")]

part, short = part_of_file("man/BENCHMARKS.md"), part_of_file("README.md")
plain = lambda words: re.sub("[^a-z0-9]", "", words.lower())
cases = {}
for c in report["peers"]:
    cases[plain(c["bench"] + c["type"] + c["shape"].replace("1 x ", "") + c["what"])] = c

def said(cell):
    """Pairs of a peer, as the report calls it, and its time."""
    found = []
    for one in cell.replace("**", "").replace(" ~", "").split("; "):
        name, time = one.rsplit(", ", 1)
        found.append((plain(name.split(" of ")[0]), float(time.removesuffix("x"))))
    return found

def right(pairs, ratios):
    assert [name for name, _ in pairs] == [plain(name) for name, _ in ratios], (pairs, ratios)
    assert all(
        abs(t - r) <= 0.005 * r and (t < 1) == (r < 1) for (_, t), (_, r) in zip(pairs, ratios)
    ), (pairs, ratios)

def tables(part):
    return [
        [[cell.strip() for cell in row.split("|")[1:-1]] for row in lines.splitlines()][2:]
        for lines in re.findall(r"(?:^\|.*\n)+", part, re.M)
    ]

measured, lost = tables(part)
of_peers = [row for row in measured if plain(row[0] + row[1]) in cases]
alone = ("json", "worst")
assert len(of_peers) == len([row for row in measured if row[0] not in alone]) > 0, measured
for row in of_peers:
    ratios = cases[plain(row[0] + row[1])]["ratios"]
    ordered = sorted(ratios.items(), key=lambda pair: pair[1])
    right(said(row[6]), ordered[:1])
    assert ("**" in row[6]) == (ordered[0][1] < 1), row
    if row[0] == "qmatmul":
        right(said(row[7]), [pair for pair in ordered if not pair[0].endswith("-constant-b")][:1])
faster = {
    name: sorted(((p, r) for p, r in c["ratios"].items() if r < 1), key=lambda pair: pair[1])
    for name, c in cases.items()
}
faster = {name: pairs for name, pairs in faster.items() if pairs}
assert sorted(plain(row[0] + row[1]) for row in lost) == sorted(faster), lost
for row in lost:
    right(said(row[2]), faster[plain(row[0] + row[1])])
(few,) = tables(short)
assert len(few) == 5 and sum("**" in row[3] for row in few) >= 2, few
for row in few:
    case = cases[plain(row[0] + row[1])] if plain(row[0] + row[1]) in cases else cases[
        plain(row[0] + row[1] + "uniform")
    ]
    ordered = sorted(case["ratios"].items(), key=lambda pair: pair[1])
    right(said(row[3]), ordered[:1])
    assert ("**" in row[3]) == (ordered[0][1] < 1), row
assert f"in {len(faster)} of {len(cases)} cases" in " ".join(short.split())
assert (
    f"In {len(faster)} of the {len(cases)} cases" in part
    and "Constant B: the peer gets B once" in " ".join(part.split())
)
for row in measured:
    for threads, cell in zip((1, max(c["threads"] for c in report["yardsticks"])), row[4:6]):
        c = [
            c
            for c in report["yardsticks"]
            if c["threads"] == threads
            and plain(c["bench"] + c["type"] + c["shape"].replace("1 x ", "") + c["what"])
            == plain(row[0] + row[1])
        ]
        part_of = c[0].get("ratio_moved", c[0].get("ratio")) if c else None
        assert cell == ("" if part_of is None else f"{part_of:.2f}" + " ~" * c[0]["disturbed"]), (
            row, c
        )
'
}

@test "bench: plots have a title, all points within the scale, and colors for dark pages" {
    ROOT=$ROOT py '
import os, sys
from xml.etree import ElementTree

sys.path.insert(0, os.environ["ROOT"] + "/tests/bench")
import plot

for name in ("peers", "yardsticks"):
    text = open(os.environ["ROOT"] + f"/man/bench-{name}.svg", encoding="utf-8").read()
    titles = [
        e for e in ElementTree.fromstring(text).iter() if (e.get("class") or "").startswith("title")
    ]
    assert (
        len(titles) == 1 and 12 <= float(titles[0].get("y")) <= 40 and len(titles[0].text) < 90
    ), name
    assert "prefers-color-scheme:dark" in text and "{8192,8192} block" in text, name
assert plot.decades(0.022, 394) == [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
assert plot.decades(0.72, 5) == [0.5, 1, 2, 5] and plot.decades(1, 1.5) == [1, 2]
'
}
