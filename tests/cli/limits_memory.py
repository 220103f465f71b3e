"""How much memory commands take at most for the files of limits.bats. DMLOP is the program."""
import os

from program import peak

MB = 1 << 20
size = os.path.getsize


A, I, J, Q, T, Z = (size("a.npy"), size("i.npy"), size("i.json"), size("q.npy"), size("t.npy"),
                    8 * MB)
for args, bound in [
    ("slice --index ::2 a.npy -o o.npy", A),
    ("slice --index :,::-1 a.npy -o o.npy", A),
    ("slice --index 5:6 a.npy -o o.npy", 0),
    ("slice --index :,7:8 f.npy -o o.npy", 0),
    ("slice --index :,::2 f.npy -o o.npy", A),
    ("slice --threads 2 t.npy -o o.npy", 2 * T + 6 * MB),
    ("slice --index ::4 --format json a.npy -o o.json", A + A // 4),
    ("slice --timings a.npy -o o.npy", 2 * A),
    ("slice z.npz:a -o o.npy", Z),
    ("slice i.json -o o.npy", 2 * I + J),
    ("topk -k 10 --threads 2 a.npy -o o.npy", A),
    ("topk -k 16384 --threads 2 a.npy -o o.npy --indices x.npy", 3 * A + 32 * 16384 * 2),
    ("topk -k 16777216 --threads 2 l.npy -o o.npy --indices x.npy", 3 * A + 32 * 16 * MB),
    ("qmatmul --threads 2 --a-scale 1 --b-scale 1 --output-scale 99 q.npy q.npy -o o.npy",
     5 * Q + 8 * MB),
    ("show a.npy", 0),
    ("show --all i.npy", I),
    ("show i.json", I + J),
    ("show z.npz:a", Z),
    ("info a.npy", 0),
    ("info --stats a.npy", A),
    ("compare a.npy f.npy", 2 * A),
    ("convert --dtype float64 i.npy -o o.npy", 3 * I),
    ("convert i.npy -o o.json", I),
    ("convert i.json -o o.npy", 2 * I + J),
    ("convert f.npy --sizes -1 -o o.npy", 2 * A),
    ("convert f.npy --permute 1,0 -o o.npy", A),
    ("join a.npy.parts -o o.npy", A),
    ("join k.npy.parts -o o.npy --indices x.npy", 2 * A),
    ("info a.npy.parts k.npy.parts", 0),
    ("make --sizes 16,1024,1024 --random 1", 0),
    ("make --sizes 16,1024,1024 --fill 1 --format json", 0),
    ("make --dtype int8 --sizes 2048,1024 --range=0,0 --format json", 2 * MB),
    ("validate m.json", 18 * size("m.json")),
    ("run m.json", 18 * size("m.json") + 3 * 8 * MB),
    ("validate s.json", 18 * size("s.json")),
    ("validate d.json", 60 * size("d.json")),
    ("validate c.json", 18 * size("c.json")),
    ("validate --max-findings 0 c.json", 18 * size("c.json") + 64 * MB),
    ("validate --fix c.json", 36 * size("c.json") + 64 * MB),
    ("validate b.json", 20 * size("b.json")),
    ("validate --max-findings 0 k.json", 20 * size("k.json") + 64 * MB),
    ("validate n.json", 40 * size("n.json"))]:
    have = peak(args.split())[0]
    assert have <= bound + 32 * MB, (args, have // MB, bound // MB)
assert peak("slice --index 1: - -o o.npy".split(), "a.npy")[0] <= A + 32 * MB
assert peak("show - --edge 1".split(), "a.npy")[0] <= 32 * MB
r, w = os.pipe()
if os.fork() == 0:
    os.close(r)
    with os.fdopen(w, "wb") as f, open("a.npy", "rb") as g:
        f.write(g.read())
    os._exit(0)
os.close(w)
have = peak("slice --index :,1: - -o o.npy".split(), f"/dev/fd/{r}")[0]
assert have <= 36 * MB, have // MB
