/* What the unit tests use of cmocka, for a program that cannot jump out of a function: the first
 * check that fails ends it, and a test that skips itself returns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int cmocka_step(void **state);

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    cmocka_step *setup, *teardown;
};

#define cmocka_unit_test(test) \
    { \
#test, test, NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(test, setup, teardown) \
    { \
#test, test, setup, teardown \
    }

#define test_malloc(n) malloc(n)
#define test_free(p)   free(p)

#define print_message(...) fprintf(stderr, __VA_ARGS__)
#define print_error(...)   fprintf(stderr, __VA_ARGS__)

_Noreturn static inline void _fail(const char *file, int line)
{
    fprintf(stderr, "%s:%d: failed\n", file, line);
    exit(1);
}

#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), _fail(__FILE__, __LINE__))

static inline void cmocka_check(bool good, const char *text, const char *file, int line)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", text);
    _fail(file, line);
}

#define CMOCKA_CHECK(good) cmocka_check(good, #good, __FILE__, __LINE__)

static inline void cmocka_equal(uintmax_t a, uintmax_t b, const char *text, const char *file,
                                int line)
{
    if (a == b)
        return;
    fprintf(stderr, "%s: %jd, not %jd\n", text, (intmax_t)a, (intmax_t)b);
    _fail(file, line);
}

static inline void cmocka_strings(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) == 0)
        return;
    fprintf(stderr, "'%s' is not '%s'\n", a, b);
    _fail(file, line);
}

#define assert_true(c)     CMOCKA_CHECK((bool)(c))
#define assert_false(c)    CMOCKA_CHECK(!(c))
#define assert_null(p)     CMOCKA_CHECK((p) == NULL)
#define assert_non_null(p) CMOCKA_CHECK((p) != NULL)
#define assert_int_equal(a, b) \
    cmocka_equal((uintmax_t)(a), (uintmax_t)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)   CMOCKA_CHECK((a) != (b))
#define assert_ptr_equal(a, b)       CMOCKA_CHECK((const void *)(a) == (const void *)(b))
#define assert_string_equal(a, b)    cmocka_strings(a, b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) CMOCKA_CHECK(memcmp(a, b, n) == 0)

#define skip() \
    do { \
        fputs("a test skips itself\n", stderr); \
        return; \
    } while (0)

static inline int cmocka_run(const struct CMUnitTest *tests, size_t n, cmocka_step *begin,
                             cmocka_step *end)
{
    void *group = NULL;

    if (begin && begin(&group))
        return 1;
    for (const struct CMUnitTest *t = tests; t < tests + n && t->test; t++) {
        void *state = group;

        fprintf(stderr, "%s\n", t->name);
        if ((t->setup && t->setup(&state)) || (t->test(&state), false) ||
            (t->teardown && t->teardown(&state)))
            return 1;
    }
    puts("all tests passed");
    return end && end(&group);
}

#define cmocka_run_group_tests(tests, begin, end) \
    cmocka_run(tests, sizeof(tests) / sizeof *(tests), begin, end)
#define cmocka_run_group_tests_name(name, tests, begin, end) \
    cmocka_run_group_tests(tests, begin, end)
