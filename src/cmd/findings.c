#include "cmd/findings.h"

#include <string.h>

#include "base/mem.h"
#include "io/input.h"
#include "json/doc.h"

const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

enum status descriptor_load(struct desc_file *f, const char *path, const struct desc_options *opt, struct diag *dg)
{
    struct input in;
    enum status st = input_open(&in, path, dg);
    char *text = NULL;

    if (st)
        return st;
    if (in.len > JSON_MAX_TEXT)
        st = diag_error(dg, ST_INPUT, path, "the text is longer than 64 MiB, the most that a descriptor may have");
    if (st == ST_OK) {
        text = mem_alloc(in.len + 1, 1);
        st = text ? ST_OK : diag_nomem(dg);
    }
    if (st == ST_OK) {
        if (in.len > 0)
            memcpy(text, in.data, in.len);
        text[in.len] = '\0';
        st = desc_file_parse(f, text, in.len, opt, dg);
    }
    input_close(&in);
    return st;
}

/* A severity as it is printed: bold, red or magenta, where colour is asked. */
static const char *severity_text(enum severity severity, bool color)
{
    if (severity == SEV_ERROR)
        return color ? "\x1b[1;31merror\x1b[0m" : "error";
    return color ? "\x1b[1;35mwarning\x1b[0m" : "warning";
}

void findings_text(const struct findings *fs, const char *file, bool warnings, bool color, FILE *out)
{
    struct str line = { 0 };

    for (size_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->v[i];

        if (f->severity == SEV_WARNING && !warnings)
            continue;
        line.len = 0;
        str_add_escaped(&line, shown_path(file), strlen(shown_path(file)));
        str_printf(&line, ":%zu:%zu: %s: ", f->line, f->column, severity_text(f->severity, color));
        str_add_escaped(&line, f->message, strlen(f->message));
        str_printf(&line, " [%s]\n", rule_table[f->rule].id);
        if (f->hint) {
            str_puts(&line, "  hint: ");
            str_add_escaped(&line, f->hint, strlen(f->hint));
            str_puts(&line, "\n");
        }
        if (!line.failed)
            fwrite(line.s, 1, line.len, out);
    }
    str_free(&line);
}

static void add_string(struct str *b, const char *name, const char *value)
{
    str_printf(b, "\"%s\": \"", name);
    str_add_json(b, value, strlen(value));
    str_puts(b, "\"");
}

static void add_place(struct str *b, size_t line, size_t column, size_t end_column, const char *pointer)
{
    str_printf(b, "\"line\": %zu, \"column\": %zu, \"end_column\": %zu, ", line, column, end_column);
    add_string(b, "pointer", pointer);
}

void findings_json(const struct findings *fs, const char *file, struct str *b)
{
    str_puts(b, "{ ");
    add_string(b, "file", shown_path(file));
    str_printf(b, ", \"errors\": %zu, \"warnings\": %zu, \"findings\": [", fs->errors, fs->warnings);
    for (size_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->v[i];

        str_puts(b, i ? ",\n  { " : "\n  { ");
        add_place(b, f->line, f->column, f->end_column, f->pointer);
        str_printf(b, ", \"rule\": \"%s\", \"severity\": \"%s\", ", rule_table[f->rule].id,
                   f->severity == SEV_ERROR ? "error" : "warning");
        add_string(b, "message", f->message);
        str_puts(b, ", ");
        add_string(b, "hint", f->hint ? f->hint : "");
        str_puts(b, ", \"related\": [");
        for (size_t r = 0; r < f->related_count; r++) {
            const struct finding_place *p = &f->related[r];

            str_puts(b, r ? ", { " : "{ ");
            add_place(b, p->line, p->column, p->end_column, p->pointer);
            str_puts(b, ", ");
            add_string(b, "message", p->message);
            str_puts(b, " }");
        }
        str_puts(b, "] }");
    }
    str_puts(b, "] }");
}
