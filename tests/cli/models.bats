# validate on DxDispatch model files, --portable, --bind, --fix, --schema.
load helper

# model [EDIT...]: m.json, the sample model after sed edits.
model() {
    local args=()
    for e in "$@"; do args+=(-e "$e"); done
    sed -E "${args[@]}" "$SAMPLES/slice.model.json" >m.json
    [ $# = 0 ] || ! cmp -s m.json "$SAMPLES/slice.model.json" || fail "the edits change nothing"
}

# breaks RULE TEXT [EDIT...]: the edits make validate report that rule alone, under TEXT.
breaks() {
    model "${@:3}"
    run dmlop validate m.json
    [ "$status" = 1 ] || [ "$status" = 3 ] || fail "status $status: $output"
    [ "$(grep -c ': error: ' <<<"$output")" = 1 ] || fail "not one error: $output"
    assert_output --partial "[$1]"
    local line column
    line=$(sed -nE '1s/^m.json:([0-9]+):.*/\1/p' <<<"$output")
    column=$(sed -nE '1s/^m.json:[0-9]+:([0-9]+):.*/\1/p' <<<"$output")
    [[ $(sed -n "${line}p" m.json | cut -c "$column-") == "$2"* ]] ||
        fail "stands at $line:$column: $output"
}

@test "sample models are valid; a model is told from a descriptor" {
    for f in "$SAMPLES"/*.model.json; do
        run -0 --separate-stderr dmlop validate "$f"
        assert_output --partial ": valid (model of "
        assert_equal "$stderr" ""
    done
    run -1 dmlop slice -d "$SAMPLES/slice.model.json" x.npy
}

@test "sections and their kinds" {
    echo '{ "resources": {}, "dispatchables": {} }' >m.json
    run -1 dmlop validate m.json
    assert_line --partial "m.json:1:1: error: the model lacks commands [desc.field-missing]"
    echo '{ "resources": [], "dispatchables": {}, "commands": {}, "$schema": "x", "extra": 1 }' \
        >m.json
    run -1 dmlop validate m.json
    assert_line --partial "m.json:1:16: error: resources is an array, but must be an object"
    assert_line \
        --partial "m.json:1:53: error: commands is an object, but must be an array of commands"
    assert_line --partial "the key 'extra' is unknown"
    refute_output --partial "key '\$schema'"
}

@test "resources: forms, types, values, sizes, files" {
    breaks desc.enum-unknown '"FLOAT31"' '5s/FLOAT32/FLOAT31/'
    assert_output --partial "did you mean FLOAT32?"
    breaks run.initial-type '{ "valueCount": 16' '5d'
    breaks run.initial-values '{ "valueCount": 16, "valueStart": 1 }' 's/, "valueDelta": 1//'
    breaks run.initial-values '7' 's/\{ "valueCount": 16.*\}/7/'
    breaks desc.field-range '0,' 's/"valueCount": 16/"valueCount": 0/'
    breaks run.value-range '"infinity"' 's/"valueStart": 1/"valueStart": "infinity"/'
    breaks run.value-range '1e39' 's/"valueStart": 1/"valueStart": 1e39/'
    breaks run.value-range '1.5' '5s/FLOAT32/INT32/' 's/"valueStart": 1/"valueStart": 1.5/'
    breaks desc.field-missing '{' '6s/.*/"note": 1/' '5d'
    # TYPE COUNT START DELTA [FIRST]: FIRST is the first element that does not fit; without, all do
    sequence() {
        local values="{ \"valueCount\": $2, \"valueStart\": $3, \"valueDelta\": $4 }"
        model "5s/FLOAT32/$1/" "6s/\{ \"valueCount\".*/$values, \"sizeInBytes\": 3000/"
        run dmlop validate m.json
        assert_success
        if [ $# = 4 ]; then
            refute_output --partial sequence
        else
            local element="element $5 of the sequence, valueStart + $5 * valueDelta"
            assert_line --index 0 \
                --partial "warning: $element, does not fit $1 [run.sequence-range]"
            assert_line --index 3 \
                "  hint: use a valueCount of $5 or less, another valueDelta, or another type"
            run -0 dmlop run m.json
            assert_line --partial "[run.sequence-range]"
        fi
    }
    sequence UINT8 256 0 1
    sequence UINT8 257 0 1 256
    sequence UINT8 300 255 0
    sequence UINT8 2 255 1 1
    sequence INT8 256 127 -1
    sequence INT8 257 127 -1 256
    sequence INT8 3 -128 127
    sequence INT8 4 -128 127 3
    sequence INT16 3 -32768 -1 1
    sequence UINT64 2 1 18446744073709551614
    sequence UINT64 3 1 18446744073709551614 2
    sequence INT64 3 -9223372036854775808 9223372036854775807
    sequence INT64 4 -9223372036854775808 9223372036854775807 3
    sequence UINT64 9 0 18446744073709551615 2
    sequence FLOAT16 66 0 1e3
    sequence FLOAT16 67 0 1e3 66
    sequence FLOAT32 4 1e38 1e38 3
    sequence FLOAT64 9 0 -1e308 2
    sequence FLOAT32 700 1e38 0
    sequence FLOAT32 9 '"inf"' 1
    sequence FLOAT32 9 0 '"nan"'
    breaks run.resource-size '8' '6s/$/, "sizeInBytes": 8/'
    assert_output --partial "use 64 or more"
    model \
        '6s/\{ "valueCount".*/["NaN", "INF", "-Inf", 1e2, 4.0, -0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]/'
    dmlop validate m.json
    two='{"name":"a","type":"FLOAT32","value":1},{"name":"b","type":"UINT8","value":255}'
    model '5d' "6s/\{ \"valueCount\".*/[$two], \"sizeInBytes\": 64/"
    dmlop validate m.json
    breaks run.value-range '256' '5d' \
        '6s/\{ "valueCount".*/[{"name":"a","type":"UINT8","value":256}], "sizeInBytes": 64/'
    breaks desc.field-missing '{"name"' '5d' \
        '6s/\{ "valueCount".*/[{"name":"a","value":2}], "sizeInBytes": 64/'
    model '6s/\{ "valueCount".*/[]/' '6s/$/, "sizeInBytes": 64/'
    dmlop validate m.json
    breaks run.resource-size '{' '6s/\{ "valueCount".*/[]/'
}

@test "resources from files: .npy, raw data, what is wrong with them" {
    py '
np.save("x.npy", np.ones((4, 4), "f4"))
np.save("i.npy", np.ones(16, "i4"))
np.save("short.npy", np.ones(16, "f4"))
open("short.npy", "r+b").truncate(150)
np.save("empty.npy", np.ones(0, "f4"))
np.save("c.npy", np.ones(4, "c8"))
open("x.bin", "wb").write(bytes(64))
open("odd.dat", "wb").write(bytes(63))
open("text.npy", "w").write("hello")
'
    file='6s/\{ "valueCount".*/{ "sourcePath": "FILE" }/'
    model "${file/FILE/x.bin}"
    dmlop validate m.json
    model '5d' "${file/FILE/x.npy}"
    dmlop validate m.json
    breaks run.initial-type '"i.npy"' "${file/FILE/i.npy}"
    breaks run.initial-type '"x.bin"' '5d' "${file/FILE/x.bin}"
    for f in short.npy empty.npy c.npy odd.dat text.npy none.npy none.dat; do
        breaks run.source-file "\"$f\"" "${file/FILE/$f}"
        assert_equal "$status" 3
    done
    breaks run.source-file '"text.npy"' "${file/FILE/text.npy}"
    assert_line --partial "text.npy: it is not a .npy file [run.source-file]"
    assert_line "  hint: write it with numpy.save"
    py 'np.savez("z.npz", a=np.ones(4)); open("lfs.bin", "w").write(
        "version https://git-lfs.github.com/spec/v1\n".ljust(64))'
    printf '1,2\n3,4\n' | tee t.csv >t.TSV
    cp x.bin raw.csv
    echo '[1, 2, 3]   ' >t.json
    for hint in "z.npz=convert it with: dmlop convert z.npz:NAME -o z.npy" \
        "t.csv=convert it with: dmlop convert t.csv -o t.npy" \
        "t.TSV=convert it with: dmlop convert t.TSV -o t.npy" \
        "short.npy=write the file again" "c.npy=use another file" \
        "lfs.bin=fetch the file itself with: git lfs pull" \
        "raw.csv=convert it to .npy with dmlop convert, or give raw data another name" \
        "t.json=convert it to .npy with dmlop convert, or give raw data another name"; do
        breaks run.source-file "\"${hint%%=*}\"" "${file/FILE/${hint%%=*}}"
        assert_line "  hint: ${hint#*=}"
    done
    mkdir folder.npy
    breaks run.source-file '"folder.npy"' "${file/FILE/folder.npy}"
    cp x.bin x.txt
    model "${file/FILE/x.txt}"
    dmlop validate m.json
    mkdir sub
    mv x.npy sub/
    model '5d' "${file/FILE/x.npy}"
    mv m.json sub/
    dmlop validate sub/m.json
    cp sub/m.json .
    run -3 dmlop validate m.json
}

@test "dispatchables are checked as descriptors, with the names of the model in their places" {
    breaks slice.stride-zero '0, 2]' 's/-2, 2\]/0, 2]/'
    flags='"executionFlags": ["DISABLE_METACOMMANDS"], "dmlCompileType": "DmlCompileOp"'
    model "s/\"type\": \"DML_OPERATOR_SLICE1\"/&, $flags/"
    run -0 dmlop validate m.json
    refute_output --partial warning
    model 's/"slice"/"a\/b~c \\u00e9"/' 's/-2, 2\]/0, 2]/'
    run dmlop validate --format json m.json
    assert_output --partial '"pointer": "/dispatchables/a~1b~0c é/desc/InputWindowStrides/2"'
}

@test "bindings" {
    # bound KEYS: an edit that gives the input's binding these keys beside its name
    bound() {
        printf '%s' 's/"InputTensor": "input"/"InputTensor": { "name": "input", ' "$1" ' }/'
    }
    breaks desc.field-type '["input", "output"]' \
        's/"InputTensor": "input"/"InputTensor": ["input", "output"]/'
    list='{ "name": "input", "elementOffset": 0, "elementCount": 16, "elementSizeInBytes": 4 }'
    model "s/\"InputTensor\": \"input\"/\"InputTensor\": [$list]/"
    dmlop validate m.json
    breaks run.binding-size '16' "$(bound '"elementOffset": 16')"
    breaks run.binding-size '17' "$(bound '"elementCount": 17')"
    breaks run.binding-size '{ "name"' "$(bound '"elementCount": 2')"
    assert_line "  hint: use a larger elementCount, or leave it out"
    breaks run.binding-size '"input"' 's/"valueCount": 16/"valueCount": 15/'
    assert_output --partial "make the resource 64 bytes or more"
    breaks desc.field-missing '{ "elementOffset"' \
        's/"InputTensor": "input"/"InputTensor": { "elementOffset": 0 }/'
    breaks desc.field-missing '{' '/"dispatchable": "slice"/d'
}

@test "commands" {
    breaks run.command-unknown '"prnt"' 's/"print"/"prnt"/'
    assert_output --partial "did you mean print?"
    breaks desc.field-missing '{ "resource"' 's/"type": "print", //'
    breaks desc.field-type '1 }' 's/"print", "resource": "output"/&, "verbose": 1/'
    write='"writeFile", "resource": "output", "targetPath": "PATH", "dimensions": DIMS'
    write="s/\"print\", \"resource\": \"output\"/$write/"
    w=${write/PATH/a\\/b.npy}
    breaks desc.field-range '0]' "${w/DIMS/[4, 0]}"
    breaks desc.field-type '[] }' "${w/DIMS/[]}"
    w=${write/PATH/x.NPY}
    list='"initialValues": [{ "type": "FLOAT32", "value": 0 }], "sizeInBytes": 16'
    breaks run.file-type '"x.NPY"' "${w/, \"dimensions\": DIMS/}" '9d' \
        "10s/\"initialValues.*/$list/"
    breaks desc.field-missing '{ "type": "writeFile"' \
        's/"print", "resource": "output"/"writeFile", "resource": "output"/'
}

@test "what is unknown or of the wrong type is reported once, whole, and nothing follows from it" {
    # reports TEXT EDIT: all that validate prints of the sample model after an edit.
    reports() {
        model "$2"
        run -1 dmlop validate m.json
        assert_output "$1"
    }
    for target in '"x.npy", "dimensions": [3]' '"x.npy"' '"x.bin"'; do
        write="\"writeFile\", \"resource\": \"nope\", \"targetPath\": $target"
        model "s/\"print\", \"resource\": \"output\"/$write/"
        for command in validate run; do
            run -1 dmlop "$command" m.json
            assert_line \
                --index 0 "m.json:32:44: error: there is no resource 'nope' [run.resource-unknown]"
            assert_line "  hint: add it, or use another one, such as 'input'"
            assert_equal "$(grep -c "error:" <<<"$output")" 1
        done
    done
    local must="must be the name of a resource, or an object with it"
    reports "m.json:30:42: error: InputTensor is a number, but $must [desc.field-type]"'
    30 |             "bindings": { "InputTensor": 5, "OutputTensor": "output" }
       |                                          ^
  hint: write the name of a resource, or an object with it
m.json: 1 error' 's/"InputTensor": "input"/"InputTensor": 5/'
    reports "m.json:30:67: error: OutputTensor is null, but $must [desc.field-type]"'
    30 |             "bindings": { "InputTensor": "input", "OutputTensor": null }
       |                                                                   ^~~~
  hint: write the name of a resource, or an object with it
m.json: 1 error' 's/"OutputTensor": "output"/"OutputTensor": null/'
    local so="so 2 elements would have the same address"
    reports "m.json:18:93: error: OutputTensor.Strides[0] is 0, $so [tensor.output-overlap]"'
    18 | ...{ "DataType": "FLOAT32", "Sizes": [2, 1, 2, 2], "Strides": [0, 4, 2, 1] },
       |                                                                ^
  hint: only an input may have a stride of 0; give every element an address of its own
m.json: 1 error' 's/"Sizes": \[1, 1, 2, 2\]/"Sizes": [2, 1, 2, 2], "Strides": [0, 4, 2, 1]/
        s/\[1, 1, 4, 4\]/[2, 1, 4, 4]/
        s/\[1, 1, 4, 3\]/[2, 1, 4, 3]/
        s/"valueCount": 16/"valueCount": 32/
        s/"valueCount": 4,/"valueCount": 8,/'
}

@test "misspelt keys of 40,000 list elements, or bindings: linear; quadratic would take minutes" {
    py '
element = "{\"typ\":\"INT8\",\"value\":1}"
open("m.json", "w").write(
    "{\"resources\":{\"r\":{\"initialValues\":[%s]}},\"dispatchables\":{},\"commands\":[]}"
    % ",".join([element] * 40000))
'
    local seconds=20${RUNNER:+0} # ten times as many where other machines are imitated
    run -1 timeout "$seconds" "$DMLOP" validate -q m.json
    timeout "$seconds" "$DMLOP" validate --fix -q -o f.json m.json
    dmlop validate f.json
}

@test "--portable: what DxDispatch does not take, or reads differently" {
    run -0 dmlop validate --portable "$SAMPLES/slice.model.json" "$SAMPLES/slice1-ex1.desc.json"
    refute_output --partial portable
    model 's/"type": "DML_OPERATOR_SLICE1"/"Type": "DML_OPERATOR_SLICE1"/' '/"DimensionCount"/d'
    run -0 dmlop validate m.json
    refute_output --partial portable
    run -0 dmlop validate --portable m.json
    assert_output --partial '[portable.type-case]'
    assert_output --partial '[portable.dimension-count]'
    assert_output --partial '2 warnings'
    py '
np.save("big.npy", np.ones((4, 4), ">f4"))
np.save("bool.npy", np.ones((4, 4), "bool"))
'
    file='6s/\{ "valueCount".*/{ "sourcePath": "FILE" }/'
    model '5d' "${file/FILE/big.npy}"
    run -0 dmlop validate --portable m.json
    assert_output --partial '[portable.npy-byte-order]'
    model '5d' "${file/FILE/bool.npy}" 's/"DataType": "FLOAT32"/"DataType": "UINT8"/g'
    run -0 dmlop validate --portable m.json
    assert_output --partial '[portable.npy-bool]'
}

@test "--portable warns, and nothing else does, of what DxDispatch refuses or reads otherwise" {
    # warns RULE AT MODEL: one warning with --portable, none without it.
    warns() {
        [ "$#" = 2 ] || printf '%b' "$3" >m.json
        run -0 --separate-stderr dmlop validate --portable m.json
        assert_equal "$(grep -oE '^m.json:[0-9]+:[0-9]+: warning|\[[a-z.-]+\]$' <<<"$output" |
            tr '\n' ' ')" "m.json:$2: warning [$1] "
        run -0 --separate-stderr dmlop validate m.json
        refute_output --partial warning
    }
    r() {
        printf '%s' '{ "resources": { "r": ' "$1" ' }, "dispatchables": {}, "commands": [' \
            "${2:-}" '] }'
    }
    of() { printf '{ "initialValuesDataType": "%s", "initialValues": %s }' "$@"; }
    warns portable.byte-order-mark 1:1 "\xef\xbb\xbf$(r "$(of INT8 '[1]')")"
    warns portable.byte-order-mark 1:1 "\xef\xbb\xbf$(cat "$SAMPLES/slice1-ex1.desc.json")"
    for flags in '["NONE", "NONE"]' '["OWNED_BY_DML", "DML_TENSOR_FLAG_OWNED_BY_DML"]' \
        '"NONE|OWNED_BY_DML"' '"NONE|NONE|NONE"'; do
        input="{ \"DataType\": \"INT8\", \"Flags\": $flags, \"Sizes\": [4] }"
        warns portable.flags 1:67 "{ \"type\": \"SLICE1\", \"InputTensor\": $input"',
"OutputTensor": { "DataType": "INT8", "Sizes": [4] }, "DimensionCount": 1,
"InputWindowOffsets": [0], "InputWindowSizes": [4], "InputWindowStrides": [1] }'
    done
    warns portable.initial-values 1:23 "$(r '{ "sizeInBytes": 8 }')"
    warns portable.initial-values 1:76 \
        "$(r '{ "initialValuesDataType": "INT32", "initialValues": [], "sizeInBytes": 8 }')"
    warns portable.integer 1:77 "$(r "$(of INT32 '[1.0]')")"
    warns portable.integer 1:104 "$(r "$(of UINT8 '{ "valueCount": 3, "value": 1e2 }')")"
    two='{ "type": "INT8", "value": 2E0 }, { "type": "FLOAT32", "value": 2E0 }'
    warns portable.integer 1:71 "$(r "{ \"initialValues\": [ $two ] }")"
    values=$(of INT32 '[1]')
    warns portable.file-type 1:173 \
        "$(r "$values" '{ "type": "writeFile", "resource": "r", "targetPath": "x.json" }')"
    warns portable.file-type 1:173 \
        "$(r "$values" '{ "type": "writeFile", "resource": "r", "targetPath": "x.PNG" }')"
    py '
np.save("f.npy", np.asfortranarray(np.ones((2, 2), "f4")))
open("x.jpg", "wb").write(bytes(4))
'
    warns portable.npy-order 1:58 "$(r '{ "initialValues": { "sourcePath": "f.npy" } }')"
    warns portable.file-type 1:92 "$(r "$(of INT32 '{ "sourcePath": "x.jpg" }')")"
}

@test "--bind holds files against a descriptor: type, sizes, buffer length, scales" {
    cp "$SAMPLES/slice1-ex1.desc.json" d.json
    py '
np.save("x.npy", np.ones((4, 4), "f4"))
np.save("t.npy", np.ones((4, 4), "f8"))
np.save("s.npy", np.ones((2, 4, 4), "f4"))
'
    dmlop validate --bind InputTensor=x.npy d.json
    run -3 dmlop validate --bind InputTensor=t.npy d.json
    assert_output --partial 'd.json:5:41: error: '
    assert_output --partial '[bind.data-type]'
    run -3 dmlop validate --bind InputTensor=s.npy d.json
    assert_output --partial '[bind.sizes]'
    assert_output --partial 'hint: use {2,4,4}'
    sed -i -E 's/(InputTensor.*\[1, 1, 4, 4\])/\1, "Strides": [0, 0, 9, 1]/' d.json
    run -3 dmlop validate --bind InputTensor=x.npy d.json
    assert_output --partial '[bind.buffer-length]'
    assert_output --partial '31 elements'
    dmlop validate --bind InputTensor=s.npy d.json
    run -3 dmlop validate --bind InputTensor=none.npy d.json
    assert_output --partial 'none.npy'
    refuses 2 'did you mean InputTensor?' validate --bind InptTensor=x.npy d.json
    run -2 dmlop validate --bind OutputTensor=x.npy d.json
    run -2 dmlop validate --bind InputTensor d.json
    run -2 dmlop validate --bind InputTensor=x.npy "$SAMPLES/slice.model.json"
    py '
np.save("nan.npy", np.float32(np.nan))
np.save("zero.npy", np.zeros(1, "f4"))
np.save("inf.npy", np.array([1, np.inf], ">f4"))
'
    q=$SAMPLES/qmatmul-per-tensor.desc.json
    for b in {A,Output}ScaleTensor={nan,zero}.npy; do
        run -3 dmlop validate --bind "$b" "$q"
        assert_output --partial '[qmatmul.scale-value]'
    done
    run -3 dmlop validate --bind AScaleTensor=inf.npy "$q"
    assert_output --partial 'is inf at index 1'
}

@test "--fix writes back what hints know, and keeps every other byte" {
    printf '\357\273\277{ // note\r
\t"type" : "TOPK1", /* \303\251 */
  "desc": { "InputTensor": { "DataType": "FLOAT32", "Sizes": [1,1,3,4],
    "TotalTensorSizeInBytes": 45 },
    "OutputValueTensor": {"DataType":"FLOAT23","Sizes":[1,1,3,2]},  "OutputIndexTensor":{
      "DataType": "UINT32", "sizes": [1,1,2,2] },
 "Axis": 3.0, "K": "2", "AxisDirection": "INCRESING" , } }
' >d.json
    cp d.json old.json
    run -0 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_same_file d.json old.json
    assert_line --index 0 -- '--- d.json'
    assert_line --index 1 -- '+++ f.json'
    dmlop validate f.json
    sed -e 's/TOPK1/TOP_K1/; s/FLOAT23/FLOAT32/; s/: 45 /: 48 /
        s/"sizes"/"Sizes"/; s/1,1,2,2/1,1,3,2/
        s/3\.0/3/; s/"2"/2/; s/INCRESING/INCREASING/' d.json >want.json
    assert_same_file want.json f.json
    cp d.json p.json
    printf '%s' "$output" >diff.txt
    printf '\n' >>diff.txt
    if command -v patch >/dev/null; then
        patch -s --binary p.json diff.txt
        assert_same_file p.json f.json
    fi
    dmlop validate --fix d.json >piped.json 2>err.txt
    assert_same_file piped.json f.json
    grep -q '^@@ ' err.txt
    dmlop validate --fix -o d.json d.json >diff.txt
    assert_same_file d.json f.json
    dmlop validate --fix d.json >again.json 2>err.txt
    assert_same_file again.json f.json
    grep -q '0 values fixed, 0 errors left' err.txt
}

@test "--fix leaves what is ambiguous, and brings no error in" {
    sed -E 's/("InputWindowSizes": *)\[1, 1, 4, 3\]/\1[1, 1, 4, 9]/' \
        "$SAMPLES/slice1-ex1.desc.json" >d.json
    run -1 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_same_file d.json f.json
    assert_equal "$stderr" "$(grep -v '^---\|^+++' <<<"$stderr")"
    [[ $stderr == *"[slice.window-bounds]"*"0 values fixed, 1 error left"* ]]
    # both keys are near Axis: either may be meant
    sed -E 's/"Axis": *3/"Axs": 3, "Axes": 3/' "$SAMPLES/topk1-ex1.desc.json" >d.json
    run -1 --separate-stderr dmlop validate --fix -o f.json d.json
    assert_same_file d.json f.json
    run -2 dmlop validate --fix d.json d.json
    run -2 dmlop validate --fix --format json d.json
    dmlop validate d.json >x.txt || true
    run -1 dmlop validate -o y.txt d.json
    assert_same_file x.txt y.txt
    echo '{ "type": "TOPK1", ' >d.json
    run -1 dmlop validate --fix -o g.json d.json
    assert_same_file d.json g.json
    : >empty.json
    run -3 dmlop validate --fix empty.json
    run -4 dmlop validate --fix -o /nonexistent/x.json f.json
}

@test "--fix on a model" {
    model 's/"InputTensor": "input"/"InputTensr": "inptu"/' \
        's/"resource": "output"/"resource": "otput"/' 's/\[1, 1, 2, 2\]/[1, 1, 2, 3]/'
    run -0 dmlop validate --fix -o f.json m.json
    assert_same_file f.json "$SAMPLES/slice.model.json"
}

@test "JSON Schemas: samples pass, what a schema can say is refused" {
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
    sanitized && skip "Python checks the schemas, not dmlop"
    expensive
    cat >schema.py <<'P'
import glob, json, re, sys
import jsonschema
from program import printed

def any_of(validator, schemas, instance, _):
    """As jsonschema's, which collects all errors of every schema."""
    if not any(validator.evolve(schema=s).is_valid(instance) for s in schemas):
        yield jsonschema.ValidationError("anyOf")

Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"anyOf": any_of})
checked = set()

def schema(name):
    s = json.loads(printed("validate", "--schema=" + name if name else "--schema"))
    for part in {**s, "$defs": {}}, *s["$defs"].values():
        if json.dumps(part) not in checked:  # most definitions are in several schemas
            checked.add(json.dumps(part))
            jsonschema.Draft202012Validator.check_schema(part)
    return Validator(s)

def load(path):
    return json.loads(re.sub(r"//.*", "", open(path).read()))

whole, model, descriptor = schema(""), schema("model"), schema("descriptor")
names = ("slice", "slice1", "top_k", "top_k1", "quantized_linear_matrix_multiply")
one = {n: schema(n) for n in names}
descriptors, models = sorted(glob.glob(sys.argv[1] + "/*.desc.json")), sorted(
    glob.glob(sys.argv[1] + "/*.model.json")
)
assert len(descriptors) >= 14 and len(models) >= 2
for f in descriptors:
    d = load(f)
    n = d["type"].replace("DML_OPERATOR_", "").lower()
    assert whole.is_valid(d) and descriptor.is_valid(d) and not model.is_valid(d), f
    assert [x for x in names if one[x].is_valid(d)] == [n], f
for f in models:
    d = load(f)
    assert whole.is_valid(d) and model.is_valid(d) and not descriptor.is_valid(d), f
refused = set()
for r in json.loads(printed("validate", "--rules", "--format", "json"))["rules"]:
    e = json.loads(printed("validate", "--explain", r["rule"], "--format", "json"))
    try:
        wrong, right = json.loads(e["wrong"]), json.loads(e["right"])
    except ValueError:
        continue
    assert whole.is_valid(right), r
    if not whole.is_valid(wrong):
        refused.add(r["rule"])
print(*sorted(refused), sep="\n")
P
    run -0 "$PYTHON" schema.py "$SAMPLES"
    assert_output "desc.activation
desc.enum-unknown
desc.field-missing
desc.field-type
desc.field-unknown
desc.not-object
desc.operator-missing
desc.operator-unknown
portable.flags
qmatmul.data-type
qmatmul.scale-data-type
run.command-unknown
run.initial-values
slice.stride-zero
slice.window-empty
tensor.data-type
tensor.flags-output
tensor.sizes-zero
tensor.total-size-alignment
tensor.type
topk.axis-direction
topk.index-data-type
topk.k-zero"
    assert_equal "$(dmlop validate --schema TOP_K1)" "$(dmlop validate --schema=top_k1)"
    run -2 dmlop validate --schema=gem
}
