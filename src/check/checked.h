#pragma once

#include "cli/options.h"
#include "model/model.h"

/* A file that `validate` checks: a descriptor or a model. */

struct check_options {
    struct desc_options desc;
    struct option_list binds; /* NAME=PATH: files for a descriptor's tensors */
    uint64_t skip_lines;      /* of these, see struct tensor_file */
    const char *array;        /* the same; NULL: not given */
};

/* Zero-initialise; release with checked_free; must not move. document.text is NULL if the file
 * could not be read: then there is nothing to report. */
struct checked {
    struct document document;
    bool is_model;
    struct op_values values; /* of a descriptor; schema is NULL if the operator is unknown */
    struct model model;
};

/* Checks a text, which came from path and is owned by c from now on; a copy of a text; a file or
 * standard input ("-"). ST_OK whatever was found; ST_INPUT if it is too long or a bound file cannot
 * be read, ST_USAGE if a bind names no input tensor, ST_SYSTEM if memory is short, each with a
 * message. */
enum status checked_text(struct checked *c, const char *path, char *text, size_t len,
                         const struct check_options *opt, struct diag *dg);
enum status checked_copy(struct checked *c, const char *path, const struct str *text,
                         const struct check_options *opt, struct diag *dg);
enum status checked_load(struct checked *c, const char *path, const struct check_options *opt,
                         struct diag *dg);

void checked_free(struct checked *c);
