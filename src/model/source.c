#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/process.h"
#include "io/kind.h"
#include "io/npy.h"
#include "model/read.h"
#include "model/values.h"

/* The path of the input file `name`, owned by the caller; the last candidate if none exists. NULL:
 * memory is short. */
static char *look_up(const struct model_options *opt, const char *name)
{
    for (int i = !opt->input_folder; i < 2; i++) {
        char *path = i ? path_beside(opt->path, name) : path_join(opt->input_folder, name);

        if (!path || access(path, F_OK) == 0)
            return path;
        free(path);
    }
    return mem_strdup(name);
}

static void not_portable(struct findings *fs, enum rule rule, const char *pointer, const char *path,
                         const char *what)
{
    finding_remedy(findings_add(fs, rule, pointer, AT_VALUE, "%s %s", path, what));
}

void source_portable(struct findings *fs, const char *pointer, const char *path,
                     const struct npy_peek *s)
{
    const struct npy_header *h = &s->header;

    if (!s->is_npy)
        return;
    if (npy_is_big_endian(h->type, h->swapped))
        not_portable(fs, RULE_PORTABLE_NPY_BYTE_ORDER, pointer, path,
                     "is big-endian; DxDispatch reads its bytes as if they were little-endian");
    if (h->is_bool)
        not_portable(fs, RULE_PORTABLE_NPY_BOOL, pointer, path,
                     "holds bool, which DxDispatch reads as INT8 and dmlop as UINT8");
    if (h->fortran)
        not_portable(fs, RULE_PORTABLE_NPY_ORDER, pointer, path,
                     "is in Fortran order, which DxDispatch does not read");
    if (npy_peek_rest(s) < h->data_bytes)
        not_portable(fs, RULE_PORTABLE_NPY_SHORT, pointer, path,
                     "is shorter than its header says; DxDispatch fills the rest with zeros");
}

bool path_is_image(const char *name)
{
    return path_has_extension(name, ".jpg") || path_has_extension(name, ".png");
}

void check_file_type(struct model_reader *m, size_t node, const char *name, bool target)
{
    bool json = target && path_has_extension(name, ".json");
    bool image = path_is_image(name);

    if (json || image)
        finding_remedy(report(&m->r, node, RULE_PORTABLE_FILE_TYPE,
                              json ? "DxDispatch writes raw data, not JSON, to '%s'"
                                   : "'%s' is an image for DxDispatch, and raw data for dmlop",
                              name));
}

/* Reports that the file cannot be used; hint NULL: the rule's remedy. */
static bool refuse(struct model_reader *m, size_t node, const char *path, const char *why,
                   const char *hint)
{
    struct finding *f = report(&m->r, node, RULE_RUN_SOURCE_FILE, "%s: %s", path, why);

    return hint ? finding_hint(f, "%s", hint) : finding_remedy(f);
}

/* The same, with the description of a known kind of file instead of why and hint. */
static bool refuse_kind(struct model_reader *m, size_t node, const char *path, const char *why,
                        const char *hint)
{
    struct str what = { 0 }, remedy = { 0 };
    bool known = kind_describe(path, "a .npy file or raw data", &what, &remedy) && what.s;

    (void)refuse(m, node, path, known ? what.s : why, known ? remedy.s : hint);
    str_done(&what, &m->r.fs->failed);
    str_done(&remedy, &m->r.fs->failed);
    return false;
}

static bool check_npy(struct model_reader *m, size_t node, struct model_resource *res,
                      const struct npy_peek *s)
{
    const struct npy_header *h = &s->header;
    char why[NPY_LENGTH_TEXT];

    if (!npy_check_length(h, npy_peek_rest(s), false, why))
        return refuse(m, node, res->path, why, "write the file again");
    if (h->count == 0)
        return refuse(m, node, res->path, "the array is empty", "use an array with elements");
    if (res->type != DT_NONE && res->type != h->type)
        return finding_hint(report(&m->r, node, RULE_RUN_INITIAL_TYPE,
                                   "%s holds %s, but initialValuesDataType is %s", res->path,
                                   dtype_name(h->type), dtype_name(res->type)),
                            "leave initialValuesDataType out: a .npy file has its own type");
    res->type = h->type;
    res->count = h->count;
    return true;
}

/* True if a file is named as tensors are that commands read, but models do not. */
static bool is_named_otherwise(const char *path)
{
    return path_has_extension(path, ".csv") || path_has_extension(path, ".tsv") ||
           path_has_extension(path, ".npz") || path_has_extension(path, ".json");
}

static bool check_raw(struct model_reader *m, size_t node, struct model_resource *res,
                      const struct npy_peek *s)
{
    char why[NPY_ERROR_TEXT];
    size_t size;

    if (is_named_otherwise(res->path) || kind_is_lfs(res->path))
        return refuse_kind(m, node, res->path, "it is not a .npy file or raw data",
                           "convert it to .npy with dmlop convert, or give raw data another name");
    if (res->type == DT_NONE)
        return finding_hint(
            report(&m->r, node, RULE_RUN_INITIAL_TYPE, "a raw file does not contain its data type"),
            "add \"initialValuesDataType\": \"FLOAT32\", or the type meant");
    size = dtype_size(res->type);
    if (s->length == 0 || s->length % size != 0) {
        snprintf(why, sizeof why, "its %ju bytes are not a whole number of %s elements", s->length,
                 dtype_name(res->type));
        return refuse_kind(m, node, res->path, why,
                           "use another initialValuesDataType, or another file");
    }
    res->count = s->length / size;
    return true;
}

/* Counts the elements of a picture, which DxDispatch scales to {1,C,H,W}. */
static bool check_picture(struct model_reader *m, size_t node, struct model_resource *res)
{
    const struct json_node *nodes = m->r.doc->nodes;
    bool good = nodes[res->resample].type == JSON_ARRAY && nodes[res->resample].count == 4;

    if (res->type != DT_FLOAT32 && res->type != DT_FLOAT16)
        return finding_hint(report(&m->r, node, RULE_RUN_INITIAL_TYPE,
                                   "DxDispatch reads a picture as FLOAT32 or FLOAT16"),
                            "use \"initialValuesDataType\": \"FLOAT32\"");
    res->form = INIT_PICTURE;
    res->count = 1;
    for (size_t i = 1; good && i <= 4; i++) {
        uint32_t size;

        good = value_store(m->r.doc, res->resample + i, DT_UINT32, &size) && size > 0 &&
               (i > 1 || size == 1) && u64_mul(res->count, size, &res->count);
    }
    return good ? true
                : refuse(m, node, res->path, "the resampleSize of a picture must be [1, C, H, W]",
                         "for instance \"resampleSize\": [1, 3, 256, 256]");
}

/* Refuses a folder of parts, with the command that joins them. */
static bool refuse_parts(struct model_reader *m, size_t node, const char *path)
{
    struct str hint = { 0 };

    str_puts(&hint, "join them with: ");
    parts_folder_add_join(&hint, path);
    (void)refuse(m, node, path, "it is a folder of parts", hint.s);
    str_done(&hint, &m->r.fs->failed);
    return false;
}

bool source_check(struct model_reader *m, size_t node, struct model_resource *res, const char *name)
{
    bool npy = path_has_extension(name, ".npy"), picture;
    struct npy_peek s;

    res->path = look_up(m->opt, name);
    if (!res->path) {
        m->r.fs->failed = true;
        return false;
    }
    if (parts_folder_is(res->path))
        return refuse_parts(m, node, res->path);
    picture = path_is_image(name) && res->resample;
    if (!picture)
        check_file_type(m, node, name, false);
    if (!npy_peek(res->path, &s) && (s.failed || s.err == EMFILE || s.err == ENFILE)) {
        if (!s.failed)
            snprintf(process.ran_out, sizeof process.ran_out, "%.400s: cannot open: %s", res->path,
                     strerror(s.err));
        m->r.fs->failed = true;
        return false;
    }
    if (*s.error)
        return refuse(m, node, res->path, s.error, s.err ? NULL : "use another file");
    if (picture)
        return check_picture(m, node, res);
    if (!npy)
        return check_raw(m, node, res, &s);
    source_portable(m->r.fs, pointer_of(&m->r, node), res->path, &s);
    return s.is_npy ? check_npy(m, node, res, &s)
                    : refuse_kind(m, node, res->path, "it is not a .npy file",
                                  "write it with numpy.save");
}
