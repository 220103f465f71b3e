# The archives of `make release`: what is in them, that the static programs need nothing else, and
# compute and read what the dynamic one does. A build of both takes most of a minute.
load helper

# why_not: why no archives can be made here; nothing where they can be.
why_not() {
    local tool
    if [ -z "${EXPENSIVE:-}" ]; then
        echo "make check EXPENSIVE=1 runs it"
    elif sanitized; then
        echo "archives are not made beside a build with sanitizers"
    elif ! [ "$DMLOP" -ef "$B/dmlop" ] || ! [ -d "$B/obj" ]; then
        echo "the binary is not where make builds it"
    fi
    for tool in {x86_64,aarch64}-linux-gnu-gcc cmake ninja dpkg-source xz; do
        command -v "$tool" >/dev/null || echo "there is no $tool: make deps-release"
    done
}

setup_file() {
    B=$(dirname "$DMLOP")
    WHY_NOT=$(why_not | head -n 1)
    FOLDER=$BATS_FILE_TMPDIR/unpacked
    export B WHY_NOT FOLDER PARTS=$B/release-parts
    [ -z "$WHY_NOT" ] || return 0
    built || return
    mkdir "$FOLDER"
    for archive in "$B"/release/*.tar.xz; do
        tar -C "$FOLDER" -xf "$archive"
    done
    VERSION=$("$DMLOP" --version | sed -n 's/^dmlop //p')
    export VERSION X86=$FOLDER/dmlop-$VERSION-linux-x86_64 ARM=$FOLDER/dmlop-$VERSION-linux-aarch64
}

built() {
    local b=${B#"$ROOT/"} # as make calls itself, for its rules
    make -s -j "$(nproc)" -C "$ROOT" B="$b" -o "$b/dmlop" release >"$BATS_FILE_TMPDIR/log" 2>&1 || {
        cat "$BATS_FILE_TMPDIR/log"
        return 1
    }
}

setup() {
    [ -z "$WHY_NOT" ] || skip "$WHY_NOT"
    T=$BATS_TEST_TMPDIR/t
    mkdir "$T" && cd "$T" || return 1
}

# static: the program for x86-64, where this machine runs it.
static() {
    [ "$(uname -m)" = x86_64 ] || skip "this machine is none of x86-64"
    "$X86/bin/dmlop" "$@"
}

# arm: the program for AArch64, by qemu elsewhere.
arm() {
    [ "$(uname -m)" != aarch64 ] || "$ARM/bin/dmlop" "$@"
    [ "$(uname -m)" = aarch64 ] || qemu-aarch64 "$ARM/bin/dmlop" "$@"
}

needs_arm() {
    [ "$(uname -m)" = aarch64 ] || command -v qemu-aarch64 >/dev/null ||
        skip "no qemu-aarch64: make deps-machines"
}

@test "each archive unpacks into one folder of its name, root's, with its SHA-256 beside it" {
    run -0 ls "$B/release"
    for machine in x86_64 aarch64; do
        name=dmlop-$VERSION-linux-$machine
        assert_line $name.tar.xz
        assert_line $name.tar.xz.sha256
        (cd "$B/release" && sha256sum -c --quiet $name.tar.xz.sha256)
        [ "$(tar -tf "$B/release/$name.tar.xz" | cut -d/ -f1 | sort -u)" = $name ]
        tar --numeric-owner -tvf "$B/release/$name.tar.xz" |
            awk '$2 != "0/0" || $1 !~ /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/ { print; bad = 1 }
                END { exit bad }'
    done
    assert_equal "${#lines[@]}" 4
}

@test "an archive has what make install installs, and notices" {
    readme=$X86/share/doc/dmlop/README.txt
    make -s -C "$ROOT" B="$B" -o "$B/dmlop" install PREFIX= DESTDIR="$T/plain" >/dev/null
    for root in "$X86" "$ARM"; do
        mkdir other
        cp -r "$root"/* other
        rm -r other/share/doc/dmlop/{LICENSE,README.txt,licenses} other/bin
        rm -f plain/bin/dmlop
        diff -r plain/share other/share
        diff "$ROOT/LICENSE" "$root/share/doc/dmlop/LICENSE"
        rm -r other
    done
    folders=$(grep -o '^  bin\|^  share/.*share/[a-z]*\|^  share/[a-z/]*' "$readme")
    for folder in $folders; do
        [ -d "$X86/${folder%,}" ] || fail "README.txt names $folder"
    done
}

@test "an archive has the notices of all libraries that are linked" {
    for machine in x86_64 aarch64; do
        "$ROOT/tests/noticed" "$PARTS/$machine/map" \
            "$FOLDER/dmlop-$VERSION-linux-$machine/share/doc/dmlop/licenses"
    done
    mkdir some
    cp "$X86"/share/doc/dmlop/licenses/* some
    rm some/zlib.txt
    run -1 "$ROOT/tests/noticed" "$PARTS/x86_64/map" some
    assert_output "some has no notice of libz"
}

@test "the programs are static, of any place, for old kernels, without names of this machine" {
    for root in "$X86" "$ARM"; do
        run -0 readelf -ldhn "$root/bin/dmlop"
        [[ $output == *'Type: '*'DYN '* ]]
        [[ $output != *NEEDED* && $output != *INTERP* ]]
        [ "$root" != "$X86" ] || assert_line --partial 'OS: Linux, ABI: 3.2.0'
        [ "$root" != "$ARM" ] || assert_line --partial 'OS: Linux, ABI: 3.7.0'
        run -1 grep -rlF "$ROOT" "$root"
        run -0 readelf -SW "$root/bin/dmlop"
        [[ $output == *.rodata* && $output != *.debug* && $output != *.symtab* ]]
    done
}

@test "the programs select their kernels, and all kernels agree" {
    needs_arm
    static selftest -q
    arm selftest -q
    for program in static arm; do
        run -0 $program --version
        assert_line --index 0 "dmlop $VERSION"
        assert_line 'threads: OpenMP'
    done
    assert_line --regexp 'slice +reference'
}

@test "the static program runs where there is nothing else" {
    [ "$(id -u)" = 0 ] || skip "not root"
    chroot / true 2>/dev/null || skip "there can be no chroot here"
    static --version >/dev/null
    mkdir bare
    cp "$X86/bin/dmlop" "$SAMPLES/slice1-ex2.input.npy" bare
    echo '{"type": "DML_OPERATOR_SLICE1", "日本é": 3, "x" 4}' >bare/x.json
    chroot bare /dmlop selftest -q
    chroot bare /dmlop slice --index ...,::-1 slice1-ex2.input.npy -o y.npy
    "$DMLOP" slice --index ...,::-1 bare/slice1-ex2.input.npy | cmp - bare/y.npy
    for command in 'validate x.json' 'validate --template=slice' 'show y.npy' 'topk -k 2 y.npy' \
        'lsp --help' 'slice --index 9 nothing.npy' 'help topk'; do
        # shellcheck disable=SC2086 # words
        {
            chroot bare /dmlop $command </dev/null >static 2>&1 || echo $? >>static
            env -C bare PATH= "$DMLOP" $command </dev/null >dynamic 2>&1 || echo $? >>dynamic
        }
        diff static dynamic
    done
    find bare -mindepth 1 -printf '%P\n' | sort | xargs >have
    assert_equal "$(<have)" 'dmlop slice1-ex2.input.npy x.json y.npy'
}

@test "the static program runs on a kernel without the system calls of the last ten years" {
    static --version >/dev/null
    old /bin/sh -c : || skip "no seccomp filters here"
    cp "$SAMPLES/slice1-ex2.input.npy" x.npy
    old "$X86/bin/dmlop" selftest -q
    for index in ... ...,::-1 0; do
        rm -f y.npy
        old "$X86/bin/dmlop" slice --index $index x.npy -o y.npy
        "$DMLOP" slice --index $index x.npy | cmp - y.npy
    done
    old "$X86/bin/dmlop" slice --index 0 x.npy -o y.npy # which is there
    old "$SAMPLES/demo" "$X86/bin/dmlop"
    run -3 old "$X86/bin/dmlop" slice --index 9 x.npy -o z.npy
    [ ! -e z.npy ]
}

# old COMMAND...: system calls after those of Linux 3.2 do not exist.
old() {
    "$PYTHON" - "$@" <<'P'
import ctypes, errno, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
LAST = 311  # process_vm_writev
NO_NEW_PRIVS, SECCOMP, FILTER = 38, 22, 2
code = [
    (0x20, 0, 0, 0),  # the call's number
    (0x35, 0, 1, LAST + 1),
    (0x06, 0, 0, 0x50000 | errno.ENOSYS),
    (0x06, 0, 0, 0x7FFF0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(text)))
assert libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(SECCOMP, FILTER, program, 0, 0) == 0
assert libc.syscall(318, None, 0, 0) == -1 and ctypes.get_errno() == errno.ENOSYS  # getrandom
os.execv(sys.argv[1], sys.argv[1:])
P
}

@test "the programs print and write what the dynamic one does" {
    needs_arm
    static --version >/dev/null
    "$ROOT/tests/machines/outputs.bash" "$T/dynamic" "$DMLOP"
    "$ROOT/tests/machines/outputs.bash" "$T/static" "$X86/bin/dmlop"
    diff -r dynamic static
}

@test "the programs read archives of every compression that the dynamic one reads" {
    needs_arm
    py '
import io, zipfile
for name in "STORED DEFLATED BZIP2 LZMA".split():
    with zipfile.ZipFile(name + ".npz", "w", getattr(zipfile, "ZIP_" + name)) as z:
        for member in "ab":
            b = io.BytesIO()
            np.save(b, np.arange(50000, dtype="int32").reshape(100, -1) % 1000 * ord(member))
            z.writestr(member + ".npy", b.getvalue())
'
    for f in *.npz; do
        "$DMLOP" slice --index ::7,::-3 "$f:b" -o want.npy
        for program in static arm; do
            $program slice --index ::7,::-3 "$f:b" -o have.npy
            assert_same_file want.npy have.npy
            $program info "$f" >have
            "$DMLOP" info "$f" | diff - have
        done
    done
}

@test "man and the shells find the manual and the completions beside the program" {
    command -v man >/dev/null || skip "no man here"
    ! man -w dmlop-slice 2>/dev/null || skip "dmlop is installed here"
    PATH=$X86/bin:$PATH run -0 env -u MANPATH man -w dmlop-slice
    assert_output "$X86/share/man/man1/dmlop-slice.1"
}

# Of the objects, those are made anew that could have a name or a time of this machine in them.
@test "the archives are the same, byte for byte, when they are built again" {
    cp -r "$B/release" first
    for machine in x86_64 aarch64; do
        rm -r "$PARTS/$machine"/{dmlop,libdmlop.a,obj/{main.o,base}}
    done
    umask 077
    BATS_FILE_TMPDIR=$T TZ=Asia/Tokyo built
    diff -r first "$B/release"
    (cd "$B/release" && sha256sum -c --quiet ./*.sha256)
}

@test "make release says what is missing, and what installs it" {
    mkdir bin
    for tool in sh cat dirname; do
        ln -s "$(command -v $tool)" bin
    done
    PATH=$T/bin run -1 "$ROOT/tests/libraries" "$T/parts" aarch64-linux-gnu
    assert_output 'make release: there is no aarch64-linux-gnu-gcc; make deps-release installs it'
    PATH=$T/bin run -1 "$ROOT/tests/libraries" "$T/parts" x86_64-w64-mingw32
    assert_output 'make windows: there is no x86_64-w64-mingw32-gcc; make deps-windows installs it'
    [ ! -e parts ]
}
