#include "run/operator.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "io/npz.h"
#include "io/output.h"
#include "part/tensor.h"
#include "run/driver.h"

/* The output paths of one input, owned; only topk has indices. */
enum { RESULT, INDICES, PATHS };

/* DIR/NAME with `mark` before its extension, which --format may change. */
static char *output_path(const struct op_args *a, const char *input, const char *mark)
{
    const char *name = path_base_name(input);
    enum tensor_format format;
    const char *known =
        !npz_is_member(input) && tensor_format_of(name, &format) && format != FORMAT_RAW
            ? path_extension(name)
            : "";
    const char *extension = !*known && npz_is_member(input) ? ".npy" : known;
    int stem = (int)(strlen(name) - strlen(known));

    if (a->files.format != FORMAT_BY_NAME)
        return str_format("%s/%.*s%s.%s", a->files.output_dir, stem, name, mark,
                          tensor_format_names[a->files.format]);
    return str_format("%s/%.*s%s%s", a->files.output_dir, stem, name, mark, extension);
}

static enum status name_outputs_of(const struct op_command *oc, const struct op_args *a,
                                   const char *input, char *paths[PATHS], struct diag *dg)
{
    bool indexed = op_output(oc->op, ROLE_INDEX) != NULL;
    enum tensor_format format;
    size_t n = strlen(input);

    if (strcmp(input, "-") == 0)
        return diag_error(dg, ST_USAGE, NULL,
                          "standard input has no file name to use for an output in '%s'",
                          a->files.output_dir);
    if (n == 0 || input[n - 1] == '/')
        return diag_error(dg, ST_USAGE, input, "is not a file name to use for an output in '%s'",
                          a->files.output_dir);
    if (a->files.format == FORMAT_BY_NAME && !npz_is_member(input) && *path_extension(input) &&
        (!tensor_format_of(input, &format) || format == FORMAT_RAW))
        return diag_error(dg, ST_USAGE, input,
                          "its result in '%s' would have this name, whose extension %s does not "
                          "name a format of results; say --format npy or --format json",
                          a->files.output_dir, path_extension(input));
    paths[RESULT] = output_path(a, input, "");
    if (indexed)
        paths[INDICES] = output_path(a, input, ".indices");
    return paths[RESULT] && (paths[INDICES] || !indexed) ? ST_OK : diag_nomem(dg);
}

/* Names the outputs of parts after the whole. */
static enum status name_outputs(const struct op_command *oc, const struct op_args *a,
                                const char *input, char *paths[PATHS], struct diag *dg)
{
    char *file = part_tensor_file(input);
    enum status st = file ? name_outputs_of(oc, a, file, paths, dg) : diag_nomem(dg);

    free(file);
    return st;
}

/* A file that the command reads or writes. */
struct used {
    struct output_place place;
    const char *path;
    size_t when; /* 2 * i: read for input i; 2 * i + 1: written as its output */
};

static int by_place(const void *a, const void *b)
{
    const struct used *x = a, *y = b;
    int order = memcmp(&x->place, &y->place, sizeof x->place);

    return order ? order : (x->when > y->when) - (x->when < y->when);
}

/* Sets *u; returns the number of files set, 0 or 1. *failed: memory is short. */
static size_t find_file(struct used *u, const char *path, size_t when, bool *failed)
{
    char file[PATH_MAX], *colon;

    if (!path || strlen(path) >= sizeof file)
        return 0;
    memcpy(file, path, strlen(path) + 1);
    while (when % 2 == 0 && access(file, F_OK) != 0 && (colon = strrchr(file, ':')))
        *colon = '\0'; /* FILE:NAME */
    u->path = path;
    u->when = when;
    return output_place(file, &u->place, failed);
}

/* Refuses an output that is the file of another one, or of an input that is read later. */
static enum status check_files(const struct op_args *a, char *const (*outputs)[PATHS], size_t n,
                               char **paths, struct diag *dg)
{
    struct used *v = mem_zalloc(n * (PATHS + 1) + 1, sizeof *v);
    enum status st = ST_OK;
    bool failed = false;
    size_t count;

    if (!v)
        return diag_nomem(dg);
    count = find_file(v, a->files.descriptor, 2 * (n - 1), &failed); /* read again until then */
    for (size_t i = 0; i < n; i++) {
        count += find_file(v + count, paths[i], 2 * i, &failed);
        for (size_t j = 0; j < PATHS; j++)
            count += find_file(v + count, outputs[i][j], 2 * i + 1, &failed);
    }
    if (failed)
        st = diag_nomem(dg);
    qsort(v, count, sizeof *v, by_place);
    for (size_t i = 1; i < count && st == ST_OK; i++)
        if (v[i - 1].when % 2 == 1 && memcmp(&v[i - 1].place, &v[i].place, sizeof v->place) == 0)
            st = diag_error(dg, ST_USAGE, v[i].path,
                            v[i].when % 2 == 0
                                ? "the output '%s' would replace this input before it is read"
                                : "two outputs would be this file; write them to two folders",
                            v[i - 1].path);
    free(v);
    return st;
}

static enum status make_folder(const char *path, struct diag *dg)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) /* if it is a file, each output fails */
        return ST_OK;
    return diag_errno(dg, ST_SYSTEM, path, errno, "cannot make the folder");
}

static enum status run_all(const struct op_command *oc, const struct op_args *args,
                           char *const (*outputs)[PATHS], int n, char **paths, struct diag *dg)
{
    enum status first = ST_OK;

    for (int i = 0; i < n; i++) {
        struct op_args one = *args;
        enum status st;

        one.files.output = outputs[i][RESULT];
        one.topk.indices = outputs[i][INDICES];
        st = driver_run(oc, &one, 1, &paths[i], dg);
        if (st == ST_USAGE) /* every other file would fail, too */
            return st;
        if (st)
            diag_error(dg, st, paths[i], "failed; nothing was written to '%s'", outputs[i][RESULT]);
        if (first == ST_OK)
            first = st;
    }
    return first;
}

/*
 * --output-dir: runs the command on each path, as a command of its own would, with outputs NAME
 * and, for topk, NAME with ".indices" before its extension in that folder; NAME is the path's last
 * part. Files that fail are reported and the others done; returns the first failure. ST_USAGE,
 * before anything is done, if two outputs are one file, or one is an input that is read later.
 */
static enum status many_run(const struct op_command *oc, const struct op_args *args, int n,
                            char **paths, struct diag *dg)
{
    char *(*outputs)[PATHS];
    enum status st = ST_OK;

    if (args->files.descriptor && strcmp(args->files.descriptor, "-") == 0)
        return diag_error(
            dg, ST_USAGE, NULL,
            "--output-dir reads the descriptor again for every input; give a file to -d");
    if (n == 0) {
        diag_error(dg, ST_USAGE, NULL, "no input is given");
        return usage_hint(dg);
    }
    outputs = mem_zalloc((uint64_t)n, sizeof *outputs);
    if (!outputs)
        return diag_nomem(dg);
    for (int i = 0; i < n && st == ST_OK; i++)
        st = name_outputs(oc, args, paths[i], outputs[i], dg);
    if (st == ST_OK)
        st = check_files(args, (char *const(*)[PATHS])outputs, (size_t)n, paths, dg);
    for (int k = 0; k < n && st == ST_OK; k++) /* one output may be a part of a later input */
        for (size_t i = 0; i < (size_t)n * PATHS && st == ST_OK && part_tensor_is(paths[k]); i++)
            st = part_tensor_check_output(paths[k], outputs[i / PATHS][i % PATHS], dg);
    if (st == ST_OK)
        st = make_folder(args->files.output_dir, dg);
    if (st == ST_OK)
        st = run_all(oc, args, (char *const(*)[PATHS])outputs, n, paths, dg);
    for (int i = 0; i < n; i++) {
        free(outputs[i][RESULT]);
        free(outputs[i][INDICES]);
    }
    free(outputs);
    return st;
}

enum status operator_run(const struct op_command *oc, int argc, char **argv, struct diag *dg)
{
    struct op_args args = { .no_progress = false };
    enum status st;

    if (!command_begin(oc->usage, &args, &argc, &argv, &st, dg))
        return st;
    return (args.files.output_dir ? many_run : driver_run)(oc, &args, argc, argv, dg);
}
