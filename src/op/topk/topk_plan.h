#pragma once

#include "base/parallel.h"
#include "kernel/topk/topk.h"
#include "op/impl.h"

/* Private to op/topk/. */

/* One of the three tensors, seen as {groups..., column, axis}. */
struct topk_view {
    struct tensor groups; /* without the axis and the column dimension */
    int64_t axis_step;    /* in elements */
    int64_t column_step;  /* in elements; 0 without a column dimension */
};

/* What is computed. */
struct topk_task {
    const struct topk_kernel *kernel;
    struct topk_order order;
    unsigned width_log2;
    enum prefetch_policy prefetch;
    struct topk_view in, values, indices;
    uint64_t n, k;
    uint64_t columns; /* size of the column dimension; 1 without one */
    bool pairs;       /* entries are struct topk_entry, else packed as key << 32 | index */
};

/* How the work is divided. Adjacent columns form a strip, which is read once. Strips are shared
 * among threads in chunks; a long strip, if there are few, is cut by rows into parts, whose
 * candidates are sorted together. */
struct topk_division {
    uint64_t strip_columns;    /* the most columns of a strip */
    uint64_t strips;           /* groups * ceil(columns / strip_columns) */
    uint64_t strips_per_chunk; /* that a thread runs at once if strips are not cut */
    uint64_t parts, part_rows; /* of each strip */
    bool by_rows;              /* the kernel reads rows in place, with a limit */
    bool shared;               /* all threads sort the candidates of one column */
};

/* Limits predict thresholds; a wrong one costs a second pass. See topk_limit.c. */
struct topk_limits {
    uint64_t sampled;           /* the most elements of a sample; 0: none */
    uint64_t expected;          /* elements within a limit from the row before; 0: none */
    struct topk_guess *guesses; /* [threads] */
};

/* Scratch, for each worker: a thread, or a part of a strip. */
struct topk_scratch {
    uint64_t workers;
    uint64_t worker_bytes; /* of states and a tile, from worker to worker */
    uint64_t rows_bytes;   /* the same of rows */
    uint64_t state_bytes;  /* of one selection, a multiple of 64 */
    uint64_t tile_rows;    /* 0: elements are read in place */
    uint64_t tile_columns;
    uint64_t tile_step;      /* from column to column of a tile, in elements */
    uint64_t tile_room;      /* elements */
    uint64_t look_room;      /* of a column looked ahead: {500000,8} K = 2000, 4 k: 1.8 */
    char *states;            /* of worker 0: a strip's selections, or a sample's keys; allocated */
    char *tiles, *rows;      /* a tile, or a sample; what a kernel needs for rows, allocated */
    struct topk_list *lists; /* [workers][strip_columns] */
};

struct topk_plan {
    struct op_plan base;
    struct topk_task task;
    struct topk_division cut;
    struct topk_limits limits;
    struct topk_scratch room;
    unsigned sorters;           /* 1 if shared, else one for each thread; 0: candidates are few */
    struct topk_sorter *sorter; /* [sorters] */
};

/* What one thread predicts of the next row from those before it. */
struct topk_guess {
    _Alignas(CACHE_LINE) bool known;
    uint64_t limit;
    unsigned wrong; /* limits in a row; the last one costs 2^wrong rows without a limit */
    uint64_t pause; /* until the next one */
};

/* The location of a strip. */
struct topk_strip {
    char *in, *values, *indices; /* element (0, 0) of the strip's rows and columns */
    uint64_t columns;
};

/* A candidate: its key and its index in the whole sequence. */
struct topk_entry {
    uint64_t key, index;
};

/* Entry i of an array of pairs or packed entries. */
INLINE struct topk_entry topk_entry_get(const void *entries, size_t i, bool pairs)
{
    uint64_t packed;

    if (pairs)
        return ((const struct topk_entry *)entries)[i];
    packed = ((const uint64_t *)entries)[i];
    return (struct topk_entry){ packed >> 32, packed & UINT32_MAX };
}

INLINE void topk_entry_set(void *entries, size_t i, struct topk_entry e, bool pairs)
{
    if (pairs)
        ((struct topk_entry *)entries)[i] = e;
    else
        ((uint64_t *)entries)[i] = e.key << 32 | e.index;
}

static inline size_t topk_entry_bytes(bool pairs)
{
    return pairs ? sizeof(struct topk_entry) : sizeof(uint64_t);
}

/* The first column's list of a part, or of a worker. */
static inline struct topk_list *topk_list_of(const struct topk_plan *p, uint64_t worker)
{
    return p->room.lists + worker * p->cut.strip_columns;
}

enum {
    TOPK_CHUNKS = 4,      /* for each thread, at least */
    TOPK_SMALL_PART = 4,  /* a limit needs k to be at most n / 4, and so much of what is left is
                             read ahead: {10000,1000} K = 100, 8: 1.39 */
    TOPK_LARGE = 1 << 14, /* k that threads select together, entries in order that one of them
                             writes at once, elements of a sample: K = 1000, 2^9: 1.2 */
};

void topk_run(struct op_plan *plan);

/* A selection from n elements of a column. */
static inline struct topk_job topk_job_of(const struct topk_plan *p, uint64_t n)
{
    return (struct topk_job){ .kernel = p->task.kernel,
                              .order = p->task.order,
                              .width_log2 = p->task.width_log2,
                              .n = n,
                              .k = u64_min(p->task.k, n),
                              .limit = UINT64_MAX,
                              .prefetch = p->task.prefetch };
}

/* The most parts of a sequence in each of which a limit would reject most elements; 0: in none. */
uint64_t topk_limit_parts(const struct topk_task *t);

/* Sets p->limits except for the guesses; the task and the division are set. */
void topk_limits_plan(struct topk_plan *p);

/* Predicts a limit for a strip, by a worker's scratch; UINT64_MAX: none. */
uint64_t topk_limit(const struct topk_plan *p, const struct topk_strip *strip, uint64_t worker);

/* Updates trust in limits: good if a limit left k candidates, but not far too many. */
void topk_limit_judge(struct topk_guess *g, bool good);

/* Updates a guess by the n sorted candidates of a row. */
void topk_limit_learn(const struct topk_plan *p, struct topk_guess *g, const void *entries,
                      uint64_t n);

/* Allocates the sorters; false if memory is short. topk_sorters_free releases them. */
bool topk_sorters_new(struct topk_plan *p);
void topk_sorters_free(struct topk_plan *p);

/* Sorts the candidates of one column, lists[i * strip_columns] for each part i, writes its result
 * and updates the worker's guess. */
void topk_order(const struct topk_plan *p, uint64_t worker, const struct topk_strip *strip,
                uint64_t column, const struct topk_list *lists);

/* Writes n entries of a column's result, from `rank` on. */
void topk_write(const struct topk_plan *p, const struct topk_strip *strip, uint64_t column,
                uint64_t rank, const void *entries, size_t n);

/* Sets what a list tells of its keys. */
void topk_survey(struct topk_list *list, unsigned width_log2);

/* Measured as those in topk.c. */
enum {
    TOPK_FEW = 320, /* sorted on the stack; least of a bucket: {10000,1000} K = 100, 640: 1.02 */
    SORT_PREFIX_BITS = 14, /* 10^7 K = n, 12: 1.16 */
    SORT_BUCKETS = 256,    /* 10^7 K = n, 512: 1.02 */
};

/* Neighbouring prefixes of keys, whose entries are sorted at once. */
struct topk_bucket {
    uint64_t start; /* position of its first entry */
    uint64_t least; /* its keys exceed this by less than 2^bits */
    unsigned bits;
    uint64_t work;      /* entries visited to sort it, in all passes; bounded by tests */
    const void *sorted; /* its entries, in sorter->entries or sorter->room */
};

/* Room to sort the candidates of one column: entries are scattered to buckets by a prefix of their
 * keys; each bucket, which fits a cache, is sorted by the rest. */
struct topk_sorter {
    int threads;
    uint64_t most;        /* candidates of all parts */
    void *entries, *room; /* [most]; room: of each thread, if its largest bucket fits */
    uint64_t *counts;    /* [parts][most_prefixes] candidates by prefix, then positions by bucket */
    uint16_t *bucket_of; /* [most_prefixes] of a prefix */
    unsigned shift;      /* prefix = (key - least) >> shift */
    uint32_t prefixes, most_prefixes;
    uint64_t largest; /* entries of a bucket */
    unsigned buckets; /* to be sorted; 0: the candidates were in order, or are not counted yet */
    struct topk_bucket bucket[SORT_BUCKETS + 1]; /* and the end */
};
