#ifndef DMLOP_PART_SET_FILES_H
#define DMLOP_PART_SET_FILES_H

#include "part/set.h"

/* Private to set.c, set_files.c and set_missing.c. */

bool part_is_folder(const char *path);

/* "PATH: part 3: WHAT"; ST_INPUT. */
enum status part_damaged(uint64_t part, const char *path, const char *what, struct diag *dg);

/* The path of a part's file, or of its record; NULL where memory is short. */
char *part_set_path(const struct part_set *s, uint64_t part, unsigned file);

/* The files of the part that r is the record of are whole and hold what it says. */
enum status part_set_check_files(struct part_set *s, const struct record *r, struct diag *dg);

/* The parts that are not among v's as ranges; returns how many. */
uint64_t part_set_ranges(const struct part_entry *v, uint64_t parts, struct str *ranges);

#endif
