# Options with values that they do not take: what is wrong is named, and nothing is written.
load helper

@test "options with values that they do not take" {
    py '
np.save("x.npy", np.arange(12, dtype="f4").reshape(3, 4))
np.save("a.npy", np.zeros((2, 3, 4), "i1"))
np.save("b.npy", np.zeros((3, 4, 5), "i1"))
'
    cp x.npy before.npy
    refuses 2 "is not a feature level from 1_0 to 6_4" slice -d "$SAMPLES/slice1-ex2.desc.json" \
        --feature-level 9_9 x.npy
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
    refuses 2 "is not a whole number" topk -k 1 --axis 1.5 x.npy
    refuses 2 "cannot read" slice --index '...1' x.npy
    refuses 2 "option '-o' needs a value" slice x.npy -o
    refuses 2 "no input is given" convert -o y.npy
    refuses 2 "takes one input" convert -o y.npy x.npy x.npy
    refuses 2 "is not a list of at most 32 sizes" convert --sizes 2,x --dtype int8 x.bin -o y.npy
    refuses 2 "there is no type 'float33'" compare --dtype float33 x.npy x.npy
    refuses 2 "there is no type 'float33'" info --dtype float33 x.npy
    refuses 2 "--threads" selftest --threads 0
    # shellcheck disable=SC2046 # words
    refuses 2 "is given more than 32 times" slice $(printf -- \
        '--bind InputTensor=x.npy %.0s' {1..33})
    local other
    other=$(dmlop --version | sed -nE 's/^ *slice .* ([a-z0-9]+) \(not on this processor\).*/\1/p')
    [ -z "$other" ] || refuses 2 "this processor cannot run the kernel '$other'" slice \
        --kernel "$other" --index ::-1 x.npy -o y.npy
    assert_same_file x.npy before.npy
    assert_only_files x.npy before.npy a.npy b.npy
    dmlop selftest -q --threads 2
    assert_equal "$(dmlop validate --schema=DML_OPERATOR_SLICE1)" \
        "$(dmlop validate --schema=slice1)"
}
