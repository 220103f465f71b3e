#pragma once

#include "model/run.h"

/* Private to model/: the buffers of a running model. Their elements are little-endian on every
 * machine, so that a buffer has the same bytes for any type, and in a file. */

/* Allocates the bytes of a resource (res->size, owned by the caller) and fills in its initial
 * values. ST_SYSTEM or ST_INPUT with a message; *bytes must be freed then, too. */
enum status memory_fill(const struct model_resource *res, const struct json_doc *doc,
                        unsigned char **bytes, struct diag *dg);

/* An element of a resource; those of a list have types of their own. Zero-initialise before the
 * first memory_next. */
struct memory_element {
    uint64_t offset; /* bytes */
    enum dtype type;
    size_t node;    /* private: of a list's element in the text */
    uint64_t index; /* from 0 */
};

/* Moves e to the first element, then to the next each time. False after the last. */
bool memory_next(const struct model_resource *res, const struct json_doc *doc,
                 struct memory_element *e);

/* Prints `Resource 'NAME': v0, v1, ...`; verbose: a line for each element with index, value and
 * hexadecimal bits. */
enum status print_resource(const struct model_resource *res, const struct json_doc *doc,
                           const unsigned char *bytes, bool verbose, FILE *out, struct diag *dg);

/* Writes a resource's bytes to the command's path below the output folder, whole or not at all. */
enum status write_resource(const struct model_command *c, const struct model_resource *res,
                           unsigned char *bytes, const struct run_options *opt, struct diag *dg);
