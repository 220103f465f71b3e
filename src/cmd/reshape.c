#include "cmd/reshape.h"

#include <inttypes.h>

#include "base/mem.h"
#include "run/reading.h"

const struct option_row reshape_options[] = {
    OPT_INTEGERS("sizes", struct reshape_args, sizes_words, "LIST",
                 "take the elements by these sizes, such as 2,-1 (-1: as many as there are);"
                 " raw data need it"),
    OPT_OPTIONAL("squeeze", struct reshape_args, squeeze, "AXES",
                 "then leave out the axes of size 1; with AXES, only these"),
    OPT_INTEGERS("permute", struct reshape_args, permute_words, "AXES",
                 "then order the axes, such as 1,0 for a transpose"),
    OPT_END,
};

enum status reshape_parse(struct reshape_args *a, struct diag *dg)
{
    const struct option_list squeeze = { .v = { a->squeeze }, .n = 1 };
    enum status st = ST_OK;

    if (a->sizes_words.n > 0)
        st = list_sizes("--sizes", &a->sizes_words, true, &a->sizes, dg);
    if (st == ST_OK && a->squeeze)
        st = list_axes("--squeeze", &squeeze, &a->dropped, dg);
    if (st == ST_OK && a->permute_words.n > 0)
        st = list_axes("--permute", &a->permute_words, &a->order, dg);
    return st;
}

static enum status apply_sizes(const struct reshape_args *a, const char *path, struct tensor *t,
                               void **owned, struct diag *dg)
{
    const struct tensor from = *t;
    uint64_t count = 0;
    enum status st;

    tensor_count(t->rank, t->sizes, &count); /* fits: the elements are in memory */
    st = reading_sizes(&a->sizes, count, tensor_sizes_text(t->rank, t->sizes).text, path, t, dg);
    if (st || tensor_is_packed(&from))
        return st;
    *owned = mem_alloc_aligned(count, dtype_size(t->type));
    if (!*owned)
        return diag_nomem(dg);
    tensor_gather(&from, 0, count, *owned);
    t->data = *owned;
    return ST_OK;
}

/* Copies axes with negative ones counted from the end. ST_INPUT, with a message, if there is no
 * such axis. */
static enum status find_axes(const struct integers *given, const struct tensor *t,
                             const char *option, const char *path, struct integers *axes,
                             struct diag *dg)
{
    int64_t rank = t->rank;

    *axes = *given;
    for (unsigned i = 0; i < axes->n; i++) {
        if (axes->v[i] < -rank || axes->v[i] >= rank)
            return diag_error(dg, ST_INPUT, path, "%s: there is no axis %" PRId64 " in %s", option,
                              axes->v[i], tensor_sizes_text(t->rank, t->sizes).text);
        axes->v[i] += axes->v[i] < 0 ? rank : 0;
    }
    return ST_OK;
}

static enum status apply_squeeze(const struct reshape_args *a, const char *path, struct tensor *t,
                                 struct diag *dg)
{
    bool drop[TENSOR_MAX_RANK] = { false };
    struct integers axes;
    unsigned rank = 0;
    enum status st = find_axes(&a->dropped, t, "--squeeze", path, &axes, dg);

    if (st)
        return st;
    for (unsigned i = 0; i < axes.n; i++) {
        if (t->sizes[axes.v[i]] != 1)
            return diag_error(dg, ST_INPUT, path,
                              "--squeeze: axis %" PRId64 " has size %" PRIu64
                              "; only axes of size 1 can be left out",
                              axes.v[i], t->sizes[axes.v[i]]);
        drop[axes.v[i]] = true;
    }
    for (unsigned i = 0; i < t->rank; i++)
        if (!drop[i] && (*a->squeeze || t->sizes[i] != 1)) {
            t->sizes[rank] = t->sizes[i];
            t->strides[rank++] = t->strides[i];
        }
    t->rank = rank;
    return ST_OK;
}

static enum status apply_permute(const struct reshape_args *a, const char *path, struct tensor *t,
                                 struct diag *dg)
{
    bool seen[TENSOR_MAX_RANK] = { false };
    const struct tensor from = *t;
    struct integers axes;
    bool once;
    enum status st = find_axes(&a->order, t, "--permute", path, &axes, dg);

    if (st)
        return st;
    once = axes.n == t->rank;
    for (unsigned i = 0; i < axes.n && once; i++) {
        once = !seen[axes.v[i]];
        seen[axes.v[i]] = true;
        t->sizes[i] = from.sizes[axes.v[i]];
        t->strides[i] = from.strides[axes.v[i]];
    }
    if (once)
        return ST_OK;
    return diag_error(dg, ST_INPUT, path, "--permute %s: must name each of the %u axes of %s once",
                      integers_text(&a->order).text, from.rank,
                      tensor_sizes_text(from.rank, from.sizes).text);
}

enum status reshape_apply(const struct reshape_args *a, const char *path, struct tensor *t,
                          void **owned, struct diag *dg)
{
    enum status st = a->sizes_words.n > 0 ? apply_sizes(a, path, t, owned, dg) : ST_OK;

    if (st == ST_OK && a->squeeze)
        st = apply_squeeze(a, path, t, dg);
    if (st == ST_OK && a->permute_words.n > 0)
        st = apply_permute(a, path, t, dg);
    return st;
}
