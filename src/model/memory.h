#ifndef DMLOP_MODEL_MEMORY_H
#define DMLOP_MODEL_MEMORY_H

#include "base/diag.h"
#include "model/model.h"

/* The buffers of a model that runs. */

/* The bytes of a resource, size of them, with its initial values; owned by the caller. ST_SYSTEM or ST_INPUT with
 * a message. */
enum status memory_fill(const struct model_resource *res, const struct json_doc *doc, unsigned char **bytes, struct diag *dg);

/*
 * Where the i-th element of a resource begins and what type it has, for printing; a list's elements have types of their
 * own. `at` is 0 for the first call and moves on. False after the last. `node` (0 for the first call) is private.
 */
struct memory_element {
    uint64_t offset;
    enum dtype type;
    size_t node;
    uint64_t index;
};
bool memory_next(const struct model_resource *res, const struct json_doc *doc, struct memory_element *e);

#endif
