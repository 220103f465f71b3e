#pragma once

#include "kernel/cpu.h"

/* What kernels prefetch by instructions. The best policy depends on the processor's own
 * prefetchers, not on its instruction set, so it is chosen apart from the kernel, and every kernel
 * runs under every policy. Results are the same. */
enum prefetch_policy {
    PREFETCH_AUTO,  /* the best one for this processor; never passed to kernels */
    PREFETCH_NONE,
    PREFETCH_LINES, /* rows and lists, which no processor predicts; not runs read front to back */
    PREFETCH_AHEAD, /* runs as well, except in copies */
    PREFETCH_PAGES, /* runs as well; slice alternates between several pages */
    PREFETCH_COUNT
};

struct prefetch_choice {
    enum prefetch_policy policy; /* not PREFETCH_AUTO */
    const char *why;             /* a phrase */
};

/* The best policy for a processor: from a table of families, else the default. */
struct prefetch_choice prefetch_choose(const struct cpu_model *cpu);

enum { PREFETCH_WHY = 128 }; /* bytes of text that prefetch_why needs */

/* "AMD family 25, model 17: it ...": the processor, if CPUID names it, and the policy's reason. */
void prefetch_why(const struct cpu_model *cpu, char *text, size_t bytes);

/* This processor's policy for PREFETCH_AUTO, else the policy itself. */
enum prefetch_policy prefetch_resolve(enum prefetch_policy policy);

/* The same for a copy that reads `bytes` of its source: PREFETCH_PAGES only if they exceed the
 * caches, PREFETCH_LINES for PREFETCH_AHEAD. */
enum prefetch_policy prefetch_for_copy(enum prefetch_policy policy, uint64_t bytes);

/* True if a product of `rows` rows of A prefetches rows of B, `bytes` in all. */
bool prefetch_for_product(enum prefetch_policy policy, uint64_t rows, uint64_t bytes);

/* "auto", "none", "lines", "ahead", "pages". */
const char *prefetch_name(enum prefetch_policy policy);

/* The policy of this name; PREFETCH_COUNT if there is none. */
enum prefetch_policy prefetch_named(const char *name);
