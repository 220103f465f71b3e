# Ways through the program that the other files do not take: help by the manual, rare spellings, hints for rare mistakes.
load helper

# refuses STATUS TEXT COMMAND...: the command ends with the status, says the text, and writes nothing.
refuses() {
    run --separate-stderr dmlop "${@:3}"
    [ "$status" = "$1" ] || fail "status $status of: ${*:3}: $stderr"
    [[ $stderr == *"$2"* ]] || fail "${*:3} says: $stderr"
    assert_equal "$output" ""
}

@test "help opens the manual page where there is a man, and prints the options where not" {
    mkdir bin none
    printf '#!/bin/sh\necho "page $1"\n' >bin/man
    chmod +x bin/man
    assert_equal "$(PATH=$PWD/bin:$PATH dmlop help slice)" "page dmlop-slice"
    dmlop slice --help >want
    PATH=$PWD/none dmlop help slice >got
    assert_same_file want got
    printf '#!/bin/sh\necho "no such page" >&2\nexit 16\n' >bin/man
    run --separate-stderr env PATH="$PWD/bin:$PATH" "$DMLOP" help slice
    assert_success
    assert_equal "$output" "$(cat want)"
    assert_equal "$stderr" ""
    dmlop --help >want
    for words in '' '--help' 'help'; do
        # shellcheck disable=SC2086 # none or one
        dmlop help $words >got
        assert_same_file want got
    done
    for topic in rules descriptor model; do
        printf '#!/bin/sh\necho "page $1"\n' >bin/man
        assert_equal "$(PATH=$PWD/bin:$PATH dmlop help "$topic")" "page dmlop-$topic"
        case $topic in
        rules) dmlop validate --rules >want ;;
        descriptor) dmlop validate --template=slice1 >want ;;
        model) dmlop validate --template=model >want ;;
        esac
        PATH=$PWD/none dmlop help "$topic" >got
        assert_same_file want got
    done
    run dmlop help descriptors
    assert_failure 2
    assert_line "dmlop: help: there is no help on 'descriptors'; did you mean 'descriptor'?"
    run dmlop help quaternions
    assert_failure 2
    assert_line "dmlop: help: there is no help on 'quaternions'; give a command, rules, descriptor or model"
    refuses 2 "takes the name of one command" help slice topk
    refuses 2 "slic" help slic
}

@test "options with values that they do not take" {
    py 'np.save("x.npy", np.arange(12, dtype="f4").reshape(3, 4)); np.save("a.npy", np.zeros((2, 3, 4), "i1")); np.save("b.npy", np.zeros((3, 4, 5), "i1"))'
    cp x.npy before.npy
    refuses 2 "is not a feature level from 1_0 to 6_4" slice -d "$SAMPLES/slice1-ex2.desc.json" --feature-level 9_9 x.npy
    for option in --index --offsets --sizes --strides --output-sizes; do
        refuses 2 "$option" slice -d "$SAMPLES/slice1-ex2.desc.json" "$option" 1 x.npy
        [ "$option" = --index ] || refuses 2 "--index cannot be used together with" slice --index : "$option" 1,1 x.npy
    done
    refuses 2 "is not a feature level from 1_0 to 6_4" run --feature-level 1_00 "$SAMPLES/slice.model.json"
    refuses 2 "is bound twice" slice -d "$SAMPLES/slice1-ex2.desc.json" --bind InputTensor=x.npy --bind InputTensor=x.npy
    refuses 3 "BTensor.Sizes[0] is 3, but ATensor.Sizes[0] is 2 [qmatmul.batch]" qmatmul a.npy b.npy --a-scale 1 --b-scale 1 --output-scale 1
    refuses 2 "is not a whole number" topk -k 1 --axis 1.5 x.npy
    refuses 2 "cannot read" slice --index '...1' x.npy
    refuses 2 "option '-o' needs a value" slice x.npy -o
    refuses 2 "no input is given" convert -o y.npy
    refuses 2 "takes one input" convert -o y.npy x.npy x.npy
    refuses 2 "is not a list of at most 32 sizes" convert --sizes 2,x --dtype int8 x.bin -o y.npy
    refuses 2 "there is no type 'float33'" compare --dtype float33 x.npy x.npy
    refuses 2 "there is no type 'float33'" info --dtype float33 x.npy
    refuses 2 "--threads" selftest --threads 0
    # shellcheck disable=SC2046 # words
    refuses 2 "is given more than 32 times" slice $(printf -- '--bind InputTensor=x.npy %.0s' {1..33})
    local other
    other=$(dmlop --version | sed -nE 's/^ *slice .* ([a-z0-9]+) \(not on this processor\).*/\1/p')
    [ -z "$other" ] || refuses 2 "this processor cannot run the kernel '$other'" slice --kernel "$other" --index ::-1 x.npy -o y.npy
    assert_same_file x.npy before.npy
    assert_only_files x.npy before.npy a.npy b.npy
    dmlop selftest -q --threads 2
    assert_equal "$(dmlop validate --schema=DML_OPERATOR_SLICE1)" "$(dmlop validate --schema=slice1)"
}

@test "compare: last places of doubles and halves, integers against floats, least tolerances, scalars" {
    py '
a = np.array([1.0, 2.0, -3.0]); b = a.copy(); b[1] = np.nextafter(np.nextafter(2.0, 3), 3); np.save("a.npy", a); np.save("b.npy", b)
h = np.array([1.0, 2.0], "f2"); g = h.copy(); g[0] = np.nextafter(np.float16(1), np.float16(0)); np.save("h.npy", h); np.save("g.npy", g)
np.save("i.npy", np.array([2**63 - 1, -5], "i8")); np.save("f.npy", np.array([2.0**63, -4.5]))
np.save("s.npy", np.float32(1)); np.save("t.npy", np.float32(1.5)); np.save("n.npy", np.array([1, np.nan, np.inf])); np.save("m.npy", np.array([2, np.nan, 3]))'
    for pair in "a b 2" "h g 1"; do
        read -r x y ulp <<<"$pair"
        run dmlop compare --format json "$x.npy" "$y.npy"
        assert_failure 1
        printf '%s' "$output" >r.json
        py "r = json.load(open('r.json')); assert r['equal'] is False and r['largest_ulp'] == $ulp, r"
    done
    run dmlop compare --format json i.npy f.npy
    assert_failure 1
    printf '%s' "$output" >r.json
    py '
r = json.load(open("r.json")); l = r["largest_difference"]
assert (l["index"], l["a"], l["b"], l["difference"]) == ([0], 2**63 - 1, 2.0**63, 1) and r["differ"] == 2, r'
    # what is named as the least tolerance passes, and what is clearly below it does not
    py '
import subprocess, os
rng = np.random.default_rng(3)
for i in range(40):
    x = rng.standard_normal(5) * 10.0 ** rng.integers(-300, 300); y = x * (1 + rng.standard_normal(5) * 1e-3)
    np.save("x.npy", x); np.save("y.npy", y)
    r = json.loads(subprocess.run([os.environ["DMLOP"], "compare", "--format", "json", "x.npy", "y.npy"], capture_output=True, text=True).stdout)
    for name, option in (("least_atol", "--atol"), ("least_rtol", "--rtol")):
        t = r[name]
        for v, want in ((t, 0), (t * (1 - 1e-15), 1)):
            got = subprocess.run([os.environ["DMLOP"], "compare", "-q", option, repr(v), "x.npy", "y.npy"]).returncode
            assert got == want, (name, v, got, want)'
    dmlop compare -q --atol 0.5 s.npy t.npy
    run dmlop compare -q --atol 0.4 s.npy t.npy
    assert_failure 1
    run dmlop compare n.npy m.npy
    assert_failure 1
    run dmlop compare --format json a.npy s.npy
    assert_failure 1
    printf '%s' "$output" >r.json
    py 'r = json.load(open("r.json")); assert r["equal"] is False and r["sizes"] == [3] and r["other_sizes"] == [], r'
}

@test "info --histogram: as NumPy counts" {
    py 'rng = np.random.default_rng(4); np.save("x.npy", rng.standard_normal(5000)); np.save("i.npy", rng.integers(-9, 30, 4000)); np.save("c.npy", np.full(7, 3, "u1"))'
    for x in x i c; do
        dmlop info --histogram "$x.npy" | sed -nE 's/^ *([-0-9.e+]+) \|(.*)\| ([0-9]+)$/\1 \3/p' >bins
        py "
x = np.load('$x.npy'); rows = [l.split() for l in open('bins')]
assert len(rows) > 4, rows
counts = [int(c) for _, c in rows]; assert sum(counts) == x.size
low, high = float(x.min()), float(x.max())
if high > low:
    want = np.histogram(x, bins=len(rows), range=(low, high))[0]
    assert np.abs(np.cumsum(counts) - np.cumsum(want)).max() <= 1, (counts, want)"
    done
}

@test "info: statistics of FLOAT64 at the ends of its range, on any number of threads" {
    py '
from fractions import Fraction
import os, subprocess
cases = [[1e200, -1e200], [1e-170, 3e-170], [1e308, 1e308, 1e308, -1e308], [1.7e308, -1.7e308, 0, 1.5], [1e308, np.nan, np.inf], [-1.7e308] * 300000 + [1.7e308],
         [5e-324, 1e-323, 0], [1e-300] * 1000 + [2e-300], [1.7e308] * 20, [2.5e-120, 3e-121]]
for c in cases:
    x = np.array(c, float)
    np.save("x.npy", x)
    out = {subprocess.run([os.environ["DMLOP"], "info", "--histogram", "--format", "json", "--threads", n, "x.npy"], capture_output=True, check=True).stdout for n in "123"}
    assert len(out) == 1
    t = json.loads(out.pop())["tensors"][0]
    f = [Fraction(v) for v in x[np.isfinite(x)]]
    mean = sum(f) / len(f)
    variance = sum((v - mean) ** 2 for v in f) / len(f)
    largest = max(abs(v) for v in f)
    def near(got, want): assert abs(Fraction(got) - want) <= largest * Fraction(1, 10 ** 14) + Fraction(5e-324), (c[:4], got, float(want))
    near(t["stats"]["mean"], mean)
    got = Fraction(t["stats"]["standard_deviation"])
    if largest > Fraction(1e-300): assert abs(got ** 2 - variance) <= largest ** 2 * Fraction(1, 10 ** 13), (c[:4], float(got))
    low, high = min(f), max(f)
    counts = [0] * 16
    for v in f: counts[min(15, int((v - low) * 16 / (high - low))) if high > low else 0] += 1
    assert t["histogram"]["counts"] == counts, (c[:4], t["histogram"], counts)
'
    py 'np.save("x.npy", np.array([np.nan, np.inf, -np.inf]))'
    run dmlop info --stats x.npy
    assert_success
    refute_output --partial mean
    py 'np.save("x.npy", np.array([1.7e308, -1.7e308]))'
    run dmlop info --histogram x.npy
    refute_output --partial inf\ 
}

@test "output strides: many axes are decided, and what is too much for one document is said to be undecided" {
    py '
import subprocess, os
def desc(sizes, strides):
    return {"type": "DML_OPERATOR_SLICE1", "desc": {
        "InputTensor": {"DataType": "INT8", "Sizes": sizes}, "OutputTensor": {"DataType": "INT8", "Sizes": sizes, "Strides": strides},
        "DimensionCount": len(sizes), "InputWindowOffsets": [0] * len(sizes), "InputWindowSizes": sizes, "InputWindowStrides": [1] * len(sizes)}}
def validate(what, *options):
    json.dump(what, open("d.json", "w"))
    return subprocess.run([os.environ["DMLOP"], "validate", "--color=never", *options, "d.json"], capture_output=True, text=True)
apart = [2724573685, 2418525393, 3242996797, 2653940617, 4275361147]
r = validate(desc([84] * 5, apart))
assert r.returncode == 0 and "warning" not in r.stdout + r.stderr, r
s = [3242996797, 2724573685, 4275361147, 2418525393, 2653940617, 3000000019, 2999999929]
for sizes, strides, word in [([2, 2, 40, 40], [5000, 5000, 40, 1], "error"), ([5, 5] + [20] * 6, [1, 1] + [25 * 20 ** i for i in range(6)], "error"), ([5, 5] + [20] * 6, [5, 6] + [45 * 20 ** i for i in range(6)], "valid"), ([16] * 8, s + [s[0] + s[1] - s[2]], "error"), ([40] * 6, s[:5] + [s[0] + s[1] - s[2]], "error"), ([1 << 15, 1 << 15], [(1 << 15) - 1, (1 << 15) - 2], "error"), ([1 << 15, 1 << 15], [1 << 15, (1 << 15) - 1], "valid"),
                             ([1 << 15, 1 << 15], [(1 << 15) + 1, 1 << 15], "valid"), ([2, 1 << 30], [(1 << 30) - 1, 1], "error"), ([3, 1 << 30], [1 << 30, 1], "valid")]:
    r = validate(desc(sizes, strides))
    assert word in r.stdout + r.stderr and r.returncode == (word == "error"), (sizes, strides, r)
names = [f"o{i}" for i in range(40)]
model = {"resources": {}, "dispatchables": {n: desc([84] * 5, apart) for n in names}, "commands": []}
r = validate(model, "--max-findings", "0")
text = r.stdout + r.stderr
assert "error" not in "".join(l for l in text.splitlines() if "[tensor.output-overlap]" in l), r
assert 20 < text.count("could not be decided [tensor.output-overlap]") < 40, r
assert text.count("hint: use strides each of which is larger than all that the smaller ones reach") == text.count("could not be decided"), r
# What is wrong beyond doubt further on stays an error.
model["dispatchables"]["z"] = desc([2], [0])
r = validate(model, "--max-findings", "0")
assert "error: OutputTensor.Strides[0] is 0" in r.stdout + r.stderr and r.returncode == 1, r
'
}

@test "descriptors: values of the wrong kind are named, the rest is checked on" {
    kind() { # EDIT TEXT
        sed -E "$1" "$SAMPLES/slice1-ex2.desc.json" >d.json
        cmp -s d.json "$SAMPLES/slice1-ex2.desc.json" && fail "the edit changes nothing: $1"
        run dmlop validate d.json
        assert_failure 1
        assert_output --partial "$2"
    }
    kind 's/"DML_OPERATOR_SLICE1"/7/' "[desc.field-type]"
    kind 's/("InputTensor": *\{)/\1 "Type": true,/' "is true, but must be a string, DML_TENSOR_TYPE_BUFFER"
    kind 's/"FLOAT32", "Sizes": \[1, 1, 4, 4\]/32, "Sizes": [1, 1, 4, 4]/' "must be a string that names a data type"
    kind 's/"FLOAT32", "Sizes": \[1, 1, 4, 4\]/"QUATERNION", "Sizes": [1, 1, 4, 4]/' "use one of FLOAT32 FLOAT16"
    kind 's/("InputTensor": *\{)/\1 "Flags": 1,/' "must be a string or an array of strings"
    kind 's/("InputTensor": *\{)/\1 "Flags": ["NONE", 1],/' "must be a string"
    kind 's/("InputTensor": *\{)/\1 "Flags": "NONE | DML_TENSOR_FLAG_OWNED",/' "there is no tensor flag 'DML_TENSOR_FLAG_OWNED'"
    sed -E 's/("OutputTensor": *\{)/\1 "Flags": "NONE | OWNED_BY_DML ",/' "$SAMPLES/slice1-ex2.desc.json" >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "[tensor.flags-output]"
    echo '{ "type": "DML_OPERATOR_SLICE1", "desc": [1] }' >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "must be an object with the operator's fields"
    sed -E 's/("InputTensor": *\{)[^}]*/\1 "Type": "BUFFER", "Desc": 7 /' "$SAMPLES/slice1-ex2.desc.json" >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "must be an object with the tensor's fields"
    sed -E 's/"AxisDirection": *"[^"]*"/"AxisDirection": 1/' "$SAMPLES/topk1-ex4.desc.json" >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "a string, DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING"
    cp "$SAMPLES/topk1-ex4.input.npy" x.npy
    run dmlop slice -d "$SAMPLES/topk1-ex4.desc.json" x.npy
    assert_failure 1
    assert_output --partial "use 'dmlop topk'"
}

@test "descriptors: DimensionCount against tensors and arrays, and what the hints say" {
    edit() { # EDIT RULE HINT
        sed -E "$1" "$SAMPLES/slice1-ex2.desc.json" >d.json
        run dmlop validate d.json
        assert_failure 1
        assert_output --partial "[$2]"
        assert_output --partial "$3"
    }
    edit 's/"DimensionCount": *4/"DimensionCount": 3/' slice.dimension-count "hint: use 4"
    edit '/"DimensionCount"/d; s/\[0, 0, 0, 1\]/[0, 0, 1]/' slice.array-length "there are 4 sizes here"
    edit '/"DimensionCount"/d; s/\[1, 1, 2, 2\] \}/[1, 2, 2] }/' slice.dimension-count "OutputTensor has 3 dimensions"
    edit 's/\[0, 0, 0, 1\]/[0, 0, 0, 4]/; s/\[1, 1, 4, 3\]/[1, 1, 4, 0]/' slice.window-empty "an offset of 0 to 3"
    edit 's/\[0, 0, 0, 1\]/[0, 0, 0]/; s/\[1, 1, 4, 3\]/[1, 1, 4, 0]/' slice.window-empty "use 1 or more"
    dmlop validate --fix -o mended.json <(sed 's/"DimensionCount": *4/"DimensionCount": 3/' "$SAMPLES/slice1-ex2.desc.json")
    dmlop validate mended.json
    printf '{"type":"DML_OPERATOR_SLICE","desc":{"InputTensor":{"DataType":"INT8","Sizes":[1,1,4,4]},"OutputTensor":{"DataType":"INT8","Sizes":[1,1,1,1]},"DimensionCount":4,"Offsets":[0,0,0,4],"Sizes":[1,1,1,1],"Strides":[1,1,1,1]}}' >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "use an offset of 0 to 3"
    sed -i 's/"Sizes":\[1,1,1,1\],"Strides"/"Sizes":[1,1,1,0],"Strides"/; s/0,0,0,4/0,0,0,3/' d.json
    run dmlop validate d.json
    assert_failure 1
    assert_output --partial "give Sizes[3] the output's size, 1"
}

@test "output strides: which overlap, against all elements counted" {
    py '
import subprocess, os, itertools
rng = np.random.default_rng(11)
one = lambda n: ",".join(["1"] * n)
told = {False: 0, True: 0}
for i in range(160):
    rank = int(rng.integers(1, 5)); sizes = rng.integers(1, 6, rank); strides = rng.integers(1, 14, rank)
    if i % 4 == 0:  # packed in some order, sometimes with one stride off by one
        order = rng.permutation(rank); step = 1
        for a in order: strides[a] = step; step *= int(sizes[a])
        if i % 8 == 0: strides[rng.integers(rank)] += 1
    places = [int(np.dot(c, strides)) for c in itertools.product(*(range(n) for n in sizes))]
    overlap = len(set(places)) != len(places); told[overlap] += 1
    s = ",".join(map(str, sizes))
    open("d.json", "w").write(json.dumps({"type": "DML_OPERATOR_SLICE1", "desc": {
        "InputTensor": {"DataType": "INT8", "Sizes": sizes.tolist()}, "OutputTensor": {"DataType": "INT8", "Sizes": sizes.tolist(), "Strides": strides.tolist()},
        "DimensionCount": rank, "InputWindowOffsets": [0] * rank, "InputWindowSizes": sizes.tolist(), "InputWindowStrides": [1] * rank}}))
    r = subprocess.run([os.environ["DMLOP"], "validate", "d.json"], capture_output=True, text=True)
    assert ("[tensor.output-overlap]" in r.stdout + r.stderr) == overlap and r.returncode == overlap, (sizes, strides, overlap, r)
assert min(told.values()) > 20, told'
    # strides that no buffer can have
    printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{"DataType":"FLOAT64","Sizes":[8,8],"Strides":[4294967295,4294967295]},"OutputTensor":{"DataType":"FLOAT64","Sizes":[8,8],"Strides":[4294967295,1]},"DimensionCount":2,"InputWindowOffsets":[0,0],"InputWindowSizes":[8,8],"InputWindowStrides":[1,1]}}' >d.json
    run dmlop validate d.json
    assert_success
}

@test "descriptors: the last good value and the first bad one" {
    one='"DataType":"INT8","Sizes":[1,1,1,1]'
    w='"DimensionCount":4,"InputWindowOffsets":[0,0,0,0],"InputWindowSizes":[1,1,1,1],"InputWindowStrides":[1,1,1,1]'
    at_limit() { # STATUS RULE INPUT OUTPUT [WINDOW]
        printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{%s},"OutputTensor":{%s},%s}}' "$3" "$4" "${5-$w}" >d.json
        run dmlop validate d.json
        [ "$status" = "$1" ] || fail "status $status: $(cat d.json)
$output"
        [ "$1" = 0 ] || [ "$(grep -c ': error: ' <<<"$output")" = 1 ] || fail "not one error: $output"
        [ "$1" = 0 ] || assert_output --partial "[$2]"
    }
    # 2^32 - 1 elements: 65535 * 65537
    at_limit 0 '' '"DataType":"INT8","Sizes":[1,1,65535,65537]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[1,1,65536,65536]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[1,2,65536,65536]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[65536,65536,65536,65536]' "$one"
    at_limit 0 '' '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":4' '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 1 tensor.base-alignment '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":2' '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 1 tensor.base-alignment '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":12' '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 0 '' "$one"',"TotalTensorSizeInBytes":4' "$one"
    at_limit 1 tensor.total-size '"DataType":"INT8","Sizes":[1,1,1,5],"TotalTensorSizeInBytes":4' "$one"
    at_limit 0 '' '"DataType":"INT8","Sizes":[1,1,1,5],"TotalTensorSizeInBytes":8' "$one"
    at_limit 1 tensor.total-size-alignment "$one"',"TotalTensorSizeInBytes":6' "$one"
    # arrays one shorter and one longer than the dimensions are
    for edit in 's/("InputWindowOffsets":\[)0,/\1/' 's/("InputWindowOffsets":\[)/\10,/' 's/("InputWindowSizes":\[)1,/\1/' \
        's/("InputWindowSizes":\[)/\11,/' 's/("InputWindowStrides":\[)1,/\1/' 's/("InputWindowStrides":\[)/\11,/'; do
        at_limit 1 slice.array-length "$one" "$one" "$(sed -E "$edit" <<<"$w")"
    done
    for n in 3 5; do
        printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{%s},"OutputTensor":{%s},%s}}' "$one" "$one" "${w/Count\":4/Count\":$n}" >d.json
        run dmlop validate d.json
        assert_failure 1
        [ "$(grep -c 'slice.dimension-count' <<<"$output")" = 2 ] || fail "$output"
    done
}

@test "SLICE gives all of Sizes, SLICE1 may give less" {
    for op in SLICE SLICE1; do
        p=; [ $op = SLICE ] || p=InputWindow
        for n in 1 2 3; do
            printf '{"type":"DML_OPERATOR_%s","desc":{"InputTensor":{"DataType":"INT8","Sizes":[4]},"OutputTensor":{"DataType":"INT8","Sizes":[%s]},"DimensionCount":1,"%sOffsets":[1],"%sSizes":[2],"%sStrides":[1]}}' \
                $op $n "$p" "$p" "$p" >d.json
            run dmlop validate d.json
            if [ $n = 2 ] || [ $op$n = SLICE11 ]; then
                assert_success
            else
                assert_failure 1
                assert_output --partial "[slice.output-size]"
            fi
        done
    done
}

@test "feature levels: operators, dimension counts, data types and index types, all combinations" {
    py '
import subprocess, os
LEVELS = "1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4".split()
T16 = "FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16".split(); T8 = T16 + ["INT8", "UINT8"]; ALL = T8 + ["FLOAT64", "INT64", "UINT64"]
TABLE = {  # operator: [(level, ranks, types, index types)]
    "SLICE": [("1_0", (4, 5), T16, []), ("2_1", (4, 5), T8, []), ("3_0", (1, 8), T8, []), ("4_1", (1, 8), ALL, [])],
    "SLICE1": [("2_1", (4, 5), T8, []), ("3_0", (1, 8), T8, []), ("4_1", (1, 8), ALL, [])],
    "TOP_K": [("2_0", (4, 4), ["FLOAT32", "FLOAT16"], ["UINT32"]), ("2_1", (4, 4), T8, ["UINT32"]), ("3_1", (1, 8), T8, ["UINT32"]),
              ("5_0", (1, 8), T8 + ["INT64", "UINT64"], ["UINT32", "UINT64"])],
    "TOP_K1": [("2_1", (4, 4), T8, ["UINT32"]), ("3_1", (1, 8), T8, ["UINT32"]), ("5_0", (1, 8), T8 + ["INT64", "UINT64"], ["UINT32", "UINT64"])],
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": [("2_1", (4, 4), [(4, 4)], []), ("4_0", (2, 4), [(1, 4)], [])],
}
def tensor(t, rank, last=2): return {"DataType": t, "Sizes": [1] * (rank - 1) + [last]}
def make(op, rank, t, it="UINT32", parameter=1):
    if op.startswith("SLICE"):
        p = "" if op == "SLICE" else "InputWindow"
        d = {"InputTensor": tensor(t, rank), "OutputTensor": tensor(t, rank), "DimensionCount": rank,
             p + "Offsets": [0] * rank, p + "Sizes": [1] * (rank - 1) + [2], p + "Strides": [1] * rank}
    elif op.startswith("TOP_K"):
        d = {"InputTensor": tensor(t, rank), "OutputValueTensor": tensor(t, rank, 1), "OutputIndexTensor": tensor(it, rank, 1), "Axis": rank - 1, "K": 1}
        if op == "TOP_K1": d["AxisDirection"] = "INCREASING"
    else:
        scale = tensor("FLOAT32", parameter, 1)
        d = {"ATensor": tensor("INT8", rank, 1), "AScaleTensor": scale, "BTensor": tensor("INT8", rank), "BScaleTensor": scale,
             "OutputScaleTensor": scale, "OutputTensor": tensor("INT8", rank)}
    return {"type": "DML_OPERATOR_" + op, "desc": d}
names, cases = [], {}
os.mkdir("d")
for op, rows in TABLE.items():
    q = op[0] == "Q"
    for rank in range(2 if q else 1, 9):
        for x in range(1, 9) if q else ALL:
            for it in ["UINT32", "UINT64"] if op[0] == "T" else [""]:
                if not q and rank not in (1, 3, 4, 5, 6, 8) or q and (rank > 5 or x > 5): continue
                if rank not in (4, 6) and x not in ("FLOAT32", "INT8") and not q: continue
                name = "d/%s-%d-%s-%s.json" % (op, rank, x, it)
                json.dump(make(op, rank, "INT8" if q else x, it, x if q else 1), open(name, "w"))
                cases[name] = (op, rank, x, it)
def want(op, rank, x, it, level):
    rows = [r for r in TABLE[op] if LEVELS.index(r[0]) <= LEVELS.index(level)]
    if not rows: return {"support.operator"}
    _, ranks, types, index = rows[-1]
    bad = set()
    if op[0] == "Q":
        lo, hi = types[0]
        if not ranks[0] <= rank <= ranks[1] or not lo <= x <= hi: bad.add("support.dimension-count")
    else:
        if not ranks[0] <= rank <= ranks[1]: bad.add("support.dimension-count")
        if x not in types: bad.add("support.data-type")
        if it and it not in index: bad.add("topk.index-data-type")
    return bad
n = 0
for level in LEVELS:
    out = subprocess.run([os.environ["DMLOP"], "validate", "--feature-level", level, "--format", "json"] + list(cases), capture_output=True, text=True).stdout
    found = {}
    for f in json.loads(out)["files"]:
        found[f["file"]] = {x["rule"] for x in f["findings"] if x["severity"] == "error"}
    for name, case in cases.items():
        if want(*case, level) == {"support.operator"}:
            assert "support.operator" in found[name], (name, level, found[name])
        else:
            assert found[name] == want(*case, level), (name, level, found[name], want(*case, level))
        n += 1
assert n == 3000, n'
}

@test "topk and qmatmul rules: the last good value and the first bad one" {
    py '
import subprocess, os, copy
def rules(d, *options):
    json.dump(d, open("d.json", "w"))
    r = subprocess.run([os.environ["DMLOP"], "validate", "--format", "json", *options, "d.json"], capture_output=True, text=True)
    return sorted(x["rule"] for x in json.loads(r.stdout)["files"][0]["findings"] if x["severity"] == "error")
def edited(base, *edits):
    d = copy.deepcopy(base)
    for path, value in edits:
        at = d["desc"]
        for key in path[:-1]: at = at[key]
        at[path[-1]] = value
    return d
T = lambda t, *sizes: {"DataType": t, "Sizes": list(sizes)}
topk = {"type": "DML_OPERATOR_TOP_K1", "desc": {"InputTensor": T("FLOAT32", 2, 3, 4), "OutputValueTensor": T("FLOAT32", 2, 2, 4),
    "OutputIndexTensor": T("UINT32", 2, 2, 4), "Axis": 1, "K": 2, "AxisDirection": "INCREASING"}}
assert rules(topk) == []
for slot, rule in (("OutputValueTensor", "topk.value-sizes"), ("OutputIndexTensor", "topk.index-sizes")):
    for axis, bad in ((0, 1), (0, 3), (1, 1), (1, 3), (2, 3), (2, 5)):
        assert rules(edited(topk, ((slot, "Sizes", axis), bad))) == [rule], (slot, axis, bad)
    for sizes in ([2, 4], [1, 2, 2, 4]):
        assert rules(edited(topk, ((slot, "Sizes"), sizes))) == ["topk.dimension-count"]
k3 = [(("K",), 3), (("OutputValueTensor", "Sizes", 1), 3), (("OutputIndexTensor", "Sizes", 1), 3)]
assert rules(edited(topk, *k3)) == ["topk.k-equals-axis"]
assert rules(edited(topk, *k3), "--relaxed") == []
assert rules(edited(topk, *k3, (("OutputValueTensor", "Sizes", 1), 2)), "--relaxed") == ["topk.value-sizes"]
assert rules(edited(topk, *k3, (("K",), 4))) == ["topk.k-exceeds-axis"]
assert rules(edited(topk, (("K",), 0))) == ["topk.k-zero"]
assert rules(edited(topk, (("Axis",), 3))) == ["topk.axis"]
assert rules(edited(topk, (("OutputValueTensor", "DataType"), "FLOAT16"))) == ["topk.data-type-mismatch"]
assert rules(edited(topk, (("OutputIndexTensor", "DataType"), "INT32"))) == ["topk.index-data-type"]
full = {"type": "DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY", "desc": {
    "ATensor": T("INT8", 2, 6, 3, 4), "AScaleTensor": T("FLOAT32", 1, 1, 3, 1), "AZeroPointTensor": T("INT8", 1, 1, 3, 1),
    "BTensor": T("UINT8", 2, 6, 4, 5), "BScaleTensor": T("FLOAT32", 1, 1, 1, 5), "BZeroPointTensor": T("UINT8", 1, 1, 1, 5),
    "OutputScaleTensor": T("FLOAT32", 1, 1, 3, 1), "OutputZeroPointTensor": T("INT8", 1, 1, 3, 1), "OutputTensor": T("INT8", 2, 6, 3, 5)}}
assert rules(full) == []
parameters = {"AScaleTensor": ("a-scale", 2, 3), "AZeroPointTensor": ("a-zero-point", 2, 3), "BScaleTensor": ("b-scale", 3, 5),
              "BZeroPointTensor": ("b-zero-point", 3, 5), "OutputScaleTensor": ("output-scale", 2, 3), "OutputZeroPointTensor": ("output-zero-point", 2, 3)}
for name, (rule, axis, n) in parameters.items():
    one = edited(full, ((name, "Sizes"), [1, 1, 1, 1]))
    assert rules(one) == [], name
    for at in range(4):
        for size in (2, 3, 4, 5, 6):
            want = [] if at == axis and size == n else ["qmatmul." + rule + "-sizes"]
            assert rules(edited(one, ((name, "Sizes", at), size))) == want, (name, at, size)
    for t in ("INT8", "UINT8", "FLOAT32", "INT32"):
        good = t == full["desc"][name]["DataType"]
        want = [] if good else ["qmatmul.scale-data-type" if "scale" in rule else "qmatmul.%s-data-type" % rule]
        assert rules(edited(full, ((name, "DataType"), t))) == want, (name, t)
for slot, axis, want in (("BTensor", 0, ["qmatmul.batch"]), ("BTensor", 1, ["qmatmul.batch"]), ("OutputTensor", 0, ["qmatmul.batch"]),
                         ("OutputTensor", 1, ["qmatmul.batch"]), ("BTensor", 2, ["qmatmul.inner"])):
    for size in (1, 9):
        assert rules(edited(full, ((slot, "Sizes", axis), size))) == want, (slot, axis)
for size in (1, 9):
    assert "qmatmul.output-sizes" in rules(edited(full, (("OutputTensor", "Sizes", 2), size)))
    assert "qmatmul.output-sizes" in rules(edited(full, (("OutputTensor", "Sizes", 3), size)))
for slot in ("ATensor", "BTensor", "OutputTensor"):
    assert "qmatmul.data-type" in rules(edited(full, ((slot, "DataType"), "INT16"))), slot
for slot in ("BTensor", "OutputTensor"):
    for sizes in (full["desc"][slot]["Sizes"][1:], [1] + full["desc"][slot]["Sizes"]):
        assert "qmatmul.dimension-count" in rules(edited(full, ((slot, "Sizes"), sizes))), (slot, sizes)
vector = {"type": full["type"], "desc": {n: T(t["DataType"], 1) for n, t in full["desc"].items()}}
assert "qmatmul.dimension-count" in rules(vector)'
}

@test "data bound to a descriptor: one element too few, leading sizes, another type of one width" {
    bound() { # STATUS DESCRIPTION-OF-INPUT FILE
        printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{%s},"OutputTensor":{"DataType":"FLOAT32","Sizes":[1,1]},"DimensionCount":2,"InputWindowOffsets":[1,0],"InputWindowSizes":[1,1],"InputWindowStrides":[1,1]}}' "$2" >d.json
        run dmlop slice -d d.json "$3" -o out.npy
        [ "$status" = "$1" ] || fail "status $status of $2 with $3: $output"
    }
    py '
np.save("f7.npy", np.arange(7, dtype="f4")); np.save("f8.npy", np.arange(8, dtype="f4")); np.save("f24.npy", np.arange(8, dtype="f4").reshape(2, 4))
np.save("f124.npy", np.arange(8, dtype="f4").reshape(1, 2, 4)); np.save("f224.npy", np.arange(16, dtype="f4").reshape(2, 2, 4))
np.save("i24.npy", np.arange(8, dtype="i4").reshape(2, 4)); np.save("f4.npy", np.arange(4, dtype="f4"))
np.save("r8.npy", np.zeros((1,) * 7 + (2,), "f4")); np.save("r9.npy", np.zeros((1,) * 8 + (2,), "f4")); np.save("e.npy", np.zeros((0, 2), "f4"))
np.save("t.npy", np.asfortranarray(np.arange(8, dtype="f4").reshape(2, 4)))'
    strided='"DataType":"FLOAT32","Sizes":[2,4],"Strides":[4,1]'
    plain='"DataType":"FLOAT32","Sizes":[2,4]'
    bound 0 "$strided" f8.npy
    bound 3 "$strided" f7.npy
    bound 0 "$strided" t.npy
    py 'assert np.load("out.npy").tolist() == [[4.0]]'
    bound 0 "$plain" f24.npy
    bound 0 "$plain" f124.npy
    bound 3 "$plain" f224.npy
    bound 3 "$plain" f4.npy
    bound 3 "$plain" f8.npy
    bound 3 "$plain" i24.npy
    assert_output --partial "INT32"
    dmlop slice --index '...' r8.npy -o out.npy
    for f in r9 e; do
        run dmlop slice --index '...' $f.npy -o out2.npy
        assert_failure 3
    done
    # parameters: one value, or one for each row or column, and nowhere else
    py '
import subprocess, os
np.save("a.npy", np.ones((3, 4), "i1")); np.save("b.npy", np.ones((4, 5), "i1"))
def status(**parameters):
    args = [os.environ["DMLOP"], "qmatmul", "a.npy", "b.npy", "-o", "c.npy"]
    for name in ("a-scale", "b-scale", "output-scale", "b-zero-point"):
        v = parameters.get(name.replace("-", "_"), "1")
        if not isinstance(v, str): np.save(name + ".npy", v); v = name + ".npy"
        args += ["--" + name, v]
    return subprocess.run(args, capture_output=True).returncode
assert status() == 0
for name, n, shapes in (("a_scale", 3, [(3,), (3, 1), (1, 3, 1), (1, 1, 3, 1)]), ("b_scale", 5, [(5,), (1, 5), (1, 1, 5)])):
    for shape in shapes + [(), (1,), (1, 1)]: assert status(**{name: np.ones(shape, "f4")}) == 0, (name, shape)
    for shape in [(2,), (4,), (n + 1,), (n, 2), (2, n), (n, 1, 1) if name == "a_scale" else (n, 1), (1, n) if name == "a_scale" else (1, n, 1)]:
        assert status(**{name: np.ones(shape, "f4")}) == 3, (name, shape)
assert status(b_zero_point=np.array([127.0])) == 0 and status(b_zero_point=np.array([128.0])) == 3
assert status(b_zero_point=np.array([1.5])) == 3 and status(b_zero_point="128") == 3 and status(b_zero_point="-128") == 0
assert status(b_zero_point="-129") == 3 and status(b_zero_point="1.5") == 3 and status(a_scale="1e39") == 3'
    # one number for a tensor of several values
    printf '{"type":"DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY","desc":{"ATensor":{"DataType":"INT8","Sizes":[3,4]},"AScaleTensor":{"DataType":"FLOAT32","Sizes":[3,1]},"BTensor":{"DataType":"INT8","Sizes":[4,5]},"BScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},"OutputScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},"OutputTensor":{"DataType":"INT8","Sizes":[3,5]}}}' >q.json
    run dmlop qmatmul -d q.json a.npy b.npy --a-scale 1 --b-scale 1 --output-scale 1 -o c.npy
    assert_failure 3
    assert_output --partial "give a file"
}

@test "models: the last good value and the first bad one" {
    export SAMPLES
    py '
import subprocess, os, copy
D = os.environ["DMLOP"]
def load(): return json.loads("\n".join(l for l in open(os.environ["SAMPLES"] + "/slice.model.json") if not l.startswith("//")))
def check(*edits, command=("validate", "--format", "json")):
    m = load()
    for path, value in edits:
        at = m
        for key in path[:-1]: at = at[key]
        if value is None: del at[path[-1]]
        else: at[path[-1]] = value
    json.dump(m, open("m.json", "w"))
    return subprocess.run([D, *command, "m.json"], capture_output=True, text=True)
def rules(*edits):
    r = check(*edits)
    assert r.returncode in (0, 1), r
    return sorted(x["rule"] for x in json.loads(r.stdout)["files"][0]["findings"] if x["severity"] == "error")
IN, OUT, D0 = ("resources", "input"), ("resources", "output"), ("dispatchables", "slice", "desc")
BIND = ("commands", 0, "bindings")
assert rules() == []
# the input needs 64 bytes
big = (IN + ("initialValues", "valueCount"), 24)
def part(**v): return (BIND + ("InputTensor",), dict(name="input", **v))
assert rules(big, part(elementOffset=8, elementCount=16)) == []
assert rules(big, part(elementOffset=8, elementCount=17)) == ["run.binding-size"]
assert rules(big, part(elementOffset=9)) == ["run.binding-size"]
assert rules(big, part(elementCount=15)) == ["run.binding-size"]
assert rules(big, part(elementOffset=24)) == ["run.binding-size"]
assert rules(big, part(elementOffset=23, elementCount=1)) == ["run.binding-size"]
assert rules(big, part(elementOffset=33, elementSizeInBytes=1, elementCount=64)) == ["run.binding-size"]
for huge in (2**62, 2**62 + 16, 2**63 - 1):
    assert rules(big, part(elementOffset=huge)) == ["run.binding-size"]
    assert rules(big, part(elementOffset=0, elementCount=huge)) == ["run.binding-size"]
    assert rules(big, part(elementOffset=huge, elementSizeInBytes=4)) == ["run.binding-size"]
assert rules((IN + ("initialValues", "valueCount"), 15)) == ["run.binding-size"]
assert rules(big, part(elementOffset=1, elementSizeInBytes=4)) == []
assert rules(big, part(elementOffset=2, elementSizeInBytes=1)) == ["run.binding-alignment"]
assert rules(big, part(elementOffset=4, elementSizeInBytes=1)) == []
assert rules(big, (D0 + ("InputTensor", "GuaranteedBaseOffsetAlignment"), 16), part(elementOffset=4)) == []
assert rules(big, (D0 + ("InputTensor", "GuaranteedBaseOffsetAlignment"), 16), part(elementOffset=3)) == ["run.binding-alignment"]
assert rules(big, (D0 + ("InputTensor", "TotalTensorSizeInBytes"), 96)) == []
assert rules(big, (D0 + ("InputTensor", "TotalTensorSizeInBytes"), 100)) == ["run.binding-size"]
# input and output in one resource: side by side, or sharing four bytes
both = lambda i, o, n: [(IN + ("initialValues", "valueCount"), n), part(elementOffset=i, elementCount=16),
                        (BIND + ("OutputTensor",), dict(name="input", elementOffset=o, elementCount=4))]
assert rules(*both(0, 16, 20)) == [] and rules(*both(4, 0, 20)) == []
assert rules(*both(0, 15, 20)) == ["run.output-overlap"] and rules(*both(3, 0, 20)) == ["run.output-overlap"]
# values of several types have no one size
several = (IN, {"initialValues": [{"name": "v", "type": "FLOAT32", "value": i} for i in range(18)]})
assert rules(several) == [] and rules(several, part(elementOffset=1)) == ["desc.field-missing"]
assert rules(several, part(elementOffset=1, elementSizeInBytes=4)) == []
assert rules((IN, {"initialValues": [{"name": "v", "type": "UNKNOWN", "value": 1}], "sizeInBytes": 64})) == ["run.initial-type"]
assert rules((BIND, 7)) in (["desc.field-type"], ["desc.field-type", "run.tensor-unbound", "run.tensor-unbound"])
assert rules((("commands", 1, "resource"), None)) == ["desc.field-missing"]
assert rules((("commands", 1, "resource"), 7)) == ["desc.field-type"]
assert rules((("commands", 0, "dispatchable"), "none")) == ["run.dispatchable-unknown"]
# sizes of resources
value = lambda **v: (IN + ("initialValues",), v)
assert rules(value(valueCount=16, valueStart=1)) == ["run.initial-values"] == rules(value(valueCount=16, value=1, valueStart=1))
assert rules(value(valueCount=16, valueDelta=1)) == ["run.initial-values"] == rules(value(valueCount=16, value=1, valueDelta=1))
for count in (2**61, 2**62, 2**62 + 16, 2**63 - 1):
    assert rules(value(valueCount=count, value=1)) == ["run.resource-size"], count
assert rules((IN + ("sizeInBytes",), 64)) == [] and rules((IN + ("sizeInBytes",), 63)) == ["run.resource-size"] == rules((IN + ("sizeInBytes",), 60))
assert rules((IN + ("initialValuesOffsetInBytes",), 4), (IN + ("sizeInBytes",), 68)) == []
assert rules((IN + ("initialValuesOffsetInBytes",), 5), (IN + ("sizeInBytes",), 68)) == ["run.resource-size"]
assert rules((IN + ("initialValuesOffsetInBytes",), 2**63 - 1)) == ["run.resource-size"]
assert rules((IN, {"initialValuesDataType": "UINT8", "initialValues": list(range(256))})) == []
assert rules((IN, {"initialValuesDataType": "UINT8", "initialValues": list(range(257))})) == ["run.value-range"]
assert rules((IN, {"initialValuesDataType": "INT8", "initialValues": [-128] * 64})) == []
assert rules((IN, {"initialValuesDataType": "INT8", "initialValues": [-129] * 64})) == ["run.value-range"] * 64 or rules((IN, {"initialValuesDataType": "INT8", "initialValues": [-129] * 64})) == ["run.value-range"]
# an input of 6 bytes takes 8
assert rules((D0 + ("InputTensor",), {"DataType": "UINT8", "Sizes": [1, 1, 2, 3]}), (D0 + ("OutputTensor",), {"DataType": "UINT8", "Sizes": [1, 1, 2, 3]}),
             (D0 + ("InputWindowOffsets",), [0] * 4), (D0 + ("InputWindowSizes",), [1, 1, 2, 3]), (D0 + ("InputWindowStrides",), [1] * 4),
             (IN, {"initialValuesDataType": "UINT8", "initialValues": [1] * 6})) == []
# files
write = lambda path, **v: (("commands", 1), dict(type="writeFile", resource="output", targetPath=path, **v))
for path, want in (("y.npy", []), ("s/y.npy", []), ("..y.npy", []), ("s/..y.npy", []), ("../y.npy", ["run.path-outside"]), ("s/../y.npy", ["run.path-outside"]),
                   ("/y.npy", ["run.path-outside"]), ("s/..", ["run.path-outside"]), (".npy", []), ("y.txt", [])):
    assert rules(write(path)) == want, (path, rules(write(path)))
for dimensions, want in (([4], []), ([2, 2], []), ([3], ["run.dimensions"]), ([5], ["run.dimensions"]), ([1, 1, 4], []), ([4294967295] * 3, ["run.dimensions"])):
    assert rules(write("y.npy", dimensions=dimensions)) == want, dimensions
# sequences of every type
seq = {"INT8": "i1", "UINT8": "u1", "INT16": "i2", "UINT16": "u2", "INT32": "i4", "UINT32": "u4", "INT64": "i8", "UINT64": "u8"}
for t, n in seq.items():
    r = check((("resources",), {"r": {"initialValuesDataType": t, "initialValues": {"valueCount": 5, "valueStart": 3, "valueDelta": 2}}}),
              (("dispatchables",), {}), (("commands",), [{"type": "print", "resource": "r"}]), command=("run",))
    assert r.stdout == "Resource \x27r\x27: 3, 5, 7, 9, 11\n", r
for t in ("FLOAT16", "FLOAT32", "FLOAT64"):
    r = check((("resources",), {"r": {"initialValuesDataType": t, "initialValues": {"valueCount": 4, "valueStart": 0.5, "valueDelta": 0.25}}}),
              (("dispatchables",), {}), (("commands",), [{"type": "print", "resource": "r"}]), command=("run",))
    assert r.stdout == "Resource \x27r\x27: 0.5, 0.75, 1, 1.25\n", r
# a long one is printed whole
r = check((("resources",), {"r": {"initialValuesDataType": "INT32", "initialValues": {"valueCount": 300000, "valueStart": 0, "valueDelta": 1}}}),
          (("dispatchables",), {}), (("commands",), [{"type": "print", "resource": "r"}]), command=("run",))
assert r.stdout == "Resource \x27r\x27: " + ", ".join(map(str, range(300000))) + "\n"'
}

@test "--fix writes a number for its text where it is in range, and no type where several would do" {
    fixed() { # EDIT: what --fix makes of the sample
        sed -E "$1" "$SAMPLES/slice1-ex2.desc.json" >d.json
        run dmlop validate --fix -o mended.json d.json
    }
    fixed 's/"DimensionCount": *4/"DimensionCount": "4"/'
    assert_success
    grep -qE '"DimensionCount": *4' mended.json
    rm mended.json
    # a remedy that breaks the rule is not even proposed: SARIF has all that are
    fixes() { # COUNT
        run dmlop validate --format sarif d.json
        assert_failure 1
        printf '%s' "$output" >d.sarif
        py "n = sum(len(r.get('fixes', [])) for r in json.load(open('d.sarif'))['runs'][0]['results']); assert n == $1, n"
    }
    for bad in '"-4"' '-4' '"99999999999"' '4.5'; do
        fixed "s/\"DimensionCount\": *4/\"DimensionCount\": $bad/"
        assert_failure 1
        [ ! -e mended.json ] || grep -qF -- "$bad" mended.json || fail "$bad became: $(cat mended.json)"
        rm -f mended.json
        fixes 0
    done
    printf '{"type":"DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY","desc":{"ATensor":{"DataType":"INT16","Sizes":[3,4]},"AScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},"BTensor":{"DataType":"INT8","Sizes":[4,5]},"BScaleTensor":{"DataType":"FLOAT64","Sizes":[1,1]},"OutputScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},"OutputTensor":{"DataType":"INT8","Sizes":[3,5]}}}' >d.json
    run dmlop validate --fix -o mended.json d.json
    assert_failure 1
    fixes 1
    grep -qF '"INT16"' mended.json
    grep -qF '"DML_TENSOR_DATA_TYPE_FLOAT32","Sizes":[1,1]},"OutputScale' mended.json
}

@test "products over several blocks of K: many rows and few, small values and large, every kernel, 1 and 3 threads" {
    dmlop --version | sed -nE 's/^ *qmatmul //p' | sed 's/ (not on this processor)/!/g' >kernels
    py '
import subprocess, os
rng = np.random.default_rng(21)
kernels = [k for k in open("kernels").read().split() if not k.endswith("!")] + ["auto"]
def draw(t, shape, small):
    i = np.iinfo(t)
    lo, hi = (max(i.min, -60), 60) if small else (i.min, i.max)
    return rng.integers(lo, hi, shape, t, endpoint=True)
for m, k, n in ((40, 3000, 37), (33, 9001, 20), (3, 5000, 64)):
    for ta in ("u1", "i1"):
        for tb in ("u1", "i1"):
            for small_a, small_b in ((1, 1), (0, 1), (1, 0), (0, 0)):
                a, b = draw(ta, (m, k), small_a), draw(tb, (k, n), small_b)
                np.save("a.npy", a); np.save("b.npy", b)
                s = a.astype("i8") @ b.astype("i8")
                shift = max(0, int(np.abs(s).max()).bit_length() - 8)
                want = np.clip(np.rint(s / 2.0**shift), *((0, 255) if ta == "u1" else (-128, 127)))
                for kernel in kernels if m > 3 and ta == "u1" else ["auto", "reference"]:
                    for threads in ("1", "3"):
                        subprocess.run([os.environ["DMLOP"], "qmatmul", "a.npy", "b.npy", "-o", "c.npy", "--no-sync", "--a-scale", "1", "--b-scale", "1",
                                        "--output-scale", repr(2.0**shift), "--kernel", kernel, "--threads", threads], check=True, stderr=subprocess.DEVNULL)
                        c = np.load("c.npy")
                        assert (c == want).all(), (m, k, n, ta, tb, small_a, small_b, kernel, threads)'
}

@test "written headers of every length about the 64 bytes they are padded to are numpy.save's" {
    py '
import subprocess, os
for n in range(0, 75):
    shape = [0, 10 ** (n % 3)] + [1] * (n // 3)
    np.save("x.npy", np.zeros(shape, "i1"))
    subprocess.run([os.environ["DMLOP"], "convert", "x.npy", "-o", "y.npy", "--no-sync"], check=True)
    assert open("x.npy", "rb").read() == open("y.npy", "rb").read(), shape'
}

@test "a compiler for 32 bits is refused, once and with the reason" {
    command -v cc >/dev/null || skip "no cc here"
    echo '#include "base/util.h"' >x.c
    run cc -std=c11 -fsyntax-only -I"$ROOT/src" -U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4 x.c
    assert_failure
    assert_output --partial "dmlop is for 64-bit machines: it maps files and counts elements beyond 2^32. Use a 64-bit compiler."
    assert_equal "$(grep -c 'error:' <<<"$output")" 1
}
