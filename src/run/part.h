#ifndef DMLOP_RUN_PART_H
#define DMLOP_RUN_PART_H

#include "part/record.h"
#include "run/results.h"
#include "run/timings.h"

/* --part: the steps of an operator's command that only a part of a job needs. */

struct part_task {
    bool on;   /* --part is given, and something is computed */
    bool done; /* --resume found the part */
    struct record record;
    char *folder; /* FILE.parts; owned, like the paths in it: */
    char *out[SLOT_COUNT];
    char *path;            /* of the record */
    struct outputs commit; /* the record */
};

/*
 * Derives the part's share and paths from the request and the loaded job, looks for a finished part
 * with --resume, and makes the folder. Refuses outputs that are inputs; does nothing else
 * without --part. ST_USAGE, ST_INPUT or ST_SYSTEM, with a message. Zero-initialise;
 * release with part_close, after an error too.
 */
enum status part_make(struct part_task *p, const struct request *rq, const struct inputs *in,
                      struct diag *dg);

/* Removes an old record, after results_prepare: until part_commit the part does not exist. */
enum status part_begin(struct part_task *p, const struct request *rq, struct diag *dg);

/* Makes topk's indices, once computed, count from the start of the whole axis. */
void part_finish_indices(const struct part_task *p, struct results *r);

/* Before results_store: removes a record that a task of another job wrote in the meantime, so that
 * it does not vouch for this part's data. */
enum status part_before_store(const struct part_task *p, struct diag *dg);

/* Writes the record, after results_store. whole: the descriptor of the job. */
enum status part_commit(struct part_task *p, const struct results *r, const struct desc *whole,
                        const struct timings *times, struct diag *dg);

void part_close(struct part_task *p);

#endif
