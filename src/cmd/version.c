#include "base/parallel.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "op/op.h"

/* The compiler of this build, for --version. */
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

void print_prefetch(void)
{
    char why[PREFETCH_WHY];

    prefetch_why(cpu_model(), why, sizeof why);
    printf("prefetch: %s (%s)\n", prefetch_name(prefetch_resolve(PREFETCH_AUTO)), why);
}

static enum status print_version_json(struct diag *dg)
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };
    char why[PREFETCH_WHY];

    prefetch_why(cpu_model(), why, sizeof why);
    json_format(&w,
                "{ schema: %s version: %s compiler: %s threads: %s \n"
                "  prefetch: { policy: %s why: %s } \n  kernels: {",
                "dmlop.version/1", DMLOP_VERSION, COMPILER,
                parallel_available() ? "OpenMP" : "none",
                prefetch_name(prefetch_resolve(PREFETCH_AUTO)), why);
    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++) {
        json_line(&w, 4);
        json_open(&w, kernel_list_command(t), "[]");
        for (unsigned i = 0; kernel_list_row(t, i); i++)
            json_format(&w, "{ name: %s usable: %d }", kernel_list_row(t, i)->name,
                        cpu_has(kernel_list_row(t, i)->needs));
        json_close(&w);
    }
    return print_json(&w, dg);
}

enum status print_version(bool json, struct diag *dg)
{
    if (json)
        return print_version_json(dg);
    printf("dmlop %s\ncompiler: %s\nthreads: %s\n", DMLOP_VERSION, COMPILER,
           parallel_available() ? "OpenMP" : "one (built with OPENMP=0)");
    print_prefetch();
    puts("kernels:");
    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++) {
        printf("  %-8s", kernel_list_command(t));
        for (unsigned i = 0; kernel_list_row(t, i); i++)
            printf(" %s%s", kernel_list_row(t, i)->name,
                   cpu_has(kernel_list_row(t, i)->needs) ? "" : " (not on this processor)");
        putchar('\n');
    }
    return ST_OK;
}
