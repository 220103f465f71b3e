#include "check/findings.h"

#include <string.h>

#include "cli/print.h"

/* A severity as it is printed: bold, red or magenta, where `color` says so. */
static const char *severity_text(enum severity severity, bool color)
{
    if (!color)
        return severity_name(severity);
    return severity == SEV_ERROR ? "\x1b[1;31merror\x1b[0m" : "\x1b[1;35mwarning\x1b[0m";
}

enum { SHOWN_COLUMNS = 100, SHOWN_BEFORE = 60 /* of a longer line, before the caret */ };

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The byte up to `most` characters before offset, or the start of its line where that is nearer. */
static size_t step_back(const struct document *f, size_t offset, size_t most)
{
    size_t at = offset;

    while (most > 0 && at > 0 && !ends_line(f->text[at - 1])) {
        at--;
        most -= ((unsigned char)f->text[at] & 0xc0) != 0x80;
    }
    if (at == 0 && f->len >= 3 && memcmp(f->text, "\xef\xbb\xbf", 3) == 0)
        at = offset < 3 ? offset : 3; /* a byte-order mark is not a character */
    return at;
}

/* At most `count` characters of the line from byte `at` on, up to byte `stop`: as they are, or as
 * blanks before a caret (tabs stay tabs). Control bytes show as '?'. Returns the byte where it
 * ended. */
static size_t add_line(struct str *b, const struct document *f, size_t at, size_t stop,
                       size_t count, bool blank)
{
    while (count-- > 0 && at < stop && at < f->len && !ends_line(f->text[at])) {
        size_t n = str_utf8_length(f->text + at, f->len - at);
        unsigned char c = (unsigned char)f->text[at];

        if (c == '\t')
            str_puts(b, "\t");
        else if (blank)
            str_puts(b, " ");
        else if (n == 0 || c < 0x20 || c == 0x7f ||
                 (c == 0xc2 && (unsigned char)f->text[at + 1] < 0xa0)) /* C1 */
            str_puts(b, "?");
        else
            str_add(b, f->text + at, n);
        at += n ? n : 1;
    }
    return at;
}

/* "  9 |   "K": 0," and a caret under the columns of the finding; a long line is cut around it. The
 * time is that of what is shown: a text may be one long line with many findings. */
static void add_source(struct str *b, const struct document *df, const struct finding *f)
{
    size_t offset = f->range.offset < df->len ? f->range.offset : df->len;
    size_t from = step_back(df, offset, SHOWN_COLUMNS);
    struct str rest = { 0 };
    bool whole = from == step_back(df, offset, SHOWN_COLUMNS + 1);

    if (whole) {
        size_t end = add_line(&rest, df, from, df->len, SHOWN_COLUMNS, false);

        whole = end >= offset && (end == df->len || ends_line(df->text[end]));
    }
    if (!whole)
        from = step_back(df, offset, SHOWN_BEFORE);
    b->failed = b->failed || rest.failed;
    whole = whole || from == step_back(df, offset, SHOWN_BEFORE + 1);
    str_printf(b, "%6zu | %s", f->range.line, whole ? "" : "...");
    add_line(b, df, from, df->len, SHOWN_COLUMNS, false);
    str_printf(b, "\n       | %s", whole ? "" : "   ");
    add_line(b, df, from, offset, SHOWN_COLUMNS, true);
    str_puts(b, "^");
    for (size_t c = 1;
         f->range.column + c < f->range.end_column && c < SHOWN_COLUMNS - SHOWN_BEFORE; c++)
        str_puts(b, "~");
    str_puts(b, "\n");
    str_free(&rest);
}

static void add_finding(struct str *b, const struct document *df, const struct finding *f,
                        const char *file, bool color)
{
    str_add_escaped(b, file, strlen(file));
    str_printf(b, ":%zu:%zu: %s: ", f->range.line, f->range.column,
               severity_text(f->severity, color));
    str_add_escaped(b, f->message, strlen(f->message));
    str_printf(b, " [%s]\n", rule_table[f->rule].id);
    add_source(b, df, f);
    if (f->hint) {
        str_puts(b, "  hint: ");
        str_add_escaped(b, f->hint, strlen(f->hint));
        str_puts(b, "\n");
    }
    for (size_t i = 0; i < f->related_count; i++) {
        str_puts(b, "  ");
        str_add_escaped(b, file, strlen(file));
        str_printf(b, ":%zu:%zu: note: ", f->related[i].range.line, f->related[i].range.column);
        str_add_escaped(b, f->related[i].message, strlen(f->related[i].message));
        str_puts(b, "\n");
    }
}

enum status findings_text(const struct document *d, const char *file, FILE *out, int color,
                          struct diag *dg)
{
    bool colored = color_wanted(color, out);
    struct str b = { 0 };
    enum status st = ST_OK;

    for (size_t i = 0; i < d->findings.n && st == ST_OK; i++) {
        b.len = 0;
        add_finding(&b, d, &d->findings.v[i], shown_path(file), colored);
        if (b.failed)
            st = diag_nomem(dg);
        else
            fwrite(b.s, 1, b.len, out);
    }
    str_free(&b);
    return st;
}

static void write_position(struct json_writer *w, const struct finding_range *r,
                           const char *pointer)
{
    json_uint(w, "line", r->line);
    json_uint(w, "column", r->column);
    json_uint(w, "end_column", r->end_column);
    json_string(w, "pointer", pointer);
}

static void write_finding(struct json_writer *w, const struct finding *f)
{
    json_open(w, NULL, "{ }");
    write_position(w, &f->range, f->pointer);
    json_string(w, "rule", rule_table[f->rule].id);
    json_string(w, "severity", severity_name(f->severity));
    json_string(w, "message", f->message);
    json_string(w, "hint", f->hint ? f->hint : "");
    json_open(w, "related", "[]");
    for (size_t i = 0; i < f->related_count; i++) {
        const struct finding_place *p = &f->related[i];

        json_open(w, NULL, "{ }");
        write_position(w, &p->range, p->pointer);
        json_string(w, "message", p->message);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}

void findings_json(struct json_writer *w, const struct findings *fs, const char *file)
{
    json_open(w, NULL, "{ }");
    json_string(w, "file", shown_path(file));
    json_uint(w, "errors", fs->errors);
    json_uint(w, "warnings", fs->warnings);
    json_open(w, "findings", "[]");
    for (size_t i = 0; i < fs->n; i++) {
        json_line(w, 2);
        write_finding(w, &fs->v[i]);
    }
    json_close(w);
    json_close(w);
}
