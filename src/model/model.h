#ifndef DMLOP_MODEL_MODEL_H
#define DMLOP_MODEL_MODEL_H

#include "desc/read.h"

/* DxDispatch's model files: resources, dispatchables, commands. See dmlop-model(5). */

enum init_form {
    INIT_NONE,     /* zeros */
    INIT_ARRAY,    /* numbers, "nan", "inf", "-inf" */
    INIT_CONSTANT, /* { valueCount, value } */
    INIT_SEQUENCE, /* { valueCount, valueStart, valueDelta } */
    INIT_FILE,     /* { sourcePath } */
    INIT_LIST,     /* [ { name, type, value }, ... ] */
};

/* A flat buffer. */
struct model_resource {
    char *name;        /* owned */
    size_t node;       /* of the resource in the text */
    size_t values;     /* of its initialValues; 0 for INIT_NONE */
    char *path;        /* owned; INIT_FILE: the file that was found */
    enum init_form form;
    enum dtype type;   /* of the initial values; DT_NONE for INIT_LIST */
    uint64_t count;    /* initial values */
    uint64_t offset;   /* bytes before them */
    uint64_t used;     /* bytes: sizeInBytes, or up to the last initial value */
    uint64_t size;     /* bytes of the buffer: used, rounded up to 4 */
    bool good;         /* no error was found in it */
};

/* What a tensor is bound to. */
struct model_binding {
    bool bound;        /* to a resource that is good */
    size_t resource;   /* index */
    uint64_t offset;   /* bytes */
};

struct model_dispatchable {
    char *name;        /* owned */
    size_t node;
    enum op op;        /* OP_NONE where it is not known */
    struct desc *desc; /* owned; NULL where an error was found in it */
    struct model_binding
        *init; /* [SLOT_COUNT], owned; NULL where nothing is bound at initialization */
};

enum command_type { COMMAND_NONE, COMMAND_DISPATCH, COMMAND_PRINT, COMMAND_WRITE_FILE };

struct model_command {
    enum command_type type;
    size_t target;                  /* index of the dispatchable or resource */
    struct model_binding *bindings; /* [SLOT_COUNT], owned; dispatch */
    bool verbose;                   /* print */
    char *path;                     /* owned; writeFile: targetPath */
    unsigned rank;                  /* writeFile: dimensions; 0: the elements in one row */
    uint64_t sizes[TENSOR_MAX_RANK];
};

/* Complete, and safe to run, only without errors. Zero-initialise; release with model_free. */
struct model {
    struct model_resource *resources; /* these three in the order of the text */
    struct model_dispatchable *dispatchables;
    struct model_command *commands;
    size_t resource_count, dispatchable_count, command_count;
};

/* How a model is read. */
struct model_options {
    struct desc_options desc;
    const char
        *path; /* of the model file: files are looked up beside it first; "-" for standard input */
    const char *input_folder; /* looked up in before that; NULL: none */
    bool allow_outside;     /* writeFile may write anywhere */
};

/* Whether a text is a model file and not a descriptor: an object with one of the three sections and
 * without a type. */
bool model_is(const struct json_doc *doc);

/*
 * Reads a model into m and checks all of it: sections, initial values (of files: that they can be
 * read, type and length), descriptors by every rule, bindings, commands. Findings have no positions
 * yet; fs->failed where memory is short.
 */
void model_read(struct model *m, const struct json_doc *doc, const struct model_options *opt,
                struct findings *fs);

void model_free(struct model *m);

#endif
