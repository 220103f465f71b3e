#include "cmd/operator.h"

#include "cmd/command.h"
#include "cmd/driver.h"
#include "cmd/many.h"

static enum status run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args args = { .no_progress = false };
    enum status st;

    if (!command_begin(oc->usage, &args, &argc, &argv, &st, dg))
        return st;
    return (args.files.output_dir ? many_run : driver_run)(oc, &args, argc, argv, dg);
}

enum status cmd_slice(int argc, char **argv, struct diag *dg)
{
    return run(&slice_command, argc, argv, dg);
}

enum status cmd_topk(int argc, char **argv, struct diag *dg)
{
    return run(&topk_command, argc, argv, dg);
}

enum status cmd_qmatmul(int argc, char **argv, struct diag *dg)
{
    return run(&qmatmul_command, argc, argv, dg);
}
