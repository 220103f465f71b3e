#include "model/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "io/element.h"
#include "io/tensor_file.h"
#include "json/number.h"
#include "model/memory.h"
#include "tensor/element.h"

/* An element's value as text. */
static void add_value(struct str *b, enum dtype type, const unsigned char *at)
{
    unsigned log2 = dtype_table[type].width_log2;
    unsigned char native[8];
    char text[NUMBER_TEXT];

    element_store(native, log2, element_load_swapped(at, log2, BIG_MACHINE));
    element_text(type, native, false, text);
    str_puts(b, text);
}

/* The digits of the last of n elements' indices, so that all take as many columns. */
static int index_width(uint64_t n)
{
    char text[NUMBER_TEXT];

    return (int)number_format_u64(text, n > 0 ? n - 1 : 0);
}

/* As DxDispatch prints an element: `[index] value (0xBITS)`. */
static void add_verbose(struct str *b, const struct memory_element *e, int width,
                        const unsigned char *at)
{
    unsigned log2 = dtype_table[e->type].width_log2;

    str_printf(b, "[%*" PRIu64 "] ", width, e->index);
    add_value(b, e->type, at);
    str_printf(b, " (0x%0*" PRIX64 ")\n", 2 << log2,
               element_load_swapped(at, log2, BIG_MACHINE));
}

enum status print_resource(const struct model_resource *res, const struct json_doc *doc,
                           const unsigned char *bytes, bool verbose, FILE *out, struct diag *dg)
{
    enum { FLUSH = 1 << 16 };
    struct memory_element e = { 0 };
    uint64_t n = res->form == INIT_LIST ? res->count : res->used / dtype_size(res->type);
    int width = index_width(n);
    struct str b = { 0 };
    bool failed;

    str_puts(&b, "Resource '");
    str_add_escaped(&b, res->name, strlen(res->name));
    str_puts(&b, verbose ? "':\n" : "': ");
    while (memory_next(res, doc, &e) && !b.failed) {
        if (verbose)
            add_verbose(&b, &e, width, bytes + e.offset);
        else {
            str_puts(&b, e.index ? ", " : "");
            add_value(&b, e.type, bytes + e.offset);
        }
        if (b.len > FLUSH) {
            fwrite(b.s, 1, b.len, out);
            b.len = 0;
        }
    }
    str_puts(&b, verbose ? "" : "\n");
    failed = b.failed || e.type == DT_NONE;
    if (!failed)
        fwrite(b.s, 1, b.len, out);
    str_free(&b);
    return failed ? diag_nomem(dg) : ST_OK;
}

static bool lies_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 &&
           (path[n] == '/' || path[n] == '\0' || (n == 1 && *folder == '/'));
}

/* Whether the folder that path's file lies in, and the file if it is a link, are below the output
 * folder. */
static enum status check_inside(const char *path, const struct run_options *opt, struct diag *dg)
{
    char *root = realpath(opt->output_folder, NULL), *folder = NULL, *file = NULL;
    char *parent = path_folder(path);
    enum status st = ST_OK;
    struct stat sb;

    if (!root) {
        st = diag_errno(dg, ST_SYSTEM, opt->output_folder, errno, "cannot use the output folder");
        goto done;
    }
    if (!parent) {
        st = diag_nomem(dg);
        goto done;
    }
    folder = realpath(parent, NULL);
    if (!folder) {
        st = diag_errno(dg, ST_SYSTEM, path, errno, "cannot write there");
        goto done;
    }
    if (lstat(path, &sb) == 0 && S_ISLNK(sb.st_mode)) {
        file = realpath(path, NULL);
        if (!file) {
            st = diag_errno(dg, ST_SYSTEM, path, errno, "cannot follow the symbolic link");
            goto done;
        }
    }
    if (!lies_below(folder, root) || (file && !lies_below(file, root)))
        st = diag_error(dg, ST_INVALID, opt->path,
                        "writeFile: a symbolic link leads '%s' out of the output folder; remove "
                        "it, or use --allow-outside "
                        "[run.path-outside]",
                        path);
done:
    free(root);
    free(parent);
    free(folder);
    free(file);
    return st;
}

/* The resource as a tensor in the command's dimensions. */
static struct tensor as_tensor(const struct model_command *c, const struct model_resource *res,
                               unsigned char *bytes)
{
    struct tensor t = { .type = res->type, .rank = c->rank ? c->rank : 1, .data = bytes,
                        .swapped = BIG_MACHINE };

    memcpy(t.sizes, c->sizes, sizeof t.sizes);
    if (c->rank == 0)
        t.sizes[0] = res->used / dtype_size(res->type);
    tensor_pack_strides(t.rank, t.sizes, t.strides); /* fits: the bytes are there */
    return t;
}

enum status write_resource(const struct model_command *c, const struct model_resource *res,
                           unsigned char *bytes, const struct run_options *opt, struct diag *dg)
{
    struct outputs outs = { .no_sync = opt->no_sync, .no_clobber = opt->no_clobber };
    char *path =
        *c->path == '/' ? mem_strdup(c->path) : str_format("%s/%s", opt->output_folder, c->path);
    enum status st = path ? ST_OK : diag_nomem(dg);
    struct tensor t;

    if (st == ST_OK && !opt->allow_outside)
        st = check_inside(path, opt, dg);
    if (st == ST_OK)
        st = outputs_add(&outs, path, dg);
    if (st == ST_OK && (path_has_extension(path, ".npy") || path_has_extension(path, ".json"))) {
        t = as_tensor(c, res, bytes);
        st = tensor_file_write(&outs, 0, &t,
                               path_has_extension(path, ".npy") ? FORMAT_NPY : FORMAT_JSON,
                               opt->exec.threads, dg);
    } else if (st == ST_OK)
        st = outputs_write(&outs, 0, bytes, res->used, dg);
    if (st == ST_OK)
        st = outputs_commit(&outs, dg);
    outputs_close(&outs);
    free(path);
    return st;
}
