#ifndef DMLOP_PART_FILES_H
#define DMLOP_PART_FILES_H

#include "part/set.h"

/* Files of parts: records, and the data files beside them. */

enum part_found { PART_NONE, PART_UNSOUND, PART_SOUND };

/*
 * Reads the record at a path. PART_NONE: there is no file; PART_UNSOUND: error says what is wrong
 * with it. ST_INPUT, with a message, if a file cannot be read; ST_SYSTEM if memory is short.
 */
enum status part_record_read(struct record *r, const char *path, enum part_found *found,
                             char error[RECORD_ERROR], struct diag *dg);

/* Sets *there if all files of r, whose record is at `path`, exist with the recorded sizes.
 * ST_SYSTEM, with a message, if memory is short. */
enum status part_files_there(const struct record *r, const char *path, bool *there,
                             struct diag *dg);

bool part_is_folder(const char *path);

/* Reports "PATH: part 3: WHAT". Returns ST_INPUT. */
enum status part_damaged(uint64_t part, const char *path, const char *what, struct diag *dg);

/* The path of a part's file, or of its record for RECORD_FILES. Owned by the caller; NULL if memory
 * is short. */
char *part_set_path(const struct part_set *s, uint64_t part, unsigned file);

/* Compares the files of a part with its record. ST_INPUT or ST_SYSTEM, with a message. */
enum status part_set_check_files(struct part_set *s, const struct record *r, struct diag *dg);

#endif
