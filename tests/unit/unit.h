/* What every cmocka test includes, in the order that cmocka.h asks for. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

__attribute__((unused)) static struct CMUnitTest unit_tests[32];
__attribute__((unused)) static size_t unit_count;

/* TEST(name) and a body: a test, one of those that RUN_TESTS runs in the order of the file, after
 * begin and before end. */
#define TEST(test) \
    static void test(void **state); \
    __attribute__((constructor)) static void add_##test(void) \
    { \
        unit_tests[unit_count++] = (struct CMUnitTest)cmocka_unit_test(test); \
    } \
    static void test(void **state)

#define RUN_TESTS(begin, end) cmocka_run_group_tests(unit_tests, begin, end)

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
