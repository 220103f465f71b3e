# Archives that dmlop writes, and folders of files.
load helper

@test "archives in daily use: the only array, --array, compare of all, names without colons" {
    py '
np.savez("one.npz", w=np.arange(6, dtype="f4").reshape(2, 3))
np.savez("two.npz", w=np.ones((2, 3), "f4"), v=np.arange(3))
np.savez("other.npz", w=np.full((2, 3), 2, "f4"), u=np.arange(3))
np.save("x.npy", np.arange(6, dtype="f4").reshape(2, 3))
'
    dmlop info one.npz:w >/dev/null 2>&1 || skip "no libzip"
    dmlop topk -k 1 x.npy -o want.npy
    dmlop topk -k 1 one.npz -o got.npy
    assert_same_file got.npy want.npy
    dmlop compare one.npz x.npy
    dmlop qmatmul --output-dtype int32 <(echo '[[1,2]]') <(echo '[[1],[2]]') --dtype int8 >/dev/null
    refuses 3 "two.npz:NAME or by --array NAME" topk -k 1 two.npz
    refuses 2 "--array w is for FILE.npz" topk -k 1 x.npy --array w
    refuses 3 "there is no 'none' in the archive" topk -k 1 two.npz --array none
    for c in "topk -k 1" "slice --index 1" convert; do
        # shellcheck disable=SC2086 # words
        dmlop $c --array w --output-dir out *.npz
        # shellcheck disable=SC2086
        dmlop $c two.npz:w -o got.npy
        assert_same_file got.npy out/two.npy
        rm -r out
    done
    py "np.savez('deep.npz', **{'a/b': np.arange(3), 'c/b': np.arange(3)})"
    dmlop slice --index :1 --output-dir out two.npz:v two.npz:w one.npz deep.npz:{a,c}/b
    assert_equal "$(ls out)" $'deep.a.b.npy\ndeep.c.b.npy\none.npy\ntwo.v.npy\ntwo.w.npy'
    rm -r out
    assert_equal "$(dmlop show --array v two.npz | tail -1)" "[0, 1, 2]"
    assert_equal "$(dmlop info --array v two.npz | wc -l)" 1
    run -0 dmlop compare two.npz two.npz
    assert_output $'w: equal: 6 elements of {2,3}\nv: equal: 3 elements of {3}'
    run -1 dmlop compare two.npz other.npz
    assert_line --index 0 "w: 6 of 6 elements of {2,3} differ"
    assert_line "v: only in A"
    assert_line "u: only in B"
    run -1 dmlop compare --format json two.npz other.npz
    echo "$output" | py 'import json, sys
d = json.load(sys.stdin)
assert not d["equal"] and [a["array"] for a in d["arrays"]] == ["w", "v", "u"], d
assert d["arrays"][0]["differ"] == 6 and d["arrays"][1]["only"] == "a", d'
    dmlop compare --array w two.npz other.npz --atol 1
    run -1 dmlop compare -q two.npz other.npz
    assert_output ""
    dmlop slice x.npy --emit-descriptor=d.json
    dmlop validate d.json --bind InputTensor=two.npz --array w
    refuses 3 "or by --array NAME" validate -q d.json --bind InputTensor=two.npz
    dmlop convert one.npz other.npz --array w -o all.npz
    dmlop compare all.npz:one one.npz
}

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
import zipfile
from program import dmlop

np.savez("x.npz", a=np.arange(3))
with zipfile.ZipFile("x.npz", "a") as z: z.comment = b"a comment"
b = open("x.npz", "rb").read()
for n in [*range(4, len(b) - 9, 3), *range(len(b) - 40, len(b) - 9)]:
    open("cut.npz", "wb").write(b[:n])
    p = dmlop("info", "cut.npz")
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
    dmlop make --dtype int64 --sizes 6 --range -o a.npy
    refuses 2 "is not a file named .npy" slice a.npy --part 0/2 -o x.npz
    dmlop slice a.npy --part 0/1 -o y.npy
    refuses 2 "join writes .npy; 'dmlop convert' makes other formats" join y.npy.parts -o y.npz
    dmlop convert y.npy.parts/part-00000-of-00001.npy a.npy -o z.npz
    py 'assert sorted(np.load("z.npz")) == ["a", "part-00000-of-00001"]'
}

@test "info --nan: the first in row-major order, of every order, type and length" {
    "$PYTHON" "$ROOT/tests/cli/info_places.py"
}
