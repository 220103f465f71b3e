/* Parts of jobs: shares, grids, narrowing of windows, environments, names and records. */
#include "unit.h"

#include <inttypes.h>

#include "desc/schema.h"
#include "part/auto.h"
#include "part/record.h"

/* All pieces of an axis: none is empty, they follow one another, sizes differ by at most one, the
 * larger ones first. */
static void check_axis(uint64_t size, uint64_t n, uint64_t first, uint64_t last)
{
    uint64_t from, to, end = 0;

    for (uint64_t i = first; i < last; i++) {
        share_bounds(size, n, i, &from, &to);
        assert_true(from < to && to <= size);
        assert_true(i == first || from == end);
        assert_int_equal(to - from, size / n + (i < size % n));
        assert_int_equal(share_piece(size, n, from), i);
        assert_int_equal(share_piece(size, n, to - 1), i);
        end = to;
    }
    share_bounds(size, n, 0, &from, &to);
    assert_int_equal(from, 0);
    share_bounds(size, n, n - 1, &from, &to);
    assert_int_equal(to, size);
}

TEST(test_shares)
{
    for (uint64_t size = 1; size <= 64; size++)
        for (uint64_t n = 1; n <= size; n++)
            check_axis(size, n, 0, n);
    for (uint64_t below = 0; below < 70; below++)
        for (uint64_t n = 1; n <= 64; n++) {
            check_axis((UINT64_C(1) << 63) - below, n, 0, n);
            check_axis((UINT64_C(1) << 63) + below, n, 0, n);
            check_axis(UINT64_MAX - below, n, 0, n);
        }
    check_axis(INT64_MAX, SHARE_PARTS_MAX, 0, 1000);
    check_axis(INT64_MAX, SHARE_PARTS_MAX, SHARE_PARTS_MAX - 1000, SHARE_PARTS_MAX);
}

TEST(test_grids)
{
    struct share_shape plain = { .rank = 3, .sizes = { 2, 10, 7 }, .along = 3 };
    struct share_shape topk = { .rank = 2, .sizes = { 3, 10 }, .along = 0, .length = 50 };
    struct share_grid g = { .n = 2, .axis = { 2, 1 }, .count = { 3, 5 } };
    struct share s;

    assert_true(share_default(&plain, 2, &g) && g.n == 1 && g.axis[0] == 0 && g.count[0] == 2);
    assert_true(share_default(&plain, 7, &g) && g.axis[0] == 1);
    assert_false(share_default(&plain, 11, &g));
    assert_true(share_default(&topk, 10, &g) && g.axis[0] == 1); /* its own axis last */
    assert_true(share_default(&topk, 11, &g) && g.axis[0] == 0);
    assert_false(share_default(&topk, 51, &g));
    topk.sizes[0] = 12; /* a K of as many does not make it come earlier */
    assert_true(share_default(&topk, 10, &g) && g.axis[0] == 1);
    assert_true(share_suggest(&plain, 140, &g) && g.n == 3 && g.count[0] == 2 && g.count[1] == 10 &&
                g.count[2] == 7);
    assert_true(share_suggest(&plain, 14, &g) && g.n == 2 && g.axis[1] == 1 && g.count[1] == 7);
    assert_false(share_suggest(&plain, 141, &g));
    assert_false(share_suggest(&plain, 11, &g));

    g = (struct share_grid){ .n = 2, .axis = { 2, 1 }, .count = { 3, 5 } };
    share_at(&plain, &g, 7, &s); /* 7 = 1 * 5 + 2 */
    assert_true(s.from[0] == 0 && s.to[0] == 2 && s.from[1] == 4 && s.to[1] == 6 &&
                s.from[2] == 3 && s.to[2] == 5);
    assert_false(s.stretched);
}

/* Every share of a window is a window of the same elements. */
TEST(test_windows)
{
    for (int64_t step = -3; step <= 3; step++)
        for (uint64_t n = 1; n <= 5 && step; n++) {
            struct desc whole = { .op = OP_SLICE1,
                                  .dimension_count = 1,
                                  .offsets = { 4 },
                                  .sizes = { 14 },
                                  .strides = { step } };
            uint64_t count = (14 - 1) / i64_magnitude(step) + 1;
            struct share_grid grid = { .n = 1, .count = { n } };

            whole.tensor[SLOT_IN] = tensor_desc_packed(DT_INT8, 1, &(uint64_t){ 20 });
            whole.tensor[SLOT_OUT] = tensor_desc_packed(DT_INT8, 1, &count);
            for (uint64_t i = 0; i < n; i++) {
                struct share_shape shape = share_shape_of(&whole);
                struct tensor *views[SLOT_COUNT] = { NULL };
                struct desc d = whole;
                struct share s;
                int64_t first, want;

                share_at(&shape, &grid, i, &s);
                share_narrow(&d, &s, views);
                first = (int64_t)d.offsets[0] + (step < 0 ? (int64_t)d.sizes[0] - 1 : 0);
                want = 4 + (step < 0 ? 13 : 0) + (int64_t)s.from[0] * step;
                assert_int_equal(first, want);
                assert_int_equal(d.tensor[SLOT_OUT].sizes[0], s.to[0] - s.from[0]);
                if (n > 1)
                    assert_int_equal(d.sizes[0],
                                     (s.to[0] - s.from[0] - 1) * i64_magnitude(step) + 1);
            }
        }
}

/* Makes "A=1 B=2" the environment. */
static void set_environment(const char *text)
{
    char copy[200];

    clearenv();
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');

        *value = '\0';
        assert_int_equal(setenv(word, value + 1, 1), 0);
    }
}

TEST(test_auto)
{
    static const struct {
        const char *set;
        uint64_t parts;
        int part, of; /* -1: refused */
    } rows[] = {
        { "", 0, -1, 0 },
        { "", 4, -1, 0 },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4", 0, 1, 4 },
        { "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=0 PMI_SIZE=2", 0, 1, 4 },
        /* the first is not wholly set */
        { "OMPI_COMM_WORLD_RANK=1 PMI_RANK=0 PMI_SIZE=2", 0, 0, 2 },
        { "PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", 0, 1, 2 },
        { "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", 0, 3, 4 },
        { "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", 4, 3, 4 },
        { "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", 5, -1, 0 },
        { "SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4", 3, -1, 0 },
        { "SLURM_PROCID=0 SLURM_NTASKS=4", 0, -1, 0 },
        { "SLURM_PROCID=0 SLURM_NTASKS=4", 4, -1, 0 },
        { "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=3", 0, 2, 3 },
        { "PMI_RANK=0 PMI_SIZE=1", 0, 0, 1 },
        { "PMI_RANK=0 PMI_SIZE=1", 1, 0, 1 },
        { "PMI_RANK=0 PMI_SIZE=1", 2, -1, 0 },
        { "PMI_RANK=2 PMI_SIZE=2", 0, -1, 0 },
        { "PMI_RANK=0 PMI_SIZE=0", 0, -1, 0 },
        { "PMI_RANK=0 PMI_SIZE=1000001", 0, -1, 0 },
        { "PMI_RANK=a PMI_SIZE=2", 0, -1, 0 },
        { "PMI_RANK=1 PMI_SIZE=2x", 0, -1, 0 },
        { "PMI_RANK=-1 PMI_SIZE=2", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=8", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=2", 8, 5, 8 },
        { "SLURM_ARRAY_TASK_ID=8", 8, -1, 0 },
        { "PBS_ARRAY_INDEX=5", 8, 5, 8 },
        { "JOB_COMPLETION_INDEX=5", 8, 5, 8 },
        { "SLURM_ARRAY_TASK_ID=5 PBS_ARRAY_INDEX=05", 8, 5, 8 },
        { "SLURM_ARRAY_TASK_ID=5 PBS_ARRAY_INDEX=6", 8, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 PBS_ARRAY_INDEX=x", 8, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", 8, 5, 8 },
        { "SLURM_ARRAY_TASK_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2", 8, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=1 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2", 2, -1, 0 },
        { "JOB_COMPLETION_INDEX=99999999999999999999", 8, -1, 0 },
        /* ids from SLURM_ARRAY_TASK_MIN to _MAX, by steps */
        { "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8", 0, 7, 8 },
        { "SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8", 8, 7, 8 },
        { "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=7", 0, 0, 8 },
        { "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 "
          "SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4",
          0, 2, 4 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 "
          "SLURM_ARRAY_TASK_STEP=0",
          0, -1, 0 },
        /* some of them again */
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=6 "
          "SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3",
          0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=6 "
          "SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3",
          8, 5, 8 },
        { "SGE_TASK_ID=5 SGE_TASK_FIRST=1 SGE_TASK_LAST=16 SGE_TASK_STEPSIZE=2", 0, 2, 8 },
        { "SGE_TASK_ID=2 SGE_TASK_FIRST=2 SGE_TASK_LAST=3 SGE_TASK_STEPSIZE=1", 8, 1, 8 },
        { "SGE_TASK_ID=5", 0, -1, 0 },
        { "SGE_TASK_ID=5 SGE_TASK_LAST=8", 0, -1, 0 },
        { "SGE_TASK_ID=1", 8, 0, 8 },
        { "SGE_TASK_ID=9", 8, -1, 0 },
        { "SGE_TASK_ID=undefined SGE_TASK_FIRST=undefined PMI_RANK=1 PMI_SIZE=2", 0, 1, 2 },
        { "SGE_TASK_ID=1 SGE_TASK_LAST=x", 0, -1, 0 },
        { "LSB_JOBINDEX=0", 0, -1, 0 },
        { "LSB_JOBINDEX=0 PMI_RANK=1 PMI_SIZE=2", 0, 1, 2 },
        { "LSB_JOBINDEX=8 LSB_JOBINDEX_END=8", 0, 7, 8 },
        { "LSB_JOBINDEX=8 LSB_JOBINDEX_END=8", 9, 7, 9 },
        { "LSB_JOBINDEX=30 LSB_JOBINDEX_END=80 LSB_JOBINDEX_STEP=10", 0, 2, 8 },
        { "LSB_JOBINDEX=5 LSB_JOBINDEX_END=15 LSB_JOBINDEX_STEP=2", 0, 2, 8 },
        { "LSB_JOBINDEX=1 LSB_JOBINDEX_END=1000001", 0, -1, 0 },
        { "PBS_ARRAYID=0", 0, -1, 0 },
        { "PBS_ARRAYID=0", 8, 0, 8 },
        { "JOB_COMPLETION_INDEX=0", 0, -1, 0 },
        { "AWS_BATCH_JOB_ARRAY_INDEX=0", 0, -1, 0 },
        { "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0", 0, -1, 0 },
        { "PBS_ARRAYID=5", 0, -1, 0 },
        { "PBS_ARRAYID=5", 8, 5, 8 },
        { "PBS_ARRAYID=8", 8, -1, 0 },
        { "AWS_BATCH_JOB_ARRAY_INDEX=2", 0, -1, 0 },
        { "AWS_BATCH_JOB_ARRAY_INDEX=2", 3, 2, 3 },
        { "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=3 "
          "PMI_RANK=0 PMI_SIZE=2",
          2, -1, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct auto_part p;
        bool found;

        set_environment(rows[i].set);
        found = auto_part_find(&p, rows[i].parts);
        if (found != (rows[i].part >= 0) || !p.text[0] ||
            (found && (p.part != (uint64_t)rows[i].part || p.parts != (uint64_t)rows[i].of)))
            fail_msg("'%s', auto/%" PRIu64 ": %s", rows[i].set, rows[i].parts, p.text);
    }
}

TEST(test_names)
{
    char name[RECORD_NAME];
    uint64_t part, parts;

    assert_string_equal(record_name(name, 2, 4, 0), "part-00002-of-00004.npy");
    assert_string_equal(record_name(name, 2, 4, 1), "part-00002-of-00004.indices.npy");
    assert_string_equal(record_name(name, 99999, 100000, RECORD_FILES),
                        "part-099999-of-100000.json");
    assert_true(record_name_read(name, &part, &parts) && part == 99999 && parts == 100000);
    assert_true(record_name_read("part-00002-of-00004.json", &part, &parts) && part == 2 &&
                parts == 4);
    for (const char *const *p =
             (const char *const[]){
                 "part-2-of-4.json", "part-00004-of-00004.json", "part-00002-of-00004.npy",
                 "part-00002-of-00004.json.tmp", ".part-00002-of-00004.json", "part-", "",
                 "part-000002-of-000004.json", "part-1000000-of-1000001.json", NULL };
         *p; p++)
        assert_false(record_name_read(*p, &part, &parts));
}

/* A record that is written reads the same. */
TEST(test_records)
{
    uint64_t in[] = { 6, 1000 }, out[] = { 6, 10 };
    struct desc d = {
        .op = OP_TOP_K1, .axis = 1, .k = 10, .direction = AXIS_INCREASING, .nan_last = true
    };
    struct share_grid grid = { .n = 2, .axis = { 1, 0 }, .count = { 200, 3 } };
    char error[RECORD_ERROR];
    struct record r, s;
    struct str text = { 0 };

    d.tensor[SLOT_IN] = tensor_desc_packed(DT_FLOAT16, 2, in);
    d.tensor[SLOT_VALUES] = tensor_desc_packed(DT_FLOAT16, 2, out);
    d.tensor[SLOT_INDICES] = tensor_desc_packed(DT_UINT64, 2, out);
    record_set(&r, &d, &grid, 599, 600);
    r.job.hash = UINT64_C(0xfedcba9876543210);
    r.file[1].bytes = UINT64_MAX;
    r.work.operations = UINT64_MAX;
    record_write(&text, &r, &d, "a \"host\"\n", "dmlop test");
    assert_false(text.failed);
    assert_int_equal(record_read(&s, text.s, text.len, error), RECORD_OK);
    assert_true(record_is_share(&s, error));
    r.job.descriptor = s.job.descriptor;
    r.host = s.host;
    assert_true(record_same_job(&r.job, &s.job, error));
    assert_memory_equal(r.file, s.file, sizeof r.file);
    assert_memory_equal(&r.phases, &s.phases, sizeof r.phases);
    assert_memory_equal(&r.work, &s.work, sizeof r.work);
    assert_true(s.share.stretched && s.share.from[1] == 995 && s.share.to[1] == 1000);
    assert_true(s.share.sizes[0] == 2 && s.share.sizes[1] == 5 && s.share.place[0] == 4);
    assert_true(!s.job.largest && s.job.nan_last);
    s.share.to[1]--;
    assert_false(record_is_share(&s, error));
    for (size_t n = 0; n < text.len - 2; n++)
        assert_int_equal(record_read(&s, text.s, n, error), RECORD_WRONG);
    memcpy(strstr(text.s, "\"last\""), "\"lost\"", 6);
    assert_int_equal(record_read(&s, text.s, text.len, error), RECORD_WRONG);
    assert_string_equal(error, "\"nan\" is not \"last\"");
    str_free(&text);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
