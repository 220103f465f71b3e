#include "cli/integers.h"

#include <string.h>

#include "cli/list_text.h"
#include "json/number.h"

static bool is_empty(const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        if (words->v[i][strspn(words->v[i], " \t")])
            return false;
    return true;
}

bool integers_read(const struct option_list *words, struct integers *list)
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

/* ST_USAGE, with a message of what the words of an option are not. */
static enum status refuse(const char *option, const struct option_list *words, const char *what,
                          struct diag *dg)
{
    struct str text = { 0 };
    enum status st;

    list_add_text(&text, words);
    st = text.failed ? diag_nomem(dg)
                     : diag_error(dg, ST_USAGE, NULL, "%s: '%s' is not a list of %s", option,
                                  text.s ? text.s : "", what);
    str_free(&text);
    return st;
}

enum status integers_read_axes(const char *option, const struct option_list *words,
                               struct integers *list, struct diag *dg)
{
    return integers_read(words, list) ? ST_OK : refuse(option, words, "axes, such as 1,0", dg);
}

enum status integers_read_sizes(const char *option, const struct option_list *words, bool computed,
                                struct integers *list, struct diag *dg)
{
    unsigned left = computed;

    if (!integers_read(words, list))
        return refuse(option, words, "at most 32 sizes, such as 2,3", dg);
    for (unsigned i = 0; i < list->n; i++) {
        if (list->v[i] >= 0)
            continue;
        if (list->v[i] < -1 || left == 0)
            return refuse(option, words,
                          computed ? "sizes: each is 0 or more, and one of them may be -1"
                                   : "sizes: each is 0 or more", dg);
        left--;
    }
    return ST_OK;
}
