# The Debian package: what is in it, what it depends on, lintian, and an installation in a bare
# system.
load helper

# why_not: why no package can be made of the binary under test; nothing where one can be.
why_not() {
    if ! command -v dpkg-shlibdeps >/dev/null; then
        echo "dpkg-dev is not installed"
    elif sanitized; then
        echo "a package is not made of a build with sanitizers"
    elif readelf -d "$DMLOP" | grep -q RUNPATH; then
        echo "clang has the program look for its OpenMP library in a folder of its own"
    elif ! [ "$DMLOP" -ef "$(dirname "$DMLOP")/dmlop" ] || ! [ -d "$(dirname "$DMLOP")/obj" ]; then
        echo "the binary is not where make builds it"
    fi
}

# Builds the package of the binary under test, DEB, in the folder B, once for all tests.
setup_file() {
    WHY_NOT=$(why_not)
    B=$BATS_FILE_TMPDIR/build
    export WHY_NOT B
    [ -z "$WHY_NOT" ] || return 0
    mkdir "$B"
    cp "$DMLOP" "$B/dmlop"
    DEB=$(make -s -C "$ROOT" B="$B" -o "$B/dmlop" deb | tail -n 1)
    export DEB
}

# package: the package is there, or the test is skipped.
package() {
    [ -z "$WHY_NOT" ] || skip "$WHY_NOT"
    assert_equal "$DEB" "$B/$(basename "$DEB")"
}

@test "the package has all that make install installs, compressed as Debian wants it" {
    package
    dpkg-deb -x "$DEB" root
    make -s -C "$ROOT" B="$B" -o "$B/dmlop" install PREFIX=/usr DESTDIR="$T/plain" >/dev/null
    diff <(cd root && find . -type f |
        sed 's/\.gz$//; s|zsh/vendor-completions|zsh/site-functions|' | LC_ALL=C sort |
        grep -v 'dmlop/changelog$\|copyright$\|/lintian/') \
        <(cd plain && find . -type f | LC_ALL=C sort)
    [ -s root/usr/share/doc/dmlop/copyright ]
    diff -r "$SAMPLES" root/usr/share/doc/dmlop/samples
    for page in "$ROOT"/man/*.[1-8]; do
        gzip -dc "root/usr/share/man/man${page##*.}/$(basename "$page").gz" | diff "$page" -
    done
    run root/usr/bin/dmlop --version
    assert_line --index 0 "dmlop $(dpkg-deb -f "$DEB" Version)"
    [ "$(dpkg-deb -f "$DEB" Architecture)" = "$(dpkg --print-architecture)" ]
    dpkg-deb -c "$DEB" | awk '$2 != "root/root" { print; bad = 1 } END { exit bad }'
}

@test "the package has the notices of libraries that are part of the program" {
    package
    dpkg-deb -x "$DEB" root
    while read -r symbol notice words; do
        # of the program as it is linked, with its symbols
        ! nm "$B/dmlop" | grep -q " [TtWw] $symbol$" ||
            grep -q "$words" "root/usr/share/doc/dmlop/$notice" || fail "no notice for $symbol"
    done <<'S'
XXH3_64bits_update xxhash.copyright Yann Collet
GOMP_parallel libgomp.copyright GCC RUNTIME LIBRARY EXCEPTION
cJSON_Parse cjson.copyright Dave Gamble
zip_fopen_index libzip.copyright Dieter Baron
lzma_code xz-utils.copyright public domain
S
    nm "$B/dmlop" | grep -q ' [TtWwU] XXH3_64bits_update'
}

@test "the package depends on the libraries that the program loads, and nothing else" {
    package
    names=$(dpkg-deb -f "$DEB" Depends | sed 's/([^)]*)//g' | tr -d ' ' | tr ',' '\n' | sort)
    # its package's name has its version, which grows
    libzip=$(basename "$(readlink -f "$(cc -print-file-name=libzip.so)")")
    loaded=$({ ldd "$DMLOP" | grep -o '/[^ ]*'; echo "$libzip"; } | xargs -n 1 basename |
        while read -r library; do
            dpkg-query -S "*/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/$library" 2>/dev/null |
                cut -d: -f1
        done | sort -u)
    assert_equal "$names" "$loaded"
    dpkg-deb -f "$DEB" Depends | grep -qE 'libc6 \(>= 2\.[0-9]+\)'
    dpkg-deb -f "$DEB" Depends | grep -qE "libzip[0-9t]+ \(>= [0-9.]+\)"
}

@test "the package is the same, byte for byte, when it is built again" {
    package
    cp "$DEB" first.deb
    make -s -C "$ROOT" B="$B" -o "$B/dmlop" deb >/dev/null
    assert_same_file first.deb "$DEB"
}

@test "lintian has nothing to say of the package" {
    command -v lintian >/dev/null || skip "lintian is not installed"
    package
    run -0 --separate-stderr lintian --display-info --pedantic "$DEB"
    assert_output ''
}

@test "the package installs, runs and is removed in a bare system" {
    command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
    [ "$(id -u)" = 0 ] || skip "not root"
    package
    run -0 "$ROOT/.debian/check" "$T/check" "$DEB"
    [[ $output != *' skipped' ]] || skip "${lines[0]}"
    assert_line --regexp '^[0-9]+ passed, 0 failed$'
    [[ $output != *skipped* ]] || skip "$output"
}
