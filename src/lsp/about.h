#ifndef DMLOP_LSP_ABOUT_H
#define DMLOP_LSP_ABOUT_H

#include "base/str.h"
#include "desc/rules.h"
#include "model/model.h"

/* Sentences in Markdown about what a text describes, added to b. */

/* A name from a text, as code: nothing in it is Markdown. */
void about_name(struct str *b, const char *name);

/* Its tensor's elements, bytes, strides and flags; of any field its kind and the feature level that
 * is needed. seen is NULL where every field is given. */
void about_field(struct str *b, const struct desc *d, const struct desc_seen *seen,
                 const struct field *f);

/* The operator's name and feature level. */
void about_operator(struct str *b, enum op op);

/* Its bytes and initial values. */
void about_resource(struct str *b, const struct model_resource *r);

#endif
