#include "lsp/text.h"

#include "base/mem.h"

enum { BLOCK = 2048 /* bytes, at most */ };

static struct lsp_place add(struct lsp_place a, struct lsp_place b)
{
    return (struct lsp_place){ a.offset + b.offset, a.line + b.line,
                               b.character + (b.line > 0 ? 0 : a.character) };
}

static struct lsp_place measure(const struct lsp_text *t, size_t from, size_t to)
{
    struct lsp_place d = { .offset = to - from };

    for (const char *s = t->bytes.s + from; from < to; from++, s++) {
        d.character += t->encoding == LSP_UTF8 || !str_continues(*s);
        d.character += t->encoding == LSP_UTF16 && (unsigned char)*s >= 0xf0; /* a surrogate pair */
        if (*s == '\n' || (*s == '\r' && s[1] != '\n')) {
            d.line++;
            d.character = 0;
        }
    }
    return d;
}

size_t lsp_offset(const struct lsp_text *t, size_t line, size_t character)
{
    const char *s = t->bytes.s;
    struct lsp_place p = { 0 };

    for (size_t i = 0; p.offset < t->bytes.len;) { /* blocks, then bytes of the last one */
        struct lsp_place next =
            add(p, i < t->n ? t->blocks[i] : measure(t, p.offset, p.offset + 1));
        bool past = next.line > line || (next.line == line && next.character > character);

        if (past && i >= t->n)
            break;
        p = past ? p : next;
        i = past ? t->n : i + 1;
    }
    while (p.offset > 0 && p.offset < t->bytes.len &&
           (str_continues(s[p.offset]) || (s[p.offset] == '\n' && s[p.offset - 1] == '\r')))
        p.offset--;
    return p.offset;
}

void lsp_text_index(struct lsp_text *t, size_t start, size_t end, size_t n)
{
    size_t first = 0, last, from = 0, to, blocks;

    while (first < t->n && from + t->blocks[first].offset < start)
        from += t->blocks[first++].offset; /* not past a \r that may end its line no longer */
    for (last = first, to = from; last < t->n && (to < end || last == first); last++)
        to += t->blocks[last].offset;
    to = to - (end - start) + n;
    blocks = u64_ceil_div(to - from, BLOCK);
    if (!mem_reserve(&t->blocks, first + blocks + t->n - last, &t->cap, sizeof *t->blocks)) {
        t->bytes.failed = true;
        return;
    }
    memmove(t->blocks + first + blocks, t->blocks + last, (t->n - last) * sizeof *t->blocks);
    t->n = first + blocks + t->n - last;
    for (; blocks > 0; blocks--, from += t->blocks[first++].offset)
        t->blocks[first] = measure(t, from, from + (to - from) / blocks);
}

void lsp_write_range(struct json_writer *w, const char *key, struct lsp_places *p, size_t start,
                     size_t end)
{
    const char *s = p->text->bytes.s;
    size_t len = p->text->bytes.len;
    struct lsp_place last;

    start = start < len ? start : len;
    end = end < start ? start : end < len ? end : len;
    while (start > 0 && start < len && str_continues(s[start]))
        start--;
    while (end < len && str_continues(s[end]))
        end++;
    if (start < p->at.offset)
        p->at = (struct lsp_place){ 0 };
    p->at = add(p->at, measure(p->text, p->at.offset, start));
    last = add(p->at, measure(p->text, start, end));
    json_open(w, key, "{}");
    json_format(w, "start: { line: %zu character: %zu } end: { line: %zu character: %zu } }",
                p->at.line, p->at.character, last.line, last.character);
}

void lsp_write_text(struct json_writer *w, const char *key, const char *text)
{
    struct str b = { 0 };

    str_add_escaped(&b, text, strlen(text));
    json_str(w, key, &b);
}

bool lsp_has_line(const struct str *lines, const char *line)
{
    size_t n = strlen(line);

    for (const char *at = lines->s; at && (at = strstr(at, line)); at++)
        if (at > lines->s && at[-1] == '\n' && at[n] == '\n')
            return true;
    return false;
}

void lsp_write_edit(struct json_writer *w, struct lsp_places *p, size_t start, size_t end,
                    const char *text, size_t n)
{
    json_open(w, NULL, "{}");
    lsp_write_range(w, "range", p, start, end);
    json_stringf(w, "newText", "%.*s", (int)n, text);
    json_close(w);
}
