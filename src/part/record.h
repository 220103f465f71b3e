#pragma once

#include "base/samples.h"
#include "json/write.h"
#include "part/share.h"

/* The record of a part is written last and commits it: the files beside it are complete. */

enum {
    RECORD_MAX_TEXT = 64 << 10, /* bytes */
    RECORD_FILES = 2,           /* 0: the output; 1: topk's indices */
    RECORD_NAME = 48,           /* bytes of a file's name */
    RECORD_ERROR = 200,
};

#define RECORD_SCHEMA "dmlop.part/1"

/* Writes the members of the work to an object that is open. */
void work_write(struct json_writer *w, const struct work *work);

/* The whole job; the same in the records of all parts. */
struct part_job {
    uint64_t hash; /* of descriptor, parts, grid, --job and inputs: driver/part.c */
    uint64_t parts;
    struct share_grid grid;
    struct share_shape shape;
    enum op op;
    enum dtype type[RECORD_FILES]; /* of the outputs; DT_NONE: no indices */
    unsigned files;                /* 1 or 2 */
    bool largest, nan_last;        /* topk's order */
    uint64_t descriptor;           /* digest of its values; only set by record_read */
};

struct record_file {
    uint64_t bytes, xxh3;
};

struct record {
    struct part_job job;
    uint64_t part;
    struct share share; /* read from a file: of from and to only those along topk's axis */
    struct record_file file[RECORD_FILES];
    struct phases phases;
    struct work work;
    uint64_t host; /* digest of its name; only set by record_read */
};

/* Writes and returns "part-00002-of-00004.npy", ".indices.npy" or (RECORD_FILES) ".json". */
char *record_name(char name[RECORD_NAME], uint64_t part, uint64_t parts, unsigned file);

/* Reads the name of a record; false for any other name. */
bool record_name_read(const char *name, uint64_t *part, uint64_t *parts);

/* Sets job (without its hash), part and share from the descriptor of the whole job. */
void record_set(struct record *r, const struct desc *whole, const struct share_grid *grid,
                uint64_t part, uint64_t parts);

/* Adds the record's text to b. version: "dmlop 1.2.3". */
void record_write(struct str *b, const struct record *r, const struct desc *whole, const char *host,
                  const char *version);

enum record_result { RECORD_OK, RECORD_WRONG, RECORD_NOMEM };

/* Reads a record of len bytes, which is not trusted. A record that is RECORD_OK is consistent:
 * part, grid, sizes and types are within limits, and arithmetic on them cannot overflow. It may
 * still claim another share than its own (record_is_share). RECORD_WRONG sets error. */
enum record_result record_read(struct record *r, const char *text, size_t len,
                               char error[RECORD_ERROR]);

/* True if the record's share is the one of its part; else sets error. */
bool record_is_share(const struct record *r, char error[RECORD_ERROR]);

/* True if the jobs are the same; else sets error to how job a differs from job b: "8 parts, not 4",
 * "its inputs or --job are others". */
bool record_same_job(const struct part_job *a, const struct part_job *b, char error[RECORD_ERROR]);
