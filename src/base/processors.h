#ifndef DMLOP_BASE_PROCESSORS_H
#define DMLOP_BASE_PROCESSORS_H

#include <stdbool.h>

/* Processors available to this process: its affinity, limited by the CPU quota of its control
 * groups, rounded up. At least 1. */
int processors_usable(void);

/* Those of them that were idle a moment ago, without the caller's. If the process may not run on
 * all processors of the system, this is unknown, and all count. */
int processors_idle(void);

/*
 * True if the system will certainly start `more` threads: no limit on the user's processes, of a
 * control group or on memory is near. Reads a few small files; starts nothing. False if unknown.
 */
bool processors_have_room(int more);

/* Limits of control groups, versions 1 and 2, of a Linux with its files below `root` ("": this
 * system): processors that the lowest quota pays for, and threads that may still be started.
 * INT_MAX without a limit. Public for tests. */
int processors_quota(const char *root);
int processors_room(const char *root);

#endif
