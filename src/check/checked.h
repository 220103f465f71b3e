#ifndef DMLOP_CHECK_CHECKED_H
#define DMLOP_CHECK_CHECKED_H

#include "cli/options.h"
#include "desc/read.h"
#include "model/model.h"

/* A file that `validate` looks at: a descriptor or a model. */

struct check_options {
    struct desc_options desc;
    struct option_list binds; /* NAME=PATH: files to hold against a descriptor's tensors */
};

/* Zero-initialise; release with checked_free; must not move. document.text is NULL where there is
 * nothing to report, because the file could not be read. */
struct checked {
    struct document document;
    bool is_model;
    struct desc desc;         /* of a descriptor; op is OP_NONE where it is not known */
    struct desc_seen seen;
    struct model model;
};

/*
 * Checks a text (owned by c from now on) that came from path. ST_OK whatever was found; ST_INPUT
 * where it is too long or a bound file cannot be read, ST_USAGE for a bind that names no input
 * tensor, ST_SYSTEM where memory is short, each with a message.
 */
enum status checked_text(struct checked *c, const char *path, char *text, size_t len,
                         const struct check_options *opt, struct diag *dg);

/* The same for a file or standard input ("-"). */
enum status checked_load(struct checked *c, const char *path, const struct check_options *opt,
                         struct diag *dg);

void checked_free(struct checked *c);

#endif
