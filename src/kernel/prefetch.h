#ifndef DMLOP_KERNEL_PREFETCH_H
#define DMLOP_KERNEL_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu.h"

/*
 * What kernels prefetch by instructions. Which policy gains depends on how a processor prefetches
 * by itself, not on its instruction set, so it is chosen apart from the kernel, and every kernel
 * runs under every policy. Results are the same.
 */
enum prefetch_policy {
    PREFETCH_AUTO,  /* what this processor gains by; kernels are never given it */
    PREFETCH_NONE,
    PREFETCH_LINES, /* what a processor does not guess: rows, lists; not a run read front to back */
    PREFETCH_AHEAD, /* runs as well, except where they are copied */
    PREFETCH_PAGES, /* these, too; slice takes lines from several pages by turns, always */
    PREFETCH_COUNT
};

struct prefetch_choice {
    enum prefetch_policy policy; /* not PREFETCH_AUTO */
    const char *why;             /* a phrase */
};

/* What a processor gains by: from a table of processor families, else the default. */
struct prefetch_choice prefetch_choose(const struct cpu_model *cpu);

enum { PREFETCH_WHY = 128 }; /* bytes that prefetch_why needs at most */

/* "AMD family 25, model 17: it ...": the processor, where CPUID names it, and why its policy. */
void prefetch_why(const struct cpu_model *cpu, char *text, size_t bytes);

/* What this processor gets where PREFETCH_AUTO is asked for, else the policy itself. */
enum prefetch_policy prefetch_resolve(enum prefetch_policy policy);

/* The same for a copy that goes through `bytes` of its source: only what comes from memory gains by
 * pages. Never PREFETCH_AHEAD, which is PREFETCH_LINES here. */
enum prefetch_policy prefetch_for_copy(enum prefetch_policy policy, uint64_t bytes);

/* Whether a product of so many rows of A that reads rows of B by turns, `bytes` in all, prefetches
 * them. */
bool prefetch_for_product(enum prefetch_policy policy, uint64_t rows, uint64_t bytes);

/* "auto", "none", "lines", "ahead", "pages". */
const char *prefetch_name(enum prefetch_policy policy);

/* The policy of this name; PREFETCH_COUNT where there is none. */
enum prefetch_policy prefetch_named(const char *name);

#endif
