#include "check/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check/diff.h"
#include "check/findings.h"
#include "cli/print.h"
#include "io/output.h"
#include "io/kind.h"

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

/* The pointer of a finding as it is when keys are spelt right, so that it stays the same. */
static const char *pointer_of(const struct finding *f) { return f->meant ? f->meant : f->pointer; }

static int by_rule(const void *left, const void *right)
{
    const struct finding *a = *(const struct finding *const *)left;
    const struct finding *b = *(const struct finding *const *)right;

    if (a->rule != b->rule)
        return a->rule > b->rule ? 1 : -1;
    return strcmp(pointer_of(a), pointer_of(b));
}

/* What no fix may bring in: errors, and keys that are unknown, whose values are lost. */
static bool is_bad(const struct finding *f)
{
    return f->severity == SEV_ERROR || f->rule == RULE_DESC_FIELD_UNKNOWN;
}

/* What is bad in a text, by rule and pointer. */
struct known {
    const struct finding **v; /* owned */
    size_t n;
};

static enum status know(struct known *k, const struct findings *fs, struct diag *dg)
{
    *k = (struct known){ .v = mem_alloc(fs->n, sizeof *k->v) };
    if (!k->v)
        return diag_nomem(dg);
    for (size_t i = 0; i < fs->n; i++)
        if (is_bad(&fs->v[i]))
            k->v[k->n++] = &fs->v[i];
    qsort(k->v, k->n, sizeof *k->v, by_rule);
    return ST_OK;
}

/* Whether a finding of a later text is bad, and new. */
static bool is_new(const struct known *k, const struct finding *f)
{
    return is_bad(f) && !bsearch(&f, k->v, k->n, sizeof *k->v, by_rule);
}

static bool any_new(const struct known *k, const struct findings *fs)
{
    size_t i = 0;

    while (i < fs->n && !is_new(k, &fs->v[i]))
        i++;
    return i < fs->n;
}

/* The fixes in text order, of overlapping ones only the first; with `known` only those of what is
 * new. The list is the caller's. NULL where memory is short. */
static const struct finding_fix **list_fixes(const struct findings *fs, const struct known *known,
                                             size_t *n)
{
    const struct finding_fix **list = mem_alloc(fs->n, sizeof *list);
    size_t kept = 0;

    *n = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < fs->n; i++)
        if (fs->v[i].fix.pointer && fs->v[i].fix.end > 0 && (!known || is_new(known, &fs->v[i])))
            list[(*n)++] = &fs->v[i].fix;
    qsort(list, *n, sizeof *list, by_offset);
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || list[i]->offset >= list[kept - 1]->end)
            list[kept++] = list[i];
    *n = kept;
    return list;
}

/* NOLINTEND(bugprone-sizeof-expression) */

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

/* Makes n fixes of the findings of *now in text, counts them in *done, and checks it again. */
static enum status make_fixes(const struct fixing *fx, struct str *text, struct checked *now,
                              const struct finding_fix *const *list, size_t n, size_t *done)
{
    struct str next = { 0 };

    apply(text, list, n, &next);
    if (next.failed) {
        str_free(&next);
        return diag_nomem(fx->dg);
    }
    str_free(text);
    *text = next;
    *done += n;
    checked_free(now);
    return check_text(fx, text, now);
}

/* Makes all fixes that there are, or with `known` those of what is new, in rounds, as a fix may let
 * another be known. */
static enum status make_rounds(const struct fixing *fx, struct str *text, struct checked *now,
                               const struct known *known, size_t *done)
{
    enum status st = ST_OK;
    size_t n = 1;

    for (int i = 0; i < ROUNDS && st == ST_OK && n > 0; i++) {
        const struct finding_fix **list = list_fixes(&now->document.findings, known, &n);

        if (!list)
            return diag_nomem(fx->dg);
        if (n > 0)
            st = make_fixes(fx, text, now, list, n, done);
        free(list);
    }
    return st;
}

/* Makes one fix and those of what it brings in; keeps all of them or, where anything new is left,
 * none. */
static enum status try_group(struct fixing *fx, const struct finding_fix *fix,
                             const struct known *known, bool *kept)
{
    struct str text = { 0 };
    struct checked next = { 0 };
    size_t done = 0;
    enum status st;

    str_add(&text, fx->text->s, fx->text->len);
    st = text.failed ? diag_nomem(fx->dg) : make_fixes(fx, &text, &next, &fix, 1, &done);
    if (st == ST_OK)
        st = make_rounds(fx, &text, &next, known, &done);
    *kept = st == ST_OK && !any_new(known, &next.document.findings);
    if (*kept) {
        struct str old = *fx->text;

        *fx->text = text;
        text = old;
        fx->done += done;
    }
    checked_free(&next);
    str_free(&text);
    return st;
}

/* Makes the first group from the fix *from on that brings nothing bad in. */
static enum status next_group(struct fixing *fx, size_t *from, bool *kept)
{
    struct known known = { NULL, 0 };
    size_t n = 0;
    const struct finding_fix **list = list_fixes(&fx->now->document.findings, NULL, &n);
    enum status st = list ? know(&known, &fx->now->document.findings, fx->dg) : diag_nomem(fx->dg);

    *kept = false;
    for (; st == ST_OK && !*kept && *from < n; *from += !*kept)
        st = try_group(fx, list[*from], &known, kept);
    free(list);
    free(known.v);
    if (st == ST_OK && *kept) {
        checked_free(fx->now);
        st = check_text(fx, fx->text, fx->now);
    }
    return st;
}

/* Begins again with the original text, and makes its fixes one by one, each with those that it
 * depends on. */
static enum status fix_singly(struct fixing *fx, const struct str *original)
{
    size_t from = 0;
    bool kept = true;
    enum status st;

    fx->text->len = 0;
    str_add(fx->text, original->s, original->len);
    fx->done = 0;
    checked_free(fx->now);
    st = fx->text->failed ? diag_nomem(fx->dg) : check_text(fx, fx->text, fx->now);
    while (st == ST_OK && kept)
        st = next_group(fx, &from, &kept);
    return st;
}

/* Fixes fx->text as far as possible: all at once, or where that brings anything bad in, by
 * groups. */
static enum status fix_all(struct fixing *fx, const struct str *original)
{
    struct checked before = { 0 };
    struct known known = { NULL, 0 };
    enum status st = check_text(fx, fx->text, fx->now);

    if (st == ST_OK)
        st = check_text(fx, fx->text, &before);
    if (st == ST_OK)
        st = know(&known, &before.document.findings, fx->dg);
    if (st == ST_OK)
        st = make_rounds(fx, fx->text, fx->now, NULL, &fx->done);
    if (st == ST_OK && any_new(&known, &fx->now->document.findings))
        st = fix_singly(fx, original);
    free(known.v);
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
                          size_t fixes, int color, struct diag *dg)
{
    const struct findings *fs = &left->document.findings;
    enum status st = findings_text(&left->document, output ? output : path, dg->err, color, dg);

    print_path(path, dg->err);
    fprintf(dg->err, ": %zu value%s fixed, %zu error%s left\n", fixes, fixes == 1 ? "" : "s",
            fs->errors, fs->errors == 1 ? "" : "s");
    return st ? st : document_status(&left->document);
}

enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, int color, struct diag *dg)
{
    struct str original = { 0 }, text = { 0 }, changes = { 0 };
    struct checked left = { 0 };
    size_t len, fixes = 0;
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
