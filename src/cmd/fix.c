#include "cmd/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/diff.h"
#include "cmd/findings.h"
#include "io/output.h"

enum { ROUNDS = 16 /* a fix may lay bare what the next one mends; each takes one at least */ };

/* A file that is being mended. */
struct mending {
    const char *path;
    struct check_options opt;
    struct str text;        /* as it is now */
    struct checked now;
    size_t done;            /* fixes */
    struct diag *dg;
};

static enum status check_text(const struct mending *m, const struct str *text, struct checked *c)
{
    char *copy = mem_alloc((uint64_t)text->len + 1, 1);

    if (!copy)
        return diag_nomem(m->dg);
    if (text->len > 0)
        memcpy(copy, text->s, text->len);
    copy[text->len] = '\0';
    return checked_text(c, m->path, copy, text->len, &m->opt, m->dg);
}

static int by_offset(const void *left, const void *right)
{
    const struct finding_fix *a = *(const struct finding_fix *const *)left, *b = *(const struct finding_fix *const *)right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* NOLINTBEGIN(bugprone-sizeof-expression): lists of pointers, whose size is meant */

/* The fixes of all findings in text order, of those that overlap the first only. Owned by the caller. */
static const struct finding_fix **list_fixes(const struct findings *fs, size_t *n)
{
    const struct finding_fix **list = mem_alloc(fs->n, sizeof *list);
    size_t kept = 0;

    *n = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < fs->n; i++)
        if (fs->v[i].fix.pointer && fs->v[i].fix.end > 0)
            list[(*n)++] = &fs->v[i].fix;
    qsort(list, *n, sizeof *list, by_offset);
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || list[i]->offset >= list[kept - 1]->end)
            list[kept++] = list[i];
    *n = kept;
    return list;
}

/* Text with the fixes made. */
static void apply(const struct str *text, const struct finding_fix *const *list, size_t n, struct str *out)
{
    size_t at = 0;

    out->len = 0;
    for (size_t i = 0; i < n; i++) {
        str_add(out, text->s + at, list[i]->offset - at);
        str_puts(out, list[i]->text);
        at = list[i]->end;
    }
    str_add(out, text->s + at, text->len - at);
}

static int compare_errors(const struct finding *a, const struct finding *b)
{
    return a->rule != b->rule ? (a->rule > b->rule) - (a->rule < b->rule) : strcmp(a->pointer, b->pointer);
}

static int by_error(const void *left, const void *right)
{
    return compare_errors(*(const struct finding *const *)left, *(const struct finding *const *)right);
}

/* The errors sorted by rule and pointer, owned by the caller. */
static const struct finding **list_errors(const struct findings *fs, size_t *n)
{
    const struct finding **list = mem_alloc(fs->n, sizeof *list);

    *n = 0;
    for (size_t i = 0; list && i < fs->n; i++)
        if (fs->v[i].severity == SEV_ERROR)
            list[(*n)++] = &fs->v[i];
    if (list)
        qsort(list, *n, sizeof *list, by_error);
    return list;
}

/* NOLINTEND(bugprone-sizeof-expression) */

/* Whether `after` has an error that `before` has not. */
static enum status brings_errors(const struct findings *before, const struct findings *after, bool *brings, struct diag *dg)
{
    size_t n, m, j = 0;
    const struct finding **a = list_errors(before, &n), **b = list_errors(after, &m);
    enum status st = a && b ? ST_OK : diag_nomem(dg);

    *brings = false;
    for (size_t i = 0; st == ST_OK && i < m && !*brings; i++) {
        while (j < n && compare_errors(a[j], b[i]) < 0)
            j++;
        *brings = j == n || compare_errors(a[j], b[i]) != 0;
    }
    free(a);
    free(b);
    return st;
}

/* Makes the n fixes of m->now and takes the new text, unless it has errors that `before` has not. */
static enum status try_fixes(struct mending *m, const struct finding_fix *const *list, size_t n,
                             const struct findings *before, bool *taken)
{
    struct checked next = { 0 };
    struct str text = { 0 };
    enum status st;
    bool brings = false;

    *taken = false;
    apply(&m->text, list, n, &text);
    st = text.failed ? diag_nomem(m->dg) : check_text(m, &text, &next);
    if (st == ST_OK && before)
        st = brings_errors(before, &next.document.findings, &brings, m->dg);
    if (st == ST_OK && !brings) {
        *taken = true;
        m->done += n;
        str_free(&m->text);
        m->text = text;
        text = (struct str){ 0 };
    }
    checked_free(&next);
    str_free(&text);
    return st;
}

static enum status check_again(struct mending *m)
{
    checked_free(&m->now);
    return check_text(m, &m->text, &m->now);
}

/* All fixes of a round at once, or with `one` the first from *from on that brings no error in. */
static enum status round_of_fixes(struct mending *m, bool one, size_t *from, bool *taken)
{
    size_t n;
    const struct finding_fix **list = list_fixes(&m->now.document.findings, &n);
    enum status st = list ? ST_OK : diag_nomem(m->dg);

    *taken = false;
    if (st == ST_OK && !one && n > 0)
        st = try_fixes(m, list, n, NULL, taken);
    for (; one && st == ST_OK && !*taken && *from < n; *from += !*taken)
        st = try_fixes(m, list + *from, 1, &m->now.document.findings, taken);
    free(list);
    if (st == ST_OK && *taken)
        st = check_again(m);
    return st;
}

/* Mends m->text until nothing is left to mend: all in rounds, or where that brings errors in, one by one. */
static enum status mend(struct mending *m, const struct str *original)
{
    struct checked before = { 0 };
    enum status st = check_text(m, &m->text, &m->now);
    size_t from = 0;
    bool taken = true, brings = false;

    if (st == ST_OK)
        st = check_text(m, &m->text, &before);
    for (int i = 0; i < ROUNDS && st == ST_OK && taken; i++)
        st = round_of_fixes(m, false, &from, &taken);
    if (st == ST_OK)
        st = brings_errors(&before.document.findings, &m->now.document.findings, &brings, m->dg);
    if (st == ST_OK && brings) {
        m->text.len = 0;
        str_add(&m->text, original->s, original->len);
        m->done = 0;
        taken = true;
        st = m->text.failed ? diag_nomem(m->dg) : check_again(m);
        while (st == ST_OK && taken)
            st = round_of_fixes(m, true, &from, &taken);
    }
    checked_free(&before);
    return st;
}

static enum status write_text(const struct str *text, const char *output, struct diag *dg)
{
    struct outputs outs = { 0 };
    enum status st = outputs_add(&outs, output ? output : "-", dg);

    if (st == ST_OK)
        st = outputs_write(&outs, 0, text->s, text->len, dg);
    if (st == ST_OK)
        st = outputs_commit(&outs, dg);
    outputs_close(&outs);
    return st;
}

enum status fix_file(const char *path, const char *output, const struct check_options *opt, FILE *diff, struct diag *dg)
{
    struct mending m = { .path = path, .opt = *opt, .dg = dg };
    struct str original = { 0 }, changes = { 0 };
    const struct findings *left = &m.now.document.findings;
    char *text;
    size_t len;
    enum status st = text_load(path, DESC_MAX_TEXT, "file to mend", &text, &len, dg);

    if (st)
        return st;
    m.opt.desc.findings.max_findings = 0;
    str_add(&original, text, len);
    str_add(&m.text, text, len);
    free(text);
    st = original.failed || m.text.failed ? diag_nomem(dg) : mend(&m, &original);
    if (st == ST_OK) {
        diff_texts(shown_path(path), output ? output : "fixed", &original, &m.text, &changes);
        st = changes.failed ? diag_nomem(dg) : write_text(&m.text, output, dg);
    }
    if (st == ST_OK) {
        if (changes.len > 0)
            fwrite(changes.s, 1, changes.len, diff);
        st = findings_text(&m.now.document, output ? output : path, dg->err, dg);
        fprintf(dg->err, "%s: %zu value%s fixed, %zu error%s left\n", shown_path(path), m.done, m.done == 1 ? "" : "s",
                left->errors, left->errors == 1 ? "" : "s");
        st = st ? st : document_status(&m.now.document);
    }
    checked_free(&m.now);
    str_free(&changes);
    str_free(&m.text);
    str_free(&original);
    return st;
}
