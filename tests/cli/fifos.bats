# FIFOs, which are opened once, in place of files.
load helper

# samples: the inputs of fifos.py.
samples() {
    py '
a = np.arange(16, dtype="i4").reshape(4, 4)
np.save("x.npy", a)
np.save("y.npy", a)
a.tofile("x.dat")
json.dump(a.tolist(), open("x.json", "w"))
np.savetxt("x.csv", a, "%d", ",")
with open("two.npy", "wb") as f:
    np.save(f, a)
    np.save(f, a + 1)
np.save("scale.npy", np.full((1, 1, 1, 1), 0.5, "f4"))'
    dmlop show x.npy >x.txt
    cp "$SAMPLES"/slice1-ex2.desc.json s.desc.json
    cp "$SAMPLES"/slice1-ex2.input.npy s.npy
    cp "$SAMPLES"/slice.model.json m.model.json
    cp "$SAMPLES"/qmatmul-per-tensor.a.npy a.npy
    cp "$SAMPLES"/qmatmul-per-tensor.b.npy b.npy
    cp "$SAMPLES"/broken.json .
}

@test "every command reads a FIFO as a file, opens it once, and does not end its writer" {
    samples
    "$PYTHON" "$BATS_TEST_DIRNAME/fifos.py" "${EXPENSIVE:+1}2"
}

@test "show and info do not hang, and the writer is not ended: many times" {
    mkfifo f
    for i in {1..100}; do
        printf '1,2\n' >f &
        run -0 timeout 60 "$DMLOP" "$([ $((i % 2)) = 0 ] && echo show || echo info)" f
        wait $! || fail "the writer was ended"
    done
}

@test "what would open a FIFO twice refuses it: archives, --output-dir's descriptor, joined parts" {
    samples
    dmlop convert x.npy y.npy -o x.npz
    mkfifo f f.npz
    run -3 timeout 60 "$DMLOP" show f.npz:x
    assert_output "dmlop: show: f.npz: an archive is read from a regular file only; save it as one"
    local pipe="its arrays are read from a file, not a pipe or standard input: give FILE:"
    local what="this is a .npz archive, not a .npy or JSON tensor"
    for command in show info "slice --index 0" "convert -o -" "show --array x"; do
        cat x.npz >f.npz &
        # shellcheck disable=SC2086 # words
        run -3 timeout 60 "$DMLOP" $command f.npz
        wait $! || fail "the writer was ended"
        assert_output "dmlop: ${command%% *}: f.npz: $what; ${pipe}NAME"
    done
    run -3 bash -c '{ "$DMLOP" show -:x || "$DMLOP" show --array x -; } <x.npz
        cat x.npz | "$DMLOP" show --array x -'
    assert_equal "$(uniq <<<"$output")" "dmlop: show: -:x: $what; ${pipe}x"
    run -3 bash -c 'cat x.npz | "$DMLOP" show -; "$DMLOP" show - <x.npz'
    assert_equal "$(uniq <<<"$output")" "dmlop: show: standard input: $what; ${pipe}NAME"
    run -2 timeout 60 "$DMLOP" slice -d f s.npy s.npy --output-dir out
    assert_output --partial "reads the descriptor again for every input; give a file to -d"
    run -3 timeout 60 "$DMLOP" join f -o z.npy
    assert_line --index 0 "dmlop: join: f: is not a regular file"
    cat two.npy >f &
    run -3 timeout 60 "$DMLOP" show f
    assert_output --partial "read the first as -:0"
    mkfifo f.npy
    cat two.npy >f.npy &
    run -3 timeout 60 "$DMLOP" show f.npy
    assert_output --partial "read the first as f.npy:0, the next as f.npy:1"
}

@test "compare reads no pipe again: a type that only the other file names is asked for" {
    py 'np.save("x.npy", np.array([2**31 - 1, 5], "i4"))'
    echo '[2147483647, 5]' >x.json
    run -0 bash -c '"$DMLOP" compare - x.npy <x.json'
    run -0 bash -c '"$DMLOP" compare <(cat x.json) x.npy'
    run -0 bash -c '"$DMLOP" compare x.npy <(cat x.json)'
    run -0 bash -c '"$DMLOP" compare <(cat x.npy) <(cat x.json)'
    run -3 bash -c '"$DMLOP" compare <(cat x.json) <(cat x.npy)'
    assert_output --partial "the type of its elements is not named; give --dtype INT32"
    run -0 bash -c '"$DMLOP" compare <(cat x.json) <(cat x.npy) --dtype INT32'
}

@test "a FIFO or a link among the files of a part" {
    dmlop make --sizes 6 --range -o x.npy
    dmlop slice x.npy -o y.npy --part 0/1
    part=y.npy.parts/part-00000-of-00001
    cp $part.json was.json
    mv $part.npy was.npy
    mkfifo $part.npy
    for resume in "" --resume; do
        # shellcheck disable=SC2086 # nothing or a word
        run -4 timeout 60 "$DMLOP" slice x.npy -o y.npy --part 0/1 $resume
        assert_output "dmlop: slice: $part.npy: cannot write: it is not a regular file"
        assert_same_file $part.json was.json
    done
    rm $part.npy
    for kind in link fifo; do
        rm $part.json
        [ $kind = fifo ] && mkfifo $part.json || ln -s ../was.json $part.json
        timeout 60 "$DMLOP" slice --index ::-1 x.npy -o y.npy --part 0/1
        [ -f $part.json ] && [ ! -L $part.json ] || fail "$(ls -l y.npy.parts)"
        dmlop join y.npy.parts -o z.npy
        py 'assert (np.load("z.npy") == np.arange(6)[::-1]).all()'
    done
    dmlop slice x.npy -o w.npy --part 0/1
    grep -q '"part": *0' was.json || fail "the target of the link changed"
    rm $part.json
    ln -s ../was.json $part.json
    run -4 dmlop slice x.npy -o y.npy --part 0/1 --no-clobber
    assert_output --partial "already exists"
    [ -L $part.json ] || fail "the link is gone"
}
