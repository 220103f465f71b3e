#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "io/file.h"
#include "io/element.h"
#include "io/tensor_file.h"
#include "model/memory.h"
#include "tensor/element.h"

static void add_value(struct str *b, enum dtype type, const unsigned char *at)
{
    char text[NUMBER_TEXT];

    element_text(type, BIG_MACHINE, at, false, text);
    str_puts(b, text);
}

/* As DxDispatch prints an element: `[index] value (0xBITS)`. */
static void add_verbose(struct str *b, const struct memory_element *e, int width,
                        const unsigned char *at)
{
    unsigned log2 = dtype_table[e->type].width_log2;

    str_printf(b, "[%*ju] ", width, e->index);
    add_value(b, e->type, at);
    str_printf(b, " (0x%0*jX)\n", 2 << log2, element_load_swapped(at, log2, BIG_MACHINE));
}

enum status print_resource(const struct model_resource *res, const struct json_doc *doc,
                           const unsigned char *bytes, bool verbose, FILE *out, struct diag *dg)
{
    enum { FLUSH = 1 << 16 };
    struct memory_element e = { 0 };
    uint64_t n = res->form == INIT_LIST ? res->count : res->used / dtype_size(res->type);
    char last[NUMBER_TEXT];
    int width = (int)number_format_u64(last, n > 0 ? n - 1 : 0);
    struct str b = { 0 };
    bool failed = false;

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
    if (!b.failed)
        fwrite(b.s, 1, b.len, out);
    str_done(&b, &failed);
    return failed ? diag_nomem(dg) : ST_OK;
}

/* Adds the file of a writeFile below the output folder. All steps use a descriptor of the file's
 * folder, so that no other process can redirect them. */
static enum status add_below(struct outputs *outs, const char *path, const char *shown,
                             const struct run_options *opt, struct diag *dg)
{
    char name[NAME_MAX + 1];
    int folder = folder_open_beneath(opt->output_folder, path, name), err = errno;

    if (folder < 0 && err == EXDEV)
        return diag_error(dg, ST_INVALID, opt->path,
                          "writeFile: a symbolic link leads '%s' out of the output folder; remove "
                          "it, or use --allow-outside "
                          "[run.path-outside]",
                          shown);
    if (folder < 0 && access(opt->output_folder, X_OK) != 0)
        return diag_errno(dg, ST_SYSTEM, opt->output_folder, errno, "cannot use the output folder");
    if (folder < 0)
        return err == ENOMEM ? diag_nomem(dg)
                             : diag_errno(dg, ST_SYSTEM, shown, err, "cannot write there");
    return outputs_add_at(outs, folder, name, shown, dg);
}

/* Makes the missing folders of a path, after its first n bytes. */
static enum status make_folders(char *path, size_t n, struct diag *dg)
{
    enum status st = ST_OK;

    for (char *slash = path + n; st == ST_OK && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (access(path, F_OK) != 0)
            st = folder_make(path, dg);
        *slash = '/';
    }
    return st;
}

static enum status add_anywhere(struct outputs *outs, char *path, const char *given,
                                struct diag *dg)
{
    enum status st = ST_OK;
    struct stat sb;

    if (*given != '/')
        st = make_folders(path, strlen(path) - strlen(given), dg);
    if (st == ST_OK && stat(path, &sb) == 0 && !S_ISREG(sb.st_mode) && !S_ISDIR(sb.st_mode))
        st = diag_error(dg, ST_SYSTEM, path, "cannot write: it is not a regular file");
    return st ? st : outputs_add(outs, path, dg);
}

static struct tensor as_tensor(const struct model_command *c, const struct model_resource *res,
                               unsigned char *bytes)
{
    struct tensor t = {
        .type = res->type, .rank = c->rank ? c->rank : 1, .data = bytes, .swapped = BIG_MACHINE
    };

    memcpy(t.sizes, c->sizes, sizeof t.sizes);
    if (c->rank == 0)
        t.sizes[0] = res->used / dtype_size(res->type);
    tensor_pack_strides(t.rank, t.sizes, t.strides); /* cannot overflow: the bytes exist */
    return t;
}

enum status write_resource(const struct model_command *c, const struct model_resource *res,
                           unsigned char *bytes, const struct run_options *opt, struct diag *dg)
{
    struct outputs outs = opt->writing;
    bool npy = path_has_extension(c->path, ".npy"), json = path_has_extension(c->path, ".json");
    char *path = path_join(opt->output_folder, c->path);
    enum status st = path ? ST_OK : diag_nomem(dg);
    struct tensor t;

    if (st == ST_OK)
        st = opt->allow_outside ? add_anywhere(&outs, path, c->path, dg)
                                : add_below(&outs, c->path, path, opt, dg);
    if (st == ST_OK && (npy || json)) {
        t = as_tensor(c, res, bytes);
        st =
            tensor_file_write(outs.v[0], &t, npy ? FORMAT_NPY : FORMAT_JSON, opt->exec.threads, dg);
    } else if (st == ST_OK)
        st = output_write(outs.v[0], bytes, res->used, dg);
    st = st ? st : outputs_commit(&outs, dg);
    outputs_close(&outs);
    free(path);
    return st;
}
