#ifndef DMLOP_OP_TOPK_TOPK_PLAN_H
#define DMLOP_OP_TOPK_TOPK_PLAN_H

#include "kernel/topk/topk.h"
#include "op/impl.h"

/* Private to op/topk*.c. */

/* One of the three tensors, seen as {groups..., column, axis}. */
struct topk_view {
    struct tensor groups; /* what is left when the axis and the column dimension are removed */
    int64_t axis_step;    /* in elements */
    int64_t column_step;  /* in elements; 0 where there is no column dimension */
};

/* A candidate: its key, and its index within the whole sequence. */
struct topk_entry {
    uint64_t key, index;
};

/* Entry i of an array of them: pairs, or each packed as key << 32 | index. */
INLINE struct topk_entry topk_entry_get(const void *entries, size_t i, bool pairs)
{
    uint64_t packed;

    if (pairs)
        return ((const struct topk_entry *)entries)[i];
    packed = ((const uint64_t *)entries)[i];
    return (struct topk_entry){ packed >> 32, packed & UINT32_MAX };
}

/*
 * Room to put the candidates of one sequence in order. More than a few are told apart
 * by a prefix of their keys; then each bucket of prefixes, which fits a cache, is sorted by the
 * rest.
 */
struct topk_sorter {
    int threads;
    uint64_t most;         /* candidates of all parts, at most */
    size_t slices;         /* of the candidates: as many as threads */
    bool pairs;            /* entries are struct topk_entry; else key << 32 | index */
    void *entries, *room;  /* [most + SORT_DUMMY * slices] */
    uint64_t *starts;      /* [parts + 1] candidates of earlier parts */
    uint64_t *counts; /* [slices + 1][SORT_PREFIXES] candidates with a prefix, and their sums; then
                         the next entries' positions in buckets */
    uint16_t *bucket_of;   /* [SORT_PREFIXES] of a prefix; `buckets` for those that are left out */
    uint64_t least;        /* key */
    unsigned shift;        /* prefix = (key - least) >> shift */
    uint32_t prefixes;     /* 0..prefixes-1; the last is of what is out */
    unsigned buckets;
    uint64_t largest;      /* entries of the largest bucket */
    struct topk_bucket {
        uint64_t start;    /* position of its first entry */
        uint32_t prefix, prefixes;
        uint64_t work; /* entries visited to sort it, over all passes; tests hold it to a multiple
                          of theirs */
    } bucket[257 + 1];     /* and the end */
};

enum { SORT_PREFIXES = (1 << 14) + 8, SORT_DUMMY = 8 };

enum { TOPK_BATCH = 64 }; /* strips, at most: bench_topk, Zen 4, {1000,10000} K = 10: 13 take 1.1
                             times as long, 256 no less */

/*
 * Sequences that lie side by side in memory are read together, as the columns of a strip, so that
 * every cache line of the input is read once. A strip is the unit of work: its rows go through a
 * tile, in which each column is contiguous, into one selection a column. Where the axis itself is
 * contiguous, strips have one column and no tile is needed. A strip that is long and alone is cut
 * into parts by rows, one selection a part and column, whose candidates are ordered together: by
 * all threads where they are many, else each column by one.
 */
struct topk_plan {
    struct op_plan base;
    const struct topk_kernel *kernel;
    struct topk_order order;
    unsigned width_log2;
    struct topk_view in, values, indices;
    uint64_t n, k;
    uint64_t columns;            /* size of the column dimension; 1 without one */
    uint64_t strip_columns;      /* most columns of a strip */
    uint64_t strips;             /* in all: groups * ceil(columns / strip_columns) */
    uint64_t strips_per_chunk;   /* that a thread runs at once, where strips are not cut */
    uint64_t parts, part_rows;   /* how each strip is cut; 1 part: shared out whole */
    uint64_t tile_rows;          /* 0: the input's own memory serves */
    uint64_t
        tile_step; /* from column to column of a tile: columns are spread over a cache's sets */
    uint64_t tile_bytes;         /* of one tile, or of the scratch by rows */
    bool by_rows;                /* the kernel reads rows as they lie */
    uint64_t state_bytes;        /* of one selection, a multiple of 64 */
    uint64_t workers;            /* sets of scratch: threads or parts */
    uint64_t batch;              /* strips that a thread selects from at once, TOPK_BATCH at most */
    uint64_t selections;         /* of a worker: for a strip's columns, or a batch of one column */
    char *states;                /* [workers][selections][state_bytes] */
    char *tiles;                 /* [workers][tile_bytes] */
    struct topk_list *lists;     /* [workers][selections] */
    bool shared;                 /* all threads order the candidates of one sequence */
    enum prefetch_policy prefetch;
    unsigned sorters;            /* 1 where shared, else one a thread; 0: candidates are few */
    struct topk_sorter *sorter;  /* [sorters] */
    uint64_t expected;           /* candidates that a guess is to leave; 0: none is made */
    struct topk_guess *guesses;  /* [threads] */
    uint64_t sampled;            /* elements that are looked at first; 0: none */
    char *sample;                /* [sampled] */
};

/* What one thread expects of the next sequence, by those before it: a guess that may only cost
 * time. */
struct topk_guess {
    bool known;
    uint64_t limit; /* key that somewhat more than k elements do not come after */
    int trust;      /* guesses are made while it is 0 or more */
    unsigned wrong; /* guesses that were, since the last good one; WRONG_MAX at most */
    bool run, reversed; /* so the last sequence's candidates were */
};

/* Where a strip lies. */
struct topk_strip {
    char *in, *values, *indices; /* element (0, 0) of the strip's rows and columns */
    uint64_t columns;
};

/* Runs a plan. */
void topk_run(struct op_plan *plan);

/* What a kernel is to select from n elements, and from the sample. */
struct topk_job topk_job_of(const struct topk_plan *p, uint64_t n);
struct topk_job topk_sample_job(const struct topk_plan *p);

/* Writes n entries of a column's result, from `rank` on: topk_entry_get's. */
void topk_write(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                uint64_t rank, const void *entries, bool pairs, size_t n);

/* The same where the result is a run: of the first elements, or of the last ones backwards. */
void topk_write_run(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                    bool reversed, uint64_t rank, uint64_t n);

/* Allocates the sorters; false where memory is short. topk_sorters_free releases them. */
bool topk_sorters_new(struct topk_plan *p);
void topk_sorters_free(struct topk_plan *p);

/*
 * Puts the candidates of one column, lists[i * selections] for each part i, in order, and writes
 * its result. sorter: NULL where candidates are few. guess: NULL, or learns what to expect.
 */
void topk_order(const struct topk_plan *p, struct topk_sorter *sorter,
                const struct topk_strip *strip, uint64_t column, const struct topk_list *lists,
                struct topk_guess *guess);

#endif
