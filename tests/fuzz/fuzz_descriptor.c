/* Descriptors with all rules, as `validate` checks, prints and mends them: places, order, the three
 * output formats; a text that --fix calls valid is valid, a valid one runs and is emitted as it was
 * read; overlap by trying all coordinates. The last byte chooses the options.
 * Of src: desc/ check/checked.c check/findings.c check/fix.c check/sarif.c check/diff.c */
#include "check/findings.h"
#include "check/fix.h"
#include "desc/check.h"
#include "fuzz.h"
#include "run_desc.h"

static char *copy_text(const void *text, size_t size)
{
    char *copy = fuzz_alloc(size + 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void check_place(const struct document *d, size_t offset, size_t end, size_t line,
                        size_t column, size_t end_column)
{
    struct json_position want = { 0, 1, 1 };

    if (offset > end || end > d->len)
        fuzz_fail("a place at [%zu, %zu) of %zu bytes", offset, end, d->len);
    json_position_advance(&want, d->text, d->len, offset);
    if (line != want.line || column != want.column || end_column < column)
        fuzz_fail("byte %zu is shown at line %zu, columns %zu to %zu", offset, line, column,
                  end_column);
}

/* Findings lie within the text and in its order; the counts are right. */
static void check_findings(const struct document *d)
{
    const struct findings *fs = &d->findings;
    size_t errors = 0, warnings = 0;

    if (fs->failed || fs->errors + fs->warnings < fs->n)
        fuzz_fail("findings are incomplete");
    for (size_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->v[i];

        *(f->severity == SEV_ERROR ? &errors : &warnings) += 1;
        check_place(d, f->range.offset, f->range.end, f->range.line, f->range.column,
                    f->range.end_column);
        if (i > 0 && fs->v[i - 1].range.offset > f->range.offset)
            fuzz_fail("findings out of order at byte %zu", f->range.offset);
        if (!f->message || !f->message[0] || (unsigned)f->rule >= RULE_COUNT)
            fuzz_fail("a finding without a message");
        for (size_t j = 0; j < f->related_count; j++)
            check_place(d, f->related[j].range.offset, f->related[j].range.end,
                        f->related[j].range.line, f->related[j].range.column,
                        f->related[j].range.end_column);
        if (f->fix.text && (f->fix.offset > f->fix.end || f->fix.end > d->len))
            fuzz_fail("a fix outside the text");
    }
    if (fs->opt.max_findings == 0 && !fs->opt.errors_only &&
        (errors != fs->errors || warnings != fs->warnings))
        fuzz_fail("%zu errors and %zu warnings are %zu and %zu", errors, warnings, fs->errors,
                  fs->warnings);
}

static void check_json(struct str *b, const char *what)
{
    struct json_doc doc = { 0 };
    struct json_error err;

    if (b->failed || json_doc_scan(&doc, b->s, b->len, &err) != JSON_OK)
        fuzz_fail("%s is no JSON", what);
    json_doc_free(&doc);
    str_free(b);
}

static void check_printed(const struct document *d)
{
    static bool begun; /* what stands around the results is always the same */
    struct str json = { 0 }, sarif = { 0 };
    struct json_writer w = { .out = &sarif };

    if (findings_text(d, "x.json", fuzz_stream(), COLOR_NEVER,
                      &(struct diag){ .err = fuzz_stream() }) != ST_OK)
        fuzz_fail("findings could not be printed");
    findings_json(&(struct json_writer){ .out = &json }, &d->findings, "x\n\xff.json");
    check_json(&json, "a findings report");
    (begun ? json_open(&w, NULL, "[ ]") : sarif_begin(&w));
    findings_sarif(&w, &d->findings, "x y.json");
    json_close_to(&w, 0);
    begun = true;
    check_json(&sarif, "a SARIF report");
}

/* strides_overlap by walking over all coordinates, where these are few. */
static void check_overlap(const struct tensor_desc *t)
{
    enum { MOST = 3000 };
    uint64_t count, extent, spent = 0, c[TENSOR_MAX_RANK] = { 0 };
    struct tensor view = { .rank = 0 };
    bool overlap = false;
    char *taken;

    if (!t->present || !t->has_strides || !tensor_desc_view(t, NULL, &view) ||
        !tensor_count(t->rank, t->sizes, &count) || count == 0 || count > MOST ||
        !tensor_extent(t->rank, view.sizes, view.strides, &extent) || extent > 1 << 14)
        return;
    taken = calloc(extent, 1);
    if (!taken)
        fuzz_fail("out of memory");
    do {
        uint64_t at = 0;

        for (unsigned i = 0; i < t->rank; i++)
            at += c[i] * t->strides[i];
        overlap = overlap || taken[at];
        taken[at] = 1;
    } while (tensor_next(t->rank, view.sizes, c));
    free(taken);
    if (strides_overlap(t->rank, t->sizes, t->strides, &spent) !=
        (overlap ? OVERLAP_FOUND : OVERLAP_NONE))
        fuzz_fail("strides %s", overlap ? "overlap unseen" : "seem to overlap");
}

static bool same_tensor(const struct tensor_desc *a, const struct tensor_desc *b)
{
    return a->present == b->present &&
           (!a->present ||
            (a->type == b->type && a->flags == b->flags && a->rank == b->rank &&
             a->has_strides == b->has_strides && memcmp(a->sizes, b->sizes, sizeof a->sizes) == 0 &&
             memcmp(a->strides, b->strides, sizeof a->strides) == 0 &&
             a->total_size == b->total_size && a->base_alignment == b->base_alignment));
}

/* What a valid descriptor is emitted as reads as the same. */
static void check_emitted(const struct desc *d, const struct desc_options *opt)
{
    struct str text = { 0 };
    struct desc_file again = { .document = { .text = NULL } };
    struct desc there, *read = &there;
    struct diag dg = fuzz_diag();
    size_t len;

    desc_emit(d, &text);
    len = text.len;
    if (desc_file_parse(&again, str_detach(&text), len, opt, &dg) != ST_OK ||
        again.document.findings.errors > 0)
        fuzz_fail("the descriptor emitted is not valid");
    desc_of_values(&again.values, read);
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (!same_tensor(&d->tensor[s], &read->tensor[s]))
            fuzz_fail("the descriptor emitted has another tensor in slot %u", s);
    if (d->op != read->op || d->axis != read->axis || d->k != read->k ||
        d->direction != read->direction ||
        memcmp(d->offsets, read->offsets, sizeof d->offsets) != 0 ||
        memcmp(d->sizes, read->sizes, sizeof d->sizes) != 0 ||
        memcmp(d->strides, read->strides, sizeof d->strides) != 0)
        fuzz_fail("the descriptor emitted differs");
    desc_file_free(&again);
}

/* --fix: its verdict is that of a second look at what it wrote. */
static void check_fix(const void *text, size_t size, const struct check_options *opt)
{
    static struct fuzz_file in, out;
    struct diag dg = fuzz_diag();
    struct checked again;
    enum status st;
    char *fixed, *diff = NULL;
    size_t n, diff_len;
    FILE *changes = open_memstream(&diff, &diff_len);

    fuzz_file_set(&in, text, size);
    fuzz_file_set(&out, NULL, 0);
    st = fix_file(in.path, out.path, opt, changes, COLOR_NEVER, &dg);
    fclose(changes);
    fixed = fuzz_file_get(&out, &n);
    if (st == ST_INPUT && n == 0) { /* it is another kind of file, not a model that lacks one */
        if (diff_len > 0)
            fuzz_fail("what was refused has a diff");
        free(fixed);
        free(diff);
        return;
    }
    if ((diff_len > 0) != (n != size || memcmp(fixed, text, n) != 0))
        fuzz_fail("a diff of %zu bytes", diff_len);
    free(diff);
    if (checked_text(&again, in.path, fixed, n, opt, &dg) != ST_OK)
        fuzz_fail("a text that was fixed cannot be read");
    if (document_status(&again.document) != st)
        fuzz_fail("--fix is status %d, and what it wrote %d", (int)st,
                  (int)document_status(&again.document));
    checked_free(&again);
}

static bool has_fix(const struct findings *fs)
{
    for (size_t i = 0; i < fs->n; i++)
        if (fs->v[i].fix.text)
            return true;
    return false;
}

static void check_command(const void *text, size_t size, const char *command,
                          struct desc_options opt)
{
    struct desc_file f = { .document = { .text = NULL } };
    struct diag dg = fuzz_diag();

    opt.command = command;
    if (desc_file_parse(&f, copy_text(text, size), size, &opt, &dg) != ST_OK)
        fuzz_fail("a text cannot be read for %s", command);
    check_findings(&f.document);
    desc_file_free(&f);
}

static void check_valid(const struct desc *d, const struct check_options *opt)
{
    check_emitted(d, &opt->desc);
    if (desc_is_small(d, 1 << 12, 1 << 16))
        desc_run(d, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const commands[] = { "slice", "topk", "qmatmul" };
    struct check_options opt = { .desc = { .level = LEVEL_NEWEST } };
    struct diag dg = fuzz_diag();
    struct checked c;
    struct desc d;
    unsigned choice;

    if (size == 0)
        return 0;
    choice = data[--size] ^ (unsigned)'\n';
    opt.desc.level = (enum feature_level)(LEVEL_NEWEST - (int)(choice & 15) % LEVEL_COUNT);
    opt.desc.findings = (struct finding_options){ .relaxed = choice >> 4 & 1,
                                                  .portable = choice >> 5 & 1,
                                                  .errors_only = choice >> 6 & 1,
                                                  .max_findings = choice >> 7 ? 3 : 0 };
    if (checked_text(&c, "./x.json", copy_text(data, size), size, &opt, &dg) != ST_OK)
        fuzz_fail("a text cannot be read");
    check_findings(&c.document);
    check_printed(&c.document);
    if (!c.is_model)
        for (unsigned s = 0; s < c.values.tensor_count; s++)
            check_overlap(&c.values.tensor[s]);
    if (!c.is_model && c.values.schema && c.values.schema->op != OP_NONE &&
        document_status(&c.document) == ST_OK) {
        desc_of_values(&c.values, &d);
        check_valid(&d, &opt);
    }
    if (has_fix(&c.document.findings))
        check_fix(data, size, &opt);
    checked_free(&c);
    check_command(data, size, commands[choice % 3], opt.desc);
    return 0;
}
