# dmlop validate: rules, with their places, where golden/rules.txt has no such case; spellings;
# levels; formats; exit statuses.
load helper

# The fields of valid descriptors, each on one line: S and W of SLICE1, K of TOP_K1, Q of QMATMUL.
S='"InputTensor":{"DataType":"FLOAT32","Sizes":[1,1,4,4]}'
S+=',"OutputTensor":{"DataType":"FLOAT32","Sizes":[1,1,2,2]},"DimensionCount":4'
W='"InputWindowOffsets":[0,0,0,1],"InputWindowSizes":[1,1,4,3],"InputWindowStrides":[1,1,2,2]'
K='"InputTensor":{"DataType":"FLOAT32","Sizes":[1,1,3,4]}'
K+=',"OutputValueTensor":{"DataType":"FLOAT32","Sizes":[1,1,3,2]}'
K+=',"OutputIndexTensor":{"DataType":"UINT32","Sizes":[1,1,3,2]}'
K+=',"Axis":3,"K":2,"AxisDirection":"INCREASING"'
ONE='{"DataType":"FLOAT32","Sizes":[1,1,1,1]}'
Q='"ATensor":{"DataType":"INT8","Sizes":[1,2,3,4]},"AScaleTensor":'$ONE
Q+=',"AZeroPointTensor":{"DataType":"INT8","Sizes":[1,1,3,1]}'
Q+=',"BTensor":{"DataType":"UINT8","Sizes":[1,2,4,5]}'
Q+=',"BScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1,1,5]}'
Q+=',"BZeroPointTensor":{"DataType":"UINT8","Sizes":[1,1,1,1]},"OutputScaleTensor":'$ONE
Q+=',"OutputZeroPointTensor":{"DataType":"INT8","Sizes":[1,1,3,1]}'
Q+=',"OutputTensor":{"DataType":"INT8","Sizes":[1,2,3,5]}'

# breaks RULE OPERATOR FIELDS EDIT [OPTIONS]: the edit (sed) alone makes `validate` report just that
# rule, under the edited value. FROM => TO in the edit; the finding must stand at the first byte
# that the edit changed or just before it.
breaks() {
    local rule=$1 text edited
    text='{"type":"DML_OPERATOR_'$2'","desc":{'$3'}}'
    printf '%s\n' "$text" >good.json
    dmlop validate "${@:5}" good.json >/dev/null || fail "the text to edit is not valid: $text"
    edited=$(sed -E "$4" <<<"$text")
    [ "$edited" != "$text" ] || fail "the edit for $rule changes nothing"
    printf '%s\n' "$edited" >d.json
    run -1 dmlop validate "${@:5}" d.json
    [ "$(grep -c ': error: ' <<<"$output")" = 1 ] || fail "$rule: $edited
$output"
    assert_regex "$output" "^d.json:1:[0-9]+: error: .*\[$rule\]"
    column=$(sed -nE '1s/^d.json:1:([0-9]+):.*/\1/p' <<<"$output")
    at=${edited:column-1}
}

# the finding of the last breaks stands at this text
stands_at() {
    [[ $at == "$1"* ]] || fail "the finding stands at: ${at:0:40}, not at $1"
}

@test "valid descriptors of all operators, one line each" {
    for f in "$SAMPLES"/*.desc.json; do
        run -0 --separate-stderr dmlop validate "$f"
        assert_regex "$output" ': valid \(DML_OPERATOR_[A-Z0-9_]+, feature level 6_4\)$'
        assert_equal "${#lines[@]}" 1
        assert_equal "$stderr" ""
        run -0 dmlop validate -q "$f"
        assert_equal "$output" ""
    done
}

@test "tensor rules" {
    breaks tensor.dimension-count TOP_K1 "$K" \
        's/"UINT32","Sizes":\[1,1,3,2\]/"UINT32","Sizes":[1,1,1,1,1,1,1,3,2]/'
    stands_at '[1,1,1,1,1,1,1,3,2]'
    breaks tensor.dimension-count TOP_K1 "$K" 's/"UINT32","Sizes":\[1,1,3,2\]/"UINT32","Sizes":[]/'
    stands_at '[]'
    breaks tensor.total-size SLICE1 "$S,$W" \
        's/\[1,1,4,4\]/&,"Strides":[0,0,8,1],"TotalTensorSizeInBytes":108/'
    stands_at '108'
    assert_output --partial "use 112 or more"
    breaks tensor.base-alignment SLICE1 "$S,$W" 's/\[1,1,4,4\]/&,"GuaranteedBaseOffsetAlignment":2/'
    stands_at '2}'
    breaks tensor.output-overlap SLICE1 "$S,$W" 's/\[1,1,2,2\]\}/[1,1,2,2],"Strides":[4,4,3,3]}/'
    stands_at '[4,4,3,3]'
}

@test "outputs with padding, permuted or interleaved strides do not overlap" {
    for strides in '[9,9,2,1]' '[1,1,1,2]' '[7,7,1,9]' '[0,0,5,3]'; do
        sed "s/\[1,1,2,2\]}/[1,1,2,2],\"Strides\":$strides}/" \
            <<<'{"type":"SLICE1","desc":{'"$S,$W"'}}' >d.json
        run -0 dmlop validate d.json
    done
}

@test "slice rules" {
    breaks slice.dimension-count SLICE1 "$S,$W" \
        's/"DimensionCount":4,//; s/"Sizes":\[1,1,2,2\]/"Sizes":[1,1,2]/'
    stands_at '[1,1,2]'
    breaks slice.window-bounds SLICE1 "$S,$W" 's/\[0,0,0,1\]/[0,0,0,4294967295]/'
    stands_at '4294967295'
    assert_output --partial "use an offset of 0 to 3"
    breaks slice.window-bounds SLICE1 "$S,$W" 's/\[1,1,4,3\]/[1,1,4,4294967295]/'
    stands_at '4294967295'
    breaks slice.output-size SLICE1 "$S,$W" 's/\[1,1,2,2\]\}\}/[1,1,-2147483648,2]}}/'
    stands_at '2,2]'
    p=$S',"Offsets":[0,0,1,0],"Sizes":[1,1,2,2],"Strides":[1,1,2,3]'
    breaks slice.output-size SLICE "$p" \
        's/"Sizes":\[1,1,2,2\],"Strides"/"Sizes":[1,1,1,2],"Strides"/'
    stands_at '2,2]}'
    breaks slice.window-bounds SLICE "$p" 's/\[1,1,2,3\]/[1,1,2,4]/'; stands_at '2],"Strides"'
    breaks slice.window-bounds SLICE "$p" 's/\[1,1,2,3\]/[1,1,2,4294967295]/'
    breaks slice.stride-zero SLICE "$p" 's/\[1,1,2,3\]/[1,1,2,0]/'; stands_at '0]'
    breaks desc.field-range SLICE "$p" 's/\[1,1,2,3\]/[1,1,2,-3]/'; stands_at '-3]'
}

@test "names of feature levels; --relaxed" {
    level() { # LEVEL RULE OPERATOR FIELDS
        printf '{"type":"%s","desc":{%s}}\n' "$3" "$4" >d.json
        run dmlop validate --feature-level "$1" d.json
        if [ "$2" = ok ]; then assert_success; else
            assert_failure 1
            assert_output --partial "[$2]"
            run -0 dmlop validate --relaxed --feature-level "$1" d.json
            assert_output --partial "warning: "
        fi
    }
    level 1.0 support.operator TOP_K "${K%,\"AxisDirection\"*}"
    level 2.0 ok TOP_K "${K%,\"AxisDirection\"*}"
    level 2_0 support.data-type TOP_K "$(sed 's/FLOAT32/INT8/g' <<<"${K%,\"AxisDirection\"*}")"
    level DML_FEATURE_LEVEL_2_0 support.operator TOP_K1 "$K"
    level 3_0 support.dimension-count TOP_K1 "$(sed 's/\[1,1,/[1,/g; s/"Axis":3/"Axis":2/' <<<"$K")"
}

@test "--relaxed demotes the limits, and only those" {
    sed 's/\[1,1,4,4\]/&,"TotalTensorSizeInBytes":66,"GuaranteedBaseOffsetAlignment":3/' \
        <<<'{"type":"SLICE1","desc":{'"$S,$W"'}}' >d.json
    run -1 dmlop validate d.json
    run -0 dmlop validate --relaxed d.json
    assert_output --partial "2 warnings"
    sed 's/"K":2/"K":0/' <<<'{"type":"TOP_K1","desc":{'"$K"'}}' >d.json
    run -1 dmlop validate --relaxed d.json
}

@test "descriptor rules" {
    breaks desc.operator-unknown SLICE1 "$S,$W" 's/SLICE1/SLICE2/'
    stands_at '"DML_OPERATOR_SLICE2"'
    assert_output --partial "did you mean DML_OPERATOR_SLICE"
    breaks desc.field-type SLICE1 "$S,$W" 's/\[1,1,4,3\]/4/'; stands_at '4,'
    breaks desc.field-type SLICE1 "$S,$W" 's/"InputTensor":\{[^}]*\}/"InputTensor":null/'
    stands_at 'null'
    for n in 2.0 2e0 -1 4294967296 99999999999999999999; do
        breaks desc.field-range TOP_K1 "$K" "s/\"K\":2/\"K\":$n/"
        stands_at "$n"
    done
    breaks desc.field-range SLICE1 "$S,$W" 's/\[1,1,2,2\]\}\}/[1,1,-2147483649,2]}}/'
    stands_at '-2147483649'
}

@test "unknown keys warn, with the nearest name" {
    sed 's/"K":2/&,"k":3,"Axes":1/' <<<'{"type":"TOP_K1","note":1,"desc":{'"$K"'}}' >d.json
    run -0 dmlop validate d.json
    assert_output --partial "differs only in case from K"
    assert_output --partial "did you mean Axis?"
    assert_output --partial "3 warnings"
    [ "$(grep -c 'warning: .*\[desc.field-unknown\]' <<<"$output")" = 3 ]
    run dmlop validate -q d.json
    assert_equal "$output" ""
}

@test "json.syntax: place, and what was expected" {
    while IFS='|' read -r text place; do
        printf '%b' "$text" >d.json
        run -1 dmlop validate d.json
        assert_regex "$output" "d.json:$place[0-9]*: error: "
        assert_output --partial "[json.syntax]"
    done <<'T'
{"a": 01}|1:7
{"a": 1.}|1:
{"a" 1}|1:6
{"a": 1|1:8
{"a": "x\\u0000"}|1:
{"a": "\x01"}|1:
{"a": "\xff"}|1:
{} x|1:4
{"a": tru}|1:7
\n|2:1
{\n  "a": [1,,2]}|2:11
T
    printf '{"a": %s%s}' "$(printf '[%.0s' {1..70})" "$(printf ']%.0s' {1..70})" >d.json
    finds "[json.syntax]" d.json
}

@test "accepted spellings: comments, commas, a byte-order mark, names, inline fields, Desc" {
    printf '\357\273\277// a comment\n{ /* one */ "type": "SLICE1", "desc": { %s, %s, }, }\n' "$S" \
        "$W" >d.json
    dmlop validate d.json
    printf '{"Type":"DML_OPERATOR_SLICE1","Desc":{%s,%s}}' "$S" "$W" >d.json
    dmlop validate d.json
    printf '{"type":"SLICE1",%s,%s}' "$S" "$W" >d.json
    dmlop validate d.json
    local more='"DimensionCount":4,"Strides":[],"TotalTensorSizeInBytes":0'
    more+=',"Flags":"DML_TENSOR_FLAG_OWNED_BY_DML","GuaranteedBaseOffsetAlignment":0'
    local full='"InputTensor":{"Type":"DML_TENSOR_TYPE_BUFFER","Desc":{\1,'$more'}}'
    sed 's/"InputTensor":{\([^}]*\)}/'"$full"'/; s/FLOAT32/DML_TENSOR_DATA_TYPE_&/g' \
        <<<'{"type":"SLICE1","desc":{'"$S,$W"'}}' >d.json
    grep -q TENSOR_TYPE_BUFFER d.json
    dmlop validate d.json
    sed 's/"DimensionCount":4,//' <<<'{"type":"SLICE1","desc":{'"$S,$W"'}}' >d.json
    dmlop validate d.json
    sed 's/INCREASING/DML_AXIS_DIRECTION_&/' <<<'{"type":"TOP_K1","desc":{'"$K"'}}' >d.json
    dmlop validate d.json
    sed 's/"BZeroPointTensor":{[^}]*}/"BZeroPointTensor":null/; s/"AZeroPointTensor":{[^}]*},//' \
        <<<'{"type":"QUANTIZED_LINEAR_MATRIX_MULTIPLY","desc":{'"$Q"'}}' >d.json
    dmlop validate d.json
    printf '{"type":"SLICE1","desc":{%s,%s}}' "$S" "$W" | dmlop validate -
}

@test "all findings at once, in text order; lines and columns count characters" {
    cat >d.json <<'J'
{
  "type": "TOP_K1", // é
  "desc": {
    "InputTensor": { "DataType": "FLOAT31", "Sizes": [1, 1, 3, 4] },
	"OutputValueTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 3, 3] },
    /* ééé */ "OutputIndexTensor": { "DataType": "INT32", "Sizes": [1, 1, 3, 2] },
    "Axis": 3, "K": 2, "AxisDirection": "UP"
  }
}
J
    run -1 dmlop validate d.json
    assert_line --index 0 --partial 'd.json:4:34: error: '
    run grep -oE 'd.json:[0-9]+:[0-9]+: error: .*\[[a-z.-]+\]' <<<"$output"
    output=$(sed -E 's/^d.json:([0-9]+:[0-9]+):.*\[(.*)\]/\1 \2/' <<<"$output")
    assert_output "4:34 desc.enum-unknown
5:67 topk.value-sizes
6:50 topk.index-data-type
7:41 topk.axis-direction"
}

@test "--rules lists every rule once; JSON too" {
    run -0 dmlop validate --rules
    assert_output --partial "slice.window-bounds error"
    assert_output --partial "desc.field-unknown warning"
    dmlop validate --rules --format json >rules.json
    py '
r = json.load(open("rules.json"))["rules"]
ids = [x["rule"] for x in r]
assert len(ids) == len(set(ids)) > 40 and all(x["sentence"].endswith(".")
                                              and x["severity"] in ("error", "warning") for x in r)
'
}

@test "the exit status is the worst of several files; unreadable files are 3" {
    cp "$SAMPLES/slice1-ex1.desc.json" ok.json
    echo '{}' >bad.json
    run -1 dmlop validate ok.json bad.json
    run -3 dmlop validate bad.json missing.json ok.json
    assert_output --partial "missing.json"
    assert_output --partial "ok.json: valid"
    run -2 dmlop validate
    run -2 dmlop validate --format xml ok.json
}

@test "control bytes in names and keys are printed escaped" {
    printf '{"type":"SLICE1","desc":{%s,%s,"a\\u001b[31m":1}}' "$S" "$W" >d.json
    run dmlop validate d.json
    assert_output --partial 'a\x1b[31m'
    printf \
        '// \033[31m \302\233 end\n{"type":"slice1","desc":{%s,%s,"a\\u009b31m":1}} // \302\2332J' \
        "$S" "$W" >$'d\033.json'
    run dmlop validate $'d\033.json'
    assert_output --partial 'a\u009b31m'
    assert_output --partial '// ?2J'
    refute_output --partial $'\302\233'
    refute_output --partial $'\033'
    run dmlop validate --fix -o fixed.json $'d\033.json'
    assert_output --partial '--- d\x1b.json'
    assert_output --partial ' // \x1b[31m \u009b end'
    refute_output --partial $'\302\233'
    refute_output --partial $'\033'
    printf '{"resources":{"a\302\233":{"initialValuesDataType":"INT8","initialValues":[1]}},
"dispatchables":{},"commands":[{"type":"print","resource":"a\\u009b"}]}' >m.json
    run dmlop run m.json
    assert_output "Resource 'a\u009b': 1"
}

@test "colour: never in a pipe, always when asked, not with NO_COLOR or a dumb TERM" {
    echo '{}' >d.json
    esc=$(printf '\033[1;31merror')
    run dmlop validate d.json
    refute_output --partial "$esc"
    run dmlop validate --color=always d.json
    assert_output --partial "$esc"
    run dmlop validate --color never d.json
    refute_output --partial "$esc"
    run -2 dmlop validate --color sometimes d.json
    script -qec true /dev/null >/dev/null 2>&1 || skip "no script(1), or no pseudo-terminal"
    TERM=xterm run script -qec "'$DMLOP' validate d.json" /dev/null
    assert_output --partial "$esc"
    TERM=xterm NO_COLOR=1 run script -qec "'$DMLOP' validate d.json" /dev/null
    refute_output --partial "$esc"
    for term in "TERM=dumb" "TERM=" "-u TERM"; do
        run script -qec "env $term '$DMLOP' validate d.json" /dev/null
        refute_output --partial "$esc"
        run script -qec "env $term '$DMLOP' validate --color=always d.json" /dev/null
        assert_output --partial "$esc"
    done
}

@test "the source line with a caret under the value: tabs, UTF-8, long lines, a byte-order mark" {
    printf '\357\273\277{\t"type": "TOP_K1",\n' >d.json
    printf '\t"\303\251": 1, /* \303\251 */\t"K": "two", %s "Axis": 4.5, %s "end": 1 }\n' \
        "/*$(printf 'x%.0s' {1..200})*/" "/*$(printf 'y%.0s' {1..200})*/" >>d.json
    run -1 dmlop validate d.json
    assert_line $'d.json:2:23: error: K is a string, but must be an integer [desc.field-type]'
    assert_output --partial $'\n     2 | \t"\303\251": 1, /* \303\251 */\t"K": "two", /*xxx'
    assert_output --partial $'\n       | \t               \t     ^~~~~\n'
    assert_output --partial $'     2 | ...xxxxx'
    assert_output --partial $'xx*/ "Axis": 4.5, /*yy'
    line=$(grep -A1 '"Axis": 4.5' <<<"$output" | tail -n 1)
    text=$(grep '| \.\.\..*"Axis": 4.5' <<<"$output")
    [ "${text:$(expr index "$line" '^') - 1:3}" = 4.5 ]
    [ "$(awk '{ print length }' <<<"$output" | sort -n | tail -n 1)" -lt 260 ]
}

@test "messages and findings that go to one file keep their order" {
    cd "$ROOT/samples"
    run bash -c '"$DMLOP" validate slice-ex1.desc.json none.json topk-ex1.desc.json 2>&1 | cat'
    assert_equal "${#lines[@]}" 3
    assert_regex "${lines[0]}" '^slice-ex1.desc.json: valid'
    assert_regex "${lines[1]}" '^dmlop: validate: none.json: '
    assert_regex "${lines[2]}" '^topk-ex1.desc.json: valid'
}

@test "SARIF: a file that cannot be read is a notification, and the log is complete" {
    run -3 --separate-stderr dmlop validate --format sarif none.json
    printf '%s\n' "$output" >log.json
    py '
log = json.load(open("log.json"))
(run,) = log["runs"]
(invocation,) = run["invocations"]
assert not invocation["executionSuccessful"] and run["results"] == []
(note,) = invocation["toolExecutionNotifications"]
place = note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
assert note["level"] == "error" and place == "none.json"
'
}
