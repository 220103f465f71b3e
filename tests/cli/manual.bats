# The manual: every command that a page shows runs in the samples folder and prints what the page
# shows below it; the JSON in the pages is what the program reads and writes.
load helper

# show PAGE: its text, plain, without the margin.
show() {
    mandoc -T ascii -O width=120,indent=0 "$1" | sed 's|.\x08||g'
}

@test "the manual's commands run and print what the pages show" {
    for page in "$ROOT"/man/*.[1-8]; do
        rm -rf s && cp -r "$SAMPLES" s
        show "$page" >page.txt
        DMLOP=$DMLOP "$PYTHON" - "$page" <<'P'
import os, re, subprocess, sys
commands, current = [], None
for line in open("page.txt").read().split("\n"):
    indent = len(line) - len(line.lstrip())
    if line.lstrip().startswith("$ "):
        current = [line.lstrip()[2:], [], indent]
        commands.append(current)
    elif current and current[0].endswith("\\"):
        current[0] = current[0][:-1] + line.strip()
    elif current and (not line.strip() or indent < current[2]):
        current = None
    elif current:
        current[1].append(line[current[2]:])
lists = ("dmlop-rules.7", "dmlop-operators.7")
assert commands or os.path.basename(sys.argv[1]) in lists, "no command"
env = dict(os.environ, PATH=os.path.dirname(os.environ["DMLOP"]) + ":" + os.environ["PATH"])
for command, shown, _ in commands:
    assert re.search(r"\bdmlop |^sed ", command), command
    want = int((re.search(r"# exit status (\d+)", command) or [0, 0])[1])
    r = subprocess.run(command, shell=True, cwd="s", capture_output=True, text=True, env=env)
    assert r.returncode == want, (command, r)
    assert r.stdout == "".join(s + "\n" for s in shown), (command, r.stdout, shown)
P
    done
}

@test "the descriptors that the manual shows are valid, one for every operator" {
    show "$ROOT/man/dmlop-descriptor.5" | awk '
        /^ *\{$/ { text = ""; open = 1 }
        open { text = text $0 "\n" }
        open && /^ *\}$/ && length($0) <= margin { print text > (++n ".json") }
        /^ *\{$/ { margin = length($0) }'
    run -0 dmlop validate ./*.json
    refute_output --partial warning
    for op in SLICE SLICE1 TOP_K TOP_K1 QUANTIZED_LINEAR_MATRIX_MULTIPLY; do
        assert_output --partial "valid (DML_OPERATOR_$op,"
    done
}

@test "the timings that the manual shows have the members that are written" {
    dmlop topk -k 1 "$SAMPLES/table.json" -o v.npy --timings=t.json
    show "$ROOT/man/dmlop.1" | sed -n '/"schema": "dmlop.timings/,/"operations"/p' >shown.json
    py '
def shape(v): return {k: shape(x) for k, x in v.items()} if isinstance(v, dict) else type(v)
assert shape(json.load(open("shown.json"))) == shape(json.load(open("t.json")))'
}

@test "every page passes mandoc's lint, is named in dmlop(1), has its sections and is installed" {
    for page in "$ROOT"/man/*.[1-8]; do
        run -0 mandoc -T lint -W warning "$page"
        assert_output ''
        name=$(basename "$page")
        [ "$name" = dmlop.1 ] || grep -q "^\.Xr ${name%.*} ${name##*.}" "$ROOT/man/dmlop.1"
        sections=(NAME DESCRIPTION "SEE ALSO")
        [[ $name != *.1 ]] || sections+=(SYNOPSIS ENVIRONMENT "EXIT STATUS" EXAMPLES)
        for section in "${sections[@]}"; do
            grep -qx ".Sh $section" "$page" || fail "$page: no $section"
        done
    done
    make -s -C "$ROOT" B="$(dirname "$DMLOP")" -o "$DMLOP" install PREFIX=/usr DESTDIR="$PWD/root" \
        >/dev/null 2>&1 || skip "the binary is not where make builds it"
    assert_file_exist root/usr/bin/dmlop
    [ "$(find root/usr/share/man -type f | wc -l)" = "$(find "$ROOT"/man -type f -name '*.[1-9]' |
        wc -l)" ]
    dmlop validate --schema=top_k1 | diff - root/usr/share/dmlop/top_k1.schema.json
    [ "$(find root/usr/share/dmlop -type f | wc -l)" = 7 ]
    diff -r "$SAMPLES" root/usr/share/doc/dmlop/samples
    root/usr/share/doc/dmlop/samples/demo root/usr/bin/dmlop >/dev/null
    dmlop completion bash | diff - root/usr/share/bash-completion/completions/dmlop
    dmlop completion zsh | diff - root/usr/share/zsh/site-functions/_dmlop
    dmlop completion fish | diff - root/usr/share/fish/vendor_completions.d/dmlop.fish
    make -s -C "$ROOT" uninstall PREFIX=/usr DESTDIR="$PWD/root"
    [ -z "$(find root -type f)" ]
    [ ! -e root/usr/share/dmlop ] && [ ! -e root/usr/share/doc/dmlop ]
}

@test "the README's commands run, and print on a terminal what it shows" {
    cp -r "$SAMPLES" s
    PATH=$(dirname "$DMLOP"):$PATH NO_COLOR=1 "$PYTHON" - "$ROOT/README.md" <<'P'
import os, re, subprocess, sys

commands = []  # and what is shown below each
for line in open(sys.argv[1], encoding="utf-8").read().split("\n"):
    if line.startswith(("    $ ", "    > ")):
        commands.append((line[6:], []))
        open_ = True
    elif line.startswith("    ") and commands and open_:
        commands[-1][1].append(line[4:])
    else:
        open_ = False
assert len(commands) > 12

def plain(text):  # times differ
    return re.sub(r"[0-9.]+ ms", "0 ms", text.replace("\r", ""))

for command, shown in commands:
    r = subprocess.run(["script", "-qec", command, "/dev/null"], cwd="s", capture_output=True,
                       text=True, stdin=subprocess.DEVNULL)
    want = int((re.search(r"# exit status (\d+)", command) or [0, 0])[1])
    assert r.returncode == want, (command, r)
    if shown:
        want = "".join(s + "\n" for s in shown)
        assert plain(r.stdout) == plain(want), (command, r.stdout, shown)
P
}

# readme_block LINE: the README's block of code that begins with LINE, without its margin.
readme_block() {
    awk -v first="    $1" '$0 == first { on = 1 } on && !/^    / { exit } on' "$ROOT/README.md" |
        cut -c5-
}

@test "the README's hook lets a commit through if its descriptors and models are valid, else not" {
    command -v git >/dev/null || skip "no git here"
    export PATH=$(dirname "$DMLOP"):$PATH HOME=$PWD GIT_CONFIG_NOSYSTEM=1
    git init -q r && cd r
    git config user.name t && git config user.email t@example.net
    readme_block '#!/bin/sh' >.git/hooks/pre-commit
    chmod +x .git/hooks/pre-commit
    echo '{}' >package.json
    git add . && git commit -qm "no descriptor"
    cp "$SAMPLES"/slice1-ex2.desc.json "$SAMPLES"/qmatmul.model.json "$SAMPLES"/*.npy .
    git add . && git commit -qm valid
    mkdir "a b"
    sed 's/-2, 2/0, 2/' slice1-ex2.desc.json >"a b/wrong.desc.json"
    git commit -q --allow-empty -m "not staged"
    git add . && run git commit -qm wrong
    assert_failure
    assert_output --partial 'a b/wrong.desc.json:10:34: error:'
    git rm -qf "a b/wrong.desc.json" slice1-ex2.desc.json && git commit -qm gone
    git mv qmatmul.model.json b.model.json && git commit -qm renamed
    [ "$(git log --oneline | wc -l)" = 5 ]
}

@test "the README's files for the pre-commit program are descriptors and models" {
    readme_block 'repos:' >hooks.yaml
    files=$(sed -n "s/^ *files: '\(.*\)'$/\1/p" hooks.yaml)
    printf '%s\n' a.desc.json package.json x.desc.json.bak a/b.model.json model.json >names
    run grep -E "$files" names
    assert_output $'a.desc.json\na/b.model.json'
    command -v pre-commit >/dev/null || skip "no pre-commit here"
    export PATH=$(dirname "$DMLOP"):$PATH HOME=$PWD
    git init -q r && cd r
    cp ../hooks.yaml .pre-commit-config.yaml
    cp "$SAMPLES/slice1-ex2.desc.json" .
    git add . && pre-commit run
    sed 's/-2, 2/0, 2/' "$SAMPLES/slice1-ex2.desc.json" >wrong.desc.json
    git add . && run pre-commit run
    assert_failure
    assert_output --partial 'wrong.desc.json:10:34: error:'
}

# NumPy's expressions are evaluated; jq and mlr run if they are here.
@test "the README's table: what NumPy, jq and mlr do, dmlop does" {
    cp "$SAMPLES/slice1-ex2.input.npy" x.npy
    cp "$SAMPLES/slice1-ex2.input.npy" y.npy
    cp "$SAMPLES/table.json" t.json
    printf 'a,b\n1,2\n3,4\n5,6\n' >t.csv
    PATH=$(dirname "$DMLOP"):$PATH README=$ROOT/README.md py '
import os, re, shutil, subprocess

def output(command):
    r = subprocess.run(command, shell=True, capture_output=True, check=True)
    return r.stdout

def numbers(text):
    """In the order of the text; of a JSON tensor its values."""
    text = text.decode()
    return list(map(float, re.findall(r"-?\b\d[\d.]*", text[max(text.find("Values"), 0) :])))

rows = re.findall(r"(?m)^\| `(.+)` \| `(dmlop .+)` \|$", open(os.environ["README"]).read())
assert len(rows) >= 10, rows
x, y = np.load("x.npy"), np.load("y.npy")
for theirs, ours in rows:
    if theirs.startswith(("jq ", "mlr ")):
        got = numbers(output(ours))
        assert got, ours
        if shutil.which(theirs.split()[0]):
            assert got == numbers(output(theirs)), (theirs, ours, got)
        continue
    want = eval(theirs)
    if " -o " in ours and "-o values.npy" not in ours:  # an archive
        wanted = dict(np.load("a.npz"))
        os.remove("a.npz")
        output(ours)
        got = dict(np.load("a.npz"))
        assert got.keys() == wanted.keys() and all((got[k] == wanted[k]).all() for k in got), ours
    elif isinstance(want, bool):
        assert want and output(ours).startswith(b"equal"), ours
    else:
        open("got.npy", "wb").write(output(ours))
        got = np.load("got.npy")
        assert got.shape == want.shape and (got == want).all(), (theirs, ours, got, want)
'
}

@test "the README's links lead to files, and its first commands are make targets" {
    grep -oE '\]\([^)]+\)' "$ROOT/README.md" "$ROOT"/src/README.md "$ROOT"/man/*.md |
        sed -E 's|^(.*):\]\((.*)\)$|\1 \2|' | while read -r file link; do
        [[ $link != http* ]] || continue
        page=$(dirname "$file")/${link%%#*}
        [[ $link != \#* ]] || page=$file
        [ -e "$page" ] || fail "$file: $link"
        [[ $link != *#* ]] || sed -nE 's/^#+ //p' "$page" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-\n_' |
            grep -qx -- "${link#*#}" || fail "$file: $link: no such heading"
    done
    [ "$(grep -c '^    make deps ' "$ROOT/README.md")" = 2 ]
    for target in $(sed 's/dmlop make//g' "$ROOT/README.md" | grep -oE '\bmake [a-z-]+' |
        cut -d' ' -f2 | sort -u); do
        case $target in if | to | or | pkg-config) continue ;; esac
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" "$ROOT/Makefile" || fail "make $target"
    done
}

# Names with capitals and those of its examples are to be made by the reader.
@test "src/README.md names files that exist, and make targets" {
    cd "$ROOT"
    grep -oE '`[A-Za-z0-9_./-]+\.(c|h|inc|json|py|bats|mjs|js|txt)`' src/README.md | tr -d '`' |
        sort -u | grep -vE 'NAME|OPERATION|TWICE|LICENSES|thirteen|twin' >"$T/names"
    [ "$(wc -l <"$T/names")" -gt 80 ]
    find src tests man -type f | sed 's|^|/|' >"$T/files"
    while read -r name; do
        grep -qE "/${name//./\\.}$" "$T/files" || fail "$name"
    done <"$T/names"
    for target in $(grep -oE '`make [a-z-]+[ `]' src/README.md | tr -d '`' | cut -d' ' -f2 |
        sort -u); do
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile || fail "make $target"
    done
}
