#include "driver/driver.h"

#include "base/mem.h"
#include "base/path.h"
#include "cli/print.h"
#include "io/file.h"

/* --explain: prints how the output element at coordinates `at` is computed. */
static enum status explain(const struct inputs *in, const struct option_list *at, struct diag *dg)
{
    enum op op = in->desc.op;
    const struct tensor_desc *full = &in->desc.tensor[op_output(op, ROLE_DATA)->slot],
                             result = desc_result(&in->desc, op_output(op, ROLE_DATA)->slot),
                             *out = result.rank > 0 ? &result : full; /* a number is at 0,0 */
    unsigned least = op == OP_QMATMUL && out->rank == full->rank ? 2 : out->rank; /* row, column */
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct str text = { 0 };
    enum status st = coordinates_read("--explain", at, out->rank, out->sizes, least, c, dg);

    if (st)
        return st;
    if (op == OP_QMATMUL)
        explain_qmatmul(&text, in, c);
    else if (op_output(op, ROLE_INDEX))
        explain_topk(&text, in, c);
    else
        explain_slice(&text, in, c);
    st = inputs_intact(in, dg);
    if (st == ST_OK)
        return print_str(&text, dg);
    str_free(&text);
    return st;
}

/* Runs the command on one set of operands. After an error, which is reported, no output is left. */
static enum status run_job(const struct op_args *args, int operands, char **operand,
                           struct diag *dg)
{
    struct job *j = mem_zalloc(1, sizeof *j);
    const struct part_args *a = &args->part;
    bool part = a->part || a->axes || a->job || a->resume || a->checksums;
    enum status st;

    if (!j)
        return diag_nomem(dg);
    st = request_make(&j->request, args, operands, operand, dg);
    if (st == ST_OK && args->explain.n > 0)
        st = file_check_apart(args->files.descriptor, args->files.output, dg);
    for (unsigned s = 0; s < SLOT_COUNT && args->explain.n > 0 && st == ST_OK; s++)
        st = file_check_apart(j->request.in[s].text, args->files.output, dg);
    if (st == ST_OK && args->explain.n > 0)
        st = print_to(args->files.output, ST_INVALID, 0, NULL, dg);
    if (st == ST_OK && part)
        st = part_request(&j->request, dg);
    st = st ? st : job_load(j, dg);
    if (st == ST_OK)
        st = args->explain.n > 0 ? explain(&j->inputs, &args->explain, dg)
             : part              ? part_run(j, dg)
                                 : emit_run(j, dg);
    job_close(j);
    free(j);
    return st;
}

static enum status run_one(void *context, char *input, const char *output, const char *indices,
                           struct diag *dg)
{
    struct op_args *args = context;

    args->files.output = output;
    args->topk.indices = indices;
    return run_job(args, 1, &input, dg);
}

static enum status run_many(struct op_args *args, int n, char **paths, struct diag *dg)
{
    const struct file_args *f = &args->files;
    const char *indices = args->topk.indices;
    struct many m = { .folder = f->output_dir,
                      .again = { f->descriptor },
                      .format = f->format,
                      .run = run_one,
                      .context = args };

    if (f->descriptor && file_is_special(f->descriptor))
        return diag_usage(
            dg, "--output-dir reads the descriptor again for every input; give a file to -d");
    if (indices && (strcmp(indices, "-") == 0 || *path_extension(path_base_name(indices))))
        return diag_usage(dg,
                          "--indices %s: with --output-dir this is the folder for the "
                          "NAME.indices.npy of every input; without --indices it is '%s'",
                          indices, f->output_dir);
    if (op_output(args->oc->op, ROLE_INDEX))
        m.indices = indices ? indices : f->output_dir;
    return many_run(&m, n, paths, dg);
}

enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args *args = mem_zalloc(1, sizeof *args); /* large: stacks may be small */
    enum status st;

    if (!args)
        return diag_nomem(dg);
    args->oc = oc;
    if (command_begin(oc->options, args, &argc, &argv, &st, dg)) {
        if (oc->op != OP_QMATMUL && args->files.bind.n == 0)
            input_given(&argc, &argv);
        st =
            args->files.output_dir ? run_many(args, argc, argv, dg) : run_job(args, argc, argv, dg);
    }
    free(args);
    return st;
}
