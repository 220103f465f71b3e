/* base/: strings, paths, checked allocation, diagnostics, parallel_for; desc/: findings. */
#include "unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/process.h"
#include "desc/finding.h"
#include "folder.h"
#include "os/processors.h"

TEST(test_str_grows)
{
    struct str b = { 0 };
    char *s;

    for (int i = 0; i < 1000; i++)
        str_printf(&b, "%d,", i);
    assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
    s = str_detach(&b);
    assert_null(b.s);
    assert_memory_equal(s, "0,1,2,", 6);
    free(s);
}

TEST(test_str_escapes)
{
    struct str b = { 0 };

    str_add_escaped(&b, "a\x1b[31m\n\\\x7f\xc3\xa9", 11);
    assert_string_equal(b.s, "a\\x1b[31m\\n\\\\x7f\xc3\xa9");
    str_free(&b);
    str_add_escaped(&b, "\xc2\x9b\xc2\xa0\x9b\xe2\x82\x9b\xe9\xc2", 10);
    assert_string_equal(b.s, "\\u009b\xc2\xa0\\x9b\xe2\x82\x9b\\xe9\\xc2");
    str_free(&b);
    str_add_escaped(&b, "\xe2\x80\xae\xe2\x80\xa8\xe2\x81\xa6\xe2\x80\xa7\xd8\x9c", 14);
    assert_string_equal(b.s, "\\u202e\\u2028\\u2066\xe2\x80\xa7\\u061c");
    str_free(&b);
    str_add_line(&b, "\t\x1b\xc2\x80", 4);
    assert_string_equal(b.s, "\t\\x1b\\u0080");
    str_free(&b);
    str_add_json(&b, "\xc2\x9b\x7f\xc2\xa0\x1b", 6);
    assert_string_equal(b.s, "\\u009b\\u007f\xc2\xa0\\u001b");
    str_free(&b);
    str_add_json(&b, "\xe2\x80\xaf\xe2\x80\xae", 6);
    assert_string_equal(b.s, "\xe2\x80\xaf\\u202e");
    str_free(&b);
    str_add_json(&b, "q\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80", 11);
    assert_string_equal(
        b.s, "q\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    str_free(&b);
}

TEST(test_str_nearest)
{
    static const char *const names[] = { "InputTensor", NULL, "OutputTensor", "Axis", "K" };

    assert_int_equal(str_nearest("InputTensr", names, 5), 0);
    assert_int_equal(str_nearest("outputtensor", names, 5), 2);
    assert_int_equal(str_nearest("Aixs", names, 5), 3);
    assert_int_equal(str_nearest("k", names, 5), 4);
    assert_int_equal(str_nearest("Banana", names, 5), 5);
    assert_int_equal(str_nearest("", names, 5), 5);
    assert_int_equal(str_nearest("output_tensor", names, 5), 2);
}

/* All names of the same distance are found; a digit for a letter is farther than a letter left
 * out. */
TEST(test_str_nearest_all)
{
    static const char *const names[] = { "SLICE", "SLICE1", "TOP_K", "TOP_K1", NULL, "TOP_K3" };
    size_t found[2];
    unsigned cost;

    assert_int_equal(str_nearest_all("SLIC1", names, 6, found, 2), 1);
    assert_int_equal(found[0], 1);
    assert_int_equal(str_nearest_all("TOP_K2", names, 4, found, 2), 2);
    assert_int_equal(found[0], 2);
    assert_int_equal(found[1], 3);
    assert_int_equal(str_nearest_all("TOP_K2", names, 6, found, 2), 2); /* all that have room */
    assert_int_equal(str_nearest_all("topk1", names, 6, found, 2), 1);
    assert_int_equal(found[0], 3);
    assert_int_equal(str_nearest_all("GEMM", names, 6, found, 2), 0);
    assert_false(str_near("", "K", &cost));
    assert_true(str_near("top k1", "TOP_K1", &cost));
    assert_false(str_near("topk", "TOP_K1", &cost));
}

TEST(test_str_words)
{
    static const char words[] = "one Two\n  three";

    (void)state;
    assert_true(str_is_word("one", 3, words, false));
    assert_true(str_is_word("threes", 5, words, false));
    assert_false(str_is_word("two", 3, words, false));
    assert_true(str_is_word("two", 3, words, true));
    assert_false(str_is_word("on", 2, words, true));
    assert_false(str_is_word("one Two", 7, words, true));
    assert_false(str_is_word("", 0, words, true));
    assert_false(str_is_word("", 0, "", false));
}

TEST(test_paths)
{
    static const char *const parts[][3] = { /* path, base name, folder */
        { "x.npy", "x.npy", "." }, { "a/x", "x", "a" }, { "/x", "x", "/" },
        { "/a/b/", "", "/a/b" }, { "a//x", "x", "a/" },
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *folder = path_folder(parts[i][0]);

        assert_string_equal(path_base_name(parts[i][0]), parts[i][1]);
        assert_string_equal(folder, parts[i][2]);
        free(folder);
    }
    assert_true(path_has_extension("a/x.npy", ".npy"));
    assert_false(path_has_extension(".npy", ".npy"));
    assert_false(path_has_extension("x.npyz", ".npy"));
    assert_false(path_has_extension("py", ".npy"));
}

TEST(test_path_beside)
{
    static const char *const cases[][3] = {
        { "x", "y", "y" }, { "a/x", "b/y", "a/b/y" }, { "/x", "y", "/y" }, { "a/x", "/y", "/y" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = path_beside(cases[i][0], cases[i][1]);

        assert_string_equal(path, cases[i][2]);
        free(path);
    }
}

TEST(test_checked_arithmetic)
{
    uint64_t n;

    assert_true(u64_add(UINT64_MAX - 1, 1, &n) && n == UINT64_MAX);
    assert_false(u64_add(UINT64_MAX, 1, &n));
    assert_false(u64_add(UINT64_MAX, UINT64_MAX, &n));
    assert_true(u64_mul(UINT64_MAX / 3, 3, &n) && n == UINT64_MAX);
    assert_false(u64_mul(UINT64_MAX / 3 + 1, 3, &n));
    assert_false(u64_mul(UINT64_C(1) << 32, UINT64_C(1) << 32, &n));
    assert_true(u64_mul(UINT64_C(1) << 32, UINT64_C(1) << 31, &n) && n == UINT64_C(1) << 63);
}

TEST(test_mem_refuses_overflow)
{
    assert_null(mem_alloc(UINT64_MAX, 2));
    assert_null(mem_alloc((uint64_t)PTRDIFF_MAX + 1, 1));
    assert_null(mem_alloc(UINT64_C(1) << 62, 4)); /* 2^64 */
    assert_null(mem_alloc((UINT64_C(1) << 62) + 1, 4));
    assert_null(mem_zalloc((UINT64_C(1) << 62) + 1, 4));
    assert_null(mem_alloc_aligned((UINT64_C(1) << 62) + 1, 4));
    assert_null(mem_realloc(NULL, (UINT64_C(1) << 62) + 1, 4));
    assert_null(mem_alloc_aligned(PTRDIFF_MAX, 1));
    void *p = mem_alloc(0, 8);
    assert_non_null(p);
    free(p);
    p = mem_alloc_aligned(3, 1);
    assert_int_equal((uintptr_t)p % 64, 0);
    free(p);
}

TEST(test_findings_relaxed)
{
    struct findings fs = { .opt.relaxed = true };
    struct finding *f;

    f = findings_add(&fs, RULE_TOPK_K_EQUALS_AXIS, "/desc/K", AT_VALUE, "K is %d", 4);
    finding_hint(f, "at most %d", 3);
    finding_relate(f, "/desc/InputTensor/Sizes/0", "the axis has size %d", 4);
    findings_add(&fs, RULE_TOPK_K_ZERO, "/desc/K", AT_VALUE, "K is 0");
    assert_int_equal(fs.errors, 1);
    assert_int_equal(fs.warnings, 1);
    assert_string_equal(fs.v[0].message, "K is 4");
    assert_string_equal(fs.v[0].hint, "at most 3");
    assert_int_equal(fs.v[0].related_count, 1);
    assert_false(fs.failed);
    findings_free(&fs);
    assert_int_equal(fs.n, 0);
}

TEST(test_diag_lines)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct diag dg = { .err = f, .command = "slice" };

    assert_int_equal(diag_error(&dg, ST_INPUT, "-", "bad \x1b byte at %d", 3), ST_INPUT);
    dg.quiet = true;
    diag_warn(&dg, "f", "not shown");
    dg.quiet = false;
    diag_warn(&dg, "a\nb", "shown");
    diag_note(&dg, NULL, "not shown");
    fclose(f);
    assert_string_equal(text, "dmlop: slice: standard input: bad \\x1b byte at 3\n"
                              "dmlop: slice: a\\nb: warning: shown\n");
    free(text);
}

enum { CHUNKS = 1000, THREADS = 7 };

struct tally {
    int seen[CHUNKS];
    int per_thread[THREADS];
};

static void tally_chunk(void *context, size_t chunk, int thread)
{
    struct tally *t = context;

    t->seen[chunk]++;
    t->per_thread[thread]++;
}

static void tally_on_three(void *context, size_t chunk, int thread)
{
    assert_between(thread, 0, 2);
    tally_chunk(context, chunk, thread);
    if (chunk % 100 == 0)
        usleep(50); /* so that all have the time to join */
}

static void tally_twice(void *context)
{
    parallel_for(CHUNKS, THREADS, tally_chunk, context);
    parallel_for(CHUNKS, 3, tally_on_three, context);
}

TEST(test_parallel_runs_every_chunk_once)
{
    struct tally t = { .seen = { 0 } };
    int sum = 0;

    parallel_for(CHUNKS, THREADS, tally_chunk, &t);
    for (int i = 0; i < CHUNKS; i++)
        assert_int_equal(t.seen[i], 1);
    for (int i = 0; i < THREADS; i++)
        sum += t.per_thread[i];
    assert_int_equal(sum, CHUNKS);
    parallel_for(0, THREADS, tally_chunk, NULL);
}

struct watched {
    size_t calls, last;
    bool wrong;
};

static void watch(void *context, size_t done, size_t chunks)
{
    struct watched *w = context;

    w->wrong = w->wrong || done <= w->last || done > CHUNKS || chunks != CHUNKS;
    w->last = done;
    w->calls++;
}

TEST(test_parallel_watch)
{
    for (int threads = 1; threads <= THREADS; threads++) {
        struct tally t = { .seen = { 0 } };
        struct watched w = { 0 };

        parallel_watch(watch, &w);
        parallel_for(CHUNKS, threads, tally_chunk, &t);
        parallel_watch(NULL, NULL);
        assert_false(w.wrong);
        assert_int_equal(w.calls, t.per_thread[0]);
        assert_true(threads > 1 || w.last == CHUNKS);
    }
}

TEST(test_parallel_default)
{
    setenv("OMP_NUM_THREADS", "3,2", 1);
    assert_int_equal(parallel_default_threads(), parallel_available() ? 3 : 1);
    setenv("OMP_NUM_THREADS", "none", 1);
    assert_true(parallel_default_threads() >= 1);
    unsetenv("OMP_NUM_THREADS");
}

TEST(test_parallel_region)
{
    struct tally t = { .seen = { 0 } };

    parallel_region(THREADS, tally_twice, &t);
    for (int i = 0; i < CHUNKS; i++)
        assert_int_equal(t.seen[i], 2);
}

enum { LOOPS = 2000, MOST_CHUNKS = 17 };

/* Loops so short that threads come too late for some of them, and now and then time to fall
 * asleep. */
static void tally_short_loops(void *context)
{
    struct tally *t = context;

    for (int i = 0; i < LOOPS; i++) {
        if (i % 250 == 0)
            usleep(300);
        parallel_for((size_t)i % (MOST_CHUNKS + 1), 1 + i % THREADS, tally_chunk, t);
    }
}

TEST(test_parallel_short_loops)
{
    static const size_t spins[] = { 0, 200, 20000 };
    size_t before = process.spins;

    for (size_t k = 0; k < sizeof spins / sizeof *spins; k++) {
        struct tally t = { .seen = { 0 } };
        int want[MOST_CHUNKS] = { 0 };

        process.spins = spins[k];
        parallel_region(THREADS, tally_short_loops, &t);
        for (int i = 0; i < LOOPS; i++)
            for (int j = 0; j < i % (MOST_CHUNKS + 1); j++)
                want[j]++;
        assert_memory_equal(t.seen, want, sizeof want);
    }
    process.spins = before;
}

/* A pipeline that says what each step saw. */
struct belt {
    uint64_t begun, ended, fails_at; /* pieces */
    bool at_begin;                   /* that one fails in begin, else in end */
    int in_order;                    /* threads in begin or end */
    uint64_t lane[THREADS];          /* a thread's piece + 1; 0: none */
    uint64_t worked[CHUNKS];
};

static bool belt_begin(void *context, uint64_t piece, int thread)
{
    struct belt *b = context;

    assert_int_equal(__atomic_add_fetch(&b->in_order, 1, __ATOMIC_SEQ_CST), 1);
    assert_int_equal(piece, b->begun++);
    assert_int_equal(b->lane[thread], 0);
    b->lane[thread] = piece + 1;
    __atomic_sub_fetch(&b->in_order, 1, __ATOMIC_SEQ_CST);
    return !b->at_begin || piece != b->fails_at;
}

static void belt_work(void *context, uint64_t piece, int thread)
{
    struct belt *b = context;

    assert_int_equal(b->lane[thread], piece + 1);
    b->worked[piece]++;
    if (piece % 7 == 0)
        usleep(50);
}

static bool belt_end(void *context, uint64_t piece, int thread)
{
    struct belt *b = context;

    assert_int_equal(__atomic_add_fetch(&b->in_order, 1, __ATOMIC_SEQ_CST), 1);
    assert_int_equal(piece, b->ended++);
    assert_int_equal(b->lane[thread], piece + 1);
    assert_int_equal(b->worked[piece], 1);
    b->lane[thread] = 0;
    __atomic_sub_fetch(&b->in_order, 1, __ATOMIC_SEQ_CST);
    return b->at_begin || piece != b->fails_at;
}

TEST(test_pipeline)
{
    static const struct parallel_steps steps = { belt_begin, belt_work, belt_end };

    for (int threads = 1; threads <= THREADS; threads += 3)
        for (uint64_t fails_at = CHUNKS; fails_at != 3; fails_at = fails_at == CHUNKS ? 500 : 3)
            for (int at_begin = 0; at_begin < 2; at_begin++) {
                struct belt b = { .fails_at = fails_at, .at_begin = at_begin };

                assert_int_equal(parallel_pipeline(CHUNKS, threads, &steps, &b),
                                 fails_at == CHUNKS);
                if (fails_at == CHUNKS)
                    assert_int_equal(b.ended, CHUNKS);
                else if (at_begin) /* those before it may have been given up */
                    assert_true(b.ended <= fails_at && b.begun == fails_at + 1);
                else
                    assert_int_equal(b.ended, fails_at + 1);
            }
    assert_true(parallel_pipeline(0, THREADS, &steps, NULL));
}

TEST(test_spins)
{
    static const struct {
        const char *count, *policy;
        size_t spins;
        bool chosen;
    } cases[] = {
        { NULL, NULL, 0, false },         { "300", NULL, 300, true },
        { "0", "active", 0, true },       { "2k", "passive", 2000, true },
        { "3M", NULL, 3000000, true },    { "infinity", NULL, SIZE_MAX, true },
        { "9x", NULL, 0, false },         { "-1", NULL, 0, false },
        { "", "ACTIVE", SIZE_MAX, true }, { "many", "passive", 0, true },
        { NULL, "sometimes", 0, false },  { "18446744073709551615k", NULL, SIZE_MAX, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t spins = 1;

        assert_int_equal(parallel_spins(cases[i].count, cases[i].policy, &spins), cases[i].chosen);
        if (cases[i].chosen)
            assert_int_equal(spins, cases[i].spins);
    }
}

TEST(test_threads_for_work)
{
    setenv("OMP_NUM_THREADS", "3", 1);
    assert_int_equal(parallel_threads_for(0, 0), 1);
    assert_int_equal(parallel_threads_for(0, (2 << 20) - 1), 1);
    assert_int_equal(parallel_threads_for(0, 2 << 20), parallel_available() ? 2 : 1);
    assert_int_equal(parallel_threads_for(0, UINT64_MAX), parallel_available() ? 3 : 1);
    assert_int_equal(parallel_threads_for(5, 0), 5);
    unsetenv("OMP_NUM_THREADS");
    assert_between(parallel_threads_for(0, UINT64_MAX), 1, processors_usable());
    assert_between(parallel_threads_for(0, 64 << 20), 1, processors_usable());
    assert_between(processors_idle(), 0, processors_usable() - 1);
}

static void put_file(const char *root, const char *path, const char *text)
{
    char name[2048], *slash = name;
    FILE *f;

    snprintf(name, sizeof name, "%s%s", root, path);
    while ((slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        mkdir(name, 0777);
        *slash = '/';
    }
    f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

TEST(test_control_groups)
{
#ifndef __linux__
    skip();
#else
    char root[FOLDER_PATH], command[sizeof root + 16];

    assert_non_null(mkdtemp(folder_template(root, "groups")));
    assert_int_equal(processors_quota(root), INT_MAX);
    put_file(root, "/proc/self/cgroup", "0::/a.slice/b.scope\n");
    assert_int_equal(processors_quota(root), INT_MAX);
    put_file(root, "/sys/fs/cgroup/a.slice/b.scope/cpu.max", "max 100000\n");
    assert_int_equal(processors_quota(root), INT_MAX);
    put_file(root, "/sys/fs/cgroup/a.slice/cpu.max", "250000 100000\n");
    assert_int_equal(processors_quota(root), 3);
    put_file(root, "/sys/fs/cgroup/a.slice/b.scope/cpu.max", "10000 100000\n");
    assert_int_equal(processors_quota(root), 1);
    put_file(root, "/sys/fs/cgroup/a.slice/b.scope/cpu.max", "nonsense\n");
    assert_int_equal(processors_quota(root), 3);
    put_file(root, "/sys/fs/cgroup/a.slice/pids.max", "max\n");
    put_file(root, "/sys/fs/cgroup/a.slice/pids.current", "7\n");
    assert_int_equal(processors_room(root), INT_MAX);
    put_file(root, "/sys/fs/cgroup/a.slice/pids.max", "10\n");
    assert_int_equal(processors_room(root), 3);
    put_file(root, "/sys/fs/cgroup/a.slice/pids.current", "12\n");
    assert_int_equal(processors_room(root), 0);
    put_file(root, "/proc/self/cgroup",
             "7:pids:/job\n5:cpuacct:/other\n4:cpuset,cpu:/job/step\n3:cpuset:/\n1:name=systemd:/"
             "job\n0::/none\n");
    assert_int_equal(processors_quota(root), INT_MAX);
    put_file(root, "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
    put_file(root, "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    put_file(root, "/sys/fs/cgroup/cpu/job/step/cpu.cfs_quota_us", "-1\n");
    put_file(root, "/sys/fs/cgroup/cpu/job/step/cpu.cfs_period_us", "100000\n");
    put_file(root, "/sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000\n"); /* not its */
    put_file(root, "/sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
    assert_int_equal(processors_quota(root), 4);
    put_file(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
    put_file(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(processors_quota(root), 2);
    put_file(root, "/sys/fs/cgroup/pids/job/pids.max", "100\n");
    put_file(root, "/sys/fs/cgroup/pids/job/pids.current", "98\n");
    assert_int_equal(processors_room(root), 2);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
#endif
}

int main(void) { return RUN_TESTS(NULL, NULL); }
