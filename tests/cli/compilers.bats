# The C compilers that can build dmlop.
load helper

@test "a compiler for 32 bits is refused, once and with the reason" {
    command -v cc >/dev/null || skip "no cc here"
    echo '#include "base/util.h"' >x.c
    run ! cc -std=c11 -D_GNU_SOURCE -fsyntax-only -I"$ROOT/src" \
        -U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4 x.c
    local why="it maps files and counts elements beyond 2^32"
    assert_output --partial "dmlop is for 64-bit machines: $why. Use a 64-bit compiler."
    assert_equal "$(grep -c 'error:' <<<"$output")" 1
}
