#include "cli/list_text.h"

#include <string.h>

static const char opening[] = "{[(", closing[] = "}])";

/* Where a list is being read. */
struct state {
    struct list_entries *entries;
    char close;    /* the bracket that ends the list; 0: none began it */
    bool began;    /* its first character has been read */
    bool closed;
    bool comma;    /* the last thing read was a comma */
};

/* Reads a bracket or a comma; false where it does not belong there. */
static bool read_mark(struct state *st, char c)
{
    const char *bracket = strchr(opening, c);

    if (bracket && !st->began) {
        st->close = closing[bracket - opening];
    } else if (c == ',' && st->entries->n > 0 && !st->comma) {
        st->comma = true;
    } else if (c == st->close && st->entries->n > 0) {
        st->closed = true;
        st->comma = false; /* as Python's (3,) */
    } else
        return false;
    st->began = true;
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
        st->began = true;
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

bool list_split_text(const char *text, struct list_entries *entries)
{
    return list_split(&(struct option_list){ .v = { text }, .n = 1 }, entries);
}

/* Whether the word is one whole number, with a comma after it or not. */
static bool is_number(const char *word)
{
    size_t sign = *word == '-' || *word == '+', digits = strspn(word + sign, "0123456789");

    word += sign + digits;
    return digits > 0 && (*word == '\0' || (*word == ',' && word[1] == '\0'));
}

bool list_goes_on(const struct option_list *words, const char *word)
{
    const char *first = words->v[0] + strspn(words->v[0], " \t");

    if (!*first || !strchr(opening, *first))
        return is_number(words->v[words->n - 1]) && is_number(word);
    for (size_t i = 0; i < words->n; i++)
        if (strpbrk(words->v[i], closing))
            return false;
    return strspn(word, "0123456789+-, \t)]}") == strlen(word) && strpbrk(word, "0123456789,)]}");
}

void list_add_text(struct str *b, const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        str_printf(b, "%s%s", i ? " " : "", words->v[i]);
}
