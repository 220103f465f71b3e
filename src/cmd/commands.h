#pragma once

#include "cli/options.h"

/* The commands, in the order of `dmlop help`: X(NAME, summary) with cmd_NAME and NAME_options. */
#define COMMANDS(X) \
    X(slice, "copy a strided window of a tensor") \
    X(topk, "find the K largest or smallest elements along an axis, and their indices") \
    X(qmatmul, "multiply quantized 8-bit matrices") \
    X(join, "put the parts of a job together") \
    X(validate, "check operator descriptors and model files against DirectML's rules") \
    X(run, "run a DxDispatch model file") \
    X(lsp, "check descriptors in an editor, while you write them") \
    X(show, "print a tensor in columns") \
    X(info, "show data type, sizes and statistics of tensor files") \
    X(convert, "convert tensors to another file format or data type") \
    X(compare, "compare two tensors") \
    X(make, "make test tensors") \
    X(selftest, "check that every kernel gives the right results on this processor") \
    X(completion, "print the completions of bash, zsh, fish or PowerShell") \
    X(help, "show the manual page of a command")

#define X(name, summary) \
    extern const struct option_row name##_options[]; \
    enum status cmd_##name(int argc, char **argv, struct diag *dg);
COMMANDS(X)
#undef X

extern const struct command commands[]; /* name NULL ends */

/* Returns the command of a name; NULL, after a message with the nearest name, if there is none. */
const struct command *command_find(const char *name, struct diag *dg);

/* `dmlop --help`, `dmlop --version [--format json]`. */
void print_help(FILE *out);
enum status print_version(bool json, struct diag *dg);

/* "WHAT 'NAME'; did you mean 'OTHER'?", with the nearest of n names, or "WHAT 'NAME'" and
 * `otherwise`; returns ST_USAGE. */
enum status usage_unknown(const char *what, const char *name, const char *const names[], size_t n,
                          const char *otherwise, struct diag *dg);

/* Prints what kernels prefetch on this processor, and why. */
void print_prefetch(void);
