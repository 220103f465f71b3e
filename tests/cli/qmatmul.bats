# dmlop qmatmul: against exact rational arithmetic.
load helper

@test "the worked examples" {
    dmlop qmatmul -d "$SAMPLES/qmatmul-per-tensor.desc.json" --a-scale 0.5 --b-scale 0.25 \
        --output-scale 0.5 \
        "$SAMPLES/qmatmul-per-tensor.a.json" "$SAMPLES/qmatmul-per-tensor.b.npy" -o y.json
    assert_same_file y.json "$SAMPLES/qmatmul-per-tensor.expected.json"
    n=$SAMPLES/qmatmul-per-row
    dmlop qmatmul -d "$n.desc.json" --bind ATensor="$n.a.npy" --bind BTensor="$n.b.json" \
        --bind OutputTensor=y.json \
        --bind AScaleTensor="$n.a-scale.json" --bind AZeroPointTensor="$n.a-zero-point.json" \
        --b-scale "$n.b-scale.npy" --b-zero-point "$n.b-zero-point.npy" \
        --output-scale "$n.output-scale.json" --output-zero-point "$n.output-zero-point.json"
    assert_same_file y.json "$n.expected.json"
}

@test "random products, all signs, scales and zero points, equal exact arithmetic" {
    "$PYTHON" "$ROOT/tests/cli/random_products.py"
}

@test "K beyond the reach of 32-bit sums" {
    py '
np.save("a.npy", np.full((1, 140000), 255, "u1"))
np.save("b.npy", np.full((140000, 1), 255, "u1"))
'
    dmlop qmatmul --a-scale 1 --b-scale 1 --output-scale 50000000 a.npy b.npy -o c.npy
    py 'assert np.load("c.npy").tolist() == [[182]]'   # 140000 * 65025 / 5e7 = 182.07
}

@test "sizes of parameters" {
    a=$SAMPLES/qmatmul-per-tensor.a.json b=$SAMPLES/qmatmul-per-tensor.b.json
    py '
np.save("row.npy", np.ones((1, 2), "f4"))
np.save("half.npy", np.array([0.5, 1], "f8"))
np.save("ones.npy", np.ones((1,) * 9 + (2, 1), "f4"))
'
    run -0 dmlop qmatmul --a-scale ones.npy --b-scale 1 --output-scale 1 "$a" "$b"
    run -3 dmlop qmatmul --a-scale row.npy --b-scale 1 --output-scale 1 "$a" "$b"
    run -0 dmlop qmatmul --a-scale 1 --b-scale row.npy --output-scale half.npy "$a" "$b"
}

@test "a batch of A against one B by a stride of 0" {
    py '
np.save("a.npy", np.arange(12, dtype="u1").reshape(3, 2, 2))
np.save("b.npy", np.array([[1, 2], [3, 4]], "u1"))
'
    cat >d.json <<'J'
{ "type": "QUANTIZED_LINEAR_MATRIX_MULTIPLY", "desc": {
  "ATensor": { "DataType": "UINT8", "Sizes": [1, 3, 2, 2] },
  "AScaleTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 1, 1] },
  "BTensor": { "DataType": "UINT8", "Sizes": [1, 3, 2, 2], "Strides": [4, 0, 2, 1] },
  "BScaleTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 1, 1] },
  "BZeroPointTensor": null,
  "OutputScaleTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 1, 1] },
  "OutputTensor": { "DataType": "UINT8", "Sizes": [1, 3, 2, 2] } } }
J
    dmlop qmatmul -d d.json --a-scale 1 --b-scale 1 --output-scale 1 a.npy b.npy -o c.npy
    py 'assert (np.load("c.npy")[0] == np.arange(12).reshape(3, 2, 2) @ [[1, 2], [3, 4]]).all()'
}

@test "numbers as people write them; anything else is a path" {
    a=$SAMPLES/qmatmul-per-tensor.a.json b=$SAMPLES/qmatmul-per-tensor.b.json
    for half in .5 +0.5 5e-1 0.50 +.5 5.e-1; do
        dmlop qmatmul --a-scale "$half" --b-scale .25 --output-scale "$half" \
            --b-zero-point +0. "$a" "$b" -o y.json
        assert_same_file y.json "$SAMPLES/qmatmul-per-tensor.expected.json"
    done
    for path in . 5y - 0y10 1/2/three; do
        run -3 dmlop qmatmul --a-scale="$path" --b-scale 1 --output-scale 1 "$a" "$b" </dev/null
        refute_output --partial "nor a list"
    done
    for number in 5x 1..2 +-1 --1 1/2/3 50% '' '[ ]'; do
        run -2 dmlop qmatmul --a-scale="$number" --b-scale 1 --output-scale 1 "$a" "$b"
        assert_output --partial "'$number' is neither a file, a number nor a list"
    done
}

@test "scales in a buffer: what Strides do not reach does not count" {
    sed '/"AScaleTensor"/s/"Sizes": *\[1, *1, *1, *1\]/&, "Strides": [1, 1, 1, 1]/' \
        "$SAMPLES"/qmatmul-per-tensor.desc.json >d.json
    grep -q '"AScaleTensor".*"Strides"' d.json
    py '
np.save("rest.npy", np.array([0.5, np.inf, np.nan], "f4"))
np.save("first.npy", np.array([np.inf, 0.5], "f4"))
'
    s=(--b-scale 0.25 --output-scale 0.5 "$SAMPLES"/qmatmul-per-tensor.a.npy \
        "$SAMPLES"/qmatmul-per-tensor.b.npy)
    dmlop qmatmul -d d.json --a-scale rest.npy "${s[@]}" -o y.npy
    dmlop qmatmul -d "$SAMPLES"/qmatmul-per-tensor.desc.json --a-scale 0.5 "${s[@]}" -o z.npy
    cmp y.npy z.npy
    run -0 dmlop validate --bind AScaleTensor=rest.npy d.json
    refuses 3 "is inf at index 0" qmatmul -d d.json --a-scale first.npy "${s[@]}"
}

@test "lists of scales and zero points on the command line equal files of them" {
    py '
np.save("a.npy", np.arange(-6, 6, dtype="i1").reshape(2, 6))
np.save("b.npy", np.arange(18, dtype="u1").reshape(6, 3))
np.save("sa.npy", np.array([0.1, 2], "f4"))
np.save("za.npy", np.array([-3, 4], "i1"))
np.save("sb.npy", np.array([0.5, -0.25, 3e-2], "f4"))
np.save("zb.npy", np.array([1, 255, 0], "u1"))
np.save("so.npy", np.array([[7], [0.3]], "f4"))
np.save("zo.npy", np.array([5, -7], "i1"))
'
    dmlop qmatmul a.npy b.npy --a-scale sa.npy --a-zero-point za.npy --b-scale sb.npy \
        --b-zero-point zb.npy --output-scale so.npy --output-zero-point zo.npy -o want.npy \
        --emit-descriptor=d.json
    lists=(a.npy b.npy --a-scale .1,2 --a-zero-point '[-3, 4]' --b-scale '{0.5, -.25, 3e-2}' \
        --b-zero-point '1 255 0' --output-scale ' 7. , +0.3 ' --output-zero-point '(5,-7)')
    dmlop qmatmul "${lists[@]}" -o y.npy --emit-descriptor=e.json
    assert_same_file want.npy y.npy
    assert_same_file d.json e.json
    dmlop qmatmul -d d.json "${lists[@]}" -o y.npy
    assert_same_file want.npy y.npy
    dmlop qmatmul "${lists[@]}" --emit-model=m.json
    dmlop run m.json >run.txt
    py 'assert ", ".join(map(str, np.load("want.npy").reshape(-1))) in open("run.txt").read()'
    dmlop qmatmul a.npy b.npy --a-scale [0.5] --b-scale 1 --output-scale 1 -o y.npy
    dmlop qmatmul a.npy b.npy --a-scale 0.5 --b-scale 1 --output-scale 1 -o z.npy
    assert_same_file y.npy z.npy
}

@test "lists that do not fit, and texts that are none" {
    a=$SAMPLES/qmatmul-per-tensor.a.json b=$SAMPLES/qmatmul-per-tensor.b.json
    says() { # STATUS MESSAGE ARGS
        run --separate-stderr dmlop qmatmul "$a" "$b" --b-scale 1 --output-scale 1 "${@:3}"
        assert_failure "$1"
        assert_equal "$output" ""
        assert_equal "$stderr" "dmlop: qmatmul: $2"
    }
    none="is neither a file, a number nor a list of at most 256 numbers, such as 0.5,0.25"
    for text in 1,x '[1,2' '[1,2)' '[[1],[2]]' '{1}{2}' '1,' '1,,2' "$(seq -s, 257)"; do
        says 2 "--a-scale: '$text' $none" --a-scale "$text"
    done
    sizes="AScaleTensor.Sizes are {1,1,3,1}, but there must be one value, or one per row of ATensor"
    use="use {1,1,1,1} or {1,1,2,1}"
    says 3 "--a-scale: $sizes; $use [qmatmul.a-scale-sizes]" --a-scale 1,2,3
    use="use a finite scale that is not 0 [qmatmul.scale-value]"
    says 3 "AScaleTensor in --a-scale is inf at index 1 as FLOAT32; $use" --a-scale 1,1e39
    says 3 "--b-zero-point: 200 is not a value of type INT8; give a whole number -128 to 127" \
        --a-scale 1 --b-zero-point 1,200
    says 3 "--a-scale: 2 numbers, but AScaleTensor is {1,1,1,1}; give 1 or give a file" \
        -d "$SAMPLES"/qmatmul-per-tensor.desc.json --a-scale 1,2
    run -3 dmlop qmatmul "$a" "$b" --a-scale 1 --b-scale 1 --output-scale 2,0
    zero="OutputScaleTensor in --output-scale is 0 at index 1 as FLOAT32"
    assert_output "dmlop: qmatmul: $zero; $use"
    py '
np.save("1,2", np.array([2, 4], "f4"))
np.save("s,t.npy", np.array([2, 4], "f4"))
'
    dmlop qmatmul "$a" "$b" --a-scale ./1,2.npy --b-scale 1 --output-scale 1 -o y.npy
    dmlop qmatmul "$a" "$b" --a-scale s,t.npy --b-scale 1 --output-scale 1 -o z.npy
    assert_same_file y.npy z.npy
    dmlop qmatmul "$a" "$b" --a-scale 1,2.npy --b-scale 1 --output-scale 1 -o z.npy
    assert_same_file y.npy z.npy
}

@test "a list for a tensor with Strides is its buffer" {
    two='"Sizes": [1, 1, 2, 1], "Strides": [3, 3, 2, 1]'
    sed "/\"AScaleTensor\"/s/\"Sizes\": *\[1, *1, *1, *1\]/$two/" \
        "$SAMPLES"/qmatmul-per-tensor.desc.json >d.json
    grep -q '"AScaleTensor".*"Strides"' d.json
    s=(--b-scale 0.25 --output-scale 0.5 "$SAMPLES"/qmatmul-per-tensor.a.npy \
        "$SAMPLES"/qmatmul-per-tensor.b.npy)
    dmlop qmatmul -d d.json --a-scale 0.5,9,1 "${s[@]}" -o y.npy
    dmlop qmatmul --a-scale 0.5,1 "${s[@]}" -o z.npy
    assert_same_file y.npy z.npy
    run -3 dmlop qmatmul -d d.json --a-scale 0.5,1 "${s[@]}"
    two="--a-scale holds 2 elements, but the Sizes and Strides of AScaleTensor reach 3"
    use="bind a file of 3 elements or more, or use smaller strides"
    assert_output "dmlop: qmatmul: $two; $use [bind.buffer-length]"
}

@test "--output-dtype int32: the exact sums equal Python's integers; those that do not fit" {
    "$PYTHON" "$ROOT/tests/cli/exact_sums.py"
}

@test "what is printed of integers as results, whole" {
    golden integers
}
