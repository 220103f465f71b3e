# Descriptors in C++: validate --cpp, validate --dump-header; see dump.py.
load helper

dump() {
    "$PYTHON" "$ROOT/tests/cli/dump.py" "$@"
}

# windows: sets CXX to the compiler for Windows, whose programs wine runs, or skips the test.
windows() {
    local wine
    CXX=x86_64-w64-mingw32-g++
    command -v "$CXX" >/dev/null || skip "no $CXX: make deps-windows"
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    [ -x "$wine" ] || skip "no wine64: make deps-windows"
    export WINEPREFIX=$T/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' DUMP_RUNNER=$wine
}

# compiler: sets CXX to a C++ compiler that is here, or skips the test. DIRECTML_H needs the one for
# Windows.
compiler() {
    [ -z "${DIRECTML_H:-}" ] || {
        windows
        return
    }
    for CXX in g++ clang++; do
        ! command -v "$CXX" >/dev/null || return 0
    done
    skip "no C++ compiler"
}

@test "what --cpp prints, and what it refuses, whole" {
    golden cpp
}

@test "the example of every operator, from JSON to C++ to a program to JSON; or all descriptors" {
    compiler
    sanitized && skip "the program is the same"
    dump trip ${EXPENSIVE:+--all} "$CXX"
}

@test "the header is valid with the first DirectML.h, or all, and writes its operators only" {
    compiler
    sanitized && skip "the header is the same"
    dump versions ${EXPENSIVE:+--all} "$CXX"
}

@test "the programs of dmlop-dump(7) write what it shows, and validate says the rest" {
    compiler
    sanitized && skip "the program is the same"
    dump stories "$CXX"
}

@test "the same by all compilers, C++11 to C++20, and without exceptions" {
    expensive
    [ -z "${DIRECTML_H:-}" ] || skip "DIRECTML_H is for the compiler for Windows"
    for CXX in g++ clang++; do
        command -v "$CXX" >/dev/null || skip "no $CXX"
    done
    dump trip "g++ -fno-exceptions -fno-rtti" --std=c++11 --std=c++14 --std=c++17 --std=c++20
    dump trip clang++ --std=c++11 --std=c++20
}

@test "the same by the compiler for Windows, under wine" {
    expensive
    windows
    dump trip "$CXX"
}

@test "null pointers, wrong types, counts of 2^32 - 1 and circles of operators, sanitized" {
    expensive
    compiler
    dump hostile "$CXX" ${DIRECTML_H:+--plain}
}
