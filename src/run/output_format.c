#include "run/output_format.h"

#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "cli/option_groups.h"

/* A path without its extension, for "%.*s". */
static int stem(const char *path) { return (int)(path_extension(path) - path); }

static enum status refuse(const char *option, const char *path, bool allow_raw, struct diag *dg)
{
    const char *extension = path_extension(path);

    if (tensor_format_of(path) != FORMAT_NONE) /* raw */
        return diag_error(dg, ST_USAGE, NULL,
                          "%s %s: raw data are written by convert; use %s %.*s.npy, then: "
                          "dmlop convert %.*s.npy -o %s",
                          option, path, option, stem(path), path, stem(path), path, path);
    return diag_error(
        dg, ST_USAGE, NULL,
        "%s %s: the extension %s does not name a format; use %s, or say --format npy, "
        "json%s",
        option, path, extension,
        allow_raw ? ".npy, .json, .csv, .tsv, .dat or .bin" : ".npy, .json, .csv or .tsv",
        allow_raw ? ", csv, tsv or raw" : ", csv or tsv");
}

/* NAME of FILE.npz:NAME, or NULL. */
static const char *member_name(const char *path)
{
    const char *colon = strchr(path, ':');

    while (colon && (colon - path <= 4 || strncasecmp(colon - 4, ".npz", 4) != 0))
        colon = strchr(colon + 1, ':');
    return colon ? colon + 1 : NULL;
}

const char *output_member(const char *path, const char *otherwise)
{
    if (path_has_extension(path, ".npz"))
        return otherwise;
    return tensor_format_of(path) == FORMAT_NONE ? member_name(path) : NULL;
}

enum status output_format(const char *option, const char *path, int asked, bool allow_raw,
                          enum tensor_format otherwise, enum tensor_format *format, struct diag *dg)
{
    bool standard = strcmp(path, "-") == 0;

    *format = FORMAT_NPY;
    if (*option && !output_member(path, path) && member_name(path))
        return diag_error(dg, ST_USAGE, NULL,
                          "%s %s: the name of an array in an archive has no extension; use %s %.*s",
                          option, path, option, stem(path), path);
    if (output_member(path, path))
        return asked == FORMAT_BY_NAME || asked == FORMAT_NPY
                   ? ST_OK
                   : diag_error(dg, ST_USAGE, NULL,
                                "%s %s: the arrays in an archive are .npy; leave out --format %s",
                                option, path, tensor_format_names[asked]);
    *format = otherwise == FORMAT_CSV || otherwise == FORMAT_TSV ? FORMAT_JSON : otherwise;
    if (asked != FORMAT_BY_NAME)
        *format = (enum tensor_format)asked;
    else if (!standard && *path_extension(path)) {
        *format = tensor_format_of(path);
        if (*format == FORMAT_NONE || (*format == FORMAT_RAW && !allow_raw))
            return refuse(option, path, allow_raw, dg);
    }
    return ST_OK;
}

enum status output_check_json(const char *option, const char *path, struct diag *dg)
{
    enum tensor_format format = tensor_format_of(path);

    if ((format != FORMAT_NONE && format != FORMAT_JSON) ||
        strcasecmp(path_extension(path), ".npz") == 0)
        return diag_error(dg, ST_USAGE, NULL,
                          "%s writes JSON, and '%s' is the name of a tensor; "
                          "use %.*s.json",
                          option, path, stem(path), path);
    return ST_OK;
}
