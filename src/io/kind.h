#ifndef DMLOP_IO_KIND_H
#define DMLOP_IO_KIND_H

#include "base/str.h"
#include "io/input.h"

/* What kind of file it is that was given where dmlop wants another. */

enum kind_wanted { WANT_TENSOR, WANT_DESCRIPTOR, WANT_MODEL, WANT_DOCUMENT /* either of these */ };

/* "descriptor" and so on, for messages. */
extern const char *const kind_wanted_names[];

enum {
    KIND_PREFIX = 4096,          /* bytes that tell a kind */
    KIND_FILL = KIND_PREFIX + 1, /* to be read: whether there are more tells, too */
};

/*
 * Looks at what has been read of an input, of which KIND_FILL bytes suffice: ST_INPUT, with a
 * message that names the kind and what would do, with a command to copy where there is one, for
 * another known format, for binary data, and for a file that is empty (only where a tensor is
 * wanted: other readers say where they miss what). ST_OK for all that may be what is wanted.
 */
enum status kind_check(const struct input *in, enum kind_wanted wanted, struct diag *dg);

/* The same for a whole text that may be JSON of dmlop's own: ST_INPUT for a descriptor or a model
 * where a tensor is wanted, and the reverse; ST_INVALID for a model where a descriptor is. */
enum status kind_check_json(const struct input *in, enum kind_wanted wanted, struct diag *dg);

/* ST_INPUT, with a message, for a tensor ("a .npy tensor") where a descriptor or a model is
 * wanted. */
enum status kind_refuse_tensor(const struct input *in, const char *name, enum kind_wanted wanted,
                               struct diag *dg);

/* Says in *is whether the file is an archive of arrays: by its extension, .npz, or by what is in
 * it. Errors as input_begin. */
enum status kind_is_npz(const char *path, bool *is, struct diag *dg);

/* What the file is, "this is KIND, not a .npy file or raw data", and what would do; false, and both
 * are left alone, where it is of no known format or cannot be read. One of them has failed where
 * memory is short. */
bool kind_describe(const char *path, struct str *what, struct str *remedy);

/* Whether the text begins as JSON may, so that it pays to read the rest of it. */
bool kind_may_be_json(const struct input *in);

/* Adds a path as a word that a shell takes; FILE for standard input, a member of an archive and
 * what a message cannot show. Where extension is not NULL it takes the place of the path's own. */
void kind_add_word(struct str *b, const char *path, const char *extension);

#endif
