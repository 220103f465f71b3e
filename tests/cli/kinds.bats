# What kind of file is this: each that dmlop does not read is named, with what would do.
load helper

# A file of every kind, as small as tells it.
kinds() {
    mkdir in
    cd in
    py '
import gzip, bz2, lzma, pickle, struct, tarfile, zipfile, io
def put(name, data): open(name, "wb").write(data)
def archive(name, *members):
    with zipfile.ZipFile(name, "w") as z:
        for m in members: z.writestr(m, b"x" * 9)
np.savez("arrays.npz", x=np.zeros(3)); put("copy.zip", open("arrays.npz", "rb").read()); archive("notes.zip", "note.txt"); archive("none.zip")
archive("torch.pt", "torch/data.pkl", "torch/data/0"); archive("table.xlsx", "[Content_Types].xml")
put("old.pt", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.")
for protocol in range(6): pickle.dump([1.5], open("p%d.pkl" % protocol, "wb"), protocol)
put("w.safetensors", struct.pack("<Q", 60) + b"{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}".ljust(60) + bytes(4))
put("model.onnx", b"\x08\x07\x12\x07pytorch\x1a\x051.13."); put("input_0.pb", b"\x08\x02\x08\x03\x10\x01\x4a\x18" + bytes(24))
put("model.gguf", b"GGUF\x03\0\0\0" + bytes(40)); put("model.tflite", b"\x1c\0\0\0TFL3" + bytes(40))
put("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(40)); put("a.mat", b"MATLAB 5.0 MAT-file" + bytes(200))
put("a.parquet", b"PAR1" + bytes(40)); put("a.arrow", b"ARROW1\0\0" + bytes(40))
put("x.npy.gz", gzip.compress(b"hi", mtime=0)); put("x.bz2", bz2.compress(b"hi")); put("x.npy.xz", lzma.compress(b"hi"))
put("x.zst", b"\x28\xb5\x2f\xfd" + bytes(9)); put("x.lz4", b"\x04\x22\x4d\x18" + bytes(9)); put("x.7z", b"7z\xbc\xaf\x27\x1c" + bytes(9))
with tarfile.open("x.tar", "w") as t: t.addfile(tarfile.TarInfo("x"), io.BytesIO())
put("i.png", b"\x89PNG\r\n\x1a\n123"); put("i.jpg", b"\xff\xd8\xff\xe0123"); put("i.gif", b"GIF89a123"); put("i.tif", b"II*\0" + bytes(9))
put("j.tif", b"MM\0*" + bytes(9)); put("i.webp", b"RIFF\x10\0\0\0WEBPVP8 "); put("i.bmp", b"BM\x40\0\0\0\0\0\0\0" + bytes(20))
put("d.pdf", b"%PDF-1.4\n"); put("program", b"\x7fELF\2\1\1" + bytes(20)); put("lfs.npy", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
put("page.npy", b"<!DOCTYPE html>\n<html>"); put("c.csv", b"1,2.5\n-3,nan\n"); put("h.csv", b"a,b\r\n1,2\r\n"); put("s.csv", b"\xef\xbb\xbf1;2\n"); put("t.tsv", b"1\t2\n")
put("savetxt.txt", b"1.0e+00 2\n3 4\n"); put("column.txt", b"1\n2\n"); put("it\x27s a.csv", b"1,2\n"); put("-x.csv", b"1,2\n")
for e in "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be": open(e + ".json", "w", encoding=e).write("[1, 2]")
put("text-be.json", b"\xfe\xff" + "[1]".encode("utf-16-be")); put("empty.npy", b""); put("raw", bytes(range(16))); put("raw.bin", bytes(16)); put("cut.npy", b"\x93NUM")'
}

@test "every kind is named where a tensor is wanted, with a command where there is one, and status 3" {
    kinds
    for f in *; do
        run dmlop slice -o "$T/y.npy" -- "$f"
        assert_failure 3
        echo "$output"
    done >"$T/got.txt"
    diff -u "$ROOT/tests/cli/golden/kinds.txt" "$T/got.txt"
    assert_not_exist "$T/y.npy"
    for command in "info" "info --stats" convert "topk -k 1" "compare c.csv" "qmatmul c.csv --a-scale 1 --b-scale 1 --output-scale 1"; do
        # shellcheck disable=SC2086 # words
        run dmlop $command c.csv
        assert_failure 3
        assert_output --partial "c.csv: this is CSV text, not a .npy or JSON tensor; convert it with: python3 -c 'import sys, numpy; "
    done
}

@test "every kind is named where a descriptor or a model is wanted" {
    kinds
    rm empty.npy cut.npy
    for f in *; do
        run dmlop validate -- "$f"
        assert_failure 3
        echo "$output"
    done >"$T/got.txt"
    diff -u "$ROOT/tests/cli/golden/kinds-validate.txt" "$T/got.txt"
    run dmlop run model.onnx
    assert_failure 3
    assert_output "dmlop: run: model.onnx: this is an ONNX model, not a model file; descriptors and model files are JSON text, see dmlop-descriptor(5)"
    run dmlop validate --format json utf-16.json
    assert_failure 3
    assert_output --partial "iconv -f UTF-16 -t UTF-8 utf-16.json >utf-16.utf8.json"
}

@test "the commands of messages do what they say" {
    py '
import gzip, pickle
np.save("x.npy", np.arange(6, dtype="f4").reshape(2, 3)); open("n.npy.gz", "wb").write(gzip.compress(open("x.npy", "rb").read())); pickle.dump(np.arange(6, dtype="f4").reshape(2, 3), open("p.pkl", "wb"))
open("-c d.csv", "w").write("0,1,2\n3,4,5\n"); open("it\x27s.csv", "w").write("a;b;c\n0;1;2\n3;4;5\n"); open("b.txt", "w", encoding="utf-8-sig").write("0 1 2\n3 4 5\n"); open("u.json", "w", encoding="utf-16").write("[[0, 1, 2], [3, 4, 5]]")
open("w.json", "w", encoding="utf-16-le").write("[[0, 1, 2], [3, 4, 5]]"); open("q.raw", "wb").write(np.arange(6, dtype="<f4").tobytes())'
    python3() { "$PYTHON" "$@"; }
    while IFS="|" read -r made file; do
        run dmlop info -- "$file"
        assert_failure 3
        output=$(sed -E 's/^.*(with|first|sizes): //; s/ \(this runs.*//; s/; then name.*//; s/TYPE --sizes LIST/float32 --sizes 2,3/; s/dmlop (convert|info)/"$DMLOP" \1/g' <<<"$output")
        eval "$output"
        run dmlop compare x.npy "$made"
        assert_success
    done <<'T'
n.npy|n.npy.gz
p.npy|p.pkl
./-c d.npy|-c d.csv
it's.npy|it's.csv
b.npy|b.txt
u.utf8.json|u.json
w.utf8.json|w.json
q.npy|q.raw
T
}

@test "a descriptor or a model given as a tensor, a tensor given as one of these" {
    cp "$SAMPLES"/{slice1-ex2,topk1-ex1,qmatmul-per-row}.desc.json "$SAMPLES/slice.model.json" "$SAMPLES/slice1-ex2.input.npy" "$SAMPLES/slice1-ex2.input.json" .
    echo '[[1, 2], [3, 4]]' >array.json
    echo '{ "$schema": "x", "Type": "DML_OPERATOR_CAST" }' >cast.json
    while IFS='|' read -r arguments message; do
        # shellcheck disable=SC2086 # words
        run dmlop $arguments
        assert_failure 3
        assert_output "dmlop: ${arguments%% *}: ${arguments##* }: $message"
    done <<'T'
slice slice1-ex2.desc.json|this is an operator descriptor, not a tensor; give it with -d, and the tensor as well: dmlop slice -d slice1-ex2.desc.json INPUT
info topk1-ex1.desc.json|this is an operator descriptor, not a tensor; give it with -d, and the tensor as well: dmlop topk -d topk1-ex1.desc.json INPUT
convert qmatmul-per-row.desc.json|this is an operator descriptor, not a tensor; give it with -d, and the tensor as well: dmlop qmatmul -d qmatmul-per-row.desc.json A B
compare slice1-ex2.input.npy slice.model.json|this is a DxDispatch model file, not a tensor; run it with: dmlop run slice.model.json
validate slice1-ex2.input.npy|this is a .npy tensor, not a descriptor or model file; check it against a descriptor with: dmlop validate DESCRIPTOR --bind InputTensor=slice1-ex2.input.npy
validate slice1-ex2.input.json|this is a JSON tensor, not a descriptor or model file; check it against a descriptor with: dmlop validate DESCRIPTOR --bind InputTensor=slice1-ex2.input.json
validate --fix slice1-ex2.input.json|this is a JSON tensor, not a descriptor or model file; check it against a descriptor with: dmlop validate DESCRIPTOR --bind InputTensor=slice1-ex2.input.json
run slice1-ex2.input.npy|this is a .npy tensor, not a model file; in a model a resource's sourcePath names it; what it holds: dmlop info slice1-ex2.input.npy
slice array.json -d slice1-ex2.input.npy|this is a .npy tensor, not a descriptor; give -d a descriptor, and the tensor as an operand; what it holds: dmlop info slice1-ex2.input.npy
T
    run dmlop slice - <slice1-ex2.desc.json
    assert_failure 3
    assert_output "dmlop: slice: standard input: this is an operator descriptor, not a tensor; give it with -d, and the tensor as well: dmlop slice -d FILE INPUT"
}

@test "devices, pipes without an end and folders end at once, with a message" {
    local device="these are bytes of a device, not a .npy or JSON tensor; a test tensor comes from: dmlop make --sizes 2,3 --random 1 -o x.npy"
    for d in /dev/zero /dev/urandom; do
        for command in convert slice info "info --stats"; do
            # shellcheck disable=SC2086 # words
            run timeout 20 "$DMLOP" $command $d
            assert_failure 3
            assert_output "dmlop: ${command%% *}: $d: $device"
        done
        run timeout 20 "$DMLOP" validate $d
        assert_failure 3
        assert_output "dmlop: validate: $d: these are bytes of a device, not a descriptor or model file"
        run timeout 20 "$DMLOP" convert - <$d
        assert_failure 3
        assert_output "dmlop: convert: standard input: $device"
    done
    run dmlop convert /dev/null
    assert_failure 3
    assert_output "dmlop: convert: /dev/null: the file is empty; give a .npy or JSON tensor"
    run bash -c 'yes | timeout 20 "$1" convert -' _ "$DMLOP"
    assert_failure 3
    assert_output "dmlop: convert: standard input: line 1, column 1: expected a tensor: an array of numbers, or an object with DataType, Sizes and Values, found 'y'"
    run bash -c 'yes 1,2 | timeout 20 "$1" convert -' _ "$DMLOP"
    assert_failure 3
    assert_output --partial "standard input: this is CSV text, not a .npy or JSON tensor; convert it with: python3 -c '"
    run bash -c 'cat /dev/zero | timeout 20 "$1" convert -' _ "$DMLOP"
    assert_failure 3
    assert_output --partial "standard input: this is binary data, not a .npy or JSON tensor; if it is raw elements"
    ln -s /dev/zero zero.bin
    run timeout 20 "$DMLOP" convert zero.bin --dtype uint8 --sizes 4 -o y.npy
    assert_failure 3
    assert_output "dmlop: convert: zero.bin: there are more bytes than UINT8 of these --sizes have"
    for command in convert validate run info "slice -d"; do
        # shellcheck disable=SC2086 # words
        run dmlop $command .
        assert_failure 3
        assert_output "dmlop: ${command%% *}: .: is a directory; give a file that is in it"
    done
}
