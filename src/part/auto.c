#include "part/auto.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "part/share.h"

/* The first pair with both variables set is used. N never comes from SLURM_NTASKS, which every task
 * of an MPI launcher under sbatch sees beside SLURM_PROCID=0, nor from the size of an array, which
 * changes when some of its tasks are submitted again. */
static const struct pair {
    const char *rank, *size;
} pairs[] = {
    { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
    { "PMI_RANK", "PMI_SIZE" },
    { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
    { "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE" },
};

/* Indices without a size, for auto/N. */
static const char *const index_names[] = {
    "SLURM_ARRAY_TASK_ID",
    "PBS_ARRAY_INDEX",
    "JOB_COMPLETION_INDEX",
};

/* What the environment says; pair and index_name are NULL if no such variable is set. */
struct environment {
    char *error; /* [AUTO_TEXT] */
    const struct pair *pair;
    const char *index_name;
    uint64_t rank, size, index;
};

bool auto_part_number(const char *text, uint64_t *v)
{
    size_t n = strlen(text);

    *v = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9')
            return false;
        *v = *v * 10 + (uint64_t)(*p - '0');
        if (*v > UINT32_MAX)
            return false;
    }
    return n > 0;
}

PRINTF_LIKE(2, 3) static bool fail(struct environment *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(e->error, AUTO_TEXT, fmt, ap);
    va_end(ap);
    return false;
}

static bool read_number(struct environment *e, const char *name, uint64_t *v)
{
    const char *text = getenv(name);

    return auto_part_number(text, v) || fail(e, "%s is '%.60s', which is not a number", name, text);
}

static bool find_pair(struct environment *e)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs) && !e->pair; i++)
        if (getenv(pairs[i].rank) && getenv(pairs[i].size))
            e->pair = &pairs[i];
    if (!e->pair)
        return true;
    if (!read_number(e, e->pair->rank, &e->rank) || !read_number(e, e->pair->size, &e->size))
        return false;
    return (e->rank < e->size && e->size <= SHARE_PARTS_MAX) ||
           fail(e,
                "%s is %" PRIu64 " and %s is %" PRIu64
                "; parts are counted from 0, and there are 1 to %d",
                e->pair->rank, e->rank, e->pair->size, e->size, SHARE_PARTS_MAX);
}

static bool find_index(struct environment *e)
{
    for (size_t i = 0; i < ARRAY_LEN(index_names); i++) {
        uint64_t v;

        if (!getenv(index_names[i]))
            continue;
        if (!read_number(e, index_names[i], &v))
            return false;
        if (e->index_name && v != e->index)
            return fail(
                e, "%s is %" PRIu64 ", but %s is %" PRIu64 "; unset one, or give the part as I/N",
                e->index_name, e->index, index_names[i], v);
        if (!e->index_name)
            e->index_name = index_names[i];
        e->index = v;
    }
    return true;
}

/* Checks that the variables that are set name one part of `parts` (0: not given). */
static bool check(struct environment *e, uint64_t parts)
{
    if (e->pair && e->index_name && e->size > 1)
        return fail(e,
                    "%s is %" PRIu64 " of %" PRIu64 ", and %s is %" PRIu64 "; give the part as I/N",
                    e->pair->rank, e->rank, e->size, e->index_name, e->index);
    if (e->index_name && parts == 0)
        return fail(e, "%s gives an index, but not how many parts there are; give auto/N",
                    e->index_name);
    if (e->index_name)
        return e->index < parts ||
               fail(e, "%s is %" PRIu64 "; %" PRIu64 " part%s counted from 0 to %" PRIu64,
                    e->index_name, e->index, parts, parts == 1 ? " is" : "s are", parts - 1);
    if (!e->pair)
        return fail(e, "no engine's variables are set, such as OMPI_COMM_WORLD_RANK, PMI_RANK, "
                       "SLURM_PROCID or SLURM_ARRAY_TASK_ID; give the part as I/N");
    return parts == 0 || e->size == parts ||
           fail(e, "%s is %" PRIu64 ", but auto/%" PRIu64 " is given", e->pair->size, e->size,
                parts);
}

bool auto_part_find(struct auto_part *p, uint64_t parts)
{
    struct environment e = { .error = p->text };

    *p = (struct auto_part){ .part = 0 };
    if (!find_pair(&e) || !find_index(&e) || !check(&e, parts))
        return false;
    p->part = e.index_name ? e.index : e.rank;
    p->parts = e.index_name ? parts : e.size;
    if (e.index_name)
        snprintf(p->text, AUTO_TEXT, "%s", e.index_name);
    else
        snprintf(p->text, AUTO_TEXT, "%s and %s", e.pair->rank, e.pair->size);
    return true;
}
