# Sets of parts that are damaged, mixed, large or named as outputs: nothing is lost or misread.
load helper

# three: x.npy {3,4} and the three parts of its reverse in y.npy.parts.
three() {
    py 'np.save("x.npy", np.arange(12, dtype="i4").reshape(3, 4))'
    for i in 0 1 2; do dmlop slice --index ::-1 x.npy -o y.npy --part $i/3; done
}

# damage I: changes one byte of the data of part I of 3.
damage() {
    printf '\7' |
        dd of="y.npy.parts/part-0000$1-of-00003.npy" bs=1 seek=129 conv=notrunc status=none
}

# refuses FOLDER COMMAND...: the command names a file of the folder as an output; status 2, and
# nothing in the current folder has changed.
refuses() {
    rm -rf "$T.before"
    cp -r . "$T.before"
    run -2 dmlop "${@:2}"
    assert_output --partial "belongs to the parts in $1; give another file"
    assert_equal "${#lines[@]}" 1
    diff -r "$T.before" .
}

@test "join does not write over a part, whatever the output's name" {
    py 'np.save("x.npy", np.arange(12, dtype="i4").reshape(3, 4))'
    for i in 0 1; do dmlop topk -k 2 x.npy -o y.npy --part $i/2; done
    data=y.npy.parts/part-00000-of-00002
    ln -s $data.npy link.npy
    ln -s y.npy.parts alias
    ln $data.indices.npy hard.npy
    for remove in "" --remove; do
        for to in $data.npy ./y.npy.parts//part-00001-of-00002.npy link.npy hard.npy \
            alias/part-00000-of-00002.indices.npy; do
            # shellcheck disable=SC2086 # nothing or a word
            refuses y.npy.parts join $remove y.npy.parts -o $to
            # shellcheck disable=SC2086
            refuses y.npy.parts join $remove y.npy.parts -o z.npy --indices $to
        done
        # shellcheck disable=SC2086
        refuses y.npy.parts join $remove y.npy.parts -o z.npy --timings=$data.json
        # shellcheck disable=SC2086
        refuses y.npy.parts join $remove y.npy.parts/*.json -o $data.npy
    done
    cp -r y.npy.parts before
    # not the shell's fault: >> and <> keep what is in the file
    run -2 bash -c "exec \"\$DMLOP\" join y.npy.parts -o - >>$data.npy"
    run -2 bash -c "exec \"\$DMLOP\" join y.npy.parts -o /dev/fd/7 7<>$data.npy"
    diff -r before y.npy.parts
    ln -s $data.npy y.npy # the default output
    refuses y.npy.parts join --remove y.npy.parts
    rm y.npy
    mkdir records
    cp $data.json records/first.json
    cp $data*.npy records
    cp y.npy.parts/*1-of* records
    refuses records join records/first.json records/*1-of*.json -o z.npy \
        --timings=records/first.json
    dmlop join --remove y.npy.parts -o y.npy.parts/whole.npy # in the folder, but not a part
    assert_equal "$(ls y.npy.parts)" whole.npy
}

@test "an operator or convert does not write over a part that it reads" {
    three
    part=y.npy.parts/part-00000-of-00003
    ln -s $part.npy link.npy
    mkdir z.npy.parts
    ln -s ../$part.npy z.npy.parts/part-00001-of-00002.npy
    for to in $part.npy link.npy; do
        refuses y.npy.parts slice y.npy.parts -o $to
        refuses y.npy.parts topk -k 1 y.npy.parts -o z.npy --indices $to
        refuses y.npy.parts convert y.npy.parts -o $to
    done
    refuses y.npy.parts slice y.npy.parts -o z.npy --emit-descriptor=$part.json
    refuses y.npy.parts slice y.npy.parts -o z.npy --timings=$part.json
    refuses y.npy.parts slice y.npy.parts -o z.npy --part 1/2
    refuses y.npy.parts slice -d <(dmlop slice x.npy --emit-descriptor) \
        --bind InputTensor=y.npy.parts -o $part.npy
    dmlop slice --index ::-1 x.npy -o y.npy --part 1/3 --timings=t.json
    refuses y.npy.parts slice --index ::-1 x.npy -o y.npy --part 1/3 --timings=$part.json
    refuses y.npy.parts slice $part.npy -o y.npy --part 0/1
    dmlop slice y.npy.parts -o y.npy.parts/whole.npy
    dmlop slice x.npy -o x.npy # one file is replaced when all is read
}

@test "--output-dir does not write over a part of a later input" {
    three
    cp y.npy.parts/part-00000-of-00003.npy .
    refuses y.npy.parts slice part-00000-of-00003.npy y.npy.parts --output-dir y.npy.parts
    mkdir out
    ln -s ../y.npy.parts/part-00000-of-00003.npy out/x.npy
    refuses y.npy.parts topk -k 1 x.npy y.npy.parts --output-dir out
}
