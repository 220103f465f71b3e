#include "check/diff.h"

#include <string.h>

enum {
    CONTEXT = 3,
    WINDOW = 64 /* lines in which texts must be alike again, else all the rest counts as changed */
};

/* What is left of a text from one of its lines on. */
struct lines {
    const char *p, *end;
    size_t number; /* from 1 */
};

static size_t line_length(const struct lines *l)
{
    const char *feed = l->p < l->end ? memchr(l->p, '\n', (size_t)(l->end - l->p)) : NULL;

    return feed ? (size_t)(feed - l->p) + 1 : (size_t)(l->end - l->p);
}

static void step(struct lines *l)
{
    l->p += line_length(l);
    l->number++;
}

static struct lines ahead(struct lines l, int n)
{
    while (n-- > 0 && l.p < l.end)
        step(&l);
    return l;
}

static bool same_line(const struct lines *a, const struct lines *b)
{
    size_t n = line_length(a);

    return n == line_length(b) && memcmp(a->p, b->p, n) == 0;
}

/* How many lines of a and b to pass over until both go on with the same line. */
static void resync(const struct lines *a, const struct lines *b, int *from_a, int *from_b)
{
    for (int d = 1; d < WINDOW; d++) {
        for (int i = 0; i <= d; i++) {
            struct lines x = ahead(*a, d), y = ahead(*b, d - i);

            if (same_line(&x, &y)) {
                *from_a = d;
                *from_b = d - i;
                return;
            }
            x = ahead(*a, d - i), y = ahead(*b, d);
            if (same_line(&x, &y)) {
                *from_a = d - i;
                *from_b = d;
                return;
            }
        }
    }
    *from_a = *from_b = 1;
}

static void add_lines(struct str *out, char mark, struct lines *l, int n)
{
    for (; n > 0 && l->p < l->end; n--, step(l)) {
        size_t length = line_length(l);
        bool ends = l->p[length - 1] == '\n';

        length -= ends;
        length -= ends && length > 0 && l->p[length - 1] == '\r';
        str_add(out, &mark, 1);
        str_add_line(out, l->p, length);
        str_puts(out, ends ? "\n" : "\n\\ No newline at end of file\n");
    }
}

/* Adds one hunk, whose context begins at a and b; both move past it. */
static void add_hunk(struct str *out, struct lines *a, struct lines *b)
{
    struct lines start_a = *a, start_b = *b, end_a = *a, end_b = *b;
    struct str body = { 0 };
    size_t length = 0;
    int alike = 0;

    while ((a->p < a->end || b->p < b->end) && alike <= 2 * CONTEXT) {
        int from_a, from_b;

        if (same_line(a, b)) {
            alike++;
            add_lines(&body, ' ', a, 1);
            step(b);
        } else {
            alike = 0;
            resync(a, b, &from_a, &from_b);
            add_lines(&body, '-', a, from_a);
            add_lines(&body, '+', b, from_b);
        }
        if (alike <= CONTEXT) { /* no more of it follows the last change */
            end_a = *a;
            end_b = *b;
            length = body.len;
        }
    }
    *a = end_a;
    *b = end_b;
    str_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", start_a.number, a->number - start_a.number,
               start_b.number, b->number - start_b.number);
    str_add(out, body.s ? body.s : "", length);
    out->failed = out->failed || body.failed;
    str_free(&body);
}

static void add_names(struct str *out, const char *old_name, const char *new_name)
{
    str_puts(out, "--- ");
    str_add_escaped(out, old_name, strlen(old_name));
    str_puts(out, "\n+++ ");
    str_add_escaped(out, new_name, strlen(new_name));
    str_puts(out, "\n");
}

void diff_texts(const char *old_name, const char *new_name, const struct str *old_text,
                const struct str *new_text, struct str *out)
{
    struct lines a = { old_text->s, old_text->s + old_text->len, 1 };
    struct lines b = { new_text->s, new_text->s + new_text->len, 1 };
    struct lines back_a = a, back_b = b; /* where the context of a change here begins */
    bool any = false;

    while (a.p < a.end || b.p < b.end) {
        if (same_line(&a, &b)) {
            if (a.number - back_a.number >= CONTEXT) {
                step(&back_a);
                step(&back_b);
            }
            step(&a);
            step(&b);
            continue;
        }
        if (!any)
            add_names(out, old_name, new_name);
        any = true;
        add_hunk(out, &back_a, &back_b);
        a = back_a;
        b = back_b;
    }
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* Leaves out what is alike at both ends of a change. */
static void trim(const char *a, const char *b, struct diff_change *c)
{
    size_t n = 0, m = 0, most = c->old_end - c->old_start;

    if (most > c->new_end - c->new_start)
        most = c->new_end - c->new_start;
    while (n < most && a[c->old_start + n] == b[c->new_start + n])
        n++;
    while (n > 0 && (continues(a[c->old_start + n]) || continues(b[c->new_start + n])))
        n--;
    while (m < most - n && a[c->old_end - m - 1] == b[c->new_end - m - 1])
        m++;
    while (m > 0 && (continues(a[c->old_end - m]) || continues(b[c->new_end - m])))
        m--;
    c->old_start += n;
    c->new_start += n;
    c->old_end -= m;
    c->new_end -= m;
}

bool diff_next(const struct str *old_text, const struct str *new_text, struct diff_change *at)
{
    struct lines a = { old_text->s + at->old_end, old_text->s + old_text->len, 1 };
    struct lines b = { new_text->s + at->new_end, new_text->s + new_text->len, 1 };
    int from_a, from_b;

    for (; (a.p < a.end || b.p < b.end) && same_line(&a, &b); step(&b))
        step(&a);
    if (a.p == a.end && b.p == b.end)
        return false;
    at->old_start = (size_t)(a.p - old_text->s);
    at->new_start = (size_t)(b.p - new_text->s);
    resync(&a, &b, &from_a, &from_b);
    at->old_end = (size_t)(ahead(a, from_a).p - old_text->s);
    at->new_end = (size_t)(ahead(b, from_b).p - new_text->s);
    trim(old_text->s, new_text->s, at);
    return true;
}
