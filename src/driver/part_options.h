#ifndef DMLOP_DRIVER_PART_OPTIONS_H
#define DMLOP_DRIVER_PART_OPTIONS_H

#include "part/share.h"
#include "run/request.h"

/* The options --part and --part-axis. */

/* Reads I/N, or asks the environment for auto and auto/N; -v prints the variables. ST_USAGE, with a
 * message. */
enum status part_read_number(const char *text, uint64_t *part, uint64_t *parts, struct diag *dg);

/* Reads --part-axis (NULL: the default) for that many parts. ST_USAGE, with a message that suggests
 * axes and counts. */
enum status part_read_grid(const char *axes, const struct share_shape *shape, uint64_t parts,
                           struct share_grid *grid, struct diag *dg);

#endif
