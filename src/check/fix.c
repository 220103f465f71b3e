#include "check/fix.h"

#include "base/mem.h"
#include "check/findings.h"
#include "cli/print.h"
#include "io/kind.h"
#include "io/tensor_file.h"
#include "io/file.h"

enum {
    ROUNDS = 16,             /* in each, all fixes of the current text are made */
    CHECKED_MOST = 64 << 20, /* bytes of checked texts after which no single fix is tried: about ten
                                seconds */
};

struct fixing {
    const char *path;
    struct check_options opt;
    struct diag *dg;
    size_t checked; /* bytes of texts so far */
};

static enum status check(struct fixing *fx, struct fixed *f)
{
    checked_free(&f->checked);
    fx->checked += f->text.len;
    return checked_copy(&f->checked, fx->path, &f->text, &fx->opt, fx->dg);
}

/* Of fixes at one offset insertions come first, then the longest, then in the order of findings. */
static int by_offset(const void *left, const void *right)
{
    const struct finding_fix *a = *(const struct finding_fix *const *)left;
    const struct finding_fix *b = *(const struct finding_fix *const *)right;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if ((a->offset == a->end) != (b->offset == b->end))
        return a->offset == a->end ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return (a > b) - (a < b);
}

/* No fix may cause errors, or unknown keys, whose values are lost. */
static bool is_bad(const struct finding *f)
{
    return f->severity == SEV_ERROR || f->rule == RULE_DESC_FIELD_UNKNOWN;
}

/* A hash of rule and pointer. Keys in the pointer are spelt right, as fixes change keys. */
static uint64_t hash_of(const struct finding *f)
{
    return hash_text(hash_text(HASH_START, rule_table[f->rule].id),
                     f->meant ? f->meant : f->pointer);
}

static bool is_new(const struct hash_set *known, const struct finding *f)
{
    return is_bad(f) && !hash_set_has(known, hash_of(f));
}

/* True if a finding of fs is bad and was not there before; `known` has the bad ones of before. */
static bool any_new(const struct hash_set *known, const struct findings *before,
                    const struct findings *fs)
{
    size_t i = 0;

    if (before->last.list) /* findings that were not kept would look new */
        return fs->errors > before->errors || fs->warnings > before->warnings;
    while (i < fs->n && !is_new(known, &fs->v[i]))
        i++;
    return i < fs->n;
}

/* The fixes of all findings or, if `known` is given, of all but new bad ones, in text order, of
 * overlapping fixes only the first. The list is the caller's; NULL if memory is short. */
static const struct finding_fix **list_fixes(const struct findings *fs,
                                             const struct hash_set *known, size_t *n)
{
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
    const struct finding_fix **list = mem_alloc(fs->n, sizeof *list);
    size_t kept = 0;

    *n = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < fs->n; i++)
        if (fs->v[i].fix.text && fs->v[i].fix.end > 0 && !(known && is_new(known, &fs->v[i])))
            list[(*n)++] = &fs->v[i].fix;
    qsort(list, *n, sizeof *list, by_offset); /* NOLINT(bugprone-sizeof-expression) */
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || list[i]->offset >= list[kept - 1]->end)
            list[kept++] = list[i];
    *n = kept;
    return list;
}

/* Makes n fixes of findings of `from` in its text, and checks it as f, which may be the same. */
static enum status make_fixes(struct fixing *fx, const struct fixed *from,
                              const struct finding_fix *const *list, size_t n, struct fixed *f)
{
    struct str next = { 0 };
    size_t at = 0;

    if (f != from)
        str_add(&f->from, from->from.s ? from->from.s : "", from->from.len);
    for (size_t i = 0; i < n; i++) {
        if (list[i]->from.len > 0)
            str_printf(&f->from, "%s\n", list[i]->from.s);
        str_add(&next, from->text.s + at, list[i]->offset - at);
        str_puts(&next, list[i]->text);
        at = list[i]->end;
    }
    str_add(&next, from->text.s + at, from->text.len - at);
    if (next.failed || f->from.failed || !diff_fix(&f->diff, &from->diff, &from->text, list, n)) {
        str_free(&next);
        return diag_nomem(fx->dg);
    }
    f->count = from->count + n;
    str_free(&f->text);
    f->text = next;
    return check(fx, f);
}

/* Makes n fixes of f's findings and, if they are all, in rounds those of the same findings that
 * become possible. *good: nothing is left to fix unless too many findings were there, no new bad
 * one, and the text has changed: two rules that disagree can fix a value back and forth. */
static enum status try_fixes(struct fixing *fx, const struct fixed *f,
                             const struct finding_fix *const *first, size_t n,
                             const struct hash_set *known, bool all, struct fixed *next, bool *good)
{
    bool more = f->checked.document.findings.last.list; /* than are kept */
    enum status st = make_fixes(fx, f, first, n, next);

    n = all ? n : 0;
    for (int i = 0; i < ROUNDS && st == ST_OK && n > 0; i++) {
        const struct finding_fix **list = /* findings that were not kept would look new */
            list_fixes(&next->checked.document.findings, more ? NULL : known, &n);

        if (!list)
            return diag_nomem(fx->dg);
        if (n > 0)
            st = make_fixes(fx, next, list, n, next);
        free(list);
    }
    *good = st == ST_OK && (n == 0 || more) &&
            (next->text.len != f->text.len || memcmp(next->text.s, f->text.s, f->text.len) != 0) &&
            !any_new(known, &f->checked.document.findings, &next->checked.document.findings);
    return st;
}

/* Makes the first fix, from number *from on, that causes nothing bad; number -1 is all fixes. */
static enum status next_fix(struct fixing *fx, struct fixed *f, ptrdiff_t *from, bool *made)
{
    const struct findings *found = &f->checked.document.findings;
    struct hash_set known = { .count = 0 };
    struct fixed next = { .count = 0 };
    size_t n = 0;
    const struct finding_fix **list;
    enum status st;

    *made = false;
    for (size_t i = 0; i < found->n; i++)
        if (is_bad(&found->v[i]))
            hash_set_add(&known, hash_of(&found->v[i]));
    list = list_fixes(found, NULL, &n);
    st = !list || known.failed ? diag_nomem(fx->dg) : ST_OK;
    for (; st == ST_OK && n > 0 && !*made && *from < (ptrdiff_t)n &&
           (*from < 0 || fx->checked < CHECKED_MOST);
         *from += !*made) {
        bool all = *from < 0;

        fixed_free(&next);
        st = try_fixes(fx, f, all ? list : list + *from, all ? n : 1, &known, all, &next, made);
    }
    free(list);
    hash_set_free(&known);
    if (*made) { /* next.checked must not move */
        checked_free(&next.checked);
        fixed_free(f);
        *f = next;
        next = (struct fixed){ .count = 0 };
        st = check(fx, f);
    }
    fixed_free(&next);
    return st;
}

enum status fix_text(const char *path, const struct str *original, const struct check_options *opt,
                     struct fixed *f, struct diag *dg)
{
    struct fixing fx = { .path = path, .opt = *opt, .dg = dg };
    ptrdiff_t from = -1; /* all fixes at once, then one by one */
    bool made = true;
    enum status st;

    fx.opt.desc.findings.max_findings = 0;
    str_add(&f->text, original->s, original->len);
    if (f->text.failed || !diff_lines(&f->diff, &f->diff.old_start, original))
        return diag_nomem(dg);
    st = check(&fx, f);
    while (st == ST_OK && made) {
        st = next_fix(&fx, f, &from, &made);
        made = made && from >= 0;
    }
    if (st == ST_OK && !diff_lines(&f->diff, &f->diff.new_start, &f->text))
        st = diag_nomem(dg);
    return st;
}

void fixed_free(struct fixed *f)
{
    str_free(&f->text);
    str_free(&f->from);
    checked_free(&f->checked);
    diff_free(&f->diff);
    *f = (struct fixed){ .count = 0 };
}

static enum status write_text(const struct str *text, const char *output, struct diag *dg)
{
    struct outputs outs = { 0 };
    enum status st = outputs_add(&outs, output ? output : "-", dg);

    st = st ? st : output_write(outs.v[0], text->s, text->len, dg);
    st = st ? st : outputs_commit(&outs, dg);
    outputs_close(&outs);
    return st;
}

enum status checked_apart(const struct checked *c, const struct check_options *opt,
                          const char *output, struct diag *dg)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < opt->binds.n && st == ST_OK; i++) {
        const char *equals = strchr(opt->binds.v[i], '=');

        st = file_check_apart(equals ? equals + 1 : NULL, output, dg);
    }
    for (size_t i = 0; i < c->model.resource_count && st == ST_OK; i++)
        st = file_check_apart(c->model.resources[i].path, output, dg);
    return st;
}

static enum status report(const char *path, const char *output, const struct fixed *f, bool utf16,
                          int color, struct diag *dg)
{
    const struct document *d = &f->checked.document;
    enum status st = findings_text(d, output ? output : path, dg->err, color, dg);

    print_path(path, dg->err);
    fprintf(dg->err, ": %zu value%s fixed, %zu error%s left%s\n", f->count,
            f->count == 1 ? "" : "s", d->findings.errors, d->findings.errors == 1 ? "" : "s",
            utf16 ? "; the text was UTF-16, and is written as UTF-8" : "");
    return st ? st : document_status(d);
}

enum status fix_file(const char *path, const char *output, const struct check_options *opt,
                     FILE *diff, int color, struct diag *dg)
{
    struct str original = { 0 }, changes = { 0 };
    struct fixed f = { .count = 0 };
    bool utf16;
    enum status st =
        text_load(path, DESC_MAX_TEXT, WANT_DOCUMENT, &original.s, &original.len, &utf16, dg);

    if (st == ST_OK && utf16)
        memmove(original.s, original.s + 3, (original.len -= 3) + 1); /* no byte-order mark */
    st = st ? st : fix_text(path, &original, opt, &f, dg);
    st = st ? st : checked_apart(&f.checked, opt, output ? output : "-", dg);
    if (st == ST_OK && output && tensor_format_of(output) < FORMAT_NONE &&
        tensor_format_of(output) != FORMAT_JSON)
        st = diag_error(dg, ST_USAGE, output, "is the name of a tensor; a descriptor is JSON");
    if (st == ST_OK) {
        str_add(&changes, f.from.s ? f.from.s : "", f.from.len);
        diff_print(&f.diff, shown_path(path), output ? output : "fixed", &original, &f.text,
                   &changes);
        st = changes.failed ? diag_nomem(dg) : write_text(&f.text, output, dg);
    }
    if (st == ST_OK) {
        if (changes.len > 0)
            fwrite(changes.s, 1, changes.len, diff);
        st = report(path, output, &f, utf16, color, dg);
    }
    fixed_free(&f);
    str_free(&changes);
    str_free(&original);
    return st;
}
