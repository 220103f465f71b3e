#include "cli/option_groups.h"

#include "base/process.h"

const char *const report_words[] = { "text", "json", NULL };

#include "cli/option_groups_rows.h"

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
