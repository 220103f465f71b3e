# Work of more than a second tells a terminal how far it is.
load helper

# terminal SCRIPT: what a shell's script writes to a terminal, every carriage return as \r.
terminal() {
    set -o pipefail
    on_terminal 80 "$1" | sed 's/\r/\\r/g'
}

# An array of 8 MB that takes a second and a half to come; a million bytes are missing from `cut`.
slow='(head -c 3000000 x.npy; sleep 1.5; tail -c +3000001 x.npy)'
cut='(head -c 3000000 x.npy; sleep 1.5; tail -c +3000001 x.npy 2>/dev/null | head -c 4000000)'

setup_file() {
    export T_FILE=$BATS_FILE_TMPDIR
    py "np.save('$T_FILE/x.npy', np.arange(2000000, dtype='f4').reshape(2000, 1000))"
}

@test "bytes done, rate and time left are shown, and taken away again" {
    needs_terminal
    cp "$T_FILE/x.npy" .
    run -0 terminal "$slow | \"\$DMLOP\" slice --index :,::-1 -o y.npy --no-sync -"
    assert_output \
        --regexp '^\\rdmlop: slice: [0-9.]+ MB of 8.0 MB, [0-9.]+ MB/s, [0-9]+ s left ?\\r'
    assert_output --regexp ' {40}\\r$'
    py 'assert (np.load("y.npy") == np.load("x.npy")[:, ::-1]).all()'
}

@test "--no-progress, quick work and anything but a terminal show nothing" {
    needs_terminal
    cp "$T_FILE/x.npy" .
    run -0 terminal "$slow | \"\$DMLOP\" slice --index :,::-1 --no-progress -o y.npy --no-sync -"
    assert_output ""
    # shellcheck disable=SC2016 # the inner shell expands
    run -0 terminal '"$DMLOP" slice --index :,::-1 -o y.npy --no-sync x.npy'
    assert_output ""
    run -0 bash -c "$slow | \"\$DMLOP\" slice --index :,::-1 -o y.npy --no-sync -"
    assert_output ""
}

@test "a message begins a line of its own" {
    needs_terminal
    cp "$T_FILE/x.npy" .
    run -3 terminal "$cut | \"\$DMLOP\" slice --index :,::-1 -o y.npy -"
    assert_output --regexp \
        '^\\rdmlop: slice: [^\\]* left ?\\r +\\rdmlop: slice: standard input: the data is cut short'
}

@test "threads that compute are watched too" {
    needs_terminal
    cp "$T_FILE/x.npy" .
    for threads in 1 2; do
        options="-k 500 --threads $threads --repeat 100000 -o y.npy --no-sync"
        run -0 terminal "timeout --foreground 3 \"\$DMLOP\" topk $options x.npy; true"
        assert_output \
            --regexp '\\rdmlop: topk: [0-9.]+ [MG]B of 800 GB, [0-9.]+ [MG]B/s, [0-9 hmins]+ left'
    done
}
