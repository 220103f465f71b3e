#ifndef DMLOP_PART_JOB_H
#define DMLOP_PART_JOB_H

#include "io/tensor_file.h"
#include "part/record.h"

/* The hash of a job, which all parts to be joined must share. */

/* An input: a file, or values from the command line. Both NULL: not present. */
struct job_input {
    const struct tensor_file *file;
    const struct tensor *values; /* packed */
};

/*
 * Sets job->hash from the descriptor (with it the type of indices), the number of parts, the grid,
 * the name of --job (NULL: none) and, of each input, its type, sizes, .npy header and data. Data up
 * to 64 KiB are hashed completely, larger data as 16 blocks of 4 KiB from the first to the last, so
 * some changes go unnoticed. ST_SYSTEM, with a message, or the error of an input's feed.
 */
enum status job_hash(struct part_job *job, const struct desc *whole, const char *name,
                     const struct job_input in[SLOT_COUNT], struct diag *dg);

#endif
