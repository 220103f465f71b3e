# The manual: every command in an EXAMPLES section runs in the samples folder and prints what the page shows.
load helper

@test "the manual's examples run and print what the pages show" {
    cp -r "$SAMPLES" s
    for page in "$ROOT"/man/*.[1-8]; do
        mandoc -T ascii -O width=120,indent=0 "$page" | sed 's|.\x08||g' >page.txt
        DMLOP=$DMLOP "$PYTHON" - "$page" <<'P'
import os, re, subprocess, sys
lines = open("page.txt").read().split("\n")
start = lines.index("EXAMPLES") if "EXAMPLES" in lines else None
if start is None:
    assert "dmlop-rules" in sys.argv[1], "no EXAMPLES"
    sys.exit()
end = next(i for i in range(start + 1, len(lines)) if lines[i] and not lines[i].startswith(" "))
commands, current = [], None
for line in lines[start + 1:end]:
    if line.strip().startswith("$ "):
        current = [line.strip()[2:], [], len(line) - len(line.lstrip())]
        commands.append(current)
    elif current and current[0].endswith("\\"):
        current[0] = current[0][:-1] + line.strip()
    elif current and line.strip() == "" or current and len(line) - len(line.lstrip()) < current[2]:
        current = None
    elif current:
        current[1].append(line[current[2]:])
assert commands, "no command in EXAMPLES"
for command, shown, _ in commands:
    assert command.startswith("dmlop "), command
    want = int((re.search(r"# exit status (\d+)", command) or [0, 0])[1])
    env = dict(os.environ, PATH=os.path.dirname(os.environ["DMLOP"]) + ":" + os.environ["PATH"])
    r = subprocess.run(command, shell=True, cwd="s", capture_output=True, text=True, env=env)
    assert r.returncode == want, (command, r)
    assert r.stdout == "".join(s + "\n" for s in shown), (command, r.stdout, shown)
P
    done
}

@test "every page is named in dmlop(1), has its sections and is installed" {
    for page in "$ROOT"/man/*.[1-8]; do
        name=$(basename "$page")
        [ "$name" = dmlop.1 ] || grep -q "^\.Xr ${name%.*} ${name##*.}" "$ROOT/man/dmlop.1"
        for section in NAME DESCRIPTION "SEE ALSO"; do grep -qx ".Sh $section" "$page" || fail "$page: no $section"; done
    done
    make -s -C "$ROOT" B="$(dirname "$DMLOP")" -o "$DMLOP" install PREFIX=/usr DESTDIR="$PWD/root" >/dev/null 2>&1 || skip "the binary is not where make builds it"
    assert_file_exist root/usr/bin/dmlop
    [ "$(find root/usr/share/man -type f | wc -l)" = "$(find "$ROOT"/man -type f | wc -l)" ]
    make -s -C "$ROOT" uninstall PREFIX=/usr DESTDIR="$PWD/root"
    [ -z "$(find root -type f)" ]
}

@test "the README's commands run" {
    cp -r "$SAMPLES" s
    cd s
    PATH=$(dirname "$DMLOP"):$PATH
    n=0
    while IFS= read -r command; do
        n=$((n + 1))
        bash -c "$command" >/dev/null || [[ $command == *"# exit status 1"* ]] || fail "$command"
    done < <(sed -n 's/^    \$ //p' "$ROOT/README.md")
    [ "$n" -gt 5 ]
}
