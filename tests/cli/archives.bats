# Archives that dmlop writes, and folders of files.
load helper

@test "folders, archives, places of NaN, values that differ: what is printed" {
    golden folder transfer
}

@test "archives: NumPy, unzip's checksums and dmlop read what was written; the same bytes again" {
    py '
np.save("a.npy", np.arange(70000, dtype="f4").reshape(7, -1))
np.save("b.npy", np.asfortranarray(np.arange(12, dtype=">i2").reshape(3, 4)))
np.save("\u00e4.npy", np.zeros((0, 3)))
np.save("s.npy", np.float16(2.5))
np.save("q.npy", np.arange(16, dtype="u1").reshape(4, 4))'
    dmlop convert a.npy b.npy ä.npy s.npy -o all.npz
    dmlop slice a.npy --index ::-2,5 -o slice.NPZ
    dmlop topk a.npy -k 3 --index-type uint64 -o topk.npz
    scales=(--a-scale 1 --b-scale 1 --output-scale 64)
    dmlop qmatmul q.npy q.npy "${scales[@]}" -o product.npz
    dmlop make --sizes 3 --range -o make.npz
    "$PYTHON" "$ROOT/tests/cli/archives.py"
    for n in a b ä s; do dmlop compare "$n.npy" "all.npz:$n"; done
    cp all.npz before.npz
    dmlop convert a.npy b.npy ä.npy s.npy -o all.npz --threads 3
    assert_same_file all.npz before.npz
    dmlop slice all.npz:a --index 1 -o all.npz
    py 'assert np.load("all.npz")["output"].shape == (1, 10000)'
}

@test "an archive that ends at any place before its end is cut short" {
    py '
import os, subprocess, zipfile

np.savez("x.npz", a=np.arange(3))
with zipfile.ZipFile("x.npz", "a") as z: z.comment = b"a comment"
b = open("x.npz", "rb").read()
for n in [*range(4, len(b) - 9, 3), *range(len(b) - 40, len(b) - 9)]:
    open("cut.npz", "wb").write(b[:n])
    p = subprocess.run([os.environ["DMLOP"], "info", "cut.npz"], capture_output=True, text=True)
    assert p.returncode == 3 and "cut.npz: the archive is cut short: " in p.stderr, (n, p)'
}

@test "an archive is written as a whole or not at all" {
    py 'np.save("a.npy", np.arange(5)); np.save("b.npy", np.array([np.nan]))'
    refuses 3 "does not fit INT8" convert a.npy b.npy --dtype int8 -o x.npz
    assert_only_files a.npy b.npy
    dmlop convert a.npy -o x.npz
    cp x.npz y.npz
    refuses 3 "" convert a.npy missing.npy -o x.npz
    assert_same_file x.npz y.npz
    refuses 4 "--no-clobber" convert a.npy b.npy --no-clobber -o x.npz
    assert_same_file x.npz y.npz
}

@test "parts do not go into an archive, nor does join write one" {
    py 'np.save("a.npy", np.arange(6))'
    refuses 2 "is not a file named .npy" slice a.npy --part 0/2 -o x.npz
    dmlop slice a.npy --part 0/1 -o y.npy
    refuses 2 "join writes .npy; 'dmlop convert' makes other formats" join y.npy.parts -o y.npz
    dmlop convert y.npy.parts/part-00000-of-00001.npy a.npy -o z.npz
    py 'assert sorted(np.load("z.npz")) == ["a", "part-00000-of-00001"]'
}

@test "info --nan: the first in row-major order, of every order, type and length" {
    "$PYTHON" "$ROOT/tests/cli/info_places.py"
}
