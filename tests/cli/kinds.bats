# What kind of file is this: each that dmlop does not read is named, with what would do.
load helper

@test "every kind that is not what is wanted is named, with what would do" {
    golden kinds
}

@test "the commands of messages do what they say" {
    py '
import gzip, pickle

np.save("x.npy", np.arange(6, dtype="f4").reshape(2, 3))
open("n.npy.gz", "wb").write(gzip.compress(open("x.npy", "rb").read()))
for name in "p.pkl", "-c d.pkl", "it\x27s.pkl":
    pickle.dump(np.arange(6, dtype="f4").reshape(2, 3), open(name, "wb"))
open("u.json", "w", encoding="utf-16").write("[[0, 1, 2], [3, 4, 5]]")
open("w.json", "w", encoding="utf-16-le").write("[[0, 1, 2], [3, 4, 5]]")
open("q.raw", "wb").write(np.arange(6, dtype="<f4").tobytes())
'
    python3() { "$PYTHON" "$@"; }
    while IFS="|" read -r made file; do
        run dmlop info -- "$file"
        assert_failure 3
        output=$(sed -E 's/^.*(with|first|sizes): //
            s/ \(this runs.*//
            s/; then name.*//
            s/TYPE --sizes LIST/float32 --sizes 2,3/
            s/dmlop (convert|info)/"$DMLOP" \1/g' <<<"$output")
        eval "$output"
        run dmlop compare x.npy "$made"
        assert_success
    done <<'T'
n.npy|n.npy.gz
p.npy|p.pkl
./-c d.npy|-c d.pkl
it's.npy|it's.pkl
u.utf8.json|u.json
w.utf8.json|w.json
q.npy|q.raw
T
}

@test "4096 bytes tell the kind: the same from a file and a pipe, to the byte" {
    local n command status_of_file
    for n in 4095 4096 4097; do
        { printf '//\0' && head -c $((n - 6)) /dev/zero | tr '\0' c && printf '\n7\n'; } >x
        for command in info show validate "convert --format json"; do
            # shellcheck disable=SC2086 # words
            run "$DMLOP" $command x
            status_of_file=$status
            [ "$n" != 4097 ] || assert_failure 3
            # shellcheck disable=SC2086
            run "$DMLOP" $command - < <(cat x)
            assert_equal "$n $command $status" "$n $command $status_of_file"
        done
    done
}

@test "bytes of a device are a device's, whatever they begin with" {
    needs_terminal
    py '
import os, pty, subprocess, threading, tty

for first in b"<html>", b"PK\x03\x04", b"\x1f\x8b", b"[1, 2", b"GIF89a":
    terminal, device = pty.openpty()
    tty.setraw(device)
    bytes_ = first + b"\x01" * 8192
    threading.Thread(target=os.write, args=(terminal, bytes_), daemon=True).start()
    command = [os.environ["DMLOP"], "slice", os.ttyname(device)]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 3 and "these are bytes of a device" in said.stderr, (first, said)
'
}
