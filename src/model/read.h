#pragma once

#include "desc/read/reader.h"
#include "model/model.h"

/* Private to model/: shared by the files that read a model. */

/* A section whose members other sections name, and the rows that were read from them. */
struct model_section {
    const char *what, *wanted; /* of a member, and of what names it, for messages */
    enum rule unknown;         /* that an unknown name breaks */
    size_t node;               /* 0: missing */
    const void *rows;          /* by ascending node, which is the first member of a row */
    const size_t *count;
    size_t row_size;
};

struct model_reader {
    struct reader r;
    const struct model_options *opt;
    struct model *model;
    struct model_section resources, dispatchables;
};

enum { MAX_KEYS = 9 };

/* Finds the members of an object: found[i] is the node of the first one called keys[i], or
 * 0. Bit i of `required`: keys[i] may be misspelt. Reports unknown keys. False, with a finding, if
 * the value is not an object; `what` names it. */
bool model_members(struct model_reader *m, size_t node, const char *const keys[], size_t n,
                   unsigned required, const char *what, size_t found[]);

/* The text of a member that is a string; else NULL, and nothing is reported. */
const char *member_text(struct model_reader *m, size_t node, const char *key);

/* As read_integer; node 0: missing, *v stays. */
static inline bool member_integer(struct model_reader *m, size_t node, int64_t lo, int64_t hi,
                                  int64_t *v)
{
    return node == 0 || read_integer(&m->r, node, lo, hi, v);
}

/* Index of the member that a string names. The number of them if there is none, after a finding
 * with the nearest name. */
size_t find_member(struct model_reader *m, size_t node, const struct model_section *section);

/* Reports, at its name, a deferred resource that is used by something else than a dispatch of an
 * ONNX model: bound, or used before one. */
void check_deferred(struct model_reader *m, size_t node, struct model_resource *res, bool bound);

/* Read a member of a section and add it to the model. */
void read_resource(struct model_reader *m, size_t node);
void read_dispatchable(struct model_reader *m, size_t node);
void read_command(struct model_reader *m, size_t node);

/* Reports, at its name, a file that DxDispatch reads or writes in another format. */
void check_file_type(struct model_reader *m, size_t node, const char *name, bool target);

/* Reports the value of a key that dmlop does not use, if DxDispatch does not
 * accept it; only with --portable if the key has no effect on any dispatchable. node 0: missing. */
void check_other_key(struct model_reader *m, size_t node, const char *key);

/* Reports backslashes and a drive letter in a path; true if it has none, or is absolute on this
 * system. `inside`: it must not lead out of its folder. */
bool check_separators(struct model_reader *m, size_t node, const char *path, bool inside);

/* Finds the file `name`, beside the model or in the current folder, and sets path, type and count
 * of res. False, with a finding at the name, if it cannot be used. A picture with a resampleSize is
 * not read: it has as many elements as that says. */
bool source_check(struct model_reader *m, size_t node, struct model_resource *res,
                  const char *name);

/* Reads the bindings of a dispatchable (init) or a dispatch command. Returns bindings by slot,
 * owned by the caller; NULL if memory is short. */
struct model_binding *read_bindings(struct model_reader *m, size_t node,
                                    const struct model_dispatchable *d, bool init);

/* Reports tensors of d that must be bound, at initialization (init) or execution, and are not, at
 * the object that lacks them. */
void check_all_bound(struct model_reader *m, size_t object, const struct model_dispatchable *d,
                     const struct model_binding *bindings, bool init);

/* Reports outputs that share bytes with another tensor of the dispatch, in its bindings. */
void check_overlap(struct model_reader *m, size_t object, const struct model_dispatchable *d,
                   const struct model_binding *bindings);
