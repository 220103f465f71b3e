#include "cli/number_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "cli/list_text.h"
#include "json/number.h"

/* Copies a number to out as JSON writes it: "+.5" as "0.5", "2." as "2". Returns its length, 0 or
 * that of no JSON number for other texts. */
static size_t to_json(const char *text, char out[NUMBER_MAX + 2])
{
    size_t n = 0;

    if (strlen(text) > NUMBER_MAX || strchr(text, '.') != strrchr(text, '.'))
        return 0;
    text += *text == '+' && text[1] != '-';
    if (*text == '-')
        out[n++] = *text++;
    if (*text == '.' && isdigit((unsigned char)text[1]))
        out[n++] = '0';
    for (; *text; text++)
        if (*text != '.' || n == 0 || !isdigit((unsigned char)out[n - 1]) ||
            isdigit((unsigned char)text[1]))
            out[n++] = *text;
    return n;
}

bool number_text_is(const char *text)
{
    char json[NUMBER_MAX + 2];
    size_t n = to_json(text, json);
    double d;

    return n > 0 && number_double(json, n, &d) != NUMBER_SYNTAX;
}

bool number_text_whole(const char *text, size_t n, int64_t *v)
{
    enum number_result result = number_int_literal(text, n, v);

    if (result == NUMBER_RANGE)
        *v = *text == '-' ? INT64_MIN : INT64_MAX;
    return result == NUMBER_OK || result == NUMBER_RANGE;
}

bool number_text_scalar(const char *text, bool is_float, struct scalar *s)
{
    char json[NUMBER_MAX + 2];
    size_t n = to_json(text, json);
    int64_t v;

    *s = (struct scalar){ .is_float = is_float };
    if (is_float)
        return number_double(json, n, &s->f) == NUMBER_OK;
    if (number_i64(json, n, &v) != NUMBER_OK)
        return number_u64(json, n, &s->magnitude) == NUMBER_OK;
    s->negative = v < 0;
    s->magnitude = i64_magnitude(v);
    return true;
}

/* Reads NaN and the infinities as JSON tensors, NumPy and C write them. */
static bool read_special(const char *text, double *v)
{
    static const char *const names[] = { "nan", "inf", "infinity" };
    bool negative = *text == '-', sign = negative || *text == '+';

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(text + sign, names[i]) == 0 && (i > 0 || !sign)) {
            *v = i == 0 ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
            return true;
        }
    return false;
}

bool number_text_element(const char *text, enum dtype type, void *at)
{
    bool is_float = dtype_table[type].kind == KIND_FLOAT;
    char json[NUMBER_MAX + 2];
    size_t n = to_json(text, json);
    struct scalar s = { .is_float = true };

    if (is_float && read_special(text, &s.f))
        return scalar_store(&s, type, at) == SCALAR_FITS;
    if (type == DT_FLOAT32) /* rounded once */
        return number_float(json, n, at) == NUMBER_OK;
    if (type == DT_FLOAT16)
        return number_half(json, n, at) == NUMBER_OK;
    return number_text_scalar(text, is_float, &s) && scalar_store(&s, type, at) == SCALAR_FITS;
}

/* Copies entry i of a list; false if it is longer than any number. */
static bool copy_entry(const struct list_entries *e, size_t i, char text[NUMBER_MAX + 1])
{
    if (e->v[i].n > NUMBER_MAX)
        return false;
    memcpy(text, e->v[i].s, e->v[i].n);
    text[e->v[i].n] = '\0';
    return true;
}

size_t number_list_count(const struct option_list *words)
{
    char number[NUMBER_MAX + 1];
    struct list_entries e;

    if (!list_split(words, &e))
        return 0;
    for (size_t i = 0; i < e.n; i++)
        if (!copy_entry(&e, i, number) || !number_text_is(number))
            return 0;
    return e.n;
}

enum status number_list_store(const char *option, const struct option_list *words, enum dtype type,
                              void *at, struct diag *dg)
{
    char number[NUMBER_MAX + 1];
    struct list_entries e;

    list_split(words, &e);
    for (size_t i = 0; i < e.n; i++) {
        copy_entry(&e, i, number);
        if (number_text_element(number, type, (char *)at + i * dtype_size(type)))
            continue;
        if (type == DT_FLOAT32)
            return diag_error(dg, ST_INPUT, NULL, "%s: %s does not fit FLOAT32", option, number);
        return diag_error(dg, ST_INPUT, NULL,
                          "%s: %s is not a value of type %s; give a whole number %" PRId64
                          " to %" PRIu64,
                          option, number, dtype_name(type), dtype_min(type), dtype_max(type));
    }
    return ST_OK;
}

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
