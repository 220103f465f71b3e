# dmlop topk: by options and by descriptor, against a stable sort.
load helper

@test "the documentation's examples, TOP_K1 and TOP_K" {
    for e in topk1-ex1 topk1-ex2 topk1-ex3 topk1-ex4 topk-ex1 topk-ex2 topk-ex3; do
        dmlop topk -d "$SAMPLES/$e.desc.json" "$SAMPLES/$e.input.json" -o v.json --indices i.json
        assert_same_file v.json "$SAMPLES/$e.expected-values.json"
        assert_same_file i.json "$SAMPLES/$e.expected-indices.json"
    done
}

@test "random arrays of every type against a stable oracle" {
    "$PYTHON" "$ROOT/tests/cli/topk_random.py"
}

@test "NaN payloads, signed zeros and infinities: order and bits" {
    py '
np.save(
    "a.npy",
    np.array(
        [0x7FC00001, 0x80000000, 0, 0xFF800000, 0x7F800000, 0xFFC12345, 0x3F800000], "u4"
    ).view("f4"),
)
'
    dmlop topk -k all a.npy -o v.npy --indices i.npy
    py '
assert np.load("i.npy").tolist() == [0, 5, 4, 6, 1, 2, 3]
assert np.load("v.npy").view("u4").tolist() == [0x7FC00001, 0xFFC12345, 0x7F800000, 0x3F800000,
                                                0x80000000, 0, 0xFF800000]
'
    dmlop topk -k all --smallest a.npy -o v.npy --indices i.npy
    py 'assert np.load("i.npy").tolist() == [3, 1, 2, 6, 4, 0, 5]'
}

@test "--nan: greatest, or last in both directions; what no descriptor can say" {
    py '
np.save("a.npy", np.array([1, np.nan, -np.inf, np.nan, np.inf, 1], "f4"))
np.save("i.npy", np.array([3, 1, 2]))
'
    dmlop topk -k all --nan last a.npy -o v.npy --indices i.json
    py 'assert json.load(open("i.json"))["Values"] == [4, 0, 5, 2, 1, 3]'
    dmlop topk -k all --nan last --smallest a.npy -o v.npy --indices i.json
    py 'assert json.load(open("i.json"))["Values"] == [2, 0, 5, 4, 1, 3]'
    dmlop topk -k 2 --nan greatest a.npy -o v.npy --indices i.json --emit-descriptor=d.json
    py 'assert json.load(open("i.json"))["Values"] == [1, 3]'
    dmlop topk -k 2 --nan last i.npy -o v.npy # integers have no NaN
    run -2 dmlop topk -k 1 --nan first a.npy
    run -2 dmlop topk --nan last -d "$SAMPLES/topk1-ex1.desc.json" a.npy
    for option in --emit-descriptor --emit-model=m.json; do
        run -2 dmlop topk -k 1 --nan last a.npy "$option"
        both="--nan last and ${option%=*} cannot be used together"
        assert_output --partial "$both: in DirectML NaN is the greatest value"
    done
}

@test "values alone on standard output; indices alone there too" {
    run -0 --separate-stderr dmlop topk -k 1 "$SAMPLES/topk1-ex1.input.json"
    assert_output --partial '"Values": [[[[11],'
    run -0 --separate-stderr dmlop topk -k 1 "$SAMPLES/topk1-ex1.input.json" -o v.npy --indices -
    assert_output --partial '"DataType": "UINT32"'
}

@test "last strips of few columns: as by the reference kernel, with any number of threads" {
    local sizes k axis threads type order
    while read -r sizes k axis threads type order; do
        dmlop make --sizes "$sizes" --random 1 --dtype "$type" -o a.npy
        args=(topk -k "$k" --axis "$axis" "--$order" a.npy)
        dmlop "${args[@]}" --kernel reference --threads 1 -o v.npy --indices i.npy
        for n in ${threads//,/ }; do
            dmlop "${args[@]}" --threads "$n" -o vn.npy --indices in.npy
            assert_same_file vn.npy v.npy
            assert_same_file in.npy i.npy
        done
    done <<'L'
64,129 1 0 1,2,3 float32 largest
3,64,193 1 1 4 float32 largest
64,449 1 0 8 float32 largest
39,258 1 0 5,7,8,16 float32 largest
34,1537 1 0 7,8,14 uint8 smallest
64,64513 1 0 1,2 float32 largest
L
}

@test "an input of gigabytes takes memory for K, threads and outputs alone" {
    [ -z "${RUNNER:-}" ] || skip "what a program is run by takes memory, too"
    sanitized && skip "sanitizers take memory of their own"
    expensive
    # Holes in a file: 2.5 GB that take no room. RLIMIT_DATA counts what a process allocates, not
    # files it maps.
    py 'n = 640 * 10**6
a = np.lib.format.open_memmap("big.npy", "w+", "f4", (1, n))
a[0, [5, n // 2 - 1, n // 2, n - 1]] = [1, 3, 3, 2]'
    run -0 bash -c \
        "ulimit -d 100000 && exec '$DMLOP' topk -k 6 --threads 2 -o v.npy --indices i.npy big.npy"
    py 'n = 640 * 10**6
assert np.load("v.npy").tolist() == [[3, 3, 2, 1, 0, 0]]
assert np.load("i.npy").tolist() == [[n // 2 - 1, n // 2, n - 1, 5, 0, 1]]'
    run bash -c "ulimit -d 100000 && exec '$DMLOP' topk -k 1 --axis 0 --threads 2 -o v.npy big.npy"
    assert_failure 4 # the output is as large
}
