#ifndef DMLOP_PART_RECORD_FILE_H
#define DMLOP_PART_RECORD_FILE_H

#include "base/diag.h"
#include "io/input.h"
#include "part/record.h"

/* Records as files, and the data files beside them. */

enum part_found { PART_NONE, PART_UNSOUND, PART_SOUND };

/*
 * Reads the record at a path. *found says whether there is a file and whether it is a sound record;
 * of one that is not, error says why. ST_INPUT, with a message, where it cannot be read, ST_SYSTEM
 * where memory is short.
 */
enum status part_record_read(struct record *r, const char *path, enum part_found *found,
                             char error[RECORD_ERROR], struct diag *dg);

/* Whether the files of r, whose record is at a path, have their bytes. ST_SYSTEM, with a message,
 * where memory is short. */
enum status part_files_there(const struct record *r, const char *path, bool *there,
                             struct diag *dg);

/* input_open of a regular file: another might never end, or never begin. */
enum status part_file_open(struct input *in, const char *path, struct diag *dg);

#endif
