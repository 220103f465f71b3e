#include "io/kind.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A line of a text without its end. */
struct csv_line {
    const char *s;
    size_t n;
};

static bool is_number(const char *s, size_t n)
{
    static const char *const words[] = { "nan", "inf", "-inf", "+inf" };
    bool digits = false;

    while (n > 0 && isspace((unsigned char)*s))
        s++, n--;
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        n--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n == strlen(words[i]) && strncasecmp(s, words[i], n) == 0)
            return true;
    for (size_t i = 0; i < n; i++) {
        if (!s[i] || !strchr("0123456789+-.eE", s[i]) || (!digits && (s[i] == 'e' || s[i] == 'E')))
            return false;
        digits = digits || isdigit((unsigned char)s[i]);
    }
    return digits;
}

static bool ends_cell(char c, char delimiter)
{
    return delimiter == ' ' ? c == ' ' || c == '\t' : c == delimiter;
}

/* Counts the cells of a line; *numbers: all are numbers. */
static size_t count_cells(struct csv_line l, char delimiter, bool *numbers)
{
    size_t cells = 0, from = 0;

    *numbers = true;
    for (size_t i = 0; i <= l.n; i++) {
        if (i < l.n && !ends_cell(l.s[i], delimiter))
            continue;
        if (i > from || delimiter != ' ') { /* several blanks are one delimiter */
            *numbers = is_number(l.s + from, i - from) && *numbers;
            cells++;
        }
        from = i + 1;
    }
    return cells;
}

/* The next line that is not empty; false at the end, or before the last line if `cut`. */
static bool next_line(const char **p, const char *end, bool cut, struct csv_line *l)
{
    do {
        const char *newline = *p < end ? memchr(*p, '\n', (size_t)(end - *p)) : NULL,
                   *stop = newline ? newline : end;

        if (*p >= end || (!newline && cut))
            return false;
        *l = (struct csv_line){ *p, (size_t)(stop - *p) };
        *p = newline ? newline + 1 : end;
        while (l->n > 0 && isspace((unsigned char)l->s[l->n - 1]))
            l->n--;
    } while (l->n == 0);
    return true;
}

static char find_delimiter(struct csv_line l)
{
    static const char delimiters[] = { '\t', ';', ',', ' ' };

    for (size_t i = 0; i < sizeof delimiters; i++)
        if (memchr(l.s, delimiters[i], l.n))
            return delimiters[i];
    return '\n'; /* one column */
}

bool csv_is(const void *text, size_t len, size_t most, struct csv *c)
{
    const char *p = text, *end = p + (len < most ? len : most);
    struct csv_line first, second;
    size_t cells;
    bool numbers, more;

    *c = (struct csv){ .mark = len > 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 };
    p += c->mark ? 3 : 0;
    if (p == end || strchr("[{/\"", *p) != NULL || !next_line(&p, end, len > most, &first))
        return false;
    more = next_line(&p, end, len > most, &second);
    c->delimiter = find_delimiter(first);
    cells = count_cells(first, c->delimiter, &numbers);
    c->header = !numbers;
    if (more && count_cells(second, c->delimiter, &numbers) != cells)
        return false;
    if (c->delimiter == '\n')
        c->delimiter = ' '; /* as for numpy.loadtxt */
    return numbers && (more ? !c->header || cells > 1 : !c->header && cells > 1);
}
