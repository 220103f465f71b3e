# validate and run on models with any dispatchable: all operators, shaders, ONNX models, graphs.
load helper

F4='{ "DataType": "FLOAT32", "Sizes": [4] }'
ADD='"d": { "type": "DML_OPERATOR_ELEMENT_WISE_ADD",
    "desc": { "ATensor": F4, "BTensor": F4, "OutputTensor": F4 } }'
ADD=${ADD//F4/$F4}
HLSL='"d": { "type": "hlsl", "sourcePath": "d.hlsl", "compiler": "dxc", "compilerArgs": ["-E", "f"]
    }'
ONNX='"d": { "type": "onnx", "sourcePath": "d.onnx" }'
GRAPH='"d": { "type": "dmlSerializedGraph", "sourcePath": "d.bin", "bindings": { "w": "x" } }'
SUM='{ "type": "dispatch", "dispatchable": "d",
    "bindings": { "ATensor": "x", "BTensor": "x", "OutputTensor": "y" } }'
CALL='{ "type": "dispatch", "dispatchable": "d", "bindings": { "a": "x", "b": "y" } }'

# model DISPATCHABLES COMMANDS [RESOURCES]: m.json, whose resources x and y are FLOAT32 {4}.
model() {
    cat >m.json <<J
{ "resources": {
    "x": { "initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3, 4] },
    "y": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 4, "value": 0 } }
    ${3:+, $3} },
  "dispatchables": { $1 },
  "commands": [ $2 ] }
J
}

# put TEXT OLD NEW: the text with NEW for the first OLD.
put() {
    printf '%s' "${1/"$2"/$3}"
}

# add TEXT MEMBER: the text of a dispatchable with one more member.
add() {
    put "$1" '{ "type"' "{ $2, \"type\""
}

# found: the errors and warnings of the last run.
found() {
    grep -e ': error: ' -e ': warning: ' <<<"$output"
}

# not_checked: m.json has one finding, a warning that something is not checked.
not_checked() {
    run -0 dmlop validate m.json
    local but='which is not checked, except for its keys and the names of its resources'
    [[ $(found) == *": warning: this is a"*", $but [desc.operator-unsupported]" ]] || fail "$output"
    [ "$(found | wc -l)" = 1 ] || fail "$output"
    assert_line --regexp '^m.json: no errors in what was checked \(model of .*\), 1 warning$'
}

# breaks RULE TEXT [OPTION]: m.json breaks this rule alone, at the text, beside what is not checked.
breaks() {
    local line column broken
    run dmlop validate "${@:3}" m.json
    broken=$(found | grep -v 'desc.operator-unsupported')
    [ "$(wc -l <<<"$broken")" = 1 ] && [[ $broken == *"[$1]" ]] || fail "$output"
    IFS=: read -r _ line column _ <<<"$broken"
    [[ $(sed -n "${line}p" m.json | cut -c "$column-") == "$2"* ]] || fail "not there: $output"
}

@test "programs: one warning each, and none for an operator" {
    for program in "$HLSL" "$ONNX" "$GRAPH" "$(put "$HLSL" hlsl HLSL)"; do
        model "$program" "$CALL"
        not_checked
    done
    model "$HLSL, ${ONNX/d/e}" "$CALL"
    run -0 dmlop validate m.json
    assert_equal "$(found | wc -l)" 2
    model "$ADD" "$SUM"
    run -0 dmlop validate --portable m.json
    assert_output --regexp '^m.json: valid \(model of 2 resources, 1 dispatchable, 1 command; '
    echo '{ "type": "hlsl", "sourcePath": "d.hlsl" }' >d.json
    run -1 dmlop validate d.json
    assert_line --partial "'hlsl' is not an operator, but an HLSL shader [desc.operator-unknown]"
}

@test "programs: their keys are those of DxDispatch" {
    model '"d": { "type": "hlsl", "compilerArgs": [] }' ""
    breaks desc.field-missing '{ "type"'
    model '"d": { "type": "hlsl", "sourcePath": "d.hlsl" }' ""
    breaks desc.field-missing '{ "type"'
    model "$(put "$ONNX" sourcePath sourcePth)" ""
    breaks desc.field-missing '"sourcePth"'
    model "$(put "$ONNX" type Type)" ""
    breaks desc.operator-unknown '"onnx"'
    model "$(put "$ONNX" '"d.onnx"' 1)" ""
    breaks desc.field-type '1'
    model "$(add "$ONNX" '"compiler": "dxc"')" ""
    breaks desc.field-unknown '"compiler"'
    model "$(put "$HLSL" dxc fxc)" ""
    breaks desc.field-type '"fxc"'
    model "$(put "$HLSL" '"f"' 7)" ""
    breaks desc.field-type '["-E"'
    model "$(put "$HLSL" '["-E", "f"]' '"-E"')" ""
    breaks desc.field-type '"-E"'
    for key in freeDimensionNameOverrides freeDimensionDenotationOverrides; do
        for v in '{ "N": -1, "M": 2 }' '[1]' '{ "N": "2" }'; do
            model "$(add "$ONNX" "\"$key\": $v")" ""
            breaks desc.field-type "$v"
        done
    done
    model "$(add "$ONNX" '"sessionOptionsConfigEntries": { "a": "1", "b": 1 }')" ""
    breaks desc.field-type '{ "a"'
    model "$(add "$ONNX" '"graphOptimizationLevel": "all"')" ""
    breaks desc.field-type '"all"'
    model "$(add "$ONNX" '"freeDimensionNameOverrides": { "N": 2 }, "loggingLevel": 2,
        "sessionOptionsConfigEntries": { "a": "1" }, "graphOptimizationLevel": 99')" "$CALL"
    not_checked
}

@test "programs: bindings name resources of the model, with no tensors and no sizes" {
    model "$HLSL" "$(put "$CALL" '"x"' '"z"')"
    breaks run.resource-unknown '"z"'
    model "$HLSL" "$(put "$CALL" '"x"' '["x", { "name": "z" }]')"
    breaks run.resource-unknown '"z"'
    model "$HLSL" "$(put "$CALL" '"x"' '["x", ["y"]]')"
    breaks desc.field-type '["y"]'
    model "$HLSL" "$(put "$CALL" '"x"' '{ "name": "x", "counter": "z" }')"
    breaks run.resource-unknown '"z"'
    model "$HLSL" '{ "type": "dispatch", "dispatchable": "d" }'
    breaks desc.field-missing '{ "type"'
    model "$(put "$GRAPH" '"x"' '"z"')" "$CALL"
    breaks run.resource-unknown '"z"'
    model "$HLSL" "$(put "$CALL" '"x"' '["x",
        { "name": "y", "elementOffset": 99, "counter": "x" }]')"
    not_checked
}

@test "operators: tensors, sizes and names of bindings; optional tensors may stay unbound" {
    model "$ADD" "$(put "$SUM" '"BTensor": "x", ' '')"
    breaks run.tensor-unbound '{ "ATensor"'
    model "$ADD" "$(put "$SUM" ATensor CTensor)"
    finds "'d' has no tensor 'CTensor' [run.tensor-unknown]" m.json
    model "${ADD//\[4\]/[5]}" "$SUM"
    run -1 dmlop validate m.json
    assert_equal "$(grep -c '\[run.binding-size\]' <<<"$output")" 3
    local gemm=${ADD/ELEMENT_WISE_ADD/GEMM} join both
    gemm=$(put "${gemm//\[4\]/[1, 1, 2, 2]}" '"desc": {' '"desc": { "TransA": "NONE",
        "TransB": "NONE", "Alpha": 1, "Beta": 0,')
    model "$gemm" "$SUM"
    dmlop validate m.json
    model "$gemm" "$(put "$SUM" '"Out' '"CTensor": "x", "Out')"
    breaks run.tensor-unknown '"CTensor"'
    join='"d": { "type": "JOIN", "desc": { "InputCount": 2, "InputTensors": [F2, F2], "Axis": 0,
        "OutputTensor": F4 } }'
    join=${join//F2/$(put "$F4" "[4]" "[2]")}
    join=${join//F4/$F4}
    both='{ "type": "dispatch", "dispatchable": "d",
        "bindings": { "InputTensors": ["x", "x"], "OutputTensor": "y" } }'
    model "$join" "$both"
    dmlop validate m.json
    model "$join" "$(put "$both" '"x", ' '')"
    finds "InputTensors has 2 tensors, but 1 resource is bound" m.json
}

@test "deferred resources belong to ONNX models" {
    local z='"z": { "initialValues": "deferred" }' bind
    local print='{ "type": "print", "resource": "z" }'
    local write='{ "type": "writeFile", "resource": "z", "targetPath": "z.npy", "dimensions": [2] }'
    bind=$(put "$CALL" '"y"' '"z"')
    model "$ONNX" "$bind, $print, $write" "$z"
    not_checked
    model "$ONNX" "$print, $bind" "$z"
    breaks run.deferred '"z"'
    model "$HLSL" "$bind, $print" "$z"
    breaks run.deferred '"z"'
    model "$ADD" "$(put "$SUM" '"y"' '"z"')" "$z"
    breaks run.deferred '"z"'
    model "$ONNX" "$bind" "$(put "$z" deferred later)"
    breaks run.initial-values '"later"'
    model "" "" "$z"
    dmlop run m.json
}

@test "pictures have the size that they are scaled to" {
    local p='"p": { "initialValuesDataType": "FLOAT32", "initialValues": { "sourcePath": "p.jpg" },
        "resampleSize": [1, 1, 2, 2] }' use
    local write='{ "type": "writeFile", "resource": "x", "targetPath": "x.png",
        "dimensions": [1, 3] }'
    use=$(put "$SUM" '"x"' '"p"')
    printf '\377\330\377\340' >p.jpg
    model "$ADD" "$use" "$p"
    run -0 dmlop validate --portable m.json
    refute_output --partial warning
    run -5 dmlop run m.json
    local no="cannot be computed here: it is DML_OPERATOR_ELEMENT_WISE_ADD"
    assert_output "dmlop: run: m.json: dispatchable 'd' $no
dmlop: run: m.json: resource 'p' cannot be read here: it is a picture
dmlop: run: m.json: nothing was run"
    model "$ADD" "$use" "$(put "$p" '2, 2' '1, 2')"
    breaks run.binding-size '"p"'
    model "" "" "$(put "$p" '[1, 1' '[2')"
    breaks run.source-file '"p.jpg"'
    assert_output --partial 'the resampleSize of a picture must be [1, C, H, W]'
    model "" "" "$(put "$p" FLOAT32 INT32)"
    breaks run.initial-type '"p.jpg"'
    model "" "$write"
    dmlop validate m.json
    model "" "$(put "$write" 3 5)"
    breaks run.dimensions '[1, 5]'
    rm p.jpg
    model "" "" "$p"
    breaks run.source-file '"p.jpg"'
    assert_equal "$status" 3
}

# ignored DISPATCHABLE COMMAND TEXT: the text is refused with --portable, and only then.
ignored() {
    model "$1" "$2"
    dmlop validate m.json | grep -q -e ': valid' -e ': no errors'
    breaks portable.ignored-key "$3" --portable
}

# accepted DISPATCHABLE COMMAND: --portable has nothing to say.
accepted() {
    model "$1" "$2"
    run -0 dmlop validate --portable m.json
    refute_output --partial portable
}

@test "--portable: what DxDispatch refuses of keys that dmlop ignores" {
    bound() { # MEMBER: the dispatch with this member in a binding
        put "$CALL" '"x"' "{ \"name\": \"x\", $1 }"
    }
    for v in '1' '[1, 1]' '[1, 1, -1]' '[1, 1, 1.0]' '{}'; do
        ignored "$HLSL" "$(add "$CALL" "\"threadGroupCount\": $v")" "$v"
    done
    accepted "$HLSL" "$(add "$CALL" '"threadGroupCount": [4, 2, 1]')"
    for v in '7' '"FAST"' '["NONE", "FAST"]' '[["NONE"]]' '"NONE DISABLE_META_COMMANDS"' '"NON"'; do
        ignored "$(add "$ADD" "\"executionFlags\": $v")" "$SUM" "$v"
        ignored "$(add "$GRAPH" "\"executionFlags\": $v")" "$CALL" "$v"
    done
    for v in '"NONE"' '[]' '["DML_EXECUTION_FLAG_DISABLE_META_COMMANDS", "NONE"]'; do
        accepted "$(add "$ADD" "\"executionFlags\": $v")" "$SUM"
    done
    ignored "$(add "$ADD" '"dmlCompileType": "dmlCompileOp"')" "$SUM" '"dmlCompileOp"'
    accepted "$(add "$ADD" '"dmlCompileType": "DmlCompileGraph"')" "$SUM"
    for v in '"float"' '"r32_float"' '41' '"DXGI_FORMAT_"'; do
        ignored "$HLSL" "$(bound "\"format\": $v")" "$v"
    done
    for v in '"DXGI_FORMAT_R32_FLOAT"' '"UNKNOWN"' '"B4G4R4A4_UNORM"' '"420_OPAQUE"'; do
        accepted "$HLSL" "$(bound "\"format\": $v")"
    done
    ignored "$ONNX" "$(bound '"shape": [1.5]')" '[1.5]'
    accepted "$ONNX" "$(bound '"shape": [2, -1], "counterOffsetBytes": 4')"
    ignored "$HLSL" "$(bound '"counterOffsetBytes": -4')" '-4'
    model "" "" '"z": { "initialValuesDataType": "UINT8",
        "initialValues": { "valueCount": 4294967296, "value": 0 } }'
    dmlop validate m.json
    breaks portable.value-count 4294967296 --portable
}

@test "a JSON Schema is named as one" {
    echo '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object" }' >a.json
    echo '{ "type": "object", "properties": { "desc": {} } }' >b.json
    dmlop validate --schema >c.json
    for f in a b c; do
        run -3 dmlop validate $f.json
        assert_output --partial "$f.json: this is a JSON Schema, not a descriptor or model file"
    done
    run -3 dmlop run a.json
    assert_output "dmlop: run: a.json: this is a JSON Schema, not a model file"
    model "$ADD" "$SUM"
    sed -i '1s|{|{ "$schema": "./json-schema.org.json",|' m.json
    dmlop validate m.json
}

@test "run names all that it cannot compute, and ends before it computes anything" {
    local write='{ "type": "writeFile", "resource": "x", "targetPath": "x.npy" }' it
    it="cannot be computed here: it is"
    model "$ADD, ${HLSL/d/e}, ${ONNX/d/f}, ${GRAPH/d/g}" "$write, $SUM"
    run -5 --separate-stderr dmlop run -q m.json
    assert_output ""
    assert_equal "$stderr" "dmlop: run: m.json: dispatchable 'd' $it DML_OPERATOR_ELEMENT_WISE_ADD
dmlop: run: m.json: dispatchable 'e' $it an HLSL shader
dmlop: run: m.json: dispatchable 'f' $it an ONNX model
dmlop: run: m.json: dispatchable 'g' $it a serialized graph
dmlop: run: m.json: nothing was run"
    assert_only_files m.json
    model "$ADD" "$(put "$SUM" ATensor CTensor)"
    run -1 dmlop run m.json
}

@test "JSON Schemas accept programs and deferred resources" {
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
    dmlop validate --schema=model >schema.json
    model "$HLSL, ${ONNX/d/e}, ${GRAPH/d/f}" "$(put "$CALL" '"x"' '["x", "y"]')" \
        '"z": { "initialValues": "deferred" }'
    cp m.json good.json
    model "$(put "$HLSL" sourcePath sourcePth)" ""
    py '
import jsonschema
s = jsonschema.Draft202012Validator(json.load(open("schema.json")))
assert s.is_valid(json.load(open("good.json"))) and not s.is_valid(json.load(open("m.json")))'
}
