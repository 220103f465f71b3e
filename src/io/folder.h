#ifndef DMLOP_IO_FOLDER_H
#define DMLOP_IO_FOLDER_H

#include "base/diag.h"

/* Makes a folder unless it is there; a folder that others make at the same time is no error. Its
 * name is made durable. ST_SYSTEM, with a message. */
enum status folder_make(const char *path, struct diag *dg);

/* Makes what was done to names in a folder durable, as far as the system can. The path is relative
 * to the folder `at`, as for openat(2). */
void folder_sync(int at, const char *path);

#endif
