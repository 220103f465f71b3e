# What validate says of rules: every rule alone, in threes, in every spelling; each output format;
# limits.
load helper

GOLDEN=$ROOT/tests/cli/golden

@test "all that validate and run say of every rule's wrong example, and of rules together" {
    golden rules together
}

@test "every rule: the wrong example breaks it alone, the right one does not" {
    cat >each.py <<'P'
import json, os, numpy
from program import dmlop

rules = json.loads(dmlop("validate", "--rules", "--format", "json").stdout)["rules"]
sarif = json.loads(dmlop("validate", "--format", "sarif", "d.json").stdout)["runs"][0]
for r, row in zip(rules, sarif["tool"]["driver"]["rules"], strict=True):
    rule = r["rule"]
    e = json.loads(dmlop("validate", "--explain", rule, "--format", "json").stdout)
    assert row == {"id": rule, "shortDescription": {"text": r["sentence"]},
                   "help": {"text": e["remedy"]}, "defaultConfiguration": {"level": r["severity"]}}
    assert (e["severity"], e["sentence"]) == (r["severity"], r["sentence"])
    assert (e["schema"] == "dmlop.rule/1" and e["rule"] == rule and e["why"] and e["source"]
            and e["since"] and e["remedy"])
    for which in ("wrong", "right"):
        open("d.json", "w").write(e[which])
        if which + "_data" in e:
            exec(e[which + "_data"])
        p = dmlop("validate", "--format", "json", *e["options"].split(), "d.json")
        found = json.loads(p.stdout)["files"][0]["findings"]
        assert all(f["severity"] == e["severity"] for f in found), (rule, found)
        if which == "right":
            assert found == [] and p.returncode == 0, (rule, found, p.stderr)
        else:
            assert found and all(f["rule"] == rule for f in found), (rule, found)
P
    echo '{}' >d.json
    "$PYTHON" each.py
}

@test "--explain as text: sentence, both examples, source; an unknown rule and the nearest" {
    run -0 dmlop validate --explain slice.stride-zero
    assert_line "slice.stride-zero (error)"
    assert_output --partial "A window stride must not be 0."
    assert_output --partial '"InputWindowStrides": [1, 1, 0, 2]'
    assert_output --partial '"InputWindowStrides": [1, 1, -2, 2]'
    assert_output --partial "dml_slice1_operator_desc"
    refuses 2 "did you mean slice.stride-zero" validate --explain slice.stride-zer
    run -2 dmlop validate --explain slice.stride-zero x.json
}

@test "three violations at once: each is found as if alone, in text order, and nothing else" {
    run -0 "$PYTHON" "$ROOT/tests/cli/findings_threes.py"
    assert_output 157
}

@test "one descriptor in every accepted spelling is valid; a K of 0 is found where it is written" {
    cat >spell.py <<'P'
import itertools, json
from program import dmlop

full = dict(op="DML_OPERATOR_TOP_K1", f="DML_TENSOR_DATA_TYPE_FLOAT32",
            u="DML_TENSOR_DATA_TYPE_UINT32", d="DML_AXIS_DIRECTION_DECREASING")
short = dict(op="TOP_K1", f="FLOAT32", u="UINT32", d="DECREASING")
names, texts = [], []
for n, type_key, desc_key, nested, comments, bom, eol in itertools.product(
        (full, short), ("type", "Type"), ("desc", "Desc", None), (0, 1, 2), (0, 1), (0, 1),
        ("\n", "\r\n", " ")):
    for k in ("2", "0"):

        def tensor(t, sizes):
            s = '"DataType": "%s", "Sizes": %s' % (t, sizes)
            return ("{ %s }" % s if not nested
                    else '{ "Type": "%s", "Desc": { %s } }'
                    % ("BUFFER" if nested == 1 else "DML_TENSOR_TYPE_BUFFER", s))

        fields = (",%s" % eol).join(['"InputTensor": ' + tensor(n["f"], "[1, 1, 3, 4]"),
                                     '"OutputValueTensor": ' + tensor(n["f"], "[1, 1, 3, 2]"),
                                     '"OutputIndexTensor": ' + tensor(n["u"], "[1, 1, 3, 2]"),
                                     '"Axis": 3', '"K": ' + k, '"AxisDirection": "%s"' % n["d"]])
        if comments:
            fields += ", /* \u00e9 */"
        body = '"%s": "%s",%s' % (type_key, n["op"], eol)
        body += fields if not desc_key else '"%s": {%s%s%s}' % (desc_key, eol, fields, eol)
        text = ("\ufeff" if bom else "") + "{%s%s%s}" % (eol, body, eol)
        names.append("f%d.json" % len(names))
        texts.append((k, text))
        open(names[-1], "w", newline="", encoding="utf-8").write(text)
files = json.loads(dmlop("validate", "--format", "json", *names).stdout)["files"]
assert len(files) == len(texts) > 500
for (k, text), f in zip(texts, files):
    if k == "2":
        assert f["findings"] == [], (text, f)
        continue
    (x,) = [x for x in f["findings"] if x["rule"] == "topk.k-zero"]
    lines = text.replace("\ufeff", "").replace("\r\n", "\n").split("\n")
    assert lines[x["line"] - 1][x["column"] - 1 : x["end_column"] - 1] == "0", (text, x)
P
    run -0 "$PYTHON" spell.py
}

@test "text, JSON and SARIF, whole" {
    golden findings
}

@test "SARIF has what the 2.1.0 schema requires, and what code scanning reads" {
    cp "$GOLDEN"/broken*.json .
    mkdir 'a b'
    cp broken.json 'a b/50%.json'
    dmlop validate --format sarif broken.json broken.model.json 'a b/50%.json' >s.json || [ $? = 1 ]
    py '
s = json.load(open("s.json"))
assert s["version"] == "2.1.0" and s["$schema"].endswith("sarif-2.1.0.json") and len(s["runs"]) == 1
run = s["runs"][0]
driver = run["tool"]["driver"]
assert driver["name"] == "dmlop" and run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
ids = [r["id"] for r in driver["rules"]]
assert len(ids) == len(set(ids))
uris = set()
assert len(run["results"]) == 6 + 7 + 6
for r in run["results"]:
    assert (r["message"]["text"] and r["level"] in ("error", "warning")
            and ids[r["ruleIndex"]] == r["ruleId"] and r["partialFingerprints"])
    for l in r["locations"] + r.get("relatedLocations", []):
        p = l["physicalLocation"]
        uris.add(p["artifactLocation"]["uri"])
        g = p["region"]
        assert 1 <= g["startLine"] == g["endLine"] and 1 <= g["startColumn"] < g["endColumn"]
    for l in r.get("relatedLocations", []):
        assert l["message"]["text"] and isinstance(l["id"], int)
    for fix in r.get("fixes", []):
        for c in fix["artifactChanges"]:
            for x in c["replacements"]:
                d = x["deletedRegion"]
                model = ".model" * ("model" in c["artifactLocation"]["uri"])
                text = open("broken%s.json" % model, "rb").read()
                assert d["byteLength"] > 0 and text[d["byteOffset"] :][: d["byteLength"]]
assert uris == {"broken.json", "broken.model.json", "a%20b/50%25.json"}, uris
'
    run -2 dmlop validate --format sarif --rules
}

@test "--max-findings: so many are printed, all are counted, errors before warnings" {
    py '
open("d.json", "w").write(
    "{\"type\":\"TOP_K1\",\"desc\":{\"K\":0," + ",".join("\"x%d\":1" % i for i in range(500))
    + ",\"Axis\":\"a\"}}"
)
'
    run -1 dmlop validate d.json
    [ "$(grep -c '^d.json:1:.*\]$' <<<"$output")" = 100 ]
    [ "$(grep -c '^d.json:1:.* error: ' <<<"$output")" = 6 ]
    assert_line "d.json: 6 errors, 500 warnings; 100 of them shown, see --max-findings"
    run dmlop validate --max-findings 3 d.json
    [ "$(grep -c '^d.json:1:.*\]$' <<<"$output")" = 3 ]
    run dmlop validate --max-findings 0 d.json
    [ "$(grep -c '^d.json:1:.*\]$' <<<"$output")" = 506 ]
    run dmlop validate --max-findings 2 --format json d.json
    [ "$(grep -o '"rule"' <<<"$output" | wc -l)" = 2 ]
    assert_output --partial '"errors": 6, "warnings": 500'
    run -2 dmlop validate --max-findings x d.json
    run dmlop validate -q d.json
    [ "$(grep -c ' error: ' <<<"$output")" = 6 ]
}

@test "a million keys, a million findings, a model of 100 MB: done within bounded memory" {
    sanitized && skip "sanitizers are slow"
    expensive
    py '
keys = ",".join("\"key%d\":1" % i for i in range(1000000))
open("keys.json", "w").write("{\"resources\":{},\"dispatchables\":{},\"commands\":[]," + keys + "}")
open("finds.json", "w").write("{\"resources\":{},\"dispatchables\":{},\"commands\":["
                              + ",".join("7" for i in range(1000000)) + "]}")
text = ("{\"resources\":{\"a\":{\"initialValuesDataType\":\"FLOAT32\",\"initialValues\":["
        + ",".join(["0.1234567"] * 10000000) + "]}},\"dispatchables\":{},\"commands\":[]}")
assert len(text) > 100e6
open("big.json", "w").write(text)
'
    sanitized || ulimit -v 1500000
    run -0 dmlop validate keys.json
    assert_line --partial "1000000 warnings; 100 of them shown"
    run -1 dmlop validate finds.json
    assert_line "finds.json: 1000000 errors; 100 of them shown, see --max-findings"
    run -0 dmlop validate big.json
}

@test "standard input and several files; the worst status counts; a data file at fault is 3" {
    cp "$GOLDEN/broken.json" .
    cp "$SAMPLES/slice.model.json" m.json
    run -1 dmlop validate m.json - <broken.json
    assert_line --partial "m.json: valid (model of 2 resources, 1 dispatchable, 2 commands"
    assert_output --partial '<stdin>:4:34: error: '
    sed 's/"initialValues": {[^}]*valueStart[^}]*}/"initialValues": { "sourcePath": "none.npy" }/' \
        m.json >n.json
    run -3 dmlop validate n.json broken.json
    assert_output --partial '[run.source-file]'
}
