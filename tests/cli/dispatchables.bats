# validate and run on models with any dispatchable: operators that dmlop does not run, shaders, ONNX models, graphs.
load helper

# model RESOURCES DISPATCHABLES COMMANDS: m.json, with the members x and y of FLOAT32 {4} among the resources.
model() {
    printf '{ "resources": { "x": { "initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3, 4] },
    "y": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 4, "value": 0 } }%s },
  "dispatchables": { %s },
  "commands": [ %s ] }\n' "${1:+, $1}" "$2" "$3" >m.json
}

HLSL='"d": { "type": "hlsl", "sourcePath": "d.hlsl", "compiler": "dxc", "compilerArgs": ["-T", "cs_6_0"] }'
ONNX='"d": { "type": "onnx", "sourcePath": "d.onnx" }'
GRAPH='"d": { "type": "dmlSerializedGraph", "sourcePath": "d.bin", "executionFlags": ["NONE"], "bindings": { "w": "x" } }'
ADD='"d": { "type": "DML_OPERATOR_ELEMENT_WISE_ADD", "desc": { "ATensor": { "DataType": "FLOAT32", "Sizes": [4] },
    "BTensor": { "DataType": "FLOAT32", "Sizes": [4] }, "OutputTensor": { "DataType": "FLOAT32", "Sizes": [4] } } }'
DISPATCH='{ "type": "dispatch", "dispatchable": "d", "bindings": { "a": "x", "b": "y" } }'
SUM='{ "type": "dispatch", "dispatchable": "d", "bindings": { "ATensor": "x", "BTensor": "x", "OutputTensor": "y" } }'

# not_checked: m.json has one finding, a warning that something is not checked.
not_checked() {
    run dmlop validate m.json
    assert_success
    assert_equal "$(grep -c -e ': error: ' -e ': warning: ' <<<"$output")" 1
    assert_output --partial "which is not checked, except for its keys and the names of its resources [desc.operator-unsupported]"
    assert_line --regexp '^m.json: no errors in what was checked \(model of .*\), 1 warning$'
}

# breaks RULE TEXT [OPTION]: m.json breaks only this rule, at the text, beside the warning that something is not checked.
breaks() {
    run dmlop validate "${@:3}" m.json
    local found
    found=$(grep -e ': error: ' -e ': warning: ' <<<"$output" | grep -v 'desc.operator-unsupported')
    [ "$(wc -l <<<"$found")" = 1 ] && [[ $found == *"[$1]" ]] || fail "$output"
    local line column
    IFS=: read -r _ line column _ <<<"$found"
    [[ $(sed -n "${line}p" m.json | cut -c "$column-") == "$2"* ]] || fail "stands at $line:$column: $output"
}

@test "programs: one warning each, and none for an operator" {
    for program in "$HLSL" "$ONNX" "$GRAPH" "${HLSL/hlsl/HLSL}"; do
        model "" "$program" "$DISPATCH"
        not_checked
    done
    model "" "$HLSL, ${ONNX/d/e}" "$DISPATCH"
    run dmlop validate m.json
    assert_success
    assert_equal "$(grep -c ': warning: ' <<<"$output")" 2
    model "" "$ADD" "$SUM"
    run dmlop validate --portable m.json
    assert_success
    assert_output --regexp '^m.json: valid \(model of 2 resources, 1 dispatchable, 1 command; '
    echo '{ "type": "hlsl", "sourcePath": "d.hlsl" }' >d.json
    run dmlop validate d.json
    assert_failure 1
    assert_line --index 0 "d.json:1:11: error: 'hlsl' is not an operator, but an HLSL shader [desc.operator-unknown]"
}

@test "programs: their keys are those of DxDispatch" {
    model "" '"d": { "type": "hlsl", "compilerArgs": [] }' ""
    breaks desc.field-missing '{ "type"'
    model "" '"d": { "type": "hlsl", "sourcePath": "d.hlsl" }' ""
    breaks desc.field-missing '{ "type"'
    model "" '"d": { "type": "onnx", "sourcePth": "d.onnx" }' ""
    breaks desc.field-missing '"sourcePth"'
    model "" '"d": { "Type": "onnx", "sourcePath": "d.onnx" }' ""
    breaks desc.operator-unknown '"onnx"'
    model "" '"d": { "type": "onnx", "sourcePath": 1 }' ""
    breaks desc.field-type '1'
    model "" '"d": { "type": "onnx", "sourcePath": "d.onnx", "compiler": "dxc" }' ""
    breaks desc.field-unknown '"compiler"'
    model "" "${HLSL/\"dxc\"/\"fxc\"}" ""
    breaks desc.field-type '"fxc"'
    model "" "${HLSL/\"-T\"/7}" ""
    breaks desc.field-type '[7'
    model "" "${HLSL/\[*\]/\"-T\"}" ""
    breaks desc.field-type '"-T"'
    for key in freeDimensionNameOverrides freeDimensionDenotationOverrides; do
        model "" "${ONNX/ \}/, \"$key\": { \"N\": -1, \"M\": 2 \} \}}" ""
        breaks desc.field-type '{ "N"'
        model "" "${ONNX/ \}/, \"$key\": [1] \}}" ""
        breaks desc.field-type '[1]'
    done
    model "" "${ONNX/ \}/, \"sessionOptionsConfigEntries\": { \"a\": \"1\", \"b\": 1 \} \}}" ""
    breaks desc.field-type '{ "a"'
    model "" "${ONNX/ \}/, \"graphOptimizationLevel\": \"all\" \}}" ""
    breaks desc.field-type '"all"'
    model "" "${ONNX/ \}/, \"freeDimensionNameOverrides\": { \"N\": 2 \}, \"sessionOptionsConfigEntries\": { \"a\": \"1\" \}, \"graphOptimizationLevel\": 99, \"loggingLevel\": 2 \}}" "$DISPATCH"
    not_checked
}

@test "programs: bindings name resources of the model, with no tensors and no sizes" {
    model "" "$HLSL" "${DISPATCH/\"x\"/\"z\"}"
    breaks run.resource-unknown '"z"'
    model "" "$HLSL" "${DISPATCH/\"x\"/[\"x\", { \"name\": \"z\" \}]}"
    breaks run.resource-unknown '"z"'
    model "" "$HLSL" "${DISPATCH/\"x\"/[\"x\", [\"y\"]]}"
    breaks desc.field-type '["y"]'
    model "" "$HLSL" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"counter\": \"z\" \}}"
    breaks run.resource-unknown '"z"'
    model "" "$HLSL" '{ "type": "dispatch", "dispatchable": "d" }'
    breaks desc.field-missing '{ "type"'
    model "" "${GRAPH/\"x\"/\"z\"}" "$DISPATCH"
    breaks run.resource-unknown '"z"'
    model "" "$HLSL" "${DISPATCH/\"x\"/[\"x\", { \"name\": \"y\", \"elementOffset\": 99, \"format\": \"R32_FLOAT\", \"counter\": \"x\" \}]}"
    not_checked
}

@test "operators: tensors, sizes and names of bindings; optional tensors may stay unbound" {
    model "" "$ADD" "${SUM/\"BTensor\": \"x\", /}"
    breaks run.tensor-unbound '{ "ATensor"'
    model "" "$ADD" "${SUM/ATensor/CTensor}"
    run dmlop validate m.json
    assert_failure 1
    assert_output --partial "'d' has no tensor 'CTensor' [run.tensor-unknown]"
    model "" "${ADD//\[4\]/[5]}" "$SUM"
    run dmlop validate m.json
    assert_failure 1
    assert_equal "$(grep -c '\[run.binding-size\]' <<<"$output")" 3
    local gemm='"d": { "type": "DML_OPERATOR_GEMM", "desc": { "ATensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 2, 2] },
    "BTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 2, 2] }, "OutputTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 2, 2] },
    "TransA": "NONE", "TransB": "NONE", "Alpha": 1, "Beta": 0 } }'
    model "" "$gemm" "$SUM"
    dmlop validate m.json
    model "" "$gemm" "${SUM/\"Output/\"CTensor\": \"x\", \"Output}"
    breaks run.tensor-unknown '"CTensor"'
    local join='"d": { "type": "DML_OPERATOR_JOIN", "desc": { "InputCount": 2, "InputTensors": [{ "DataType": "FLOAT32", "Sizes": [1, 2] },
    { "DataType": "FLOAT32", "Sizes": [1, 2] }], "OutputTensor": { "DataType": "FLOAT32", "Sizes": [1, 4] }, "Axis": 1 } }'
    local both='{ "type": "dispatch", "dispatchable": "d", "bindings": { "InputTensors": ["x", "x"], "OutputTensor": "y" } }'
    model "" "$join" "$both"
    dmlop validate m.json
    model "" "$join" "${both/\"x\", /}"
    run dmlop validate m.json
    assert_failure 1
    assert_output --partial "[run.tensor-unbound]"
}

@test "deferred resources belong to ONNX models" {
    local z='"z": { "initialValues": "deferred" }' print='{ "type": "print", "resource": "z" }' bind="${DISPATCH/\"y\"/\"z\"}"
    model "$z" "$ONNX" "$bind, $print, { \"type\": \"writeFile\", \"resource\": \"z\", \"targetPath\": \"z.npy\", \"dimensions\": [2] }"
    not_checked
    model "$z" "$ONNX" "$print, $bind"
    breaks run.deferred '"z"'
    model "$z" "$HLSL" "$bind, $print"
    breaks run.deferred '"z"'
    model "$z" "$ADD" "${SUM/\"y\"/\"z\"}"
    breaks run.deferred '"z"'
    model "${z/deferred/later}" "$ONNX" "$bind"
    breaks run.initial-values '"later"'
    model "$z" "" ""
    dmlop run m.json
}

@test "pictures have the size that they are scaled to" {
    local p='"p": { "initialValuesDataType": "FLOAT32", "initialValues": { "sourcePath": "p.jpg" }, "resampleSize": [1, 1, 2, 2] }'
    printf '\377\330\377\340' >p.jpg
    model "$p" "$ADD" "${SUM/\"x\"/\"p\"}"
    run dmlop validate --portable m.json
    assert_success
    refute_output --partial warning
    run dmlop run m.json
    assert_failure 5
    assert_output "dmlop: run: m.json: dispatchable 'd' cannot be computed here: it is DML_OPERATOR_ELEMENT_WISE_ADD
dmlop: run: m.json: resource 'p' cannot be read here: it is a picture
dmlop: run: m.json: nothing was run"
    model "${p/2, 2/1, 2}" "$ADD" "${SUM/\"x\"/\"p\"}"
    breaks run.binding-size '"p"'
    model "${p/1, 2/2}" "" ""
    breaks run.source-file '"p.jpg"'
    assert_output --partial 'the resampleSize of a picture must be [1, C, H, W]'
    model "${p/FLOAT32/INT32}" "" ""
    breaks run.initial-type '"p.jpg"'
    local write='{ "type": "writeFile", "resource": "x", "targetPath": "x.png", "dimensions": [1, 1, 1, 3] }'
    model "" "" "$write"
    dmlop validate m.json
    model "" "" "${write/3\]/5]}"
    breaks run.dimensions '[1, 1, 1, 5]'
    rm p.jpg
    model "$p" "" ""
    breaks run.source-file '"p.jpg"'
    assert_equal "$status" 3
}

@test "--portable: what DxDispatch refuses of keys that dmlop ignores" {
    ignored() { # DISPATCHABLE COMMAND TEXT: the text is refused with --portable, and only then
        model "" "$1" "$2"
        dmlop validate m.json | grep -q -e ': valid' -e ': no errors'
        breaks portable.ignored-key "$3" --portable
    }
    taken() {
        model "" "$1" "$2"
        run dmlop validate --portable m.json
        assert_success
        refute_output --partial portable
    }
    for v in '1' '[1, 1]' '[1, 1, -1]' '[1, 1, 1.0]' '{}'; do
        ignored "$HLSL" "${DISPATCH/\"bindings\"/\"threadGroupCount\": $v, \"bindings\"}" "$v"
    done
    taken "$HLSL" "${DISPATCH/\"bindings\"/\"threadGroupCount\": [4, 2, 1], \"bindings\"}"
    for v in '7' '"FAST"' '["NONE", "FAST"]' '[["NONE"]]' '"NONE DISABLE_META_COMMANDS"' '"NON"' '""'; do
        ignored "${ADD/\"desc\"/\"executionFlags\": $v, \"desc\"}" "$SUM" "$v"
        ignored "${GRAPH/\[\"NONE\"\]/$v}" "$DISPATCH" "$v"
    done
    taken "${ADD/\"desc\"/\"executionFlags\": [\"DML_EXECUTION_FLAG_DISABLE_META_COMMANDS\", \"DESCRIPTORS_VOLATILE\"], \"desc\"}" "$SUM"
    taken "${ADD/\"desc\"/\"executionFlags\": \"NONE\", \"dmlCompileType\": \"DmlCompileGraph\", \"desc\"}" "$SUM"
    ignored "${ADD/\"desc\"/\"dmlCompileType\": \"dmlCompileOp\", \"desc\"}" "$SUM" '"dmlCompileOp"'
    for v in '"float"' '"r32_float"' '41' '"DXGI_FORMAT_"'; do
        ignored "$HLSL" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"format\": $v \}}" "$v"
    done
    for v in '"DXGI_FORMAT_R32_FLOAT"' '"UNKNOWN"' '"B4G4R4A4_UNORM"' '"420_OPAQUE"'; do
        taken "$HLSL" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"format\": $v \}}"
    done
    ignored "$ONNX" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"shape\": [1.5] \}}" '[1.5]'
    taken "$ONNX" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"shape\": [2, -1], \"counterOffsetBytes\": 4 \}}"
    ignored "$HLSL" "${DISPATCH/\"x\"/{ \"name\": \"x\", \"counterOffsetBytes\": -4 \}}" '-4'
    model '"z": { "initialValuesDataType": "UINT8", "initialValues": { "valueCount": 4294967296, "value": 0 } }' "" ""
    dmlop validate m.json
    breaks portable.value-count 4294967296 --portable
}

@test "a JSON Schema is named as one" {
    printf '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "$defs": {} }' >a.json
    printf '{ "type": "object", "properties": { "desc": {} } }' >b.json
    dmlop validate --schema >c.json
    for f in a b c; do
        run dmlop validate $f.json
        assert_failure 3
        assert_output "dmlop: validate: $f.json: this is a JSON Schema, not a descriptor or model file"
    done
    run dmlop run a.json
    assert_failure 3
    assert_output "dmlop: run: a.json: this is a JSON Schema, not a model file"
    model "" "$ADD" "$SUM"
    sed -i '1s|{|{ "$schema": "./json-schema.org.json",|' m.json
    dmlop validate m.json
}

@test "run names all that it cannot compute, and ends before it computes anything" {
    local write='{ "type": "writeFile", "resource": "x", "targetPath": "x.npy" }'
    model "" "$ADD, ${HLSL/d/e}, ${ONNX/d/f}, ${GRAPH/d/g}" "$write, $SUM"
    run --separate-stderr dmlop run -q m.json
    assert_failure 5
    assert_output ""
    assert_equal "$stderr" "dmlop: run: m.json: dispatchable 'd' cannot be computed here: it is DML_OPERATOR_ELEMENT_WISE_ADD
dmlop: run: m.json: dispatchable 'e' cannot be computed here: it is an HLSL shader
dmlop: run: m.json: dispatchable 'f' cannot be computed here: it is an ONNX model
dmlop: run: m.json: dispatchable 'g' cannot be computed here: it is a serialized graph
dmlop: run: m.json: nothing was run"
    assert_only_files m.json
    model "" "$ADD" "${SUM/ATensor/CTensor}"
    run dmlop run m.json
    assert_failure 1
}

@test "JSON Schemas accept programs and deferred resources" {
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
    dmlop validate --schema=model >schema.json
    local z='"z": { "initialValues": "deferred" }'
    model "$z" "$HLSL, ${ONNX/d/e}, ${GRAPH/d/f}" "${DISPATCH/\"x\"/[\"x\", \"y\"]}"
    cp m.json good.json
    model "" "${HLSL/sourcePath/sourcePth}" ""
    py '
import jsonschema
s = jsonschema.Draft202012Validator(json.load(open("schema.json")))
assert s.is_valid(json.load(open("good.json"))) and not s.is_valid(json.load(open("m.json")))'
}
