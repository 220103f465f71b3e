#ifndef DMLOP_BASE_PROCESSORS_H
#define DMLOP_BASE_PROCESSORS_H

#include <stdbool.h>

/* Processors that this process can keep busy: those that it may run on (its affinity), and no more
 * than the CPU quota of its control groups pays for, rounded up. At least 1. */
int processors_usable(void);

/* Of them, those that had nothing to do a moment ago, besides the caller's. Where the process may
 * not run on all that the system has, it cannot be told, and all count. */
int processors_idle(void);

/*
 * Whether the system will surely start `more` threads: neither the limit on the user's processes,
 * nor that of a control group, nor one on memory is near. It reads a few small files and starts
 * nothing. False where it cannot tell.
 */
bool processors_have_room(int more);

/* What the above find in the control groups of a Linux whose files lie below `root` ("": this
 * one), versions 1 and 2: processors that the least quota pays for, and threads that may still be
 * started. INT_MAX where nothing is limited. For them and for tests. */
int processors_quota(const char *root);
int processors_room(const char *root);

#endif
