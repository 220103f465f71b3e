#ifndef DMLOP_MODEL_MEMORY_H
#define DMLOP_MODEL_MEMORY_H

#include "base/diag.h"
#include "model/model.h"

/* The buffers of a model that runs. Their elements are little-endian on every machine, so that a
 * buffer has the same bytes whatever types it is bound as, and as a file. */

/* The bytes of a resource, size of them, with its initial values; owned by the caller. ST_SYSTEM or
 * ST_INPUT with a message. */
enum status memory_fill(const struct model_resource *res, const struct json_doc *doc,
                        unsigned char **bytes, struct diag *dg);

/* An element of a resource: where it begins and what type it has, for printing; a list's elements
 * have types of their own. Zero-initialise before the first memory_next. */
struct memory_element {
    uint64_t offset;
    enum dtype type;
    size_t node;    /* private: of a list's element in the text */
    uint64_t index; /* from 0 */
};

/* Moves e to the first element, then to the next each time; false after the last, or where memory
 * is short: then e->type is DT_NONE. */
bool memory_next(const struct model_resource *res, const struct json_doc *doc,
                 struct memory_element *e);

#endif
