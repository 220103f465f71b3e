# Loaded by every .bats file. DMLOP names the binary; each test runs in an
# empty folder of its own, $T, which is also the current one.

bats_require_minimum_version 1.5.0
# The libraries' own load.bash starts a process for each of their files: together as long as a
# short test.
for part in "${BATS_LIB_PATH%%:*}"/bats-{support,assert,file}/src/*.bash; do
    source "$part"
done

ROOT=${BATS_TEST_DIRNAME%/tests/cli}
export DMLOP=${DMLOP:-$ROOT/build/dmlop}
export PYTHON=${PYTHON:-/usr/bin/python3}
export SAMPLES=$ROOT/samples

setup() {
    T=$BATS_TEST_TMPDIR/t
    mkdir "$T" && cd "$T" || return 1
}

source "$ROOT/tests/cli/session.bash"

# needs_terminal: skips the test where there are no pseudo-terminals.
needs_terminal() {
    "$PYTHON" -c 'import pty; pty.openpty()' 2>/dev/null || skip "no pseudo-terminal here"
}

# golden NAME...: these golden files say what their commands print; see golden.py.
golden() {
    local files=("${@/#/$ROOT/tests/cli/golden/}")
    files=("${files[@]/%/.txt}")
    ! grep -q '^  [EU0-9]*\$ on_terminal' "${files[@]}" || needs_terminal
    run "$PYTHON" "$ROOT/tests/cli/golden.py" "${files[@]}"
    assert_success
}

# assert_same_file A B: byte for byte.
assert_same_file() {
    cmp "$1" "$2" || fail "$1 and $2 differ"
}

# assert_only_files NAME...: nothing but the files named is in the current folder.
assert_only_files() {
    local want have
    want=$(printf '%s\n' "$@" | sort)
    have=$(find . -mindepth 1 -printf '%P\n' | sort)
    [ "$want" = "$have" ] || fail "files here: $have"
}

# lsan: sets LEAKS to the environment that LeakSanitizer works in, or skips the test where it does
# not.
lsan() {
    [ -n "${LEAKS+set}" ] || LEAKS=$("$ROOT/tests/lsan" "$DMLOP") || skip "$LEAKS"
    [ -n "$LEAKS" ] || skip "LeakSanitizer does not work here; tests/lsan $DMLOP says why"
}

# expensive: skips the test unless EXPENSIVE is set: it takes long.
expensive() {
    [ -n "${EXPENSIVE:-}" ] || skip "make check EXPENSIVE=1 runs it"
}

# sanitized: the binary has AddressSanitizer or ThreadSanitizer, linked in or loaded; sanitized a:
# the first of them.
sanitized() {
    nm "$DMLOP" 2>/dev/null | grep -q "__[${1:-at}]san_init"
}

# limited LIMITS ARGS...: dmlop as a user without rights, in the current folder, under limits such
# as NOFILE=3. The binary is opened before, for that user need not be able to reach its folder.
# LIMITED_USER is the user's number, for tests that count processes.
limited() {
    "$PYTHON" - "$@" <<'P'
import os, resource, sys
program = os.open(os.environ["DMLOP"], os.O_RDONLY)
for part in sys.argv[1].split(','):
    if part:
        name, value = part.split('=')
        resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (int(value), int(value)))
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(int(os.environ.get('LIMITED_USER', 65534)))
os.execve(program, [os.environ["DMLOP"], *sys.argv[2:]], os.environ)
P
}

# open_to_all: everybody may write in the test's folder, and come to it from the folder that BATS
# has made for the file.
open_to_all() {
    local d=$T
    while [[ $d == "$BATS_RUN_TMPDIR"/* ]]; do
        chmod a+x "$d"
        d=$(dirname "$d")
    done
    chmod a+x "$BATS_RUN_TMPDIR"
    chmod 777 "$T"
    limited "" --version >/dev/null || skip "no user without rights can run the binary here"
}

# refuses STATUS TEXT COMMAND...: the command ends with the status, says the text, and writes
# nothing.
refuses() {
    run --separate-stderr dmlop "${@:3}"
    [ "$status" = "$1" ] || fail "status $status of: ${*:3}: $stderr"
    [[ $stderr == *"$2"* ]] || fail "${*:3} says: $stderr"
    assert_equal "$output" ""
}

# finds TEXT OPTIONS FILE...: validate finds errors, and says the text.
finds() {
    run -1 dmlop validate "${@:2}"
    assert_output --partial "$1"
}
