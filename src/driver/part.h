#ifndef DMLOP_DRIVER_PART_H
#define DMLOP_DRIVER_PART_H

#include "run/job.h"

/* --part: a job is narrowed to its share of the output and run, and a record commits its files. */

/* Refuses options that exclude --part, and options that need it, before the job is loaded.
 * ST_USAGE, with a message. */
enum status part_request(struct request *rq, struct diag *dg);

/* Runs the part of a loaded job that --part says, in place of job_run. ST_USAGE, ST_INPUT or
 * ST_SYSTEM, with a message. */
enum status part_run(struct job *j, struct diag *dg);

#endif
