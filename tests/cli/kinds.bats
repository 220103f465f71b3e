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
open("w.json", "w", encoding="utf-16-le").write("[[0, 1, 2], [3, 4, 5]]")
open("q.raw", "wb").write(np.arange(6, dtype="<f4").tobytes())
'
    python3() { "$PYTHON" "$@"; }
    while IFS="|" read -r made file; do
        run -3 dmlop info -- "$file"
        output=$(sed -E 's/^.*(with|first|sizes): //
            s/ \(this runs.*//
            s/; then name.*//
            s/TYPE --sizes LIST/float32 --sizes 2,3/
            s/dmlop (convert|info)/"$DMLOP" \1/g' <<<"$output")
        eval "$output"
        run -0 dmlop compare x.npy "$made"
    done <<'T'
n.npy|n.npy.gz
p.npy|p.pkl
./-c d.npy|-c d.pkl
it's.npy|it's.pkl
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
import os, pty, threading, tty
from program import dmlop

for first in b"<html>", b"PK\x03\x04", b"\x1f\x8b", b"[1, 2", b"GIF89a":
    terminal, device = pty.openpty()
    tty.setraw(device)
    bytes_ = first + b"\x01" * 8192
    threading.Thread(target=os.write, args=(terminal, bytes_), daemon=True).start()
    said = dmlop("slice", os.ttyname(device))
    assert said.returncode == 3 and "these are bytes of a device" in said.stderr, (first, said)
'
}

@test "UTF-16 with a byte-order mark says and does what the same text in UTF-8 does" {
    py '
import os
from program import dmlop

broken = open(os.environ["SAMPLES"] + "/broken.json").read()
broken = broken.replace("three mistakes", "3 \u00e9\U0001f600")
texts = {
    "t.json": "[[1, 2],\r\n [3, 4.5]]\r\n",
    "bad.json": "[[1, 2],\r\n [3, \"\u20ac\U0001f600\", x]]", "t.csv": "a,\u00e9\r\n1,2\r\n3,4\r\n",
    "bad.csv": "1,2\n\u20ac\U0001f600,2\n", "long.csv": "1,2\n" * 9999 + "3,x\n",
    "t.txt": "T: (Sizes:{2}, DataType:FLOAT32)\n[1, 2]\n", "broken.json": broken, "empty.json": ""}
commands = [["show"], ["validate"], ["validate", "--format", "json"], ["validate", "--fix"],
            ["run"], ["topk", "-k", "1"], ["slice", "-d"]]

def run(command, data, name):
    open(name, "wb").write(data)
    def one(args, given):
        p = dmlop(*command, *args, input=given, text=False)
        return p.returncode, p.stdout, p.stderr.replace(
            b"; the text was UTF-16, and is written as UTF-8", b""), p.stderr
    both = [one([name], b"")]
    if command != ["slice", "-d"]:
        both.append(one(["-"], data))
    return both

for name, text in texts.items():
    for command in commands:
        want = run(command, b"\xef\xbb\xbf" + text.encode(), name)
        for mark, code in (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"):
            have = run(command, mark + text.encode(code), name)
            for h, w in zip(have, want):
                out = w[1]
                if command[-1] == "--fix":
                    out = out.replace(b"\xef\xbb\xbf", b"")
                    assert h[0] > 1 or b"is written as UTF-8" in h[3], h
                assert (h[0], h[1], h[2]) == (w[0], out, w[2].replace(b"\xef\xbb\xbf", b"")), (
                    name, command, code, h, w)
'
    [ "$(head -c 2 t.csv | od -An -tx1) $("$DMLOP" show t.csv | tail -n 1)" = ' fe ff  [3, 4]]' ]
}

@test "UTF-16 that is damaged is an error with the place" {
    py '
open("odd.json", "wb").write(b"\xff\xfe" + "[\n1".encode("utf-16-le") + b",")
open("high.csv", "wb").write(b"\xfe\xff" + "1,2\n3,".encode("utf-16-be") + b"\xd8\x01\0,")
open("low.json", "wb").write(b"\xff\xfe" + "[\"\u00e9".encode("utf-16-le") + b"\x00\xdc")
open("end.json", "wb").write(b"\xff\xfe" + "[".encode("utf-16-le") + b"\x00\xd8")
'
    while IFS="|" read -r file place what; do
        for command in show validate; do
            refuses 3 "$file: $place: $what" $command "$file"
            refuses 3 "standard input: $place: $what" $command - <"$file"
        done
    done <<'T'
odd.json|line 2, column 2|the second byte of a character of UTF-16 is missing
high.csv|line 2, column 3|the other half of a surrogate pair of UTF-16 is missing
low.json|line 1, column 4|the other half of a surrogate pair of UTF-16 is missing
end.json|line 1, column 2|the other half of a surrogate pair of UTF-16 is missing
T
}
