#ifndef DMLOP_RUN_PART_OPTIONS_H
#define DMLOP_RUN_PART_OPTIONS_H

#include "part/share.h"
#include "run/request.h"

/* What --part and --part-axis say. */

/* Refuses what does not go with --part, and what needs it: before anything is opened. ST_USAGE,
 * with a message. */
enum status part_check_request(const struct request *rq, struct diag *dg);

/* Which part of how many, by --part; with auto by the environment, which -v names. ST_USAGE, with a
 * message. */
enum status part_read_number(const char *text, uint64_t *part, uint64_t *parts, struct diag *dg);

/* How that many parts are cut, by --part-axis (NULL: the default). ST_USAGE, with a message that
 * names axes and counts that would do. */
enum status part_read_grid(const char *axes, const struct share_shape *shape, uint64_t parts,
                           struct share_grid *grid, struct diag *dg);

#endif
