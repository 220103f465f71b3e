#include "cmd/reshape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/integers.h"

enum { INTEGERS_TEXT = TENSOR_MAX_RANK * 21 + 1 };

const struct option_row reshape_options[] = {
    OPT_INTEGERS("sizes", struct reshape_args, sizes, "LIST",
             "take the elements by these sizes, such as 2,-1 (-1: as many as there are);"
             " raw data need it"),
    OPT_OPTIONAL("squeeze", struct reshape_args, squeeze, "AXES",
                 "then leave out the axes of size 1; with AXES, only these"),
    OPT_INTEGERS("permute", struct reshape_args, permute, "AXES",
             "then order the axes, such as 1,0 for a transpose"),
    OPT_END,
};

/* The axes of --squeeze, which are one word. */
static struct option_list squeeze_words(const struct reshape_args *a)
{
    return (struct option_list){ .v = { a->squeeze }, .n = 1 };
}

enum status reshape_check(const struct reshape_args *a, struct diag *dg)
{
    const struct option_list squeeze = squeeze_words(a);
    struct integers list;
    enum status st = ST_OK;

    if (a->sizes.n > 0)
        st = integers_read_sizes("--sizes", &a->sizes, true, &list, dg);
    if (st == ST_OK && a->squeeze)
        st = integers_read_axes("--squeeze", &squeeze, &list, dg);
    if (st == ST_OK && a->permute.n > 0)
        st = integers_read_axes("--permute", &a->permute, &list, dg);
    return st;
}

/* The product of all sizes but -1; false where it overflows. */
static bool multiply(const struct integers *list, uint64_t *product, int *computed)
{
    *product = 1;
    *computed = -1;
    for (unsigned i = 0; i < list->n; i++)
        if (list->v[i] == -1)
            *computed = (int)i;
        else if (!u64_mul(*product, (uint64_t)list->v[i], product))
            return false;
    return true;
}

bool reshape_known_count(const struct reshape_args *a, uint64_t *count)
{
    struct integers list;
    int computed;

    integers_read(&a->sizes, &list); /* was checked */
    return multiply(&list, count, &computed) && computed < 0;
}

/* "2,-1" */
static const char *integers_text(const struct integers *list, char text[INTEGERS_TEXT])
{
    char *p = text;

    *p = '\0';
    for (unsigned i = 0; i < list->n; i++)
        p += sprintf(p, "%s%" PRId64, i ? "," : "", list->v[i]);
    return text;
}

enum status reshape_sizes(const struct reshape_args *a, uint64_t count, const char *what,
                          const char *path, unsigned *rank, uint64_t sizes[TENSOR_MAX_RANK],
                          struct diag *dg)
{
    char text[INTEGERS_TEXT];
    struct integers list;
    uint64_t product;
    int computed;
    bool fits;

    integers_read(&a->sizes, &list); /* was checked */
    fits = multiply(&list, &product, &computed);
    integers_text(&list, text);
    if (fits && computed >= 0 && (product == 0 || count % product != 0))
        return diag_error(dg, ST_INPUT, path,
                          "--sizes %s: the %" PRIu64
                          " elements of %s cannot be divided by %" PRIu64,
                          text, count, what, product);
    if (!fits || (computed < 0 && product != count))
        return diag_error(dg, ST_INPUT, path,
                          "--sizes %s: %s has %" PRIu64 " elements, not %s%" PRIu64, text, what,
                          count, fits ? "" : "more than ", fits ? product : UINT64_MAX);
    *rank = list.n;
    for (unsigned i = 0; i < list.n; i++)
        sizes[i] = (int)i == computed ? count / product : (uint64_t)list.v[i];
    return ST_OK;
}

static enum status apply_sizes(const struct reshape_args *a, const char *path, struct tensor *t,
                               void **owned, struct diag *dg)
{
    char was[TENSOR_SIZES_TEXT];
    uint64_t count = 0, sizes[TENSOR_MAX_RANK];
    unsigned rank;
    enum status st;

    tensor_count(t->rank, t->sizes, &count); /* fits: the elements are in memory */
    tensor_sizes_text(was, t->rank, t->sizes);
    st = reshape_sizes(a, count, was, path, &rank, sizes, dg);
    if (st)
        return st;
    if (!tensor_is_packed(t)) {
        *owned = mem_alloc_aligned(count, dtype_size(t->type));
        if (!*owned)
            return diag_nomem(dg);
        tensor_gather(t, 0, count, *owned);
        t->data = *owned;
    }
    t->rank = rank;
    memcpy(t->sizes, sizes, rank * sizeof *sizes);
    if (!tensor_dense_bytes(t->type, rank, sizes, &count) ||
        !tensor_pack_strides(rank, sizes, t->strides))
        return diag_error(dg, ST_INPUT, path, "--sizes: the sizes %s are too large",
                          tensor_sizes_text(was, rank, sizes));
    return ST_OK;
}

/* Makes negative axes count from the end; false, after a message, where there is no such axis. */
static bool find_axes(struct integers *list, const struct tensor *t, const char *option,
                      const char *path, struct diag *dg)
{
    char sizes[TENSOR_SIZES_TEXT];
    int64_t rank = t->rank;

    for (unsigned i = 0; i < list->n; i++) {
        if (list->v[i] < -rank || list->v[i] >= rank) {
            diag_error(dg, ST_INPUT, path, "%s: there is no axis %" PRId64 " in %s", option,
                       list->v[i], tensor_sizes_text(sizes, t->rank, t->sizes));
            return false;
        }
        list->v[i] += list->v[i] < 0 ? rank : 0;
    }
    return true;
}

static enum status apply_squeeze(const struct reshape_args *a, const char *path, struct tensor *t,
                                 struct diag *dg)
{
    bool drop[TENSOR_MAX_RANK] = { false };
    const struct option_list words = squeeze_words(a);
    struct integers list;
    unsigned rank = 0;

    integers_read(&words, &list); /* was checked */
    if (!find_axes(&list, t, "--squeeze", path, dg))
        return ST_INPUT;
    for (unsigned i = 0; i < list.n; i++) {
        if (t->sizes[list.v[i]] != 1)
            return diag_error(dg, ST_INPUT, path,
                              "--squeeze: axis %" PRId64 " has size %" PRIu64
                              "; only axes of size 1 can be left out",
                              list.v[i], t->sizes[list.v[i]]);
        drop[list.v[i]] = true;
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
    char sizes[TENSOR_SIZES_TEXT];
    const struct tensor from = *t;
    char text[INTEGERS_TEXT];
    struct integers list, given;
    bool once;

    integers_read(&a->permute, &list); /* was checked */
    given = list;
    if (!find_axes(&list, t, "--permute", path, dg))
        return ST_INPUT;
    once = list.n == t->rank;
    for (unsigned i = 0; i < list.n && once; i++) {
        once = !seen[list.v[i]];
        seen[list.v[i]] = true;
        t->sizes[i] = from.sizes[list.v[i]];
        t->strides[i] = from.strides[list.v[i]];
    }
    if (once)
        return ST_OK;
    return diag_error(dg, ST_INPUT, path,
                      "--permute %s: must name each of the %u axes of %s once",
                      integers_text(&given, text), from.rank,
                      tensor_sizes_text(sizes, from.rank, from.sizes));
}

enum status reshape_apply(const struct reshape_args *a, const char *path, struct tensor *t,
                          void **owned, struct diag *dg)
{
    enum status st = a->sizes.n > 0 ? apply_sizes(a, path, t, owned, dg) : ST_OK;

    if (st == ST_OK && a->squeeze)
        st = apply_squeeze(a, path, t, dg);
    if (st == ST_OK && a->permute.n > 0)
        st = apply_permute(a, path, t, dg);
    return st;
}
