# --output-dir: many files by one command.
load helper

inputs() {
    py '
import os
os.mkdir("in")
for i, n in enumerate("abc"):
    np.save("in/%s.npy" % n, np.arange(12, dtype=["f4", "i2", "u1"][i]).reshape(3, 4) * (i + 1))
json.dump([[1, 2], [3, 4]], open("in/d.json", "w"))'
}

@test "slice: each result lies in the folder, made where it is missing, under the input's name" {
    inputs
    run -0 dmlop slice --index ::-1,1 --output-dir out in/a.npy in/b.npy in/c.npy in/d.json
    assert_output ""
    for n in a b c; do
        dmlop slice --index ::-1,1 "in/$n.npy" -o want.npy
        assert_same_file "out/$n.npy" want.npy
    done
    dmlop slice --index ::-1,1 in/d.json -o want.json
    assert_same_file out/d.json want.json
    [ "$(ls -A out)" = "$(printf '%s\n' a.npy b.npy c.npy d.json)" ] || fail "$(ls -A out)"
}

@test "topk: the indices lie beside the values; --format changes the endings" {
    inputs
    dmlop topk -k 2 --output-dir out in/a.npy in/b.npy
    dmlop topk -k 2 in/b.npy -o v.npy --indices i.npy
    assert_same_file out/b.npy v.npy
    assert_same_file out/b.indices.npy i.npy
    dmlop topk -k 2 --format json --output-dir out2 in/a.npy
    dmlop topk -k 2 in/a.npy -o v.json --indices i.json
    assert_same_file out2/a.json v.json
    assert_same_file out2/a.indices.json i.json
}

@test "a descriptor serves all files" {
    mkdir in
    for n in x y; do cp "$SAMPLES/slice1-ex2.input.npy" in/$n.npy; done
    dmlop slice -d "$SAMPLES/slice1-ex2.desc.json" --output-dir out in/x.npy in/y.npy
    dmlop slice -d "$SAMPLES/slice1-ex2.desc.json" in/x.npy -o want.npy
    assert_same_file out/x.npy want.npy
    assert_same_file out/y.npy want.npy
}

@test "a file that fails is reported, the others are done, the exit status is the first failure's" {
    inputs
    echo broken >in/b.npy
    mkdir -p out/c.npy
    run dmlop slice --index :2 --output-dir out in/a.npy in/b.npy in/missing.npy in/c.npy in/d.json
    assert_failure 3
    assert_line --partial "dmlop: slice: in/b.npy: "
    assert_line "dmlop: slice: in/b.npy: failed; nothing was written to 'out/b.npy'"
    assert_line "dmlop: slice: in/missing.npy: cannot open: No such file or directory"
    assert_line "dmlop: slice: in/c.npy: failed; nothing was written to 'out/c.npy'"
    assert_exist out/a.npy
    assert_exist out/d.json
    [ "$(ls -A out)" = "$(printf '%s\n' a.npy c.npy d.json)" ] || fail "$(ls -A out)"
    run -4 dmlop slice --output-dir out in/c.npy in/b.npy
}

@test "outputs of one name are refused before anything is done" {
    inputs
    mkdir other
    cp in/a.npy other/a.npy
    refuses 2 "out/a.npy: two outputs would" slice --output-dir out in/{b,a}.npy other/a.npy
    cp in/a.npy other/b.indices.npy
    refuses 2 "out/b.indices.npy" topk -k 1 --output-dir out in/b.npy other/b.indices.npy
    run -2 dmlop slice --format json --output-dir out in/d.json in/d.npy
    assert_not_exist out
}

@test "what does not go with --output-dir" {
    inputs
    for options in '-o y.npy' '--timings' '--emit-descriptor' '--bind InputTensor=in/a.npy'; do
        # shellcheck disable=SC2086 # words
        refuses 2 "--output-dir cannot be used together" slice $options --output-dir out in/a.npy
    done
    run -2 dmlop slice --output-dir out - <in/a.npy
    run -2 dmlop slice --output-dir out
    run -2 dmlop slice -d - --output-dir out in/a.npy
    run -2 dmlop slice --index nonsense --output-dir out in/a.npy in/b.npy
    assert_equal "${#lines[@]}" 1
    run -2 dmlop slice in/a.npy in/b.npy
    assert_line --partial "too many operands: 'in/b.npy'; many inputs need --output-dir"
    run -2 dmlop qmatmul --output-dir out in/c.npy in/c.npy
    echo >file
    run -4 dmlop slice --output-dir file in/a.npy
}

@test "--no-clobber, and outputs over their own inputs" {
    inputs
    dmlop slice --index :1 --output-dir in in/a.npy in/b.npy
    py 'assert np.load("in/a.npy").shape == (1, 4) and np.load("in/b.npy").shape == (1, 4)'
    run -4 dmlop slice --no-clobber --output-dir in in/a.npy
}

@test "a member of an archive gives a .npy" {
    py 'np.savez("a.npz", x=np.arange(4, dtype="f4"))'
    dmlop info a.npz:x >/dev/null 2>&1 || skip "no libzip"
    dmlop slice --index :2 --output-dir out a.npz:x
    py 'assert np.load("out/a.x.npy").tolist() == [0, 1]'
}

# later TEXT PATH...: refused, with this text, before anything is done.
later() {
    refuses 2 "$1" slice --index :1 --output-dir out "${@:2}"
    [ "$(find out -type f | wc -l)" = 0 ] || fail "something was written"
}

@test "an output that is a later input is refused, whatever path leads to it" {
    inputs
    mkdir out
    ln -s ../in/b.npy out/a.npy
    later "in/b.npy: the output 'out/a.npy' would replace this input before it is read" in/{a,b}.npy
    ln -s in other
    later "other/b.npy: the output 'out/a.npy' would" in/a.npy in/c.npy other/b.npy
    cp in/b.npy want.npy
    dmlop slice --index :1 --output-dir out in/b.npy in/a.npy
    py 'assert np.load("in/b.npy").shape == (1, 4) and np.load("out/b.npy").shape == (1, 4)'
    rm out/*
    ln -sf ../in/c.npy out/a.npy
    ln in/c.npy out/b.npy
    dmlop slice --index :1 --output-dir out in/b.npy in/c.npy
    py 'assert np.load("in/c.npy").shape == (3, 4)'
    rm out/*
    ln -s ../d.json out/x.npy
    cp "$SAMPLES/slice1-ex2.desc.json" d.json
    for n in x y; do cp "$SAMPLES/slice1-ex2.input.npy" in/$n.npy; done
    refuses 2 "d.json: the output 'out/x.npy' would" slice -d d.json --output-dir out in/{x,y}.npy
    cmp d.json "$SAMPLES/slice1-ex2.desc.json"
    dmlop info in/z.npz:a 2>&1 | grep -q libzip && skip "no libzip"
    py 'np.savez("in/z.npz", a=np.arange(4))'
    ln -s ../in/z.npz out/a.npy
    later "in/z.npz:a: the output 'out/a.npy' would" in/a.npy in/z.npz:a
}

@test "two outputs that are one file are refused, also if it is not there yet" {
    inputs
    mkdir out
    ln -s ../in/new.npy out/a.npy
    ln -s ./../in/new.npy out/b.npy
    later "out/b.npy: two outputs would be this file" in/a.npy in/b.npy
    touch in/new.npy
    later "out/b.npy: two outputs would be this file" in/a.npy in/b.npy
    ln -sf /dev/null out/a.npy
    ln -sf /dev/null out/b.npy
    dmlop slice --index :1 --output-dir out in/a.npy in/b.npy
}
