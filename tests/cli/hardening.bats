# What the linker and the compiler were asked for is in the binary.

load helper

setup() {
    command -v readelf >/dev/null || skip "no readelf here"
    if readelf -sW "$DMLOP" | grep -qE '__(asan|ubsan|tsan|msan)_|__llvm_profile|__gcov_'; then
        skip "an instrumented build, not one to hand out"
    fi
}

@test "the program is position independent" {
    run readelf -hdW "$DMLOP"
    assert_line --regexp 'Type: *DYN'
    assert_line --regexp '\(FLAGS_1\).*PIE'
}

@test "relocations are done at the start and made read-only" {
    run readelf -ldW "$DMLOP"
    assert_line --regexp '^ *GNU_RELRO'
    assert_line --regexp '\(FLAGS_1\).*NOW'
}

@test "neither the stack nor a writable segment can be executed" {
    run readelf -lW "$DMLOP"
    assert_line --regexp '^ *GNU_STACK .* RW +0x'
    refute_line --regexp '^ *(LOAD|GNU_STACK) .* RWE'
}

@test "functions with arrays on the stack check it before they return" {
    run readelf --dyn-syms -W "$DMLOP"
    assert_line --regexp ' __stack_chk_fail(@|$)'
}

@test "copies into arrays whose size is known are checked" {
    run readelf --dyn-syms -W "$DMLOP"
    assert_line --regexp ' __(memcpy|memset|snprintf|vsnprintf|read|pread)_chk(@|$)'
}

@test "no path of the machine that built it is searched for libraries" {
    # clang adds the folder of its own libomp
    # shellcheck disable=SC2016
    run bash \
        -c 'readelf -dW "$DMLOP" | grep -E "RPATH|RUNPATH" | grep -v "\[/usr/lib/llvm-[0-9]*/lib\]"'
    assert_output ""
}

@test "no library is loaded but libc, cJSON and the one for threads" {
    run bash -c 'readelf -dW "$DMLOP" | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p" |
        grep -vE "^(libc|libcjson|ld-linux.*|libgomp|libomp[0-9]*)\.so"'
    assert_output ""
}
