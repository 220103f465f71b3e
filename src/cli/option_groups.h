#ifndef DMLOP_CLI_OPTION_GROUPS_H
#define DMLOP_CLI_OPTION_GROUPS_H

#include "base/samples.h"
#include "cli/options.h"
#include "desc/read.h"

/* Options that several commands take, each group with the struct that it fills. Commands include
 * them by OPT_GROUP. */

extern const struct option_row common_options[];    /* struct common_args but for its color */
extern const struct option_row color_options[];     /* struct common_args */
extern const struct option_row threads_options[];   /* a long for execution_threads */
extern const struct option_row json_type_options[]; /* an enum dtype: --dtype */
extern const struct option_row report_options[];    /* an enum report_format: --format */

enum { FORMAT_BY_NAME = -1 /* of an output whose --format is not given */ };

enum report_format { REPORT_TEXT, REPORT_JSON };

/* Which rules hold, and whether all of them. */
struct checking_args {
    enum feature_level level;
    bool relaxed;
};
extern const struct option_row checking_options[];

/* What computes. */
struct execution_args {
    long threads;       /* 0: not given */
    const char *kernel; /* NULL: not given */
};
extern const struct option_row execution_options[];

/* How often, and where the times go. */
struct timing_args {
    long repeat;         /* 0: not given */
    double min_time;     /* seconds; negative: not given */
    long warmup;
    const char *timings; /* NULL: no times; "": a table; else a JSON file */
    bool samples;
};
extern const struct option_row timing_options[];

/* How files are written. */
struct output_args {
    bool no_sync, no_clobber;
};
extern const struct option_row output_options[];

/* The value of --threads, or 0 where it is not given: as many as the work can use. 1, with a
 * warning, where several are wanted of a build without OpenMP. */
int execution_threads(long threads, struct diag *dg);

/* What documents are checked by; findings below an error are left out where quiet. */
struct desc_options checking_rules(const struct checking_args *a, bool quiet);

/* How many samples are taken, and after how many computations that are not counted. */
void timing_samples(const struct timing_args *a, struct samples *s, uint64_t *warmup);

#endif
