#ifndef DMLOP_RUN_PARTS_TIMES_H
#define DMLOP_RUN_PARTS_TIMES_H

#include "json/write.h"
#include "part/set.h"

/* What the records of parts say together of their times. */
struct parts_times {
    uint64_t count, min, median, max, sum; /* compute_ns */
    uint64_t slowest;                      /* the part that took longest, the first of several */
    uint64_t hosts;                        /* how many */
    uint64_t bytes_in, bytes_out, operations;
};

/* Of a complete set. False where memory is short. */
bool parts_times_sum(struct parts_times *t, const struct part_set *s);

/* The member "parts" of --timings, and its lines in the table. */
void parts_times_write(struct json_writer *w, const struct parts_times *t);
void parts_times_print(FILE *out, const struct parts_times *t);

#endif
