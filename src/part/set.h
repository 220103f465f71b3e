#pragma once

#include "io/input.h"
#include "io/output.h"
#include "part/record.h"

/* The parts of a job as `join` finds them, in folders or by named records, and their files. */

/* A part. */
struct part_entry {
    uint32_t source; /* 1 + the operand that names its record or folder; 0: the part is missing */
    bool compared[RECORD_FILES]; /* with xxh3 */
    uint64_t xxh3[RECORD_FILES];
    uint64_t compute_ns;
    uint64_t host; /* digest of its name */
};

/* A file of a part that is mapped and kept for reuse. */
struct part_window {
    uint64_t key; /* 1 + the file's number; 0: unused */
    struct input input;
    char *path;      /* owned */
    uint64_t offset; /* of the data */
    dev_t device;
    ino_t inode;
};

/* Zero-initialise, set paths and n; release with part_set_close. */
struct part_set {
    char *const *paths; /* operands: folders and records */
    unsigned n;
    bool unchecked;       /* skip checksums */
    struct part_job job;  /* from the first record; parts is 0 before that */
    bool is_bool;         /* the output is NumPy's bool */
    bool damaged;         /* a damaged part was reported, and counts as missing */
    bool unreadable;      /* a file exists, but could not be opened */
    struct part_entry *v; /* [job.parts], owned */
    uint64_t found;
    struct work work;            /* sums of all parts, UINT64_MAX if larger */
    struct part_window *windows; /* [slots], owned */
    size_t slots;
};

/* Reads all records and compares them with each other, with their shares, and with the sizes,
 * headers and checksums of their files. ST_INPUT, after messages, if parts are damaged, missing
 * or of another job; ST_SYSTEM if memory is short. */
enum status part_set_load(struct part_set *s, struct diag *dg);

/* The same, but parts may be missing: s->job.parts - s->found. ST_INPUT only where no record is
 * sound, or some are of another job; damage is reported and set in s->damaged. */
enum status part_set_read(struct part_set *s, struct diag *dg);

/* Adds the numbers of missing parts to ranges, "3,17-19"; returns how many there are. */
uint64_t part_set_ranges(const struct part_set *s, struct str *ranges);

/* Maps a part's file and sets *data to its elements. They stay valid until another file needs the
 * window: at most 32768 files are mapped at once. ST_INPUT, with a message. */
enum status part_set_data(struct part_set *s, uint64_t part, unsigned file, const char **data,
                          struct diag *dg);

/* Appends some bytes of a part's elements to an output. Errors as part_set_data, output_write. */
enum status part_set_copy(struct part_set *s, uint64_t part, unsigned file, uint64_t from,
                          uint64_t bytes, struct output *target, struct diag *dg);

/* Writes the whole output of a loaded set, and topk's indices, as .npy files: file i to target[i]
 * unless NULL. Rows are copied from the parts, and share their blocks where the file system can do
 * that. Parts of topk that is split along its own axis are merged by order and index; that needs
 * memory for one block, which is the output at one index of the axes before topk's, and 40 bytes
 * per part. ST_INPUT if a part's file has changed, or ST_SYSTEM, with a message. */
enum status part_merge(struct part_set *s, struct output *const target[RECORD_FILES],
                       struct diag *dg);

/* Finds which parts of a job of `parts` are there, with a sound record and files of its sizes and
 * checksums. A folder that does not exist is empty. ST_INPUT or ST_SYSTEM, with a message, for an
 * unreadable record or another number of parts. */
enum status part_set_find(struct part_set *s, uint64_t parts, struct diag *dg);

/* Removes the records, then the files, then folders that are empty. ST_SYSTEM, with a message. */
enum status part_set_remove(const struct part_set *s, struct diag *dg);

void part_set_close(struct part_set *s);

/* Files of parts (part/files.c): records, and the data files beside them. */

enum part_found { PART_NONE, PART_UNSOUND, PART_SOUND };

/* Reads the record at a path. PART_NONE: there is no file; PART_UNSOUND: error says what is wrong
 * with it. ST_INPUT, with a message, if a file cannot be read; ST_SYSTEM if memory is short. */
enum status part_record_read(struct record *r, const char *path, enum part_found *found,
                             char error[RECORD_ERROR], struct diag *dg);

/* Sets *complete if all files of r, whose record is at `path`, exist with the recorded sizes and,
 * if wanted, checksums. ST_SYSTEM, with a message, if memory is short. */
enum status part_files_there(const struct record *r, const char *path, bool checksums,
                             bool *complete, struct diag *dg);

bool part_is_folder(const char *path);

/* Lists the records in a folder, at most `most`: *n part numbers in *v, in order, owned by the
 * caller, after an error too. All must be of *parts parts; if that is 0,
 * of as many as most of them, to which it is set. ST_INPUT or ST_SYSTEM, with a message. */
enum status part_list(const char *folder, size_t most, uint64_t *parts, uint64_t **v, size_t *n,
                      struct diag *dg);

/* ST_USAGE, with a message, if an output is a file or a missing record of the parts in a folder, or
 * in that of a record, by any of its names; or the path itself. output: a path, "-" or NULL. */
enum status part_check_output(const char *path, const char *output, struct diag *dg);

/* Reports "PATH: part 3: WHAT". Returns ST_INPUT. */
static inline enum status part_damaged(uint64_t part, const char *path, const char *what,
                                       struct diag *dg)
{
    return diag_input(dg, path, "part %ju: %s", part, what);
}

/* The path of a part's file or (RECORD_FILES) record, owned; NULL if memory is short. */
char *part_set_path(const struct part_set *s, uint64_t part, unsigned file);

/* Compares the files of a part with its record. ST_INPUT or ST_SYSTEM, with a message. */
enum status part_set_check_files(struct part_set *s, const struct record *r, struct diag *dg);
