#include "driver/driver.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "io/file.h"
#include "io/npz.h"
#include "io/kind.h"

/* The output paths of one input, owned. */
enum { RESULT, INDICES, PATHS };

/* True if the name of an input is that of a result. */
static bool names_result(const struct many *m, const char *input)
{
    enum tensor_format format = npz_member(input) ? FORMAT_NONE : tensor_format_of(input);

    return format != FORMAT_NONE && (format != FORMAT_RAW || m->raw);
}

/* FOLDER/NAME with `mark` before its extension, which --format may change. */
static char *output_path(const struct many *m, const char *folder, const char *input,
                         const char *mark)
{
    struct member array;
    bool member = member_find(input, &array);
    const char *file = member ? array.file : input, *name = path_base_name(file);
    bool archive = path_has_extension(file, ".npz");
    bool known = archive || (member ? path_has_extension(file, ".npy") : names_result(m, input));
    int stem = (int)(known ? path_extension(name) - name : (ptrdiff_t)strlen(name));
    const char *format = m->format == FORMAT_BY_NAME ? NULL
                         : m->format == FORMAT_RAW   ? "bin"
                                                     : tensor_format_names[m->format];
    char *result = str_format("%.*s%s%s%s%s%s", stem, name, member ? "." : "",
                              member ? array.name : "", mark, format ? "." : "",
                              format              ? format
                              : member || archive ? ".npy"
                                                  : name + stem);
    char *path;

    for (char *p = result; member && p && *p; p++) /* x.npz:a/b is x.a.b.npy */
        *p = strchr(":/\\", *p) ? '.' : *p;
    path = result ? path_join(folder, result) : NULL;
    free(result);
    return path;
}

static enum status name_outputs(const struct many *m, const char *input, char *paths[PATHS],
                                struct diag *dg)
{
    enum status st = parts_folder_refuse(input, dg);

    if (st)
        return st;
    if (strcmp(input, "-") == 0)
        st = diag_usage(dg, "standard input has no file name to use for an output in '%s'",
                        m->folder);
    else if (!*path_base_name(input))
        st = diag_error(dg, ST_USAGE, input, "is not a file name to use for an output in '%s'",
                        m->folder);
    else if (m->format == FORMAT_BY_NAME && !npz_member(input) && *path_extension(input) &&
             !names_result(m, input) && !path_has_extension(input, ".npz"))
        st = diag_error(dg, ST_USAGE, input,
                        "its result in '%s' would have this name, whose extension %s does not "
                        "name a format of results; say --format npy or --format json",
                        m->folder, path_extension(input));
    else {
        paths[RESULT] = output_path(m, m->folder, input, "");
        if (m->indices)
            paths[INDICES] = output_path(m, m->indices, input, ".indices");
        if (!paths[RESULT] || (m->indices && !paths[INDICES]))
            st = diag_nomem(dg);
    }
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
    while (when % 2 == 0 && access(file, F_OK) != 0 && (colon = path_last_colon(file)))
        *colon = '\0'; /* FILE:NAME */
    u->path = path;
    u->when = when;
    return output_place(file, &u->place, failed);
}

/* Refuses an output that is the file of another one, or of an input that is read later. */
static enum status check_files(const struct many *m, char *const (*outputs)[PATHS], size_t n,
                               char **paths, struct diag *dg)
{
    struct used *v = mem_zalloc(n * (PATHS + 1) + 2, sizeof *v);
    enum status st = ST_OK;
    bool failed = false;
    size_t count;

    if (!v)
        return diag_nomem(dg);
    count = find_file(v, m->again[0], 2 * (n - 1), &failed);
    count += find_file(v + count, m->again[1], 2 * (n - 1), &failed);
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

static enum status run_all(const struct many *m, char *const (*outputs)[PATHS], int n, char **paths,
                           struct diag *dg)
{
    enum status first = ST_OK;

    for (int i = 0; i < n; i++) {
        enum status st = m->run(m->context, paths[i], outputs[i][RESULT], outputs[i][INDICES], dg);

        if (st == ST_USAGE) /* every other file would fail, too */
            return st;
        if (st)
            diag_error(dg, st, paths[i], "failed; nothing was written to '%s'", outputs[i][RESULT]);
        if (first == ST_OK)
            first = st;
    }
    return first;
}

enum status many_run(const struct many *m, int n, char **paths, struct diag *dg)
{
    char *(*outputs)[PATHS];
    enum status st = ST_OK;

    if (n == 0)
        return usage_error(dg, "no input is given");
    outputs = mem_zalloc((uint64_t)n, sizeof *outputs);
    if (!outputs)
        return diag_nomem(dg);
    for (int i = 0; i < n && st == ST_OK; i++)
        st = name_outputs(m, paths[i], outputs[i], dg);
    st = st ? st : check_files(m, (char *const(*)[PATHS])outputs, (size_t)n, paths, dg);
    st = st ? st : folder_make(m->folder, dg);
    if (st == ST_OK && m->indices)
        st = folder_make(m->indices, dg);
    st = st ? st : run_all(m, (char *const(*)[PATHS])outputs, n, paths, dg);
    for (int i = 0; i < n; i++) {
        free(outputs[i][RESULT]);
        free(outputs[i][INDICES]);
    }
    free(outputs);
    return st;
}
