#ifndef DMLOP_RUN_PART_H
#define DMLOP_RUN_PART_H

#include "part/record.h"
#include "run/results.h"

/* The stages that a part of a job goes through besides those of a whole one. */
struct part_task {
    bool on;         /* --part is given, and something is computed */
    bool done;       /* --resume, and the part is there already */
    struct record record;
    char *folder;    /* FILE.parts, and below it: */
    char *path[RECORD_FILES + 1]; /* the files, and the record last; owned */
    struct outputs commit;        /* the record */
};

/*
 * After inputs_load: says which share of the job the part is, and narrows descriptor and views of
 * `in` to it; makes the folder, and has the request write into it. Nothing happens to a request
 * without --part. ST_USAGE, ST_INPUT or ST_SYSTEM, with a message. Zero-initialise; release with
 * part_close, after an error too.
 */
enum status part_take(struct part_task *p, struct request *rq, struct inputs *in,
                      struct timings *times, struct diag *dg);

/* After results_prepare: from now on the part is not there, until it is committed. */
enum status part_begin(struct part_task *p, const struct request *rq, struct diag *dg);

/* After the computation: topk's indices count from the start of the whole axis. */
void part_finish_indices(const struct part_task *p, struct results *r);

/* Before results_store: a record of another job, which another task wrote in the meantime, must not
 * come to stand beside data of this one. */
enum status part_before_store(const struct part_task *p, struct diag *dg);

/* After results_store: writes the record, the commit. */
enum status part_commit(struct part_task *p, const struct results *r, const struct inputs *in,
                        const struct record_times *times, struct diag *dg);

void part_close(struct part_task *p);

#endif
