#ifndef DMLOP_IO_PARTS_FOLDER_H
#define DMLOP_IO_PARTS_FOLDER_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/str.h"

/* A folder of parts (part/set.h) where a file should be. It is recognized here only so that a
 * message can say how to get the file. */

/* True if a path is a folder that is named FILE.parts or has files of parts. */
bool parts_folder_is(const char *path);

/* Adds the command that joins the parts. */
void parts_folder_add_join(struct str *b, const char *path);

/* ST_INPUT, with a message that has that command, for such a folder. */
enum status parts_folder_refuse(const char *path, struct diag *dg);

#endif
