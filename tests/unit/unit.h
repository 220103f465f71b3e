/* What every cmocka test includes, in the order that cmocka.h asks for. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* As assert_in_range, which cmocka 2 has under other names. */
#define assert_between(value, least, most) \
    unit_between((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), #value, __FILE__, \
                 __LINE__)

static inline void unit_between(uintmax_t value, uintmax_t least, uintmax_t most, const char *text,
                                const char *file, int line)
{
    if (value >= least && value <= most)
        return;
    print_error("%s is %ju, not from %ju to %ju\n", text, value, least, most);
    _fail(file, line);
}
