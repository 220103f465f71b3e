#pragma once

#include "desc/read/read.h"
#include "json/write.h"

/* DxDispatch's model files: resources, dispatchables, commands. See dmlop-model(5). */

enum init_form {
    INIT_NONE,     /* zeros */
    INIT_ARRAY,    /* numbers, "nan", "inf", "-inf" */
    INIT_CONSTANT, /* { valueCount, value } */
    INIT_SEQUENCE, /* { valueCount, valueStart, valueDelta } */
    INIT_FILE,     /* { sourcePath } */
    INIT_LIST,     /* [ { name, type, value }, ... ] */
    INIT_PICTURE,  /* { sourcePath }, of an image that is scaled to resampleSize */
    INIT_DEFERRED, /* "deferred": an ONNX model makes the buffer */
};

/* A flat buffer. */
struct model_resource {
    size_t node; /* of the resource in the text */
    const char *name;
    size_t values;   /* of its initialValues; 0 for INIT_NONE */
    size_t resample; /* of its resampleSize, or 0 */
    char *path;      /* owned; INIT_FILE: the path of the file */
    enum init_form form;
    enum dtype type; /* of the initial values; DT_NONE for INIT_LIST */
    uint64_t count;  /* initial values */
    uint64_t offset; /* bytes before them */
    uint64_t used;   /* bytes: sizeInBytes, or up to the last initial value */
    uint64_t size;   /* bytes of the buffer: used, rounded up to 4 */
    bool good;       /* it has no errors, and its size is known */
    bool made;       /* INIT_DEFERRED: a dispatch of an ONNX model makes it */
};

/* The place of a tensor in a resource. */
struct model_binding {
    bool bound;
    size_t resource; /* index; SIZE_MAX: the binding has an error */
    uint64_t offset; /* bytes */
};

struct model_dispatchable {
    size_t node;
    const char *name;
    struct op_values values;    /* owned; schema is NULL: the operator is unknown */
    enum program program;       /* if it is no operator; values are empty then */
    bool good;                  /* it is an operator without errors */
    struct model_binding *init; /* by slot, owned; NULL: no bindings at initialization */
};

enum command_type { COMMAND_NONE, COMMAND_DISPATCH, COMMAND_PRINT, COMMAND_WRITE_FILE };

struct model_command {
    enum command_type type;
    size_t target;                  /* index of the dispatchable or resource */
    struct model_binding *bindings; /* by slot, owned; dispatch */
    bool verbose;                   /* print */
    const char *path;               /* writeFile: targetPath */
    unsigned rank;                  /* writeFile: dimensions; 0: one dimension */
    uint64_t sizes[TENSOR_MAX_RANK];
};

/* Complete and safe to run only without errors; names are in the text's json_doc. Zero-initialise;
 * release with model_free. */
struct model {
    struct model_resource *resources; /* owned, as the next two; in the order of the text */
    struct model_dispatchable *dispatchables;
    struct model_command *commands;
    size_t resource_count, dispatchable_count, command_count;
};

/* How a model is read. */
struct model_options {
    struct desc_options desc;
    const char *path; /* of the model file; "-": standard input. Its folder has the inputs */
    const char *input_folder; /* searched for inputs first; NULL: none */
    bool allow_outside;       /* writeFile may write anywhere */
};

/* True for the name of an image file. */
bool path_is_image(const char *name);

/* True for a model, false for a descriptor: a model has one of the three sections and no type. */
bool model_is(const struct json_doc *doc);

/* Reads a model into m and checks it: sections, initial values (for a file: type and length),
 * descriptors by every rule, bindings, commands. Findings have no positions yet. Sets fs->failed if
 * memory is short. */
void model_read(struct model *m, const struct json_doc *doc, const struct model_options *opt,
                struct findings *fs);

void model_free(struct model *m);

struct npy_peek;

/* Reports, at a pointer, how DxDispatch would misread an .npy file (rules of CLASS_PORTABLE). */
void source_portable(struct findings *fs, const char *pointer, const char *path,
                     const struct npy_peek *s);
