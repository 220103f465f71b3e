/* io/output: whole or not at all. The commands' tests cover links, devices, signals. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output.h"

static char folder[] = "/tmp/dmlop-output-XXXXXX";
static FILE *quiet;

static int enter(void **state)
{
    (void)state;
    quiet = fopen("/dev/null", "w");
    return quiet && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    fclose(quiet);
    return system("rm -rf -- \"$PWD\"") == 0 ? 0 : -1;
}

static int files_here(void)
{
    DIR *d = opendir(".");
    int n = -2; /* . and .. */

    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    fputs(text, f);
    fclose(f);
}

static void holds(const char *path, const char *text)
{
    char buf[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(buf, text);
}

static void test_nothing_before_the_commit(void **state)
{
    struct diag dg = { .err = quiet };
    struct outputs o = { .no_sync = true };

    (void)state;
    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(outputs_write(&o, 0, "new", 3, &dg), ST_OK);
    holds("a", "old");
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
    holds("a", "new");
    holds("b", "");
    assert_int_equal(files_here(), 2);
    unlink("a");
    unlink("b");
}

static void test_closing_without_a_commit_leaves_the_old_file(void **state)
{
    struct diag dg = { .err = quiet };
    struct outputs o = { .no_sync = true };
    static char big[300000];

    (void)state;
    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(outputs_write(&o, 0, big, sizeof big, &dg), ST_OK);
    assert_int_equal(files_here(), 2);
    outputs_close(&o);
    holds("a", "old");
    assert_int_equal(files_here(), 1);
    unlink("a");
}

static void test_refusals(void **state)
{
    struct diag dg = { .err = quiet };
    struct outputs o = { .no_clobber = true };

    (void)state;
    put("a", "old");
    mkdir("d", 0700);
    assert_int_equal(outputs_add(&o, "a", &dg), ST_SYSTEM);
    assert_int_equal(outputs_add(&o, "d", &dg), ST_SYSTEM);
    assert_int_equal(outputs_add(&o, "none/x", &dg), ST_SYSTEM);
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(outputs_add(&o, "d/../b", &dg), ST_USAGE);
    /* Somebody else makes the file before the commit. */
    assert_int_equal(outputs_write(&o, 0, "new", 3, &dg), ST_OK);
    put("b", "theirs");
    assert_int_equal(outputs_commit(&o, &dg), ST_SYSTEM);
    outputs_close(&o);
    holds("b", "theirs");
    assert_int_equal(files_here(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before_the_commit),
        cmocka_unit_test(test_closing_without_a_commit_leaves_the_old_file),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
