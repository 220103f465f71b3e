# Descriptors: wrong kinds of values, limits of the rules, and the data bound to them.
load helper

@test "descriptors: values of the wrong kind are named, the rest is checked on" {
    kind() { # EDIT TEXT
        sed -E "$1" "$SAMPLES/slice1-ex2.desc.json" >d.json
        cmp -s d.json "$SAMPLES/slice1-ex2.desc.json" && fail "the edit changes nothing: $1"
        finds "$2" d.json
    }
    kind 's/"DML_OPERATOR_SLICE1"/7/' "[desc.field-type]"
    kind 's/("InputTensor": *\{)/\1 "Type": true,/' \
        "is true, but must be a string, DML_TENSOR_TYPE_BUFFER"
    kind 's/"FLOAT32", "Sizes": \[1, 1, 4, 4\]/32, "Sizes": [1, 1, 4, 4]/' \
        "must be a string that names a data type"
    kind 's/"FLOAT32", "Sizes": \[1, 1, 4, 4\]/"QUATERNION", "Sizes": [1, 1, 4, 4]/' \
        "use one of FLOAT32 FLOAT16"
    kind 's/("InputTensor": *\{)/\1 "Flags": 1,/' "must be a string or an array of strings"
    kind 's/("InputTensor": *\{)/\1 "Flags": ["NONE", 1],/' "must be a string"
    kind 's/("InputTensor": *\{)/\1 "Flags": "NONE | DML_TENSOR_FLAG_OWNED",/' \
        "there is no tensor flag 'DML_TENSOR_FLAG_OWNED'"
    sed -E 's/("OutputTensor": *\{)/\1 "Flags": "NONE | OWNED_BY_DML ",/' \
        "$SAMPLES/slice1-ex2.desc.json" >d.json
    finds "[tensor.flags-output]" d.json
    echo '{ "type": "DML_OPERATOR_SLICE1", "desc": [1] }' >d.json
    finds "must be an object with the operator's fields" d.json
    sed -E 's/("InputTensor": *\{)[^}]*/\1 "Type": "BUFFER", "Desc": 7 /' \
        "$SAMPLES/slice1-ex2.desc.json" >d.json
    finds "must be an object with the tensor's fields" d.json
    sed -E 's/"AxisDirection": *"[^"]*"/"AxisDirection": 1/' "$SAMPLES/topk1-ex4.desc.json" >d.json
    run -1 dmlop validate d.json
    assert_output \
        --partial "a string, DML_AXIS_DIRECTION_INCREASING or DML_AXIS_DIRECTION_DECREASING"
    cp "$SAMPLES/topk1-ex4.input.npy" x.npy
    refuses 1 "use 'dmlop topk'" slice -d "$SAMPLES/topk1-ex4.desc.json" x.npy
}

@test "descriptors: DimensionCount against tensors and arrays, and what the hints say" {
    edit() { # EDIT RULE HINT
        sed -E "$1" "$SAMPLES/slice1-ex2.desc.json" >d.json
        run -1 dmlop validate d.json
        assert_output --partial "[$2]"
        assert_output --partial "$3"
    }
    edit 's/"DimensionCount": *4/"DimensionCount": 3/' slice.dimension-count "hint: use 4"
    edit '/"DimensionCount"/d; s/\[0, 0, 0, 1\]/[0, 0, 1]/' slice.array-length \
        "there are 4 sizes here"
    edit '/"DimensionCount"/d; s/\[1, 1, 2, 2\] \}/[1, 2, 2] }/' slice.dimension-count \
        "OutputTensor has 3 dimensions"
    edit 's/\[0, 0, 0, 1\]/[0, 0, 0, 4]/; s/\[1, 1, 4, 3\]/[1, 1, 4, 0]/' slice.window-empty \
        "an offset of 0 to 3"
    edit 's/\[0, 0, 0, 1\]/[0, 0, 0]/; s/\[1, 1, 4, 3\]/[1, 1, 4, 0]/' slice.window-empty \
        "use 1 or more"
    dmlop validate --fix -o mended.json \
        <(sed 's/"DimensionCount": *4/"DimensionCount": 3/' "$SAMPLES/slice1-ex2.desc.json")
    dmlop validate mended.json
    cat >d.json <<'E'
{"type":"DML_OPERATOR_SLICE","desc":{
  "InputTensor":{"DataType":"INT8","Sizes":[1,1,4,4]},
  "OutputTensor":{"DataType":"INT8","Sizes":[1,1,1,1]},
  "DimensionCount":4,"Offsets":[0,0,0,4],"Sizes":[1,1,1,1],"Strides":[1,1,1,1]}}
E
    finds "use an offset of 0 to 3" d.json
    sed -i 's/"Sizes":\[1,1,1,1\],"Strides"/"Sizes":[1,1,1,0],"Strides"/; s/0,0,0,4/0,0,0,3/' d.json
    finds "give Sizes[3] the output's size, 1" d.json
}

@test "descriptors: the last good value and the first bad one" {
    one='"DataType":"INT8","Sizes":[1,1,1,1]'
    w='"DimensionCount":4,"InputWindowOffsets":[0,0,0,0],
        "InputWindowSizes":[1,1,1,1],"InputWindowStrides":[1,1,1,1]'
    at_limit() { # STATUS RULE INPUT OUTPUT [WINDOW]
        printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{%s},"OutputTensor":{%s},%s}}' \
            "$3" "$4" "${5-$w}" >d.json
        run dmlop validate d.json
        [ "$status" = "$1" ] || fail "status $status: $(cat d.json)
$output"
        [ "$1" = 0 ] || [ "$(grep -c ': error: ' <<<"$output")" = 1 ] ||
            fail "not one error: $output"
        [ "$1" = 0 ] || assert_output --partial "[$2]"
    }
    # 2^32 - 1 elements: 65535 * 65537
    at_limit 0 '' '"DataType":"INT8","Sizes":[1,1,65535,65537]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[1,1,65536,65536]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[1,2,65536,65536]' "$one"
    at_limit 1 tensor.element-count '"DataType":"INT8","Sizes":[65536,65536,65536,65536]' "$one"
    at_limit 0 '' '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":4' \
        '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 1 tensor.base-alignment \
        '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":2' \
        '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 1 tensor.base-alignment \
        '"DataType":"INT32","Sizes":[1,1,1,1],"GuaranteedBaseOffsetAlignment":12' \
        '"DataType":"INT32","Sizes":[1,1,1,1]'
    at_limit 0 '' "$one"',"TotalTensorSizeInBytes":4' "$one"
    at_limit 1 tensor.total-size '"DataType":"INT8","Sizes":[1,1,1,5],"TotalTensorSizeInBytes":4' \
        "$one"
    at_limit 0 '' '"DataType":"INT8","Sizes":[1,1,1,5],"TotalTensorSizeInBytes":8' "$one"
    at_limit 1 tensor.total-size-alignment "$one"',"TotalTensorSizeInBytes":6' "$one"
    # arrays one shorter and one longer than the dimensions are
    for edit in 's/("InputWindowOffsets":\[)0,/\1/' 's/("InputWindowOffsets":\[)/\10,/' \
        's/("InputWindowSizes":\[)1,/\1/' \
        's/("InputWindowSizes":\[)/\11,/' 's/("InputWindowStrides":\[)1,/\1/' \
        's/("InputWindowStrides":\[)/\11,/'; do
        at_limit 1 slice.array-length "$one" "$one" "$(sed -E "$edit" <<<"$w")"
    done
    for n in 3 5; do
        printf '{"type":"DML_OPERATOR_SLICE1","desc":{"InputTensor":{%s},"OutputTensor":{%s},%s}}' \
            "$one" "$one" "${w/Count\":4/Count\":$n}" >d.json
        run -1 dmlop validate d.json
        [ "$(grep -c 'slice.dimension-count' <<<"$output")" = 2 ] || fail "$output"
    done
}

@test "SLICE gives all of Sizes, SLICE1 may give less" {
    for op in SLICE SLICE1; do
        p=; [ $op = SLICE ] || p=InputWindow
        for n in 1 2 3; do
            cat >d.json <<E
{"type":"DML_OPERATOR_$op","desc":{
  "InputTensor":{"DataType":"INT8","Sizes":[4]},
  "OutputTensor":{"DataType":"INT8","Sizes":[$n]},
  "DimensionCount":1,"${p}Offsets":[1],"${p}Sizes":[2],"${p}Strides":[1]}}
E
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

@test "data bound to a descriptor: one element too few, leading sizes, another type of one width" {
    bound() { # STATUS DESCRIPTION-OF-INPUT FILE
        cat >d.json <<E
{"type":"DML_OPERATOR_SLICE1","desc":{
  "InputTensor":{$2},
  "OutputTensor":{"DataType":"FLOAT32","Sizes":[1,1]},
  "DimensionCount":2,
  "InputWindowOffsets":[1,0],"InputWindowSizes":[1,1],"InputWindowStrides":[1,1]}}
E
        run dmlop slice -d d.json "$3" -o out.npy
        [ "$status" = "$1" ] || fail "status $status of $2 with $3: $output"
    }
    py '
np.save("f7.npy", np.arange(7, dtype="f4"))
np.save("f8.npy", np.arange(8, dtype="f4"))
np.save("f24.npy", np.arange(8, dtype="f4").reshape(2, 4))
np.save("f124.npy", np.arange(8, dtype="f4").reshape(1, 2, 4))
np.save("f224.npy", np.arange(16, dtype="f4").reshape(2, 2, 4))
np.save("i24.npy", np.arange(8, dtype="i4").reshape(2, 4))
np.save("f4.npy", np.arange(4, dtype="f4"))
np.save("r8.npy", np.zeros((1,) * 7 + (2,), "f4"))
np.save("r9.npy", np.zeros((1,) * 8 + (2,), "f4"))
np.save("e.npy", np.zeros((0, 2), "f4"))
np.save("t.npy", np.asfortranarray(np.arange(8, dtype="f4").reshape(2, 4)))
'
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
        run -3 dmlop slice --index '...' $f.npy -o out2.npy
    done
    # parameters: one value, or one for each row or column, and nowhere else
    py '
from program import dmlop

np.save("a.npy", np.ones((3, 4), "i1"))
np.save("b.npy", np.ones((4, 5), "i1"))

def status(**parameters):
    args = ["qmatmul", "a.npy", "b.npy", "-o", "c.npy"]
    for name in ("a-scale", "b-scale", "output-scale", "b-zero-point"):
        v = parameters.get(name.replace("-", "_"), "1")
        if not isinstance(v, str):
            np.save(name + ".npy", v)
            v = name + ".npy"
        args += ["--" + name, v]
    return dmlop(*args).returncode

assert status() == 0
for name, n, shapes in (("a_scale", 3, [(3,), (3, 1), (1, 3, 1), (1, 1, 3, 1)]),
                        ("b_scale", 5, [(5,), (1, 5), (1, 1, 5)])):
    for shape in shapes + [(), (1,), (1, 1)]:
        assert status(**{name: np.ones(shape, "f4")}) == 0, (name, shape)
    for shape in [(2,), (4,), (n + 1,), (n, 2), (2, n), (n, 1, 1) if name == "a_scale" else (n, 1),
                  (1, n) if name == "a_scale" else (1, n, 1)]:
        assert status(**{name: np.ones(shape, "f4")}) == 3, (name, shape)
assert status(b_zero_point=np.array([127.0])) == 0 and status(b_zero_point=np.array([128.0])) == 3
assert (status(b_zero_point=np.array([1.5])) == 3 and status(b_zero_point="128") == 3
        and status(b_zero_point="-128") == 0)
assert (status(b_zero_point="-129") == 3 and status(b_zero_point="1.5") == 3
        and status(a_scale="1e39") == 3)
'
    # one number for a tensor of several values
    cat >q.json <<'E'
{"type":"DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY","desc":{
  "ATensor":{"DataType":"INT8","Sizes":[3,4]},
  "AScaleTensor":{"DataType":"FLOAT32","Sizes":[3,1]},
  "BTensor":{"DataType":"INT8","Sizes":[4,5]},
  "BScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},
  "OutputScaleTensor":{"DataType":"FLOAT32","Sizes":[1,1]},
  "OutputTensor":{"DataType":"INT8","Sizes":[3,5]}}}
E
    run -3 dmlop qmatmul -d q.json a.npy b.npy --a-scale 1 --b-scale 1 --output-scale 1 -o c.npy
    assert_output --partial "give a file"
}
