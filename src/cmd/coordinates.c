#include "cmd/coordinates.h"

#include <inttypes.h>
#include <string.h>

#include "json/number.h"
#include "tensor/tensor.h"

#define BLANKS " \t"

/* The list of whole numbers between the brackets, if it has any. */
struct list {
    const char *at[DML_MAX_RANK]; /* the text of each, */
    int length[DML_MAX_RANK];
    int64_t v[DML_MAX_RANK];      /* and its value; the nearest that 64 bits hold */
    unsigned n;                   /* all, also those beyond DML_MAX_RANK, which are not kept */
};

/* One whole number at *p, up to a comma, a blank, the closing bracket or the end. */
static bool read_entry(struct list *l, const char **p)
{
    size_t length = strcspn(*p, ",])}" BLANKS);
    int64_t v = 0;
    enum number_result result = number_int_literal(*p, length, &v);

    if (result == NUMBER_RANGE)
        v = **p == '-' ? INT64_MIN : INT64_MAX;
    else if (result != NUMBER_OK)
        return false;
    if (l->n < DML_MAX_RANK) {
        l->at[l->n] = *p;
        l->length[l->n] = (int)length;
        l->v[l->n] = v;
    }
    l->n++;
    *p += length;
    return true;
}

static bool read_list(struct list *l, const char *text)
{
    static const char opening[] = "[({", closing[] = "])}";
    const char *p = text + strspn(text, BLANKS), *bracket = *p ? strchr(opening, *p) : NULL;
    char close = '\0';

    *l = (struct list){ .n = 0 };
    if (bracket) {
        close = closing[bracket - opening];
        p++;
    }
    do {
        p += strspn(p, BLANKS);
        if (!read_entry(l, &p))
            return false;
        p += strspn(p, BLANKS);
        if (*p == ',')
            p++;
        else if (*p == close)
            break;
    } while (*p != close || p[-1] == ',');
    p += close != '\0';
    return p[strspn(p, BLANKS)] == '\0';
}

/* Coordinate number i of the list, along an axis of that size. False where it is outside. */
static bool place(const struct list *l, unsigned i, uint64_t size, uint64_t *c)
{
    int64_t v = l->v[i];

    if (v < 0 && size <= INT64_MAX)
        v += (int64_t)size;
    *c = (uint64_t)v;
    return v >= 0 && *c < size;
}

enum status coordinates_read(const char *option, const char *text, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg)
{
    char shown[TENSOR_SIZES_TEXT];
    struct list l;
    unsigned skip;

    tensor_sizes_text(shown, rank, sizes);
    if (!read_list(&l, text))
        return diag_error(dg, ST_USAGE, NULL,
                          "%s: '%s' is not a list of whole numbers, one for each axis of the "
                          "output, which is %s",
                          option, text, shown);
    if (l.n != rank && l.n != least)
        return diag_error(dg, ST_INPUT, NULL,
                          "%s: '%s' has %u coordinate%s, but the output is %s; give %u%s", option,
                          text, l.n, l.n == 1 ? "" : "s", shown, rank,
                          least == rank ? "" : ", or only row and column");
    skip = rank - l.n;
    memset(c, 0, rank * sizeof *c);
    for (unsigned i = 0; i < l.n; i++)
        if (!place(&l, i, sizes[skip + i], &c[skip + i]))
            return diag_error(dg, ST_INPUT, NULL,
                              "%s: %.*s in '%s' is outside axis %u of the output, which is %s; use "
                              "0 to %" PRIu64,
                              option, l.length[i], l.at[i], text, skip + i, shown,
                              sizes[skip + i] - 1);
    return ST_OK;
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
