#pragma once

#include "cli/option_groups.h"
#include "desc/read/read.h"
#include "io/output.h"

/* Options that several commands have and whose values are rules, levels, kernels or tensors;
 * further groups are in cli/option_groups.h. */

struct checking_args {
    int level; /* enum feature_level */
    bool relaxed;
};
extern const struct option_row checking_options[];

/* How documents are checked; if quiet, findings below an error are left out. */
static inline struct desc_options checking_rules(const struct checking_args *a, bool quiet)
{
    return (struct desc_options){
        .level = (enum feature_level)a->level,
        .findings = { .relaxed = a->relaxed, .errors_only = quiet, .max_findings = MAX_FINDINGS },
    };
}

struct execution_args {
    long threads;       /* 0: not given */
    const char *kernel; /* NULL: not given */
};
extern const struct option_row execution_options[];

/* A struct outputs without outputs, to be copied: --no-sync, --no-clobber. */
extern const struct option_row output_options[];

/* Words for completions of --bind: the tensors of the command's operators, or of all operators. */
void tensor_words(struct str *words, const char *command);
