#include "check/findings.h"

#include "cli/print.h"

enum { SHOWN_COLUMNS = 100, SHOWN_BEFORE = 60 /* of a longer line, before the caret */ };

static bool ends_line(char c) { return c == '\n' || c == '\r'; }

/* The byte `most` characters before an offset, or the start of the line if that is nearer. */
static size_t step_back(const struct document *d, size_t offset, size_t limit)
{
    size_t at = offset;

    while (limit > 0 && at > 0 && !ends_line(d->text[at - 1])) {
        at--;
        limit -= !str_continues(d->text[at]);
    }
    if (at == 0 && d->len >= 3 && memcmp(d->text, "\xef\xbb\xbf", 3) == 0)
        at = offset < 3 ? offset : 3; /* a byte-order mark is not a character */
    return at;
}

/* Adds at most SHOWN_COLUMNS characters of a line from byte `at` on, up to byte `stop`, or with
 * `fill` as many of these as the characters have columns (tabs stay tabs). Control bytes become
 * '?'. Returns the end. */
static size_t add_line(struct str *b, const struct document *d, size_t at, size_t stop, char fill)
{
    for (int i = 0; i < SHOWN_COLUMNS && at < stop && !ends_line(d->text[at]); i++) {
        char shown[STR_ESCAPE];
        size_t used, n = str_escape(d->text + at, d->len - at, shown, &used);
        bool escaped = n != used || memcmp(shown, d->text + at, n) != 0;

        if (d->text[at] == '\t')
            str_puts(b, "\t");
        else if (fill)
            for (size_t w = escaped ? 1 : str_width(shown, n); w > 0; w--)
                str_add(b, &fill, 1);
        else
            str_add(b, escaped ? "?" : shown, escaped ? 1 : n);
        at += used;
    }
    return at;
}

/* Adds "  9 |   "K": 0," and a caret under the columns of the finding. A long line is cut around
 * the finding; only that part is read, as one line may have many findings. */
static void add_source(struct str *b, const struct document *d, const struct finding *f)
{
    size_t offset = f->range.offset < d->len ? f->range.offset : d->len;
    size_t from = step_back(d, offset, SHOWN_COLUMNS), end;
    struct str line = { 0 };
    bool whole = from == step_back(d, offset, SHOWN_COLUMNS + 1);

    end = add_line(&line, d, from, d->len, 0);
    if (!whole || end < offset || (end < d->len && !ends_line(d->text[end]))) {
        from = step_back(d, offset, SHOWN_BEFORE);
        whole = from == step_back(d, offset, SHOWN_BEFORE + 1);
        line.len = 0;
        add_line(&line, d, from, d->len, 0);
    }
    str_printf(b, "%6zu | %s", f->range.line, whole ? "" : "...");
    str_add(b, line.s ? line.s : "", line.len);
    str_printf(b, "\n       | %s", whole ? "" : "   ");
    add_line(b, d, from, offset, ' ');
    line.len = 0;
    add_line(&line, d, offset, f->range.end < d->len ? f->range.end : d->len, '~');
    str_printf(b, "^%.*s\n", SHOWN_COLUMNS - SHOWN_BEFORE - 1, line.len > 0 ? line.s + 1 : "");
    str_done(&line, &b->failed);
}

static void add_finding(struct str *b, const struct document *df, const struct finding *f,
                        const char *file, bool color)
{
    const char *start = !color ? "" : f->severity == SEV_ERROR ? "\x1b[1;31m" : "\x1b[1;35m";

    str_add_escaped(b, file, strlen(file));
    str_printf(b, ":%zu:%zu: %s%s%s: ", f->range.line, f->range.column, start,
               severity_name(f->severity), color ? "\x1b[0m" : "");
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

static void open_place(struct json_writer *w, const struct finding_range *r, const char *pointer)
{
    json_format(w, "{ line: %zu column: %zu end_column: %zu pointer: %s", r->line, r->column,
                r->end_column, pointer);
}

static void write_finding(struct json_writer *w, const struct finding *f)
{
    open_place(w, &f->range, f->pointer);
    json_format(w, "rule: %s severity: %s message: %s hint: %s", rule_table[f->rule].id,
                severity_name(f->severity), f->message, f->hint ? f->hint : "");
    json_open(w, "related", "[]");
    for (size_t i = 0; i < f->related_count; i++) {
        open_place(w, &f->related[i].range, f->related[i].pointer);
        json_format(w, "message: %s }", f->related[i].message);
    }
    json_format(w, "] }");
}

void findings_json(struct json_writer *w, const struct findings *fs, const char *file)
{
    json_format(w, "{ file: %s errors: %zu warnings: %zu", shown_path(file), fs->errors,
                fs->warnings);
    json_open(w, "findings", "[]");
    for (size_t i = 0; i < fs->n; i++) {
        json_line(w, 2);
        write_finding(w, &fs->v[i]);
    }
    json_format(w, "] }");
}
