# validate: all findings at once, fixes that are certain, operators that dmlop does not know.
load helper

# from EDIT...: the sample $sample, edited by sed, is d.json.
from() {
    sed -E "${@/#/-e}" >d.json <"$SAMPLES/$sample"
    ! cmp -s d.json "$SAMPLES/$sample" || fail "the edits change nothing: $*"
}

# topk EDIT..., slice1 EDIT..., slice EDIT..., model EDIT...: the same of one sample.
topk() { sample=topk1-ex1.desc.json; from "$@"; }
slice1() { sample=slice1-ex1.desc.json; from "$@"; }
slice() { sample=slice-ex1.desc.json; from "$@"; }
model() { sample=slice.model.json; from "$@"; }

# findings LINE...: validate says just these findings and hints, apart from the lines of the source.
findings() {
    run dmlop validate d.json
    diff <(printf '%s\n' "$@") <(grep -E '^d.json:|^  hint:' <<<"$output") || fail "$output"
}

# fixed SAMPLE: --fix makes the sample itself of d.json. left COUNT: it changes nothing, and so many
# errors are left.
fixed() {
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    cmp f.json "$SAMPLES/$1" || fail "$(diff f.json "$SAMPLES/$1")"
}
left() {
    run -1 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_same_file d.json f.json
    assert_regex "$stderr" "d.json: 0 values fixed, $1 errors? left"
}

OURS="see dmlop-operators(7) for all names; dmlop runs SLICE, SLICE1, TOP_K, TOP_K1 and "
OURS+=QUANTIZED_LINEAR_MATRIX_MULTIPLY

@test "what --fix prints and leaves, and what is said of other operators, whole" {
    golden fix operators
}

@test "a misspelt operator: a fix where one name is the nearest and its fields fit, else a hint" {
    operator() { # NAME HINT
        findings "d.json:3:11: error: there is no operator '$1' [desc.operator-unknown]" \
            "  hint: did you mean $2?" "d.json: 1 error"
    }
    for name in topk1 TopK1 TOPK1 TOP_K-1 Top_K1; do
        topk "s/DML_OPERATOR_TOP_K1/$name/"
        operator $name TOP_K1
        run -0 --separate-stderr dmlop validate --fix d.json
        assert_line '  "type": "TOP_K1",'
    done
    for name in dml_operator_top_k1 DML_OPERATOR_TOPK1 DML_OPERATOR_TOP_KI1 DML_Operator_Top_K1; do
        topk "s/DML_OPERATOR_TOP_K1/$name/"
        operator $name DML_OPERATOR_TOP_K1
        fixed topk1-ex1.desc.json
    done
    # as near to TOP_K as to TOP_K1; nearest to TOP_K, which has no AxisDirection
    for name in DML_OPERATOR_TOP_K2 DML_OPERATOR_TOPK DML_OPERATOR_TopK DML_OPERATOR_TOP_KK; do
        topk "s/DML_OPERATOR_TOP_K1/$name/"
        operator $name DML_OPERATOR_TOP_K1
        left 1
    done
    sample=topk-ex1.desc.json
    from 's/DML_OPERATOR_TOP_K/DML_OPERATOR_TOP_K2/'
    findings \
        "d.json:3:11: error: there is no operator 'DML_OPERATOR_TOP_K2' [desc.operator-unknown]" \
        "  hint: did you mean DML_OPERATOR_TOP_K?" "d.json: 1 error"
    left 1
    slice1 's/DML_OPERATOR_SLICE1/SLIC1/'
    operator SLIC1 SLICE1
    run -0 --separate-stderr dmlop validate --fix d.json
    assert_line '  "type": "SLICE1",'
    echo '{ "type": "SLIC1" }' >d.json
    run dmlop validate d.json
    assert_line "  hint: did you mean SLICE1?"
    slice 's/DML_OPERATOR_SLICE/DML_OPERATOR_SLIC/'
    operator DML_OPERATOR_SLIC DML_OPERATOR_SLICE
    fixed slice-ex1.desc.json
    slice 's/DML_OPERATOR_SLICE/DML_OPERATOR_SLIC1/'
    operator DML_OPERATOR_SLIC1 DML_OPERATOR_SLICE
    left 1
    slice1 's/DML_OPERATOR_SLICE1/GEMMM/'
    findings "d.json:3:11: error: there is no operator 'GEMMM' [desc.operator-unknown]" \
        "  hint: these are the fields of SLICE1" "d.json: 1 error"
    left 1
    echo '{ "type": "SORT", "desc": { "What": 1 } }' >d.json
    findings "d.json:1:11: error: there is no operator 'SORT' [desc.operator-unknown]" \
        "  hint: $OURS" "d.json: 1 error"
}

@test "operators of DirectML are known by name, with and without DML_OPERATOR_" {
    for op in "$ROOT"/src/desc/operators/*.json; do
        op=$(basename "$op" .json)
        for name in "$op" "DML_OPERATOR_$op"; do
            printf '{"type":"%s","desc":{"Nothing":-1}}\n' "$name" >"d.$name"
        done
    done
    run -1 dmlop validate --format json d.*
    refute_output --partial desc.operator
    [ "$(grep -o '"desc.field-unknown"' <<<"$output" | wc -l)" = 354 ]
    [ "$(grep -o '"file": "d.[A-Z0-9_]*", "errors": [1-9]' <<<"$output" | wc -l)" = 354 ]
}

@test "an operator without its first words, ELEMENT_WISE or ACTIVATION, is known in hints" {
    while read -r name meant; do
        printf '{"type":"%s","desc":{}}\n' "$name" >d.json
        run dmlop validate d.json
        assert_line --index 3 "  hint: did you mean $meant?"
    done <<'T'
CLIP_GRAD ELEMENT_WISE_CLIP_GRAD
DML_OPERATOR_ABS DML_OPERATOR_ELEMENT_WISE_ABS
relu ACTIVATION_RELU
TANH ACTIVATION_TANH or ELEMENT_WISE_TANH
RESAMPEL1 RESAMPLE1
T
}

@test "a key that is misspelt is one finding, and its value is checked" {
    key() { # LINE:COLUMN NAME KEY [near]
        local what="differs from it only in case" hint="write $2"
        [ -z "${4-}" ] || { what="is unknown" && hint="did you mean $2?"; }
        findings "d.json:$1: error: $2 is missing; the key '$3' $what [desc.field-missing]" \
            "  hint: $hint" "d.json: 1 error"
        fixed "$sample"
    }
    sample=topk1-ex1.desc.json
    from 's/"Axis"/"axis"/'; key 8:5 Axis axis
    from 's/"K"/"k"/'; key 9:5 K k
    from 's/"AxisDirection"/"axis_direction"/'; key 10:5 AxisDirection axis_direction near
    from 's/"InputTensor"/"InputTensr"/'; key 5:5 InputTensor InputTensr near
    from '5s/"Sizes"/"sizes"/'; key 5:51 Sizes sizes
    from '6s/"DataType"/"dataType"/'; key 6:28 DataType dataType
    from 's/"desc"/"DESC"/'; key 4:3 desc DESC
    from 's/"type"/"TYPE"/'
    local missing="type is missing; the key 'TYPE' differs from it only in case"
    findings "d.json:3:3: error: $missing [desc.operator-missing]" "  hint: write type" \
        "d.json: 1 error"
    fixed "$sample"
    sample=slice.model.json
    from 's/"resources"/"Resources"/'; key 3:5 resources Resources
    from 's/"commands"/"Commands"/'; key 26:5 commands Commands
    from 's/"type": "dispatch"/"Type": "dispatch"/'; key 28:13 type Type
    from 's/"dispatchable":/"Dispatchable":/'; key 29:13 dispatchable Dispatchable
    from 's/"resource":/"Resource":/'; key 32:28 resource Resource
    from 's/"bindings"/"Bindings"/'; key 30:13 bindings Bindings
    from '5s/"initialValuesDataType"/"InitialValuesDataType"/'
    key 5:13 initialValuesDataType InitialValuesDataType
    from '6s/"initialValues"/"initialvalues"/'; key 6:13 initialValues initialvalues
    from '6s/"valueDelta"/"ValueDelta"/'; key 6:67 valueDelta ValueDelta
    from 's/"desc"/"desk"/'; key 16:13 desc desk near
    from 's/"OutputTensor": "/"outputTensor": "/'
    findings "d.json:30:51: error: 'slice' has no tensor 'outputTensor' [run.tensor-unknown]" \
        "  hint: did you mean OutputTensor?" "d.json: 1 error"
    fixed "$sample"
    from 's/"(resources|dispatchables|commands)"/"\U\1"/'
    run dmlop validate d.json
    assert_line "d.json: 3 errors"
    fixed "$sample"
    # what is optional is ignored, as DxDispatch does
    slice1 's/"DimensionCount"/"dimensionCount"/'
    local ignored="differs only in case from DimensionCount, and is ignored"
    findings "d.json:7:5: warning: the key 'dimensionCount' $ignored [desc.field-unknown]" \
        "  hint: did you mean DimensionCount?" \
        "d.json: valid (DML_OPERATOR_SLICE1, feature level 6_4), 1 warning"
    fixed slice1-ex1.desc.json
    # two keys that may be meant, or a key that is there: no certainty
    topk 's/"Axis"/"axis": 3, "AXIS"/'
    run dmlop validate d.json
    assert_line "d.json: 1 error, 2 warnings"
    left 1
    topk 's/"Axis"/"axis": 2, "Axis"/'
    run -0 --separate-stderr dmlop validate --fix d.json
    assert_line --partial '"axis": 2, "Axis"'
}

@test "everything at once in one file: pointers lead to what they are about, one --fix fixes all" {
    cat >d.json <<'E'
{ "TYPE": "topk1", "DESC": {
  "inputTensor": { "type": "BUFFER",
    "desc": { "datatype": "float32", "SIZES": [1, "1", 3, 4], "DimensionCount": 3 } },
  "OutputValueTensr": { "DataType": "FLOAT32", "sizes": [1, 1, 3, 9], "Flags": "none" },
  "OutputIndexTensor": { "DataType": "UINT32", "Sizes": [1, 1, 3, 2], "strides": [1] },
  "axis": "3", "k": 2.0, "AxisDirection": "decreasing" } }
E
    run -1 dmlop validate --format json d.json
    printf '%s' "$output" >found.json
    py '
found = json.load(open("found.json"))["files"][0]
assert (found["errors"], found["warnings"]) == (19, 2), found
for f in found["findings"] + [r for f in found["findings"] for r in f["related"]]:
    value = json.load(open("d.json"))
    for part in f["pointer"].split("/")[1:]:
        value = value[int(part) if isinstance(value, list) else part]'
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_regex "$stderr" "d.json: 20 values fixed, 0 errors left$"
    # the optional strides would be a new error
    diff f.json - <<'E'
{ "type": "TOP_K1", "desc": {
  "InputTensor": { "Type": "BUFFER",
    "Desc": { "DataType": "FLOAT32", "Sizes": [1, 1, 3, 4], "DimensionCount": 4 } },
  "OutputValueTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 3, 2], "Flags": "NONE" },
  "OutputIndexTensor": { "DataType": "UINT32", "Sizes": [1, 1, 3, 2], "strides": [1] },
  "Axis": 3, "K": 2, "AxisDirection": "DECREASING" } }
E
}

@test "data types: case and the one nearest are fixed; what may be several is a hint" {
    type() { # NAME HINT
        topk "5s/FLOAT32/$1/"
        findings "d.json:5:40: error: there is no data type '$1' [desc.enum-unknown]" "  hint: $2" \
            "d.json: 1 error"
    }
    local all="use one of FLOAT32 FLOAT16 FLOAT64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64"
    for name in float32 FLOAT_32 FLOAT23 FLOT32; do
        type $name 'did you mean FLOAT32?'
        fixed topk1-ex1.desc.json
    done
    type FLOAT 'did you mean FLOAT32, FLOAT16 or FLOAT64?'; left 1
    type float 'did you mean FLOAT32, FLOAT16 or FLOAT64?'; left 1
    float=DML_TENSOR_DATA_TYPE_FLOAT
    type $float "did you mean ${float}32, ${float}16 or ${float}64?"; left 1
    type UINT 'did you mean UINT32, UINT16, UINT8 or UINT64?'; left 1
    type INT 'did you mean INT32, INT16, INT8 or INT64?'; left 1
    type HALF "$all"; left 1
    for other in BFLOAT16 INT4 UINT4; do
        topk "5s/FLOAT32/$other/"
        findings \
            "d.json:5:40: error: dmlop does not have the data type '$other' [desc.enum-unknown]" \
            "  hint: $all" "d.json: 1 error"
        left 1
    done
}

@test "--fix leaves a value alone that two rules would set differently" {
    echo '{"type": "DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "desc": {
        "ATensor": {"DataType": "UINT8", "Sizes": [2, 3]},
        "AScaleTensor": {"DataType": "FLOAT32", "Sizes": [1, 1]},
        "BTensor": {"DataType": "UINT8", "Sizes": [3, 4]},
        "BScaleTensor": {"DataType": "FLOAT32", "Sizes": [1, 1]},
        "BiasTensor": {"DataType": "FLOAT32", "Sizes": [2, 5]},
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2, 4]}}}' >d.json
    left 1
}

@test "--fix writes a number for its text if it is in range, and no type if several would do" {
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
        run -1 dmlop validate --format sarif d.json
        printf '%s' "$output" >d.sarif
        py "
n = sum(len(r.get('fixes', [])) for r in json.load(open('d.sarif'))['runs'][0]['results'])
assert n == $1, n
"
    }
    for bad in '"-4"' '-4' '"99999999999"' '4.5'; do
        fixed "s/\"DimensionCount\": *4/\"DimensionCount\": $bad/"
        assert_failure 1
        [ ! -e mended.json ] || grep -qF -- "$bad" mended.json ||
            fail "$bad became: $(cat mended.json)"
        rm -f mended.json
        fixes 0
    done
    cat >d.json <<'E'
{"type":"DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY","desc":{
  "ATensor":{"DataType":"INT16","Sizes":[3,4]},
  "AScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},
  "BTensor":{"DataType":"INT8","Sizes":[4,5]},
  "BScaleTensor":{"DataType":"FLOAT64","Sizes":[1,1]},
  "OutputScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},
  "OutputTensor":{"DataType":"INT8","Sizes":[3,5]}}}
E
    run -1 dmlop validate --fix -o mended.json d.json
    fixes 1
    grep -qF '"INT16"' mended.json
    grep -qF '"BScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]}' mended.json
}

@test "a text with more findings than are kept is fixed, too" {
    py '
def write(path, size):
    row = "\"%d\":{\"sizeInBytes\":" + size
    row += ",\"initialValuesDataType\":\"INT8\",\"initialValues\":[1]}"
    rows = ",\n".join(row % i for i in range(25000))
    open(path, "w").write("{\"resources\":{%s},\"dispatchables\":{},\"commands\":[]}" % rows)

write("d.json", "\"4\"")
write("want.json", "4")'
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_same_file want.json f.json
    assert_regex "$stderr" "d.json: 25000 values fixed, 0 errors left"
    py 'print("[" + "1 " * 165000 + "]")' >d.json
    run -1 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_regex "$stderr" "d.json: 164999 values fixed, 1 error left"
}

# t SIZES [TYPE [MORE]]: a tensor; reads, writes, named NAME: with its name. d TYPE FIELD...:
# d.json, a field a line.
t() { echo "{\"DataType\":\"${2:-FLOAT32}\",\"Sizes\":[$1]${3:-}}"; }
d() {
    local type=$1
    shift
    printf '%s,\n' "$@" | sed '$s/,$//' >fields
    { echo "{\"type\":\"$type\",\"desc\":{"; cat fields; echo "}}"; } >d.json
}
reads() { echo "\"InputTensor\":$(t "$@")"; }
writes() { echo "\"OutputTensor\":$(t "$@")"; }
named() { echo "\"$1\":$(t "${@:2}")"; }
# fix_is FIELD...: --fix makes a valid file of these fields of d.json.
fix_is() {
    cp d.json before.json
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    d "$(sed -n 's/^{"type":"\([^"]*\)".*/\1/p' before.json)" "$@"
    cmp <(tr -d ' ' <f.json) d.json || fail "$(cat f.json)"
}

@test "roles: data stay, parameters follow data and results that agree, results follow data" {
    d ELEMENT_WISE_QUANTIZE_LINEAR "$(reads 1,1,2,2)" "$(named ScaleTensor 1,1,1,1)" \
        "$(named ZeroPointTensor 1,1,1,1 UINT8)" "$(writes 1,1,2,2 UINT8)"
    fix_is "$(reads 1,1,2,2)" "$(named ScaleTensor 1,1,2,2 FLOAT32 ',"Strides":[0,0,0,0]')" \
        "$(named ZeroPointTensor 1,1,2,2 UINT8 ',"Strides":[0,0,0,0]')" "$(writes 1,1,2,2 UINT8)"
    d ELEMENT_WISE_DEQUANTIZE_LINEAR "$(reads 1,1,2,2 UINT8)" "$(named ScaleTensor 1,1,1,2)" \
        "$(writes 1,1,2,2)"
    fix_is "$(reads 1,1,2,2 UINT8)" "$(named ScaleTensor 1,1,2,2 FLOAT32 ',"Strides":[0,0,0,1]')" \
        "$(writes 1,1,2,2)"
    # a comment stays
    d ELEMENT_WISE_DEQUANTIZE_LINEAR "$(reads 1,1,2,2 UINT8)" "$(writes 1,1,2,2)" \
        "$(named ScaleTensor '1,1,1,1 /* each */')"
    left 1
    # its strides would have to follow
    d ELEMENT_WISE_DEQUANTIZE_LINEAR "$(reads 1,1,2,2 UINT8)" "$(writes 1,1,2,2)" \
        "$(named ScaleTensor 1,1,2,1 FLOAT32 ',"Strides":[2,2,1,1]')"
    left 1
    run dmlop validate d.json
    assert_output --partial "hint: use 2, and give Strides with a 0 there to repeat the element"
    # the result is another one: neither it nor the parameter follows
    d ELEMENT_WISE_DEQUANTIZE_LINEAR "$(reads 1,1,2,2 UINT8)" "$(named ScaleTensor 1,1,1,1)" \
        "$(writes 1,1,2,3)"
    left 3
    d ELEMENT_WISE_IF "$(named ConditionTensor 1,1,2,2 UINT8)" "$(named ATensor 1,1,1,1)" \
        "$(named BTensor 1,1,1,1)" "$(writes 1,1,2,2)"
    left 4
    run dmlop validate d.json
    refute_output --partial ": error: ConditionTensor"
    d ELEMENT_WISE_ADD "$(named ATensor 1,1,2,3)" "$(named BTensor 1,1,2,2)" "$(writes 1,1,2,2)"
    left 1
    run dmlop validate d.json
    assert_output --partial "ATensor.Sizes[3] is 3, but BTensor.Sizes[3] is 2"
    d MATRIX_MULTIPLY_INTEGER_TO_FLOAT "$(named ATensor 1,1,2,3 UINT8)" \
        "$(named AScaleTensor 1,1,1,1)" "$(named BTensor 1,1,3,4 UINT8)" \
        "$(named BScaleTensor 1,1,1,1)" "$(named BiasTensor 1,1,1,4)" "$(writes 1,1,2,4)"
    left 1
    run dmlop validate d.json
    assert_output --partial "BiasTensor.Sizes[2] is 1, but OutputTensor.Sizes[2] is 2"
}

@test "roles: ranks and types of parameters are blamed, not those of data" {
    parameters=(MeanTensor VarianceTensor ScaleTensor BiasTensor)
    p() { for name in "${parameters[@]}"; do named "$name" "$@"; done; }
    mapfile -t p < <(p 1,2,1,1)
    d BATCH_NORMALIZATION "$(reads 1,2,3,3,3)" "${p[@]}" "$(writes 1,2,3,3,3)" '"Spatial":true' \
        '"Epsilon":0.1'
    left 4
    run dmlop validate d.json
    assert_output --partial "MeanTensor has 4 dimensions, but InputTensor has 5"
    mapfile -t p < <(p 1,2,1,1 FLOAT16)
    d BATCH_NORMALIZATION "$(reads 1,2,3,3 FLOAT16)" \
        "${p[@]//FLOAT16/FLOAT32}" "$(writes 1,2,3,3 FLOAT16)" '"Spatial":true' '"Epsilon":0.1'
    fix_is "$(reads 1,2,3,3 FLOAT16)" "${p[@]}" "$(writes 1,2,3,3 FLOAT16)" '"Spatial":true' \
        '"Epsilon":0.1'
    d QUANTIZED_LINEAR_AVERAGE_POOLING "$(reads 1,1,4,4 UINT8)" \
        "$(named InputScaleTensor 1,1,1,1)" \
        "$(named OutputScaleTensor 1,1,1,1)" "$(named OutputZeroPointTensor 1,1,1,1 INT8)" \
        "$(writes 1,1,2,2 UINT8)" '"DimensionCount":2,"Strides":[2,2],"WindowSize":[2,2]' \
        '"StartPadding":[0,0],"EndPadding":[0,0],"Dilations":[1,1],"IncludePadding":false'
    left 1
    run dmlop validate d.json
    assert_output --partial "OutputZeroPointTensor.DataType is INT8"
}

@test "what several results differ from is named, and no side is changed" {
    topk 's/1, 1, 3, 2/1, 1, 3, 3/g'
    left 2
    run dmlop validate d.json
    assert_output --partial "OutputValueTensor.Sizes[3] is 3, but K is 2"
    assert_output --partial "hint: use 2, or change the other values"
    assert_output --partial "note: K is 2 here"
}

@test "nothing follows from a misspelt type, or from a value that another finding names" {
    d ACTIVATION_RELU "$(reads 1,2,3,4 FLOAT31)" "$(writes 1,2,3,4 FLOAT16)"
    findings "d.json:2:27: error: there is no data type 'FLOAT31' [desc.enum-unknown]" \
        "  hint: did you mean FLOAT32?" "d.json: 1 error"
    left 1
    d ACTIVATION_RELU "$(reads 1,2,3,4 FLOAT31)" "$(writes 1,2,3,4)"
    fix_is "$(reads 1,2,3,4)" "$(writes 1,2,3,4)"
    bytes=',"TotalTensorSizeInBytes":96'
    d ACTIVATION_RELU "$(reads 1,2,3,4 FLOAT32 $bytes)" "$(writes 2,2,3,4 FLOAT32 $bytes)"
    fix_is "$(reads 1,2,3,4 FLOAT32 $bytes)" "$(writes 1,2,3,4 FLOAT32 $bytes)"
    # bytes that fit another size, and those of a result that fit its sizes, are evidence
    d ACTIVATION_RELU "$(reads 2,2,3,4 FLOAT32 $bytes)" "$(writes 1,2,3,4)"
    left 2
    d ACTIVATION_RELU "$(reads 1,2,3,5)" "$(writes 1,2,3,4 FLOAT32 $bytes)"
    left 1
    d ACTIVATION_RELU "$(reads 1,2,3,4 FLOAT32 ',"TotalTensorSizeInBytes":97')" "$(writes 1,2,3,4)"
    fix_is "$(reads 1,2,3,4 FLOAT32 $bytes)" "$(writes 1,2,3,4)"
    # a type gets the spelling of the text
    d ACTIVATION_RELU "$(reads 1,2,3,4)" "$(writes 1,2,3,4 FLOAT16)"
    fix_is "$(reads 1,2,3,4)" "$(writes 1,2,3,4)"
    d ACTIVATION_RELU "$(reads 1,2,3,4 DML_TENSOR_DATA_TYPE_FLOAT32)" \
        "$(writes 1,2,3,4 DML_TENSOR_DATA_TYPE_FLOAT16)"
    fix_is "$(reads 1,2,3,4 DML_TENSOR_DATA_TYPE_FLOAT32)" \
        "$(writes 1,2,3,4 DML_TENSOR_DATA_TYPE_FLOAT32)"
}

@test "a missing number of entries and a result's missing sizes are added if they are certain" {
    add() { # FIELDS OF OUTPUT
        d ELEMENT_WISE_ADD "$(named ATensor 1,2,3)" "$(named BTensor "${2-1,2,3}")" \
            "\"OutputTensor\":{$1\"DataType\":\"FLOAT32\"}"
    }
    add ''
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    add ' "Sizes": [1, 2, 3],'
    cmp f.json d.json
    add '' 1,2,1
    left 2
    d TILE "$(reads 1,2)" "$(writes 2,4)" '"Repeats":[2,2]'
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    run cat f.json
    assert_line --index 0 '{"type":"TILE","desc":{ "RepeatsCount": 2,'
    d CONVOLUTION "$(reads 1,3,9,9)" "$(named FilterTensor 8,3,3,3)" "$(writes 1,8,7,7)" \
        '"Mode":"CROSS_CORRELATION","Direction":"FORWARD","Strides":[1,1],"Dilations":[1,1,1]' \
        '"StartPadding":[0,0],"EndPadding":[0,0],"OutputPadding":[0,0],"GroupCount":1'
    run ! dmlop validate --fix -o f.json d.json
    assert_output --partial 'hint: add "DimensionCount"'
    refute_output --partial 'add "DimensionCount": '
}

@test "windows: a missing field is the source of nothing; the diff says what an output follows" {
    convolution() { # OUTPUT FIELDS
        d CONVOLUTION "$(reads 1,3,9,9)" "$(named FilterTensor 8,3,3,3)" "$(writes "$1")" \
            '"Mode":"CROSS_CORRELATION","Direction":"FORWARD","DimensionCount":2' \
            '"Strides":[1,1],"StartPadding":[1,1],"OutputPadding":[0,0],"GroupCount":1' "$2"
    }
    convolution 1,8,7,7 '"EndPadding":[1,1]'
    left 1
    run dmlop validate d.json
    assert_output --partial "CONVOLUTION lacks Dilations"
    d MAX_POOLING1 "$(reads 1,1,9,9)" "$(writes 1,1,7,7)" '"DimensionCount":2' '"Strides":[1,1]' \
        '"WindowSize":[3,3]' '"StartPadding":[1,1]'
    left 1
    run dmlop validate d.json
    assert_output --partial "MAX_POOLING1 lacks EndPadding"
    d FOLD "$(reads 1,4,4)" "$(writes 1,1,4,4)" '"DimensionCount":2,"WindowSizes":[2,2]' \
        '"Strides":[1,1],"StartPadding":[0,0],"EndPadding":[0,0]'
    left 1
    run dmlop validate d.json
    assert_output --partial "FOLD lacks Dilations"
    convolution 1,8,9,9 '"EndPadding":[1,0],"Dilations":[1,1]'
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_line --index 0 \
        "OutputTensor.Sizes[3] is computed from StartPadding[1] = 1, EndPadding[1] = 0"
}

@test "a size in bytes that is no multiple of 4 is fixed, unless elements may be halves" {
    bytes() { # SIZE STRIDES: of the input
        d ACTIVATION_RELU "$(reads 1,1,2,4 FLOAT32 \
            ",\"Strides\":[$2],\"TotalTensorSizeInBytes\":$1")" "$(writes 1,1,2,4)"
    }
    bytes 33 1,2,1,2
    run -0 --separate-stderr dmlop validate --fix d.json
    assert_output --partial '"TotalTensorSizeInBytes":32'
    bytes 1 16,16,8,2
    left 1
    run dmlop validate d.json
    assert_line "  hint: use 60, or change the other values"
}

@test "SCATTER_ELEMENTS of DirectML.h is SCATTER, which is what DxDispatch reads" {
    d DML_OPERATOR_SCATTER_ELEMENTS "$(reads 1,1,3,3)" "$(named IndicesTensor 1,1,2,3 UINT32)" \
        "$(named UpdatesTensor 1,1,2,3)" "$(writes 1,1,3,3)" '"Axis":2'
    run -0 dmlop validate d.json
    assert_output "d.json: valid (DML_OPERATOR_SCATTER, feature level 6_4)"
    run -0 dmlop validate --portable d.json
    assert_output --partial "warning: DirectML.h has the name DML_OPERATOR_SCATTER_ELEMENTS, too"
    assert_output --partial "hint: write DML_OPERATOR_SCATTER"
}

@test "one slip in a valid descriptor: --fix gives it back or leaves an error" {
    run -0 "$PYTHON" "$ROOT/tests/cli/slips.py"
}

@test "two numbers of an operator's example are wrong: validate reads to the end" {
    "$PYTHON" "$ROOT/tests/cli/slips_two.py"
}
