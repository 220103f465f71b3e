/* Options: every kind of row arrives converted, presets where nothing is given, groups at their
 * place, exclusions. */
#include "unit.h"

#include "cli/number_text.h"
#include "run/shared_options.h"

enum fruit { APPLE, PEAR, PLUM };
static const char *const fruits[] = { "apple", "pear", "plum", NULL };

struct inner {
    long count;
    bool flag;
};

struct args {
    struct common_args common;
    struct inner inner;
    struct timing_args timing;
    struct checking_args checking;
    enum dtype type;
    const char *text, *optional;
    struct option_list list, sizes, values;
    long number, any;
    double seconds, tolerance;
    int fruit; /* enum fruit */
};

static const struct option_row inner_options[] = {
    { OPTION_TO(NUMBER, struct inner, count), .name = "count", .min = 1, .max = 3, .preset = 2 },
    { OPTION_TO(FLAG, struct inner, flag), .name = "flag", .letter = 'f' },
    { .kind = OPTION_EXCLUDES, .name = "flag", .why = " at all",
      .words = (const char *const[]){ "count", "text", NULL } },
    { .kind = OPTION_END },
};

static const struct option_row rows[] = {
    { OPTION_TO(TEXT, struct args, text), .name = "text", .letter = 't' },
    { OPTION_TO(OPTIONAL, struct args, optional), .name = "optional" },
    { OPTION_TO(LIST, struct args, list), .name = "list" },
    { OPTION_TO(INTEGERS, struct args, sizes), .name = "sizes" },
    { OPTION_TO(NUMBERS, struct args, values), .name = "values" },
    { OPTION_TO(GROUP, struct args, inner), .group = inner_options },
    { OPTION_TO(NUMBER, struct args, number), .name = "number", .min = -5, .max = 5, .preset = -1 },
    { OPTION_TO(NUMBER, struct args, any), .name = "any", .min = LONG_MIN, .max = LONG_MAX,
      .preset = 7 },
    { OPTION_TO(SECONDS, struct args, seconds), .name = "seconds", .preset = -1 },
    { OPTION_TO(TOLERANCE, struct args, tolerance), .name = "tolerance" },
    { OPTION_TO(CHOICE, struct args, fruit), .name = "fruit", .words = fruits, .preset = PEAR },
    { OPTION_TO(TYPE, struct args, type), .name = "dtype" },
    { OPTION_TO(GROUP, struct args, checking), .group = checking_options },
    { OPTION_TO(GROUP, struct args, timing), .group = timing_options },
    { OPTION_TO(GROUP, struct args, common), .group = color_options },
    { .kind = OPTION_END },
};

/* What a command line of at most 23 words comes to. */
struct result {
    struct args a;
    int argc;
    char *words[24], **argv;
    struct diag dg;
    enum status st;
    char said[400];
};

static bool begin(struct result *r, const char *line)
{
    static char copy[400], name[] = "test";
    bool goes_on;

    *r = (struct result){ .argc = 1, .words = { name } };
    r->argv = r->words;
    r->dg = (struct diag){ .err = tmpfile(), .command = "test" };
    assert_non_null(r->dg.err);
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word && r->argc < 23; word = strtok(NULL, " "))
        r->words[r->argc++] = word;
    goes_on = command_begin(rows, &r->a, &r->argc, &r->argv, &r->st, &r->dg);
    rewind(r->dg.err);
    r->said[fread(r->said, 1, sizeof r->said - 1, r->dg.err)] = '\0';
    fclose(r->dg.err);
    return goes_on;
}

static void assert_refused(const char *line, const char *message)
{
    struct result r;
    char want[400];

    assert_false(begin(&r, line));
    assert_int_equal(r.st, ST_USAGE);
    snprintf(want, sizeof want, "dmlop: test: %s\n", message);
    assert_string_equal(r.said, want);
}

TEST(test_presets)
{
    struct result r;

    assert_true(begin(&r, "x.npy"));
    assert_int_equal(r.argc, 1);
    assert_string_equal(r.argv[0], "x.npy");
    assert_null(r.a.text);
    assert_null(r.a.optional);
    assert_int_equal(r.a.list.n, 0);
    assert_int_equal(r.a.inner.count, 2);
    assert_false(r.a.inner.flag);
    assert_int_equal(r.a.number, -1);
    assert_int_equal(r.a.any, 7);
    assert_true(r.a.seconds < 0 && r.a.tolerance <= 0);
    assert_int_equal(r.a.fruit, PEAR);
    assert_int_equal(r.a.type, DT_NONE);
    assert_int_equal(r.a.checking.level, LEVEL_NEWEST);
    assert_int_equal(r.a.timing.repeat, 0);
    assert_int_equal(r.a.common.color, COLOR_AUTO);
    assert_false(r.dg.quiet || r.dg.verbose);
}

TEST(test_values)
{
    struct result r;

    assert_true(begin(&r, "-tx --optional --list a --list=b --count 3 --number -5 --any "
                          "-9000000000 --seconds 1.5 a --tolerance 1e-6"));
    assert_int_equal(r.argc, 1);
    assert_string_equal(r.a.text, "x");
    assert_string_equal(r.a.optional, "");
    assert_int_equal(r.a.list.n, 2);
    assert_string_equal(r.a.list.v[1], "b");
    assert_int_equal(r.a.inner.count, 3);
    assert_int_equal(r.a.number, -5);
    assert_true(r.a.any == (LONG_MIN < -9000000000 ? -9000000000 : LONG_MIN));
    assert_true(r.a.seconds > 1.4 && r.a.seconds < 1.6 && r.a.tolerance > 0);
    assert_true(begin(&r, "--tolerance .5 --seconds +.25"));
    assert_true(r.a.tolerance == 0.5 && r.a.seconds == 0.25);
    assert_true(begin(&r, "--tolerance 2. --seconds 1.e1"));
    assert_true(r.a.tolerance == 2 && r.a.seconds == 10);
    assert_true(begin(
        &r,
        "--fruit plum --dtype int8 --feature-level 5.0 --relaxed --repeat 9 --color always -qv"));
    assert_int_equal(r.argc, 0);
    assert_int_equal(r.a.fruit, PLUM);
    assert_int_equal(r.a.type, DT_INT8);
    assert_int_equal(r.a.checking.level, LEVEL_5_0);
    assert_true(r.a.checking.relaxed);
    assert_int_equal(r.a.timing.repeat, 9);
    assert_true(r.dg.quiet && r.dg.verbose && color_wanted(r.a.common.color, stdout));
    assert_true(begin(&r, "--count 9 --count 1 --color=always --color=never -- --flag"));
    assert_int_equal(r.a.inner.count, 1);
    assert_false(color_wanted(r.a.common.color, stdout) || r.a.inner.flag);
    assert_string_equal(r.argv[0], "--flag");
}

/* The words of a list end where no number follows, or at the closing bracket. */
TEST(test_lists)
{
    static const struct {
        const char *line;
        size_t words, operands;
    } cases[] = {
        { "--sizes 0,0,0,1 5", 1, 1 }, { "--sizes 0 0 0 1 x.npy", 4, 1 },
        { "x.npy --sizes 0 0 -1 y.npy", 3, 2 }, { "--sizes {0, 0, +1} x.npy", 3, 1 },
        { "--sizes {0 1 x.npy --count 3", 2, 1 }, { "--sizes [1 - --", 1, 1 },
        { "--sizes=1, 2 3 -f", 3, 0 }, { "--sizes { 1 , 2 } 3", 5, 1 }, { "--sizes [1,2] 3", 1, 1 },
        { "--sizes 1 2 --sizes 3 x 4", 1, 2 }, { "--sizes 1 -- 2", 1, 1 }, { "--sizes x 2", 1, 1 },
        { "--sizes 1 2.5 2", 1, 2 }, { "--sizes -1 -2", 2, 0 }, { "--values 1 2.5 .5, x 2", 3, 2 },
        { "--values {1, 2e-1 2.5} 3", 3, 1 }, { "--values x.npy 2", 1, 1 },
    };
    struct result r;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t words;

        assert_true(begin(&r, cases[i].line));
        words = r.a.sizes.n + r.a.values.n;
        if (words != cases[i].words || (size_t)r.argc != cases[i].operands)
            fail_msg("%s: %zu words, %d operands", cases[i].line, words, r.argc);
    }
    assert_true(begin(&r, "a --tolerance 1 --sizes 7 8 b"));
    assert_string_equal(r.a.sizes.v[1], "8");
    assert_string_equal(r.argv[0], "a");
    assert_string_equal(r.argv[1], "b");
}

static bool split(const char *text, struct list_entries *e)
{
    return list_split(&(struct option_list){ .v = { text }, .n = 1 }, e);
}

TEST(test_list_texts)
{
    static const char *const good[] = { "1,22,3", "1 22 3",     " 1 , 22\t3 ",  "{1, 22, 3}",
                                        "[1,22,3]", "(1 22,3,)", "{ 1 22 3 }", "1, 22 ,3" };
    static const char *const bad[] = { "",      " ",    ",1",   "1,,2",  "1,",
                                       "{1",    "1}",   "{1]",  "{1}2",  "{}",
                                       "{{1}}", "1{2}", "{,1}", "{1,,}", "[1] ]" };
    char many[2 * LIST_ENTRIES_MAX + 3] = "";
    struct list_entries e;
    struct str b = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        if (!split(good[i], &e) || e.n != 3)
            fail_msg("'%s' is refused", good[i]);
        assert_true(e.v[0].n == 1 && e.v[1].n == 2 && memcmp(e.v[1].s, "22", 2) == 0 &&
                    *e.v[2].s == '3');
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (split(bad[i], &e))
            fail_msg("'%s' is taken", bad[i]);
    for (size_t i = 0; i < LIST_ENTRIES_MAX; i++)
        memcpy(many + 2 * i, "1 ", 2);
    assert_true(split(many, &e) && e.n == LIST_ENTRIES_MAX);
    strcat(many, "1");
    assert_false(split(many, &e));
    list_add_text(&b, &(struct option_list){ .v = { "{1,", "2}" }, .n = 2 });
    assert_string_equal(b.s, "{1, 2}");
    str_free(&b);
}

TEST(test_refusals)
{
    assert_refused("--count 4", "--count: '4' is not a number from 1 to 3");
    assert_refused("--count 0", "--count: '0' is not a number from 1 to 3");
    assert_refused("--any 1e3", "--any: '1e3' is not a whole number");
    assert_refused("--seconds -1", "--seconds: '-1' is not a number of seconds, 0 to 1000000");
    assert_refused("--seconds 1e7", "--seconds: '1e7' is not a number of seconds, 0 to 1000000");
    assert_refused("--tolerance -1",
                   "--tolerance: '-1' is not a number of 0 or more, such as 1e-6");
    assert_refused("--tolerance .", "--tolerance: '.' is not a number of 0 or more, such as 1e-6");
    assert_refused("--tolerance 1e999",
                   "--tolerance: '1e999' is not a number of 0 or more, such as 1e-6");
    assert_refused("--sizes",
                   "option '--sizes' needs a value: LIST\ndmlop: test: try 'dmlop test --help'");
    assert_refused("--fruit fig", "--fruit: 'fig' is not one of apple, pear, plum");
    assert_refused("--dtype int9",
                   "--dtype: there is no type 'int9'; the types are FLOAT32 FLOAT16 FLOAT64 INT8 "
                   "INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64");
    assert_refused("--feature-level 9",
                   "--feature-level: '9' is not a feature level from 1_0 to 6_4");
    assert_refused("--count 1 -f", "--count and -f cannot be used together at all");
    assert_refused("-f -t x", "-t and -f cannot be used together at all");
    assert_refused("--min-time 1 --repeat 1", "--repeat and --min-time cannot be used together");
    /* in the order of rows */
    assert_refused("--repeat x --count x", "--count: 'x' is not a number from 1 to 3");
}

TEST(test_samples)
{
    struct samples s = { .repeat = 0 };
    uint64_t warmup;

    timing_samples(&(struct timing_args){ .min_time = -1 }, &s, &warmup);
    assert_true(s.repeat == 1 && s.least_ns == 0 && warmup == 0);
    timing_samples(&(struct timing_args){ .repeat = 3, .min_time = 0.25, .warmup = 2 }, &s,
                   &warmup);
    assert_true(s.repeat == 3 && s.least_ns == 250000000 && warmup == 2);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
