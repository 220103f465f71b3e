#include "cli/list_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/number.h"

static const char opening[] = "{[(", closing[] = "}])";

struct state {
    struct list_entries *entries;
    char close;  /* the bracket that must end the list; 0: none */
    bool closed; /* after that bracket */
    bool comma;  /* after a comma */
};

/* Reads a bracket or a comma; false if it must not come here. */
static bool read_mark(struct state *st, char c)
{
    const char *bracket = strchr(opening, c);

    if (bracket && !st->close && st->entries->n == 0) {
        st->close = closing[bracket - opening];
    } else if (c == ',' && st->entries->n > 0 && !st->comma) {
        st->comma = true;
    } else if (c == st->close && st->entries->n > 0) {
        st->closed = true;
        st->comma = false; /* as Python's (3,) */
    } else
        return false;
    return true;
}

static bool read_word(struct state *st, const char *p)
{
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
        size_t n = strcspn(p, " \t,{[()]}");

        if (st->closed)
            return false;
        if (n == 0) {
            if (!read_mark(st, *p++))
                return false;
            continue;
        }
        if (st->entries->n == LIST_ENTRIES_MAX)
            return false;
        st->entries->v[st->entries->n].s = p;
        st->entries->v[st->entries->n++].n = n;
        st->comma = false;
        p += n;
    }
    return true;
}

bool list_split(const struct option_list *words, struct list_entries *entries)
{
    struct state st = { .entries = entries };

    entries->n = 0;
    for (size_t i = 0; i < words->n; i++)
        if (!read_word(&st, words->v[i]))
            return false;
    return entries->n > 0 && !st.comma && st.closed == (st.close != 0);
}

void list_add_text(struct str *b, const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        str_printf(b, "%s%s", i ? " " : "", words->v[i]);
}

enum status list_refuse(struct diag *dg, enum status st, const char *option,
                        const struct option_list *words, const char *fmt, ...)
{
    struct str text = { 0 };
    va_list ap;

    str_printf(&text, "%s: '", option);
    list_add_text(&text, words);
    str_puts(&text, "' ");
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    return diag_str(dg, st, NULL, &text);
}

static bool is_empty(const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        if (words->v[i][strspn(words->v[i], " \t")])
            return false;
    return true;
}

static bool read_integers(const struct option_list *words, struct integers *list)
{
    struct list_entries entries = { .n = 0 };

    list->n = 0;
    if (!is_empty(words) && !list_split(words, &entries))
        return false;
    for (; list->n < entries.n; list->n++)
        if (list->n == TENSOR_MAX_RANK ||
            number_int_literal(entries.v[list->n].s, entries.v[list->n].n, &list->v[list->n]) !=
                NUMBER_OK)
            return false;
    return true;
}

enum status list_axes(const char *option, const struct option_list *words, struct integers *list,
                      struct diag *dg)
{
    return read_integers(words, list)
               ? ST_OK
               : list_refuse(dg, ST_USAGE, option, words, "is not a list of axes, such as 1,0");
}

enum status list_sizes(const char *option, const struct option_list *words, bool computed,
                       struct integers *list, struct diag *dg)
{
    unsigned left = computed;

    if (!read_integers(words, list))
        return list_refuse(dg, ST_USAGE, option, words,
                           "is not a list of at most 32 sizes, such as 2,3");
    for (unsigned i = 0; i < list->n; i++) {
        if (list->v[i] >= 0)
            continue;
        if (list->v[i] < -1 || left == 0)
            return list_refuse(dg, ST_USAGE, option, words,
                               "is not a list of sizes: each is 0 or more%s",
                               computed ? ", and one of them may be -1" : "");
        left--;
    }
    return ST_OK;
}

struct integers_text integers_text(const struct integers *list)
{
    struct integers_text s = { "" };
    char *p = s.text;

    for (unsigned i = 0; i < list->n; i++)
        p += sprintf(p, "%s%" PRId64, i ? "," : "", list->v[i]);
    return s;
}
