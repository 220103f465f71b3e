#pragma once

#include "kernel/select.h"

/* The kernel tables of the operators' commands. */

enum { KERNEL_LISTS = 3 };

/* The command that table t of KERNEL_LISTS is for: "slice". */
const char *kernel_list_command(size_t t);

/* Row i of table t; NULL after the last. */
const struct kernel_row *kernel_list_row(size_t t, unsigned i);
