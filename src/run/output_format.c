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
    enum tensor_format format;

    if (strcasecmp(extension, ".npz") == 0)
        return diag_error(dg, ST_USAGE, NULL,
                          "%s %s: dmlop reads .npz archives, but does not write them; "
                          "use %s %.*s.npy",
                          option, path, option, stem(path), path);
    if (tensor_format_of(path, &format)) /* raw */
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

enum status output_format(const char *option, const char *path, int asked, bool allow_raw,
                          enum tensor_format otherwise, enum tensor_format *format, struct diag *dg)
{
    bool standard = strcmp(path, "-") == 0;

    *format = otherwise == FORMAT_CSV || otherwise == FORMAT_TSV ? FORMAT_JSON : otherwise;
    if (asked != FORMAT_BY_NAME)
        *format = (enum tensor_format)asked;
    else if (!standard && *path_extension(path) &&
             (!tensor_format_of(path, format) || (*format == FORMAT_RAW && !allow_raw)))
        return refuse(option, path, allow_raw, dg);
    if (path_has_extension(path, ".npz")) /* --format does not help */
        return refuse(option, path, allow_raw, dg);
    return ST_OK;
}

enum status output_check_json(const char *option, const char *path, struct diag *dg)
{
    enum tensor_format format;

    if ((tensor_format_of(path, &format) && format != FORMAT_JSON) ||
        strcasecmp(path_extension(path), ".npz") == 0)
        return diag_error(dg, ST_USAGE, NULL,
                          "%s writes JSON, and '%s' is the name of a tensor; "
                          "use %.*s.json",
                          option, path, stem(path), path);
    return ST_OK;
}
