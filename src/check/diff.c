#include "check/fix.h"

#include "base/mem.h"

enum { CONTEXT = 3 };

static size_t count_feeds(const char *s, size_t n) { return json_count(s, s + n, 0xff, '\n'); }

bool diff_lines(struct diff *d, size_t **starts, const struct str *text)
{
    size_t lines = count_feeds(text->s, text->len) + 1;

    *starts = mem_alloc((uint64_t)lines + 1, sizeof **starts);
    if (!*starts)
        return false;
    (*starts)[0] = 0;
    d->n = 1;
    for (size_t i = 0; i < text->len; i++)
        if (text->s[i] == '\n')
            (*starts)[d->n++] = i + 1;
    (*starts)[d->n] = text->len;
    return true;
}

bool diff_fix(struct diff *d, const struct diff *from, const struct str *text,
              const struct finding_fix *const *fixes, size_t n)
{
    size_t line = 1, at = 0, lines = 1, more = 0, *next;

    for (size_t i = 0; i < n; i++)
        more += count_feeds(fixes[i]->text, strlen(fixes[i]->text));
    next = mem_alloc((uint64_t)from->n + 1 + more, sizeof *next);
    if (!next)
        return false;
    next[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const struct finding_fix *f = fixes[i];
        size_t removed = count_feeds(text->s + f->offset, f->end - f->offset);
        size_t added = count_feeds(f->text, strlen(f->text));

        for (size_t k = count_feeds(text->s + at, f->offset - at); k > 0; k--)
            next[lines++] = from->old_start[line++];
        for (size_t k = 0; k < added; k++) /* lines of a fix correspond one by one */
            next[lines++] = from->old_start[line + (k < removed ? k : removed)];
        line += removed;
        at = f->end;
    }
    while (line <= from->n)
        next[lines++] = from->old_start[line++];
    free(d->old_start);
    d->old_start = next;
    d->n = lines - 1;
    return true;
}

void diff_free(struct diff *d)
{
    free(d->old_start);
    free(d->new_start);
    *d = (struct diff){ .n = 0 };
}

static bool is_same(const struct diff *d, const struct str *old_text, const struct str *new_text,
                    size_t line)
{
    const size_t *a = &d->old_start[line], *b = &d->new_start[line];

    return a[1] - a[0] == b[1] - b[0] &&
           memcmp(old_text->s + a[0], new_text->s + b[0], a[1] - a[0]) == 0;
}

bool diff_next(const struct diff *d, const struct str *old_text, const struct str *new_text,
               struct diff_change *c)
{
    size_t first = c->end;

    while (first < d->n && is_same(d, old_text, new_text, first))
        first++;
    c->first = c->end = first;
    while (c->end < d->n && !is_same(d, old_text, new_text, c->end))
        c->end++;
    c->old_start = d->old_start[c->first];
    c->old_end = d->old_start[c->end];
    c->new_start = d->new_start[c->first];
    c->new_end = d->new_start[c->end];
    return c->first < c->end;
}

void diff_trim(struct diff_change *c, const struct str *old_text, const struct str *new_text)
{
    const char *a = old_text->s, *b = new_text->s;
    size_t n = 0, m = 0, shared = u64_min(c->old_end - c->old_start, c->new_end - c->new_start);

    while (n < shared && a[c->old_start + n] == b[c->new_start + n])
        n++;
    while (n > 0 && (str_continues(a[c->old_start + n]) || str_continues(b[c->new_start + n])))
        n--;
    while (m < shared - n && a[c->old_end - m - 1] == b[c->new_end - m - 1])
        m++;
    while (m > 0 && (str_continues(a[c->old_end - m]) || str_continues(b[c->new_end - m])))
        m--;
    c->old_start += n;
    c->new_start += n;
    c->old_end -= m;
    c->new_end -= m;
}

/* Adds the lines of text in [from, to), each after a mark; returns their number. */
static size_t add_lines(struct str *out, char mark, const struct str *text, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t end; from < to; from = end, n++) {
        const char *feed = memchr(text->s + from, '\n', to - from);
        size_t length = feed ? (size_t)(feed - text->s) - from : to - from;

        end = from + length + (feed != NULL);
        length -= feed && length > 0 && feed[-1] == '\r';
        str_add(out, &mark, 1);
        str_add_line(out, text->s + from, length);
        str_puts(out, feed ? "\n" : "\n\\ No newline at end of file\n");
    }
    return n;
}

void diff_print(const struct diff *d, const char *old_name, const char *new_name,
                const struct str *old_text, const struct str *new_text, struct str *out)
{
    struct diff_change c = { .first = 0 };
    bool more = diff_next(d, old_text, new_text, &c);
    size_t old_line = 1, counted = 0; /* the line of a byte of the old text */

    if (!more)
        return;
    str_puts(out, "--- ");
    str_add_escaped(out, old_name, strlen(old_name));
    str_puts(out, "\n+++ ");
    str_add_escaped(out, new_name, strlen(new_name));
    str_puts(out, "\n");
    while (more) { /* a hunk: changes with at most 2 * CONTEXT lines between them */
        size_t at = c.first > CONTEXT ? c.first - CONTEXT : 0, end;
        size_t new_line = at + 1, olds = 0, news = 0, same;
        struct str body = { 0 };

        old_line += count_feeds(old_text->s + counted, d->old_start[at] - counted);
        counted = d->old_start[at];
        do {
            same = add_lines(&body, ' ', old_text, d->old_start[at], c.old_start);
            olds += same + add_lines(&body, '-', old_text, c.old_start, c.old_end);
            news += same + add_lines(&body, '+', new_text, c.new_start, c.new_end);
            at = c.end;
            more = diff_next(d, old_text, new_text, &c);
        } while (more && c.first - at <= 2 * (size_t)CONTEXT);
        end = at + CONTEXT < d->n ? at + CONTEXT : d->n;
        same = add_lines(&body, ' ', old_text, d->old_start[at], d->old_start[end]);
        str_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_line, olds + same, new_line, news + same);
        str_add(out, body.s ? body.s : "", body.len);
        str_done(&body, &out->failed);
    }
}
