#include "run/operator.h"

#include "run/driver.h"
#include "run/many.h"

enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args args = { .no_progress = false };
    enum status st;

    if (!command_begin(oc->usage, &args, &argc, &argv, &st, dg))
        return st;
    return (args.files.output_dir ? many_run : driver_run)(oc, &args, argc, argv, dg);
}
