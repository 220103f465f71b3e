#ifndef DMLOP_PART_SET_H
#define DMLOP_PART_SET_H

#include "base/diag.h"
#include "base/str.h"
#include "io/input.h"
#include "part/record.h"

/* The parts of a job as `join` finds them: by a folder, or by records that are named. */

/* A part that is there. */
struct part_entry {
    uint32_t source; /* 1 + the operand that names its record or folder; 0: it is not there */
    uint64_t compute_ns;
    uint64_t host;   /* digest of its name */
};

/* A file of a part that is mapped, to be used again. */
struct part_window {
    uint64_t key; /* 1 + the file's number; 0: none */
    struct input input;
    char *path;   /* owned */
    uint64_t offset; /* of the data */
};

/* Zero-initialise, set paths and n; release with part_set_close. */
struct part_set {
    char *const *paths; /* operands: folders and records */
    unsigned n;
    const char *name; /* what messages call the set; NULL: they do not */
    bool unchecked;   /* checksums are not read */
    struct record first;  /* the first that was read; parts is 0 before that */
    bool is_bool;         /* the output is NumPy's bool */
    struct part_entry *v; /* [first.parts], owned */
    uint64_t found;
    uint64_t bytes_in, bytes_out, operations; /* sums, UINT64_MAX at most */
    struct part_window *windows;              /* [slots], owned */
    size_t slots;
};

/*
 * Reads all records and holds them against each other, their shares and their files, with headers
 * and checksums. ST_INPUT, after a message, where one is damaged or of another job, or parts are
 * missing; ST_SYSTEM where memory is short.
 */
enum status part_set_load(struct part_set *s, struct diag *dg);

/* The data of a part's file, mapped until another file takes its place: valid until the next call
 * where there are more files than are mapped at once, 32768. ST_INPUT, with a message. */
enum status part_set_data(struct part_set *s, uint64_t part, unsigned file, const char **data,
                          struct diag *dg);

/* The parts 0 to `parts` - 1 that are not there, as ranges, "3,17-19", and how many: those without
 * a sound record of so many parts whose files have their bytes. A folder that does not exist has
 * none. ST_INPUT or ST_SYSTEM, with a message, where that cannot be told. */
enum status part_set_missing(struct part_set *s, uint64_t parts, struct str *ranges,
                             uint64_t *missing, struct diag *dg);

/* Removes the parts' records, then their files, then folders that are empty. ST_SYSTEM, with a
 * message. */
enum status part_set_remove(const struct part_set *s, struct diag *dg);

void part_set_close(struct part_set *s);

#endif
