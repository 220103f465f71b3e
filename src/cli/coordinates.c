#include "cli/coordinates.h"

#include <inttypes.h>
#include <string.h>

#include "cli/list_text.h"
#include "cli/number_text.h"
#include "tensor/tensor.h"

/* Splits a list into whole numbers, v[e->n]. */
static bool split_whole(const struct option_list *words, struct list_entries *e,
                        int64_t v[LIST_ENTRIES_MAX])
{
    if (!list_split(words, e))
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!number_text_whole(e->v[i].s, e->v[i].n, &v[i]))
            return false;
    return true;
}

enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg)
{
    char shown[TENSOR_SIZES_TEXT];
    struct list_entries e = { .n = 0 };
    int64_t v[LIST_ENTRIES_MAX];
    struct str text = { 0 };
    enum status st = ST_OK;

    list_add_text(&text, words);
    tensor_sizes_text(shown, rank, sizes);
    memset(c, 0, rank * sizeof *c);
    if (text.failed)
        st = diag_nomem(dg);
    else if (!split_whole(words, &e, v))
        st = diag_error(dg, ST_USAGE, NULL,
                        "%s: '%s' is not a list of whole numbers, one for each axis of the output, "
                        "which is %s",
                        option, text.s ? text.s : "", shown);
    else if (e.n != rank && e.n != least)
        st = diag_error(dg, ST_INPUT, NULL,
                        "%s: '%s' has %zu coordinate%s, but the output is %s; give %u%s", option,
                        text.s, e.n, e.n == 1 ? "" : "s", shown, rank,
                        least == rank ? "" : ", or only row and column");
    for (size_t i = 0; st == ST_OK && i < e.n; i++) {
        size_t axis = rank - e.n + i;

        if (v[i] < 0 && sizes[axis] <= INT64_MAX)
            v[i] += (int64_t)sizes[axis];
        c[axis] = (uint64_t)v[i];
        if (v[i] < 0 || c[axis] >= sizes[axis])
            st = diag_error(dg, ST_INPUT, NULL,
                            "%s: %.*s in '%s' is outside axis %zu of the output, which is %s; use "
                            "0 to %" PRIu64,
                            option, (int)e.v[i].n, e.v[i].s, text.s, axis, shown, sizes[axis] - 1);
    }
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
