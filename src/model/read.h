#ifndef DMLOP_MODEL_READ_H
#define DMLOP_MODEL_READ_H

#include "desc/reader.h"
#include "model/model.h"

/* Private to model/: what the files that read a model share. */

/* A model at being read; r.path is the JSON pointer of the value at hand. */
struct model_reader {
    struct reader r;
    const struct model_options *opt;
    struct model *model;
    size_t resources, dispatchables; /* nodes of the sections; 0 where they are missing */
    size_t resource_cap, dispatchable_cap, command_cap;
};

enum { NO_NODE = -1, MAX_KEYS = 9 };

/* A fixed object's members. */
struct members {
    ptrdiff_t node[MAX_KEYS]; /* by the order of the keys; NO_NODE: not there */
};

/* Members of an object at the path by keys[] (n of them, bit i of `required`: keys[i] must be
 * there); reports unknown ones. False, with a finding, where it is none. */
bool model_members(struct model_reader *m, size_t node, const char *const keys[], size_t n,
                   unsigned required, const char *what, struct members *out);

/* A string's value, owned by the caller; NULL, with a finding at the path, for anything else. */
char *model_string(struct model_reader *m, size_t node, const char *what);

/* As read_integer, for a member of the object at the path; where it is left out *v stays. */
bool member_integer(struct model_reader *m, ptrdiff_t node, const char *key, int64_t lo, int64_t hi,
                    int64_t *v);

/* Reports desc.field-missing for a key of the object at the path. */
void model_missing(struct model_reader *m, const char *what, const char *key, const char *example);

/* The key of a member, owned by the caller; NULL, and findings failed, where memory is short. */
char *model_key(struct model_reader *m, size_t node);

/* Index of the resource or dispatchable that the string at a node, and at the path, names, or the
 * count where there is none, after a finding with the nearest name. */
size_t find_resource(struct model_reader *m, size_t node);
size_t find_dispatchable(struct model_reader *m, size_t node);

/* The three sections, each at the path. */
void read_resource(struct model_reader *m, size_t node);
void read_dispatchable(struct model_reader *m, size_t node);
void read_command(struct model_reader *m, size_t node);

/* Reports, at the path, a file that DxDispatch reads or writes in another format. */
void check_file_type(struct model_reader *m, const char *name, bool target);

/* Looks the file `name` up, beside the model and then in the current folder, and sets path, type
 * and count of res from what is there. The path is that of sourcePath. False, with a finding, where
 * it cannot be used. */
bool source_check(struct model_reader *m, struct model_resource *res, const char *name);

/* The bindings of a dispatchable (init) or a dispatch command, at the path, to the dispatchable's
 * tensors; what is wrong is reported. Returns [SLOT_COUNT] bindings, owned by the caller; NULL
 * where memory is short. */
struct model_binding *read_bindings(struct model_reader *m, size_t node,
                                    const struct model_dispatchable *d, bool init);

/* Reports tensors of d that are not bound where they are to be; with `init` at initialization. */
void check_all_bound(struct model_reader *m, const struct model_dispatchable *d,
                     const struct model_binding *bindings, bool init);

/* Reports outputs that share bytes with another tensor of the dispatch. */
void check_overlap(struct model_reader *m, const struct model_dispatchable *d,
                   const struct model_binding *bindings);

#endif
