#pragma once

#include "desc/read/document.h"
#include "desc/values.h"

struct desc_options {
    const char *command; /* "slice", ...: implies the operator and restricts it; NULL: any */
    enum feature_level level;
    struct finding_options findings;
};

/* Programs: dispatchables of DxDispatch that are no operators. */
enum program { PROGRAM_NONE, PROGRAM_HLSL, PROGRAM_ONNX, PROGRAM_GRAPH, PROGRAM_COUNT };

struct program_name {
    const char *type; /* as in a model: "hlsl"; read in any case */
    const char *what; /* for messages: "an HLSL shader" */
};
extern const struct program_name program_names[PROGRAM_COUNT];

/* The program that a dispatchable's type names, or PROGRAM_NONE. */
enum program program_find(const char *name);

/* Reads the descriptor that is the value `node` of doc, at a JSON pointer, into v, to be released
 * with values_free, and checks it by every rule. It is complete and safe to run only if no error is
 * added. `also` (NULL-terminated) has keys of the outer object that the caller reads; NULL:
 * $schema. Sets fs->failed if memory is short. */
void desc_read(struct op_values *v, const struct json_doc *doc, size_t node, const char *pointer,
               const char *const also[], const struct desc_options *opt, struct findings *fs);

/* A descriptor, its text and its findings. Zero-initialise; release with desc_file_free; must not
 * move. */
struct desc_file {
    struct document document;
    struct op_values values;
};

/* Calls document_scan, desc_read and document_finish. Owns text; frees f on failure. */
enum status desc_file_parse(struct desc_file *f, char *text, size_t len,
                            const struct desc_options *opt, struct diag *dg);

static inline void desc_file_free(struct desc_file *f)
{
    document_free(&f->document);
    values_free(&f->values);
}
