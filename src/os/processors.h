#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Processors available to this process: its affinity, limited by the CPU quota of its control
 * groups, rounded up. At least 1. */
int processors_usable(void);

/* Those of them that were idle a moment ago, without the caller's. If the process may not run on
 * all processors of the system, this is unknown, and all count. */
int processors_idle(void);

/* True if the system will certainly start `more` threads: no limit on the user's processes, of a
 * control group or on memory is near. Reads a few small files; starts nothing. False if unknown. */
bool processors_have_room(int more);

/* The sizes of the first and second cache in bytes; 0: unknown. */
void processors_caches(size_t *first, size_t *second);

/* Asks the system for AMX's tile registers, which it grants to a whole process on request. False
 * if it does not. x86-64 only. */
bool processors_grant_tiles(void);

/* The system's words that list the features of an AArch64 processor, HWCAP and HWCAP2; 0
 * elsewhere. */
void processors_words(unsigned long words[2]);

/* Linux only, public for tests: limits of control groups, versions 1 and 2, of a system with its
 * files below `root` ("": this one): processors that the lowest quota pays for, and threads that
 * may still be started. INT_MAX without a limit. */
int processors_quota(const char *root);
int processors_room(const char *root);
