# JSON in other notations: what DirectML's pages, C and Python write, what is said of it and what
# --fix makes of it; templates to start from.
load helper

@test "what is said of other notations, and the templates, whole" {
    golden notation slips template floats
}

@test "JSON and SARIF reports have the places of the text, not of what is read" {
    printf '{ type: TOP_K1, "desc": { "Axis": {1}, "K": 0 } }' >d.json
    dmlop validate --format json d.json >r.json || [ $? = 1 ]
    dmlop validate --format sarif d.json >r.sarif || [ $? = 1 ]
    py '
import json

text = open("d.json").read()
f = json.load(open("r.json"))["files"][0]["findings"]
at = lambda x: text[x["column"] - 1 : x["end_column"] - 1]
assert [at(x) for x in f if x["rule"] == "json.syntax"] == ["type", "TOP_K1", "{1}"], f
assert [at(x) for x in f if x["pointer"] == "/desc/K"] == ["0"] and [
    at(x) for x in f if x["pointer"] == "/desc/Axis"] == ["{1}"], f
fixes = [x["fixes"][0]["artifactChanges"][0]["replacements"][0]
         for x in json.load(open("r.sarif"))["runs"][0]["results"] if "fixes" in x]
for x in sorted(fixes, key=lambda x: -x["deletedRegion"]["byteOffset"]):
    o, n = x["deletedRegion"]["byteOffset"], x["deletedRegion"]["byteLength"]
    text = text[:o] + x["insertedContent"]["text"] + text[o + n :]
assert text == "{ \"type\": \"TOP_K1\", \"desc\": { \"Axis\": [1], \"K\": 0 } }", text
'
}

@test "templates: every name, valid as they are, with what each field means" {
    local name op
    while read -r name op; do
        dmlop validate "--template=$name" >"$name.json"
        run -0 dmlop validate "$name.json"
        assert_output --regexp "^$name.json: valid \((DML_OPERATOR_$op, |$op of )"
        run dmlop validate --portable "$name.json"
        refute_output --partial warning
        grep -q '^ *// ' "$name.json"
        [ "$(awk '{ print length }' "$name.json" | sort -n | tail -n 1)" -le 100 ]
        dmlop validate --template "$name" >other
        assert_same_file "$name.json" other
    done <<'T'
slice SLICE
slice1 SLICE1
topk TOP_K
topk1 TOP_K1
qmatmul QUANTIZED_LINEAR_MATRIX_MULTIPLY
gemm GEMM
model model
T
    for name in DML_OPERATOR_TOP_K1 TOP_K1 top_k1 TopK1; do
        dmlop validate "--template=$name" >other
        assert_same_file topk1.json other
    done
    dmlop validate --template=quantized_linear_matrix_multiply >other
    assert_same_file qmatmul.json other
    dmlop make --sizes 1,1,4,4 --range -o x.npy
    dmlop slice -d slice1.json x.npy -o y.npy
    for name in slice topk topk1 qmatmul gemm; do
        dmlop validate "--schema=$name" >/dev/null
    done
}
