# Options with values that they do not take: what is wrong is named, and nothing is written.
load helper

@test "every option with every mode changes something, is refused, or is said to be silent" {
    run -0 "$PYTHON" "$ROOT/tests/cli/pairs.py"
}

@test "-o: a text goes to a file, whole or not at all" {
    py '
np.save("x.npy", np.arange(12, dtype="f4").reshape(3, 4))
np.save("y.npy", np.zeros((3, 4), "f4"))
'
    cp "$SAMPLES/broken.json" .
    local words
    for words in "validate --template=slice" "validate --template=model" "validate --schema=slice" \
        "validate --schema" "validate --rules" "validate --rules --format json" \
        "validate --explain slice.stride-zero" "validate broken.json" \
        "validate --format sarif broken.json absent.json" "info x.npy y.npy" \
        "info --stats --format json x.npy" "show x.npy" "compare x.npy y.npy" \
        "compare --format json x.npy x.npy" "slice --explain 0,1 x.npy" \
        "topk -k 2 --explain 0,1 x.npy" "completion bash" "join --missing 2 none.parts"; do
        # shellcheck disable=SC2086 # words
        run dmlop $words
        expected=$status
        # shellcheck disable=SC2086
        dmlop $words >want 2>messages || true
        # shellcheck disable=SC2086
        run --separate-stderr dmlop $words -o got.txt
        assert_equal "$status" "$expected"
        assert_equal "$output" ""
        assert_equal "$stderr" "$(cat messages)"
        assert_same_file got.txt want
        rm got.txt
    done
    # What is there stays where something is wrong, and no temporary does.
    echo before >got.txt
    refuses 3 "absent.npy" info x.npy absent.npy -o got.txt
    refuses 3 "absent.npy" compare x.npy absent.npy -o got.txt
    refuses 2 "there is no rule" validate --explain slice.none -o got.txt
    refuses 2 "there is none for" validate --template=none -o got.txt
    assert_equal "$(cat got.txt)" before
    # A name that shows a slip is refused, and so is an input.
    refuses 2 "this is text" show x.npy -o y.npy
    refuses 2 "use y.txt" info x.npy -o y.csv
    refuses 2 "broken.json" validate broken.json -o broken.json
    refuses 4 "/dev/full: cannot write" info x.npy -o /dev/full
    refuses 4 "cannot" validate --rules -o none/rules.txt
    refuses 2 "-o and -q cannot be used together" compare -q x.npy y.npy -o got.txt
    cmp broken.json "$SAMPLES/broken.json"
    dmlop show x.npy -o - | grep -q FLOAT32
    dmlop show x.npy -o >(cat >shown)
    assert_only_files x.npy y.npy broken.json want messages got.txt shown
}

@test "options that need or exclude others" {
    dmlop make --sizes 3,4 --range -o x.npy
    refuses 2 "--samples needs --timings" slice x.npy --samples
    refuses 2 "--checksums needs --missing" join --checksums x.npy.parts
    refuses 2 "--skip-lines needs --bind" validate --skip-lines 1 "$SAMPLES/slice1-ex2.desc.json"
    for option in portable relaxed; do
        refuses 2 "no file is checked" validate --rules --$option
        refuses 2 "no file is checked" validate --template=slice --$option
    done
    refuses 2 "no file is checked" validate --schema=slice --format json
    refuses 2 "no file is checked" validate --rules --schema=slice
    refuses 2 "alone computes nothing for --kernel" slice x.npy --emit-model --kernel reference
    refuses 2 "--kernel and --explain cannot" slice x.npy --explain 0,0 --kernel reference
    assert_only_files x.npy
}

@test "raw results, folders, fixes in place" {
    printf '\1\2\3\4' >r.bin
    dmlop slice --raw --dtype uint8 --sizes 4 --index ::-1 r.bin -o half.bin
    assert_equal "$(od -An -tx1 half.bin)" " 04 03 02 01"
    dmlop slice --raw --dtype uint8 --sizes 4 r.bin --format raw | cmp - r.bin
    refuses 3 "topk --nan last" topk -k 1 <(printf '1,\n2,3\n')
    # A folder: its .json, by name; one without any; with others.
    mkdir d none
    cp "$SAMPLES/slice1-ex2.desc.json" d/b.json
    cp "$SAMPLES/slice1-ex1.desc.json" d/a.json
    cp r.bin d
    run -0 dmlop validate d
    assert_output "$(dmlop validate d/a.json d/b.json)"
    refuses 3 "is a directory, without a .json" validate none
    # The title of the page is the operator, and fixed for certain.
    dmlop validate --template=gemm | sed "s/\"DML_OPERATOR_GEMM/\"DML_GEMM_OPERATOR_DESC/" >g.json
    run -1 dmlop validate g.json
    assert_output --partial "did you mean DML_OPERATOR_GEMM?"
    refute_output --partial "2 errors"
    dmlop validate --template=gemm >want.json
    dmlop validate --fix --in-place g.json >diff
    assert_same_file g.json want.json
    grep -q '^+.*DML_OPERATOR_GEMM' diff
    refuses 2 "not standard input" validate --fix --in-place - <g.json
    refuses 2 "--in-place needs --fix" validate --in-place g.json
    refuses 2 "cannot be used together" validate --fix --in-place -o x.json g.json
    # Without -o standard output has the file alone.
    dmlop validate --fix "$SAMPLES/broken.json" >fixed.json 2>messages
    dmlop validate fixed.json
    grep -q '^+++ fixed' messages
    # A model's outputs: the folder is made.
    dmlop run -o made "$SAMPLES/qmatmul.model.json"
    [ -f made/product.npy ]
}

@test "options with values that they do not take" {
    py '
np.save("x.npy", np.arange(12, dtype="f4").reshape(3, 4))
np.save("a.npy", np.zeros((2, 3, 4), "i1"))
np.save("b.npy", np.zeros((3, 4, 5), "i1"))
'
    cp x.npy before.npy
    for option in --index --offsets --sizes --strides --output-sizes; do
        refuses 2 "$option" slice -d "$SAMPLES/slice1-ex2.desc.json" "$option" 1 x.npy
        [ "$option" = --index ] ||
            refuses 2 "--index cannot be used together with" slice --index : "$option" 1,1 x.npy
    done
    refuses 2 "is not a feature level from 1_0 to 6_4" run \
        --feature-level 1_00 "$SAMPLES/slice.model.json"
    refuses 2 "is bound twice" slice -d "$SAMPLES/slice1-ex2.desc.json" --bind InputTensor=x.npy \
        --bind InputTensor=x.npy
    refuses 3 "BTensor.Sizes[0] is 3, but ATensor.Sizes[0] is 2; batches must be equal" \
        qmatmul a.npy b.npy --a-scale 1 --b-scale 1 --output-scale 1
    refuses 2 "option '-o' needs a value" slice x.npy -o
    refuses 2 "no input is given" convert -o y.npy
    refuses 2 "takes one input" convert -o y.npy x.npy x.npy
    refuses 2 "is not a list of at most 32 sizes" convert --sizes 2,x --dtype int8 x.bin -o y.npy
    refuses 2 "there is no type 'float33'" compare --dtype float33 x.npy x.npy
    refuses 2 "there is no type 'float33'" info --dtype float33 x.npy
    # shellcheck disable=SC2046 # words
    refuses 2 "is given more than 32 times" slice $(printf -- \
        '--bind InputTensor=x.npy %.0s' {1..33})
    local other
    other=$(dmlop --version | sed -nE 's/^ *slice .* ([a-z0-9]+) \(not on this processor\).*/\1/p')
    [ -z "$other" ] || refuses 2 "this processor cannot run the kernel '$other'" slice \
        --kernel "$other" --index ::-1 x.npy -o y.npy
    assert_same_file x.npy before.npy
    assert_only_files x.npy before.npy a.npy b.npy
    assert_equal "$(dmlop validate --schema=DML_OPERATOR_SLICE1)" \
        "$(dmlop validate --schema=slice1)"
}

@test "a quote that the shell left in a word gets a hint after an error" {
    dmlop make --sizes 2,3 --range -o x.npy
    hint='cmd does not know single quotes; use double quotes'
    refuses 2 "the shell left a quote in the word '...,: $hint" slice --index "'...," "::-2'" x.npy
    for words in "--index '...,::2' x.npy" "--index='...,::2' x.npy" "'x.npy'"; do
        # shellcheck disable=SC2086 # several words
        run ! dmlop slice $words
        assert_output --partial "$hint"
    done
    run -3 dmlop slice --index "...,::-2" none.npy
    refute_output --partial quote
    run dmlop slice "'x.npy'" -o y.npy
    cp x.npy "'x.npy'"
    run -0 dmlop slice "'x.npy'" -o y.npy
    assert_output ""
}
