#include "cli/option_groups.h"

#include "base/process.h"

const struct option_row common_options[] = {
    OPT_FLAG('q', "quiet", struct common_args, quiet),
    OPT_FLAG('v', "verbose", struct common_args, verbose),
    OPT_FLAG('h', "help", struct common_args, help),
    OPT_END,
};

static const char *const color_words[] = { "auto", "always", "never", NULL }; /* enum color_when */

const struct option_row color_options[] = {
    OPT_CHOICE("color", struct common_args, color, color_words, COLOR_AUTO),
    OPT_ROWS(common_options),
    OPT_END,
};

const struct option_row text_options[] = {
    OPT_TEXT('o', "output", struct common_args, text, TAKES_JSON),
    OPT_END,
};

const char *const report_words[] = { "text", "json", NULL };

const struct option_row timing_options[] = {
    OPT_NUMBER("repeat", struct timing_args, repeat, 1, SAMPLES_MOST, 0),
    OPT_SECONDS("min-time", struct timing_args, min_time, -1),
    OPT_NUMBER("warmup", struct timing_args, warmup, 0, SAMPLES_MOST, 0),
    OPT_OPTIONAL("timings", struct timing_args, timings, TAKES_JSON),
    OPT_FLAG(0, "samples", struct timing_args, samples),
    OPT_EXCLUDES("min-time", "", "repeat"),
    OPT_NEEDS("samples", "timings"),
    OPT_END,
};

int execution_threads(long threads, struct diag *dg)
{
    if (threads == 0 && process.misread_threads)
        diag_warn(dg, NULL, "OMP_NUM_THREADS=%s is not a number of threads; it is ignored",
                  process.misread_threads);
    if (threads <= 1 || parallel_available())
        return (int)threads;
    diag_warn(dg, NULL, "--threads %ld: this build has no OpenMP and runs on one thread", threads);
    return 1;
}

void timing_samples(const struct timing_args *a, struct samples *s, uint64_t *warmup)
{
    s->repeat = a->repeat ? (uint64_t)a->repeat : 1;
    s->least_ns = a->min_time > 0 ? (uint64_t)(a->min_time * 1e9) : 0;
    *warmup = (uint64_t)a->warmup;
}
