#ifndef DMLOP_MODEL_WRITE_H
#define DMLOP_MODEL_WRITE_H

#include "model/run.h"

/* What print and writeFile commands write. */

/* `Resource 'NAME': v0, v1, ...` of a resource's bytes; verbose: a line an element with index,
 * value and bits in hexadecimal. */
enum status print_resource(const struct model_resource *res, const struct json_doc *doc,
                           const unsigned char *bytes, bool verbose, FILE *out, struct diag *dg);

/* Writes a resource's bytes to the command's path below the output folder, whole or not at all. */
enum status write_resource(const struct model_command *c, const struct model_resource *res,
                           unsigned char *bytes, const struct run_options *opt, struct diag *dg);

#endif
