#include "run/inputs.h"

#include "desc/bind.h"

/* What to do about a size of a file, which the finding's hint would change in a descriptor. */
static const char *size_hint(const struct request *rq, const struct desc *d, enum rule rule)
{
    const uint64_t *a = d->tensor[SLOT_A].sizes, *b = d->tensor[SLOT_B].sizes;
    unsigned last = d->tensor[SLOT_B].rank - 1;

    if (rule == RULE_QMATMUL_BATCH)
        return "batches must be equal, or 1 in one of the files";
    if (rule != RULE_QMATMUL_INNER || d->vector_b || a[last] != b[last])
        return NULL;
    return rq->args->qmatmul.transpose_b ? "leave out --transpose-b if B is stored as {K,N}"
                                         : "give --transpose-b if B is stored as {N,K}";
}

/* Reports a finding for an input's file, or for the option that gives the field. */
static enum status report(const struct request *rq, const struct finding *f,
                          const struct field_part *p, const struct desc *d,
                          const bool untyped[SLOT_COUNT], struct diag *dg)
{
    const struct tensor_argument *s =
        p->field && p->field->kind == FIELD_TENSOR ? &rq->in[p->field->slot] : NULL;
    const char *file = s && s->text && s->numbers == 0 ? s->text : NULL;
    const char *option = file ? NULL : field_part_option(p), *hint = f->hint;
    const char *untyped_hint = file && untyped[p->field->slot] && strcmp(p->part, "DataType") == 0
                                   ? " (JSON and CSV without a type have that of --dtype)"
                                   : "";
    bool zero = f->rule == RULE_SLICE_STRIDE_ZERO || f->rule == RULE_TOPK_K_ZERO ||
                f->rule == RULE_SLICE_WINDOW_EMPTY || f->rule == RULE_TENSOR_SIZES_ZERO;

    if (file && p->entry >= 0)
        hint = size_hint(rq, d, f->rule);
    return diag_error(dg, zero && !file ? ST_USAGE : ST_INPUT, file,
                      /* no input allows this 0 */ "%s%s%s%s%s%s [%s]", option ? option : "",
                      option ? ": " : "", f->message, hint ? "; " : "", hint ? hint : "",
                      untyped_hint, rule_table[f->rule].id);
}

/* Reports findings in outputs, or all others, but not DirectML's limits, which the kernels exceed.
 * Those in outputs often only follow from others. Options give an output only types that the
 * kernels write, also some that DirectML lacks. */
static enum status report_all(const struct request *rq, const struct findings *fs, bool outputs,
                              const struct desc *d, const bool untyped[SLOT_COUNT], struct diag *dg)
{
    enum status st = ST_OK;

    for (size_t i = 0; i < fs->n; i++) {
        struct field_part p = op_field_part(rq->oc->op, fs->v[i].pointer);
        enum rule_class of = rule_table[fs->v[i].rule].of;
        enum status found;

        if ((of != CLASS_PLAIN && of != CLASS_DATA) || outputs != (p.field && p.field->output) ||
            (outputs && strcmp(p.part, "DataType") == 0))
            continue;
        found = report(rq, &fs->v[i], &p, d, untyped, dg);
        st = st == ST_OK || found == ST_USAGE ? found : st;
    }
    return st;
}

enum status judge_options(const struct request *rq, const struct desc *d,
                          const bool untyped[SLOT_COUNT], struct diag *dg)
{
    struct findings fs = { .opt.relaxed = true };
    enum status st;

    desc_check(d, LEVEL_NEWEST, &fs);
    st = fs.failed ? diag_nomem(dg) : report_all(rq, &fs, false, d, untyped, dg);
    st = st ? st : report_all(rq, &fs, true, d, untyped, dg);
    findings_free(&fs);
    return st;
}

enum status judge_limits(const struct request *rq, const struct desc *d, struct diag *dg)
{
    struct findings fs = { .opt.relaxed = rq->rules.findings.relaxed };
    enum status st;

    desc_check(d, rq->rules.level, &fs);
    for (size_t i = 0; i < fs.n; i++)
        diag_warn(dg, NULL, "DirectML does not accept this: %s [%s]", fs.v[i].message,
                  rule_table[fs.v[i].rule].id);
    st = fs.failed ? diag_nomem(dg) : ST_OK;
    findings_free(&fs);
    return st;
}

enum status judge_input(const struct request *rq, const struct desc *d, const struct field *f,
                        const struct tensor *t, uint64_t count, struct diag *dg)
{
    const struct tensor_argument *s = &rq->in[f->slot];
    const char *name = s->numbers ? s->option : s->text;
    struct findings fs = { .opt.relaxed = true };
    enum status st = ST_OK;

    if (strcmp(name, "-") == 0)
        name = "standard input";
    bind_check(d, f, t, count, name, &fs);
    for (size_t i = 0; i < fs.n; i++) {
        const struct finding *found = &fs.v[i];

        st = diag_input(dg, NULL, "%s%s%s [%s]", found->message, found->hint ? "; " : "",
                        found->hint ? found->hint : "", rule_table[found->rule].id);
    }
    if (fs.failed)
        st = diag_nomem(dg);
    findings_free(&fs);
    return st;
}
