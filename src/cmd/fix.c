#include "cmd/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/diff.h"
#include "cmd/findings.h"
#include "cmd/print.h"
#include "cmd/text.h"
#include "io/output.h"

enum { ROUNDS = 16 /* in each, all fixes are made that the text offers by then */ };

/* A file that is being fixed. */
struct fixing {
    const char *path;
    struct check_options opt;
    struct str *text;       /* as it is now */
    struct checked *now;    /* the same, checked */
    size_t done;            /* fixes */
    struct diag *dg;
};

static enum status check_text(const struct fixing *fx, const struct str *text, struct checked *c)
{
    char *copy = mem_alloc((uint64_t)text->len + 1, 1);

    if (!copy)
        return diag_nomem(fx->dg);
    if (text->len > 0)
        memcpy(copy, text->s, text->len);
    copy[text->len] = '\0';
    return checked_text(c, fx->path, copy, text->len, &fx->opt, fx->dg);
}

static int by_offset(const void *left, const void *right)
{
    const struct finding_fix *a = *(const struct finding_fix *const *)left;
    const struct finding_fix *b = *(const struct finding_fix *const *)right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* NOLINTBEGIN(bugprone-sizeof-expression): lists of pointers, whose size is meant */

/* The fixes in text order, of overlapping ones only the first; the list is the caller's. NULL where
 * memory is short. */
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

/* Writes the text with n fixes made to out. */
static void apply(const struct str *text, const struct finding_fix *const *list, size_t n,
                  struct str *out)
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

static int by_rule(const void *left, const void *right)
{
    const struct finding *a = *(const struct finding *const *)left;
    const struct finding *b = *(const struct finding *const *)right;

    if (a->rule != b->rule)
        return a->rule > b->rule ? 1 : -1;
    return strcmp(a->pointer, b->pointer);
}

/* Whether `after` has an error, by its rule and pointer, that `before` has not. */
static enum status brings_errors(const struct findings *before, const struct findings *after,
                                 bool *brings, struct diag *dg)
{
    const struct finding **known = mem_alloc(before->n, sizeof *known);
    size_t n = 0;

    if (!known)
        return diag_nomem(dg);
    for (size_t i = 0; i < before->n; i++)
        if (before->v[i].severity == SEV_ERROR)
            known[n++] = &before->v[i];
    qsort(known, n, sizeof *known, by_rule);
    *brings = false;
    for (size_t i = 0; i < after->n && !*brings; i++) {
        const struct finding *f = &after->v[i];

        *brings = f->severity == SEV_ERROR && !bsearch(&f, known, n, sizeof *known, by_rule);
    }
    free(known);
    return ST_OK;
}

/* NOLINTEND(bugprone-sizeof-expression) */

/* Makes n fixes of *fx->now and keeps the new text, unless it has errors that `before` has not. */
static enum status try_fixes(struct fixing *fx, const struct finding_fix *const *list, size_t n,
                             const struct findings *before, bool *kept)
{
    struct checked next = { 0 };
    struct str text = { 0 };
    enum status st;
    bool brings = false;

    *kept = false;
    apply(fx->text, list, n, &text);
    st = text.failed ? diag_nomem(fx->dg) : check_text(fx, &text, &next);
    if (st == ST_OK && before)
        st = brings_errors(before, &next.document.findings, &brings, fx->dg);
    if (st == ST_OK && !brings) {
        *kept = true;
        fx->done += n;
        str_free(fx->text);
        *fx->text = text;
        text = (struct str){ 0 };
    }
    checked_free(&next);
    str_free(&text);
    return st;
}

static enum status check_again(struct fixing *fx)
{
    checked_free(fx->now);
    return check_text(fx, fx->text, fx->now);
}

/* Makes all fixes at once, or with `one` the first from *from on that brings no error in. */
static enum status round_of_fixes(struct fixing *fx, bool one, size_t *from, bool *kept)
{
    size_t n;
    const struct finding_fix **list = list_fixes(&fx->now->document.findings, &n);
    enum status st = list ? ST_OK : diag_nomem(fx->dg);

    *kept = false;
    if (st == ST_OK && !one && n > 0)
        st = try_fixes(fx, list, n, NULL, kept);
    for (; one && st == ST_OK && !*kept && *from < n; *from += !*kept)
        st = try_fixes(fx, list + *from, 1, &fx->now->document.findings, kept);
    free(list);
    if (st == ST_OK && *kept)
        st = check_again(fx);
    return st;
}

/* Begins again with the original text, and makes its fixes one by one. */
static enum status fix_singly(struct fixing *fx, const struct str *original)
{
    size_t from = 0;
    bool kept = true;
    enum status st;

    fx->text->len = 0;
    str_add(fx->text, original->s, original->len);
    fx->done = 0;
    st = fx->text->failed ? diag_nomem(fx->dg) : check_again(fx);
    while (st == ST_OK && kept)
        st = round_of_fixes(fx, true, &from, &kept);
    return st;
}

/* Fixes fx->text as far as possible: in rounds, or where that brings errors in, one by one. */
static enum status fix_all(struct fixing *fx, const struct str *original)
{
    struct checked before = { 0 };
    enum status st = check_text(fx, fx->text, fx->now);
    bool kept = true, brings = false;

    if (st == ST_OK)
        st = check_text(fx, fx->text, &before);
    for (int i = 0; i < ROUNDS && st == ST_OK && kept; i++)
        st = round_of_fixes(fx, false, &(size_t){ 0 }, &kept);
    if (st == ST_OK)
        st = brings_errors(&before.document.findings, &fx->now->document.findings, &brings, fx->dg);
    if (st == ST_OK && brings)
        st = fix_singly(fx, original);
    checked_free(&before);
    return st;
}

enum status fix_text(const char *path, struct str *text, const struct check_options *opt,
                     struct checked *left, size_t *fixes, struct diag *dg)
{
    struct fixing fx = { .path = path, .opt = *opt, .text = text, .now = left, .dg = dg };
    struct str original = { 0 };
    enum status st;

    fx.opt.desc.findings.max_findings = 0;
    str_add(&original, text->s, text->len);
    st = original.failed ? diag_nomem(dg) : fix_all(&fx, &original);
    *fixes = fx.done;
    str_free(&original);
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

/* Says what was done and what is left. */
static enum status report(const char *path, const char *output, const struct checked *left,
                          size_t fixes, enum color_when color, struct diag *dg)
{
    const struct findings *fs = &left->document.findings;
    enum status st = findings_text(&left->document, output ? output : path, dg->err, color, dg);

    fprintf(dg->err, "%s: %zu value%s fixed, %zu error%s left\n", shown_path(path), fixes,
            fixes == 1 ? "" : "s", fs->errors, fs->errors == 1 ? "" : "s");
    return st ? st : document_status(&left->document);
}

enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, enum color_when color, struct diag *dg)
{
    struct str original = { 0 }, text = { 0 }, changes = { 0 };
    struct checked left = { 0 };
    size_t len, fixes;
    char *loaded;
    enum status st = text_load(path, DESC_MAX_TEXT, WANT_DOCUMENT, &loaded, &len, dg);

    if (st)
        return st;
    str_add(&original, loaded, len);
    str_add(&text, loaded, len);
    free(loaded);
    st = original.failed || text.failed ? diag_nomem(dg)
                                        : fix_text(path, &text, opt, &left, &fixes, dg);
    if (st == ST_OK) {
        diff_texts(shown_path(path), output ? output : "fixed", &original, &text, &changes);
        st = changes.failed ? diag_nomem(dg) : write_text(&text, output, dg);
    }
    if (st == ST_OK) {
        if (changes.len > 0)
            fwrite(changes.s, 1, changes.len, diff);
        st = report(path, output, &left, fixes, color, dg);
    }
    checked_free(&left);
    str_free(&changes);
    str_free(&text);
    str_free(&original);
    return st;
}
