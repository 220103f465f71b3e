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
    py '
number = (int, float)
wanted = {"bench": str, "type": str, "shape": str, "what": str, "threads": int, "ms": number, "rate": number,
          "unit": str, "rounds": int, "disturbed": bool}
limited = {"kernel": str, "limit": str, "limit_rate": number, "ratio": number}
for name, n in (("qmatmul", 2), ("topk", 1), ("slice", 1), ("json", 1)):
    head, *cases = map(json.loads, open(name))
    machine = head["machine"]
    assert machine["processor"] and machine["compiler"] and machine["system"], machine
    assert 1 <= machine["processors_allowed"] <= machine["processors"], machine
    assert set(machine["kernels"]) == {"slice", "topk", "qmatmul"} and len(machine["load"].split()) == 3, machine
    assert [c["threads"] for c in cases] == [1, 2][:n], cases
    for c in cases:
        expected = {**wanted, **(limited if name != "json" and "limit" in c else {})}
        assert all(isinstance(c[key], kind) for key, kind in expected.items()), c
        assert c["bench"] == name and c["ms"] > 0 and c["rate"] > 0, c
        assert name not in ("slice", "topk") or c["ratio"] > 0, c
'
}

@test "bench: for people it begins with the machine and ends with what disturbed it" {
    bench qmatmul -k reference -t 1 'u8*s8    1 x 128x128x128' >out
    run cat out
    assert_line --index 0 --regexp '[0-9]+ of [0-9]+ processors, [0-9]+ threads by default$'
    assert_line --index 2 --regexp '^kernels: slice [a-z0-9]+, topk [a-z0-9]+, qmatmul [a-z0-9]+, load( [0-9.]+){3}$'
    assert_line --index 3 --regexp '^u8\*s8 +1 x 128x128x128 +1 +reference +[0-9.]+ ms +[0-9.e+]+ GMAC/s'
    assert_line --index 4 --regexp '^1 cases in [0-9]+ s; others used [0-9]+ % of the processors; [01] cases stayed'
    bench slice -m >out
    assert_equal "$(wc -l <out)" 3
    run bench slice -r 0
    assert_failure 2
    run bench slice -t 0
    assert_failure 2
    run bench topk one two
    assert_failure 2
    run bench topk -k nothing 'INT8     {1,10000000}         k=100 equal'
    assert_failure 2
}

@test "bench: a comparison with peers names machine and versions, and counts wrong outputs" {
    [ -x "$B/tests/bench/bench_slice" ] || skip "not built"
    BENCH=$B/tests/bench/bench_slice ONEDNN=none NODE_PATH= "$PYTHON" "$ROOT/tests/bench/peers_qmatmul.py" --json \
        --rounds 1 --seconds 0 'u8*s8 1 x 128x128x128' >peers 2>/dev/null
    py '
head, case = map(json.loads, open("peers"))
assert head["machine"]["peers"]["numpy"] == np.__version__, head
assert case["wrong"]["dmlop"] == case["wrong"]["numpy"] == 0 and case["ratio"] == min(case["ratios"].values()), case
assert case["unit"] == "GMAC/s" and case["ms"] > 0 and case["threads"] == 1, case
'
}
