#include "part/auto.h"

#include <stdarg.h>

#include "part/share.h"

/* The variables of an engine's tasks; NULL: there is none. */
struct engine {
    const char *id, *first, *last, *step, *count;
    unsigned lowest; /* id; 0 if ids may start at 0 or 1. Below it means that there is no array. */
};

/* The first pair with both variables set is used. N never comes from SLURM_NTASKS, which every task
 * of an MPI launcher under sbatch sees beside SLURM_PROCID=0. */
static const struct engine pairs[] = {
#include "part/ranks_rows.h"
};

/* Arrays. Without `first`, the first task is the lowest that the steps allow. */
static const struct engine arrays[] = {
#include "part/arrays_rows.h"
};

/* What the environment says; pair and array are NULL if no such variable is set. */
struct environment {
    char *text; /* [AUTO_TEXT], of struct auto_part */
    const struct engine *pair, *array;
    uint64_t rank, size, index, tasks; /* index: of the task, from 0; tasks: 0 if not known */
};

bool auto_part_number(const char *text, uint64_t *v)
{
    const char *p = text;

    for (*v = 0; *p >= '0' && *p <= '9' && *v <= UINT32_MAX; p++)
        *v = *v * 10 + (uint64_t)(*p - '0');
    return p > text && !*p && *v <= UINT32_MAX;
}

PRINTF_LIKE(2, 3) static bool fail(struct environment *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(e->text, AUTO_TEXT, fmt, ap);
    va_end(ap);
    return false;
}

/* The value of a variable; NULL if it is not set, which Grid Engine also calls "undefined". */
static const char *value_of(const char *name)
{
    const char *text = name ? getenv(name) : NULL;

    return text && strcmp(text, "undefined") != 0 ? text : NULL;
}

/* Reads a variable, if it is set, else leaves *v. */
static bool read_number(struct environment *e, const char *name, uint64_t *v)
{
    const char *text = value_of(name);

    return !text || auto_part_number(text, v) ||
           fail(e, "%s is '%.60s', which is not a number", name, text);
}

static bool find_pair(struct environment *e)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs) && !e->pair; i++)
        if (getenv(pairs[i].id) && getenv(pairs[i].count))
            e->pair = &pairs[i];
    if (!e->pair)
        return true;
    if (!read_number(e, e->pair->id, &e->rank) || !read_number(e, e->pair->count, &e->size))
        return false;
    return (e->rank < e->size && e->size <= SHARE_PARTS_MAX) ||
           fail(e, "%s is %ju and %s is %ju; parts are counted from 0, and there are 1 to %d",
                e->pair->id, e->rank, e->pair->count, e->size, SHARE_PARTS_MAX);
}

/* Reads an array's variables for `parts` tasks, 0: as many as there are. An array of other tasks
 * has some that were submitted again; its ids count from `lowest`. */
static bool read_array(struct environment *e, const struct engine *a, uint64_t parts)
{
    uint64_t id = 0, first = UINT64_MAX, last = 0, step = 1, count = 0;

    if (!read_number(e, a->id, &id) || !read_number(e, a->first, &first) ||
        !read_number(e, a->last, &last) || !read_number(e, a->step, &step) ||
        !read_number(e, a->count, &count))
        return false;
    if (id < a->lowest)
        return true;
    if (!a->first && step > 0)
        first = (id - a->lowest) % step + a->lowest;
    e->array = a;
    e->tasks =
        value_of(a->last) && step > 0 && first <= id && id <= last ? (last - first) / step + 1 : 0;
    if ((count && count != e->tasks) || (parts && parts != e->tasks) || e->tasks > SHARE_PARTS_MAX)
        e->tasks = 0;
    if (e->tasks && (id - first) % step != 0)
        return fail(e, "%s is %ju, and none of %ju-%ju:%ju; give the part as I/N", a->id, id, first,
                    last, step);
    e->index = e->tasks ? (id - first) / step : id - a->lowest;
    if (e->tasks)
        snprintf(e->text, AUTO_TEXT, "%s=%ju of %ju-%ju:%ju", a->id, id, first, last, step);
    else
        snprintf(e->text, AUTO_TEXT, "%s=%ju, counted from %u", a->id, id, a->lowest);
    return true;
}

static bool find_array(struct environment *e, uint64_t parts)
{
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
        const struct engine *was = e->array;
        uint64_t index = e->index;

        if (!value_of(arrays[i].id) || (e->pair && strcmp(e->pair->id, arrays[i].id) == 0))
            continue;
        if (!read_array(e, &arrays[i], parts))
            return false;
        if (was && index != e->index)
            return fail(
                e, "%s is for part %ju, but %s for part %ju; unset one, or give the part as I/N",
                was->id, index, arrays[i].id, e->index);
    }
    return true;
}

/* Checks that the variables that are set name one of `parts` parts (0: not given). */
static bool check(struct environment *e, uint64_t parts)
{
    const char *id = e->array ? e->array->id : NULL;
    char from_1[96] = "";

    if (id && e->array->lowest == 0)
        snprintf(from_1, sizeof from_1, "; if the array counts from 1, give $((%s - 1))/N", id);
    if (e->pair && id && e->size > 1)
        return fail(e, "%s is %ju of %ju, and %s is for part %ju; give the part as I/N",
                    e->pair->id, e->rank, e->size, id, e->index);
    if (id && parts == 0 && e->tasks == 0)
        return fail(e, "%s gives an index, but not how many parts there are; give auto/N%s", id,
                    from_1);
    if (id)
        return e->tasks > 0 || e->index < parts ||
               fail(e, "%s is for part %ju; %ju part%s counted from 0 to %ju%s", id, e->index,
                    parts, parts == 1 ? " is" : "s are", parts - 1, from_1);
    for (size_t i = 0; i < ARRAY_LEN(pairs) && !e->pair; i++)
        if (getenv(pairs[i].id))
            return fail(e, "%s is set, but %s is not; give the part as I/N", pairs[i].id,
                        pairs[i].count);
    if (!e->pair)
        return fail(e, "no engine's variables are set, such as OMPI_COMM_WORLD_RANK, PMI_RANK, "
                       "SLURM_PROCID or SLURM_ARRAY_TASK_ID; give the part as I/N");
    return parts == 0 || e->size == parts ||
           fail(e, "%s is %ju, but auto/%ju is given", e->pair->count, e->size, parts);
}

bool auto_part_find(struct auto_part *p, uint64_t parts)
{
    struct environment e = { .text = p->text };

    *p = (struct auto_part){ .part = 0 };
    if (!find_pair(&e) || !find_array(&e, parts) || !check(&e, parts))
        return false;
    p->part = e.array ? e.index : e.rank;
    p->parts = !e.array ? e.size : e.tasks ? e.tasks : parts;
    if (!e.array)
        snprintf(p->text, AUTO_TEXT, "%s and %s", e.pair->id, e.pair->count);
    return true;
}
