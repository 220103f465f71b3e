#ifndef DMLOP_PART_RECORD_H
#define DMLOP_PART_RECORD_H

#include "json/write.h"
#include "part/share.h"

/* The record of a part, which is its commit: what lies beside it is complete. */

enum {
    RECORD_MAX_TEXT = 64 << 10, /* bytes */
    RECORD_FILES = 2,           /* the output's data; topk's indices */
    RECORD_NAME = 48,           /* bytes of a file's name */
    RECORD_ERROR = 200,
};

#define RECORD_SCHEMA "dmlop.part/1"

/* What took how long, and how much it was. */
struct record_times {
    uint64_t load_ns, validate_ns, compute_ns, store_ns;
    uint64_t bytes_in, bytes_out, operations;
};

struct record {
    uint64_t job, part, parts;
    struct share_grid grid;
    uint64_t place[DML_MAX_RANK], sizes[DML_MAX_RANK];
    bool stretched; /* along topk's own axis: */
    uint64_t from, to;
    /* Of the descriptor of the whole: */
    enum op op;
    struct share_shape shape;
    enum dtype type, index_type; /* of the outputs; DT_NONE for none */
    bool largest, nan_last;      /* topk's order */
    uint64_t descriptor;         /* digest of what it says; only read */
    unsigned files;
    struct record_file {
        uint64_t bytes, xxh3;
    } file[RECORD_FILES];
    struct record_times times;
    uint64_t host; /* digest of its name; only read */
};

/* "part-00002-of-00004.npy", ".indices.npy", ".json"; of a file's number in a record, or
 * RECORD_FILES for the record itself. Returns name. */
char *record_name(char name[RECORD_NAME], uint64_t part, uint64_t parts, unsigned file);

/* The part that such a name of a record says; false for another name. */
bool record_name_read(const char *name, uint64_t *part, uint64_t *parts);

/* Sets what of a record follows from the whole job, its grid and the part: shape, place, sizes,
 * stretch. */
void record_set(struct record *r, const struct desc *whole, const struct share_grid *grid,
                uint64_t part, uint64_t parts);

/* Adds the record's text to b. version: "dmlop 1.2.3". */
void record_write(struct str *b, const struct record *r, const struct desc *whole,
                  const char *host, const char *version);

enum record_result { RECORD_OK, RECORD_WRONG, RECORD_NOMEM };

/*
 * Reads a record of len bytes strictly: whatever stands there, what comes out is consistent in
 * itself, its parts, grid, sizes and types are within limits, and arithmetic on them fits. That
 * place and sizes are the part's share is not looked at (record_is_share). RECORD_WRONG: error
 * says why.
 */
enum record_result record_read(struct record *r, const char *text, size_t len,
                               char error[RECORD_ERROR]);

/* Whether place, sizes and stretch are the part's share; false with what they should be. */
bool record_is_share(const struct record *r, char error[RECORD_ERROR]);

/* Whether two records are of one job. */
bool record_same_job(const struct record *r, const struct record *s);

/* What r and s, which are not of one job, differ in: "8 parts, not 4", "its inputs or --job". */
void record_difference(const struct record *r, const struct record *s, char error[RECORD_ERROR]);

#endif
