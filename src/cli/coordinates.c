#include "cli/coordinates.h"

#include <inttypes.h>
#include <string.h>

#include "cli/list_text.h"
#include "json/number.h"
#include "tensor/tensor.h"

/* Reads entry i, or the nearest whole number of 64 bits. False where it is not a whole number. */
static bool read_entry(const struct list_entries *e, size_t i, int64_t *v)
{
    enum number_result result = number_int_literal(e->v[i].s, e->v[i].n, v);

    if (result == NUMBER_RANGE)
        *v = e->v[i].s[0] == '-' ? INT64_MIN : INT64_MAX;
    return result == NUMBER_OK || result == NUMBER_RANGE;
}

static bool are_whole(const struct list_entries *e)
{
    int64_t v;

    for (size_t i = 0; i < e->n; i++)
        if (!read_entry(e, i, &v))
            return false;
    return true;
}

/* Whether v is a coordinate of an axis of that size: *c. */
static bool place(int64_t v, uint64_t size, uint64_t *c)
{
    if (v < 0 && size <= INT64_MAX)
        v += (int64_t)size;
    *c = (uint64_t)v;
    return v >= 0 && *c < size;
}

/* The output, and what is said of it. */
struct target {
    const char *option, *text; /* text: the list as it was given */
    unsigned rank, least;
    const uint64_t *sizes;
    char shown[TENSOR_SIZES_TEXT];
};

/* Reads entries that are whole numbers. */
static enum status read_entries(const struct target *t, const struct list_entries *e, uint64_t *c,
                                struct diag *dg)
{
    unsigned skip;

    if (e->n != t->rank && e->n != t->least)
        return diag_error(dg, ST_INPUT, NULL,
                          "%s: '%s' has %zu coordinate%s, but the output is %s; give %u%s",
                          t->option, t->text, e->n, e->n == 1 ? "" : "s", t->shown, t->rank,
                          t->least == t->rank ? "" : ", or only row and column");
    skip = t->rank - (unsigned)e->n;
    memset(c, 0, t->rank * sizeof *c);
    for (unsigned i = 0; i < e->n; i++) {
        uint64_t size = t->sizes[skip + i];
        int64_t v;

        if (!read_entry(e, i, &v) || !place(v, size, &c[skip + i]))
            return diag_error(dg, ST_INPUT, NULL,
                              "%s: %.*s in '%s' is outside axis %u of the output, which is %s; use "
                              "0 to %" PRIu64,
                              t->option, (int)e->v[i].n, e->v[i].s, t->text, skip + i, t->shown,
                              size - 1);
    }
    return ST_OK;
}

enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg)
{
    struct target t = { .option = option, .rank = rank, .least = least, .sizes = sizes };
    struct list_entries entries;
    struct str text = { 0 };
    enum status st;

    list_add_text(&text, words);
    t.text = text.s ? text.s : "";
    tensor_sizes_text(t.shown, rank, sizes);
    if (text.failed)
        st = diag_nomem(dg);
    else if (list_split(words, &entries) && are_whole(&entries))
        st = read_entries(&t, &entries, c, dg);
    else
        st = diag_error(dg, ST_USAGE, NULL,
                        "%s: '%s' is not a list of whole numbers, one for each axis of the output, "
                        "which is %s",
                        option, t.text, t.shown);
    str_free(&text);
    return st;
}

void coordinates_add(struct str *out, unsigned rank, const uint64_t *c, unsigned all)
{
    str_puts(out, "[");
    for (unsigned i = 0; i < rank; i++) {
        str_puts(out, i ? "," : "");
        if (i == all)
            str_puts(out, ":");
        else
            str_printf(out, "%" PRIu64, c[i]);
    }
    str_puts(out, "]");
}
