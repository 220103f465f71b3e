# What a command has not freed when it ends, by LeakSanitizer: it then ends with status 23 and a
# report. Unit tests and the fuzz targets' seeds run with it, too (tests/run), and so does a part of
# faults.bats if EXPENSIVE is set.
load helper

# Here DMLOP is a command that runs the binary with LeakSanitizer.
setup() {
    T=$(mktemp -d "${BATS_TEST_TMPDIR:-/tmp}/t.XXXXXX")
    cd "$T" || return 1
    lsan
    printf '#!/bin/sh\n%s exec %s "$@"\n' "$LEAKS" "$DMLOP" >with_lsan
    chmod +x with_lsan
    DMLOP=$T/with_lsan
}

# each COMMAND: the lines of standard input, each of them arguments of a command, leak nothing,
# whatever else comes of them.
each() {
    local line status leaky=0
    while read -r line; do
        status=0
        eval "dmlop $line" >.stdout 2>.stderr </dev/null || status=$?
        if grep -q LeakSanitizer .stderr || [ "$status" -gt 4 ]; then
            echo "dmlop $line: status $status"
            cat .stderr
            leaky=1
        fi
    done
    [ "$leaky" = 0 ]
}

@test "rules: every one that is broken" {
    expensive
    golden rules
    py '
sizes = [40] * 6
json.dump(
    {"type": "DML_OPERATOR_SLICE1",
     "desc": {"InputTensor": {"DataType": "INT8", "Sizes": sizes},
              "OutputTensor": {"DataType": "INT8", "Sizes": sizes,
                               "Strides": [3242996797, 2724573685, 4275361147, 2418525393,
                                           2653940617, 1692209335]}, "DimensionCount": 6,
              "InputWindowOffsets": [0] * 6, "InputWindowSizes": sizes,
              "InputWindowStrides": [1] * 6}},
    open("overlap.json", "w"))
'
    each <<<"validate overlap.json"
}

@test "findings, fixes, notations, templates, kinds, hints" {
    expensive
    golden findings fix notation template kinds hints help
}

@test "operators and tools: options, descriptors, models" {
    expensive
    golden arguments operators explain emit convert make show text integers folder numpy
}

@test "the examples of samples/" {
    run -0 "$SAMPLES/demo" "$DMLOP"
    refute_output --partial LeakSanitizer
}

@test "topk: few and many of them, short and long sequences, by one thread and several" {
    py '
r = np.random.default_rng(1)
for t in "u1 i2 f2 u4 f4 i8 f8".split():
    np.save(t + ".npy", (r.integers(0, 200, 70000) - (0 if t[0] == "u" else 100)).astype(t))
np.save("wide.npy", r.integers(0, 9999, (300, 7, 40)).astype("f4"))
np.save("tall.npy", np.asfortranarray(r.integers(0, 9999, (3000, 5)).astype("i4")))'
    for t in u1 i2 f2 u4 f4 i8 f8; do
        printf '%s\n' "topk -k all $t.npy -o v.npy --indices i.npy --threads 3" \
            "topk -k 60000 --smallest $t.npy -o v.npy --threads 1" \
            "topk -k 5 $t.npy -o v.json --indices i.json --index-type uint64" \
            "topk -k 3000 --kernel reference $t.npy -o v.npy --threads 2"
    done | each
    each <<'S'
topk -k 3 --axis 0 wide.npy -o v.npy --threads 2
topk -k all --axis 1 wide.npy -o v.npy --indices i.npy --threads 2
topk -k 20 --axis -1 wide.npy -o v.npy
topk -k all --axis 0 tall.npy -o v.npy --threads 2
topk -k 2 --axis 0 tall.npy -o v.npy --repeat 3 --timings
topk -k 2 --axis 0 tall.npy --explain 1,1
topk -k 9999 tall.npy -o v.npy
topk -k 1 --axis 7 tall.npy
S
}

@test "slice and qmatmul: layouts, threads, streams" {
    py '
a = np.arange(6000, dtype="i2").reshape(10, 20, 30)
np.save("c.npy", a)
np.save("f.npy", np.asfortranarray(a))
np.save("x.npy", a.astype(">i2"))
np.savez("z.npz", a=a, b=a[0])
np.savez_compressed("zc.npz", a=a)
np.save("big.npy", np.arange(2 << 20, dtype="u1").reshape(2048, -1))
q = (np.arange(70 * 130) % 251).astype("u1")
np.save("a.npy", q.reshape(70, 130))
np.save("b.npy", q.reshape(130, 70).astype("i1"))
np.save("one.npy", q[:130].reshape(1, 130))
np.save("a2.npy", np.arange(300 * 520, dtype="u1").reshape(300, 520))
np.save("b2.npy", np.arange(520 * 520, dtype="u1").reshape(520, 520))
'
    each <<'S'
slice --index ::2,::-1,1:9 c.npy -o o.npy --threads 2
slice --index ::-1 f.npy -o o.json
slice --index 1:3 x.npy -o o.npy
slice --index 1:3 z.npz:a -o o.npy
slice --index 1 zc.npz:a
slice --index 1:3 z.npz
slice --index 1:,::2 big.npy -o o.npy --threads 3
slice --index 1:,::2 big.npy -o o.npy --repeat 2 --timings --threads 2
slice --index ::2 c.npy f.npy x.npy missing.npy --output-dir out
slice --index 99 c.npy -o o.npy
slice --index 1 -o /nowhere/o.npy c.npy
slice --index 1 --bogus c.npy
slice --index : - <big.npy -o o.npy
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 a.npy b.npy -o o.npy --threads 3
qmatmul --a-scale 1 --b-scale 1 --output-scale 9 a.npy b.npy --threads 1 --repeat 2 --timings
qmatmul --a-scale 1 --a-zero-point 3 --b-scale 1 --b-zero-point -2 --output-scale 9 a.npy b.npy
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 one.npy b.npy -o o.npy --threads 2
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 a2.npy b2.npy -o o.npy --threads 2
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 --kernel reference a.npy b.npy -o o.json
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 --explain 1,1 a.npy b.npy
qmatmul --a-scale 0.5 --b-scale 0.25 --output-scale 300 a.npy a.npy
qmatmul --a-scale missing.npy --b-scale 0.25 --output-scale 300 a.npy b.npy
S
}

@test "parts: computed, resumed, missing, joined, told" {
    py 'np.save("a.npy", (np.arange(600, dtype="f4") * 7 % 101).reshape(30, 20))'
    each <<'S'
topk -k 3 --axis 0 --part-axis 0 --part 0/3 a.npy -o p.npy
topk -k 3 --axis 0 --part-axis 0 --part 2/3 a.npy -o p.npy
join p.npy.parts -o o.npy
join --missing 3 p.npy.parts
topk -k 3 --axis 0 --part-axis 0 --part 1/3 --job other a.npy -o p.npy
topk -k 4 --axis 0 --part-axis 0 --part 1/3 a.npy -o p.npy
topk -k 3 --axis 0 --part-axis 0 --part 1/3 a.npy -o p.npy
topk -k 3 --axis 0 --part-axis 0 --part 1/3 --resume a.npy -o p.npy
join p.npy.parts -o o.npy --indices i.npy --timings
slice --index ::-1 --part 0/4 --part-axis 0:2,1:2 a.npy -o s.npy
slice --index ::-1 --part 1/4 --part-axis 0:2,1:2 a.npy -o s.npy
slice --index ::-1 --part 2/4 --part-axis 0:2,1:2 a.npy -o s.npy
slice --index ::-1 --part 3/4 --part-axis 0:2,1:2 a.npy -o s.npy
join s.npy.parts -o o.npy
info s.npy.parts p.npy.parts
topk -k 2 s.npy.parts -o o.npy
topk -k 3 --part 7/3 a.npy -o p.npy
S
    echo '{ "part": [' >"$(find s.npy.parts -name '*.json' | sort | head -n 1)"
    each <<'S'
join s.npy.parts -o o.npy
info --format json s.npy.parts
S
}

@test "show, info, convert, compare, make, run, completion: what works and what does not" {
    py '
a = np.arange(24, dtype="f4").reshape(2, 3, 4)
np.save("a.npy", a)
np.save("b.npy", a + (a > 20))
np.save("f.npy", np.asfortranarray(a))
np.save("n.npy", a * np.nan)
np.save("be.npy", a.astype(">f4"))
np.save("i.npy", a.astype("i8"))
np.savez("z.npz", a=a)
np.save("empty.npy", a[:0])
open("cut.npy", "wb").write(open("a.npy", "rb").read()[:100])
open("cut.json", "w").write("[[1, 2], [3")
np.save("long.npy", np.arange(300000, dtype="f4"))
open("m.json",
     "w").write("{ \"DataType\": \"INT8\", \"Sizes\": [2, 2], \"Values\": [1, 2, 3, 400] }")
'
    for f in a.npy f.npy n.npy be.npy i.npy z.npz empty.npy cut.npy cut.json m.json missing.npy; do
        printf '%s\n' "show $f" "info --stats --histogram $f" "info --format json $f" \
            "convert $f -o o.json" "convert $f -o o.npy --dtype float16" \
            "compare a.npy $f" "compare --format json --equal-nan $f a.npy" \
            "slice --index 1 $f -o o.npy"
    done | each
    each <<S
compare a.npy b.npy
compare --atol 1 a.npy b.npy
compare -q a.npy b.npy
compare --threads 3 long.npy long.npy
convert a.npy -o o.npy --sizes 4,-1 --permute 1,0
convert a.npy -o o.npy --sizes 5,-1
convert a.npy -o o.bin
make --sizes 3,4 --random 1 --between 0,9 -o o.json
make --sizes 3,4 --range -o o.npy --dtype int8
make --sizes 300,4 --range -o o.npy --dtype int8
make --sizes 3,x --fill 1 -o o.npy
run $SAMPLES/slice.model.json -o out
run $SAMPLES/qmatmul.model.json -o out
run $ROOT/tests/cli/golden/broken.model.json -o out
run missing.json
completion bash
completion zsh
completion fish
validate --rules --format json
validate --schema=model
validate --format sarif $SAMPLES/broken.json
help nothing
nothing
--version
S
}

@test "lsp: a session" {
    cat >client.py <<'E'
import os
from lsp_client import *

text = open(os.environ['SAMPLES'] + '/broken.json').read()
with Server() as s:
    s.open('file:///d.json', text)
    s.diagnostics('file:///d.json')
    place = {'textDocument': {'uri': 'file:///d.json'}, 'position': {'line': 4, 'character': 45},
             'range': {'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}},
             'context': {'diagnostics': []}}
    for method in ('hover', 'completion', 'documentSymbol', 'definition', 'codeAction'):
        s.call('textDocument/' + method, place)
E
    "$PYTHON" client.py
}
