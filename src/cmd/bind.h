#ifndef DMLOP_CMD_BIND_H
#define DMLOP_CMD_BIND_H

#include "cmd/driver.h"

/* From what the command line names to views that fit a descriptor. */

/* Whether an option's value is a number, written as JSON or the shell's users do: also "+1", ".5", "2.". Anything else is
 * a path. */
bool binding_is_number(const char *text);

/* Loads b's file, or begins to (tensor_file_begin); json_type is for JSON that names no type. A number is left for later. */
enum status binding_load(struct binding *b, bool begin, enum dtype json_type, struct diag *dg);

/*
 * Sets b->view for a descriptor's tensor: data type exactly, sizes up to leading ones, or with Strides a buffer of enough
 * elements. A number fits a tensor of one element. ST_INPUT, naming both sides, where it does not fit.
 */
enum status binding_match(struct binding *b, const char *field, const struct tensor_desc *td, struct diag *dg);

/*
 * Sets b->view for an option's value: a number or a file of any numeric type with one value or `lanes` of them along M
 * (from_right 2) or N (1), converted to `type` (FLOAT32: rounded once; integers: exactly). rank is that of the
 * matrices. ST_INPUT where it does not fit.
 */
enum status binding_parameter(struct binding *b, enum dtype type, unsigned rank, unsigned from_right, uint64_t lanes,
                              struct diag *dg);

/* Refuses what operators do not take: rank 0 or above 8, a size of 0. */
enum status binding_check_operand(const struct binding *b, struct diag *dg);

void binding_close(struct binding *b);

#endif
