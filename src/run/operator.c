#include "run/operator.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "run/driver.h"
#include "run/many.h"

/* A command for each of many inputs. */
struct repeated {
    const struct op_command *oc;
    struct op_args *args;
};

static enum status run_one(void *context, char *input, const char *output, const char *indices,
                           struct diag *dg)
{
    struct repeated *r = context;

    r->args->files.output = output;
    r->args->topk.indices = indices;
    return driver_run(r->oc, r->args, 1, &input, dg);
}

static enum status run_many(const struct op_command *oc, struct op_args *args, int n, char **paths,
                            struct diag *dg)
{
    const struct file_args *f = &args->files;
    const char *indices = args->topk.indices;
    struct repeated r = { oc, args };
    struct many m = { .folder = f->output_dir,
                      .again = f->descriptor,
                      .format = f->format,
                      .run = run_one,
                      .context = &r };

    if (f->descriptor && strcmp(f->descriptor, "-") == 0)
        return diag_error(
            dg, ST_USAGE, NULL,
            "--output-dir reads the descriptor again for every input; give a file to -d");
    if (indices && (strcmp(indices, "-") == 0 || *path_extension(path_base_name(indices))))
        return diag_error(dg, ST_USAGE, NULL,
                          "--indices %s: with --output-dir this is the folder for the "
                          "NAME.indices.npy of every input; without --indices it is '%s'",
                          indices, f->output_dir);
    if (op_output(oc->op, ROLE_INDEX))
        m.indices = indices ? indices : f->output_dir;
    return many_run(&m, n, paths, dg);
}

enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args *args = mem_zalloc(1, sizeof *args); /* large: stacks may be small */
    enum status st;

    if (!args)
        return diag_nomem(dg);
    if (command_begin(oc->usage, args, &argc, &argv, &st, dg))
        st = args->files.output_dir ? run_many(oc, args, argc, argv, dg)
                                    : driver_run(oc, args, argc, argv, dg);
    free(args);
    return st;
}
