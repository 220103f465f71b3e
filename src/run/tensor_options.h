#pragma once

#include "cli/number_text.h"
#include "io/tensor_file.h"

/* How tensors are read that do not say what they are: JSON without a type, raw data, bfloat16; and
 * how outputs are written, by their names and --format. */

struct reading {
    enum dtype type; /* also DT_BFLOAT16; DT_NONE: not given */
    bool raw;        /* an input is raw data, unless it begins as an .npy or an archive of them */
    bool sized;
    long skip_lines;                /* of numbers in columns */
    const char *array;              /* of archives; NULL: the only one */
    struct option_list words;       /* of --sizes; none: not given */
    struct integers sizes;          /* of raw data, parsed; one may be -1 */
    const struct cast_rules *rules; /* see struct tensor_file; NULL: none */
};
extern const struct option_row reading_options[]; /* all but --sizes */

/* Parses the words of --sizes. ST_USAGE, with a message, if they are no list, or --raw is
 * missing. */
enum status reading_parse(struct reading *r, struct diag *dg);

/* tensor_file_begin for a file or raw data. Raw data are read as a whole and have a header
 * of version 0.0, at their beginning. ST_USAGE, with a message, if their type or sizes are not
 * given, and ST_INPUT if there are more or fewer elements. */
enum status reading_begin(struct tensor_file *f, const char *path, const struct reading *r,
                          int threads, struct diag *dg);

/* reading_begin and tensor_file_finish. The caller closes f, after an error too. */
enum status reading_whole(struct tensor_file *f, const char *path, const struct reading *r,
                          int threads, struct diag *dg);

/* Sets rank, sizes and packed strides of t, of `count` elements, by a list of sizes, one of which
 * may be -1. ST_INPUT, with a message that calls the elements `what`, if they do not fit. */
enum status reading_sizes(const struct integers *list, uint64_t count, const char *what,
                          const char *path, struct tensor *t, struct diag *dg);

/* Chooses the format of a tensor's output: `asked` (--format; FORMAT_BY_NAME: not given), or else
 * the format of the path's extension; `otherwise` for a path without extension and for standard
 * output. In an archive it is .npy.
 * ST_USAGE, with a message that begins with the option, for any other extension, for other formats
 * in an archive, and for FILE.npz:NAME.npy. The option is "" for paths that --output-dir makes. */
enum status output_format(const char *option, const char *path, int asked,
                          enum tensor_format otherwise, enum tensor_format *format,
                          struct diag *dg);

/* The format for a tensor t where that of the input is wanted: JSON for what CSV cannot hold. */
static inline enum tensor_format output_as(enum tensor_format input, const struct tensor *t)
{
    return (input == FORMAT_CSV || input == FORMAT_TSV) && t->rank > 2 ? FORMAT_JSON : input;
}

/* The name of the array in an archive that a path for a tensor names: NAME of FILE.npz:NAME, and
 * `otherwise` for FILE.npz. NULL for other paths, also if NAME has the extension of a format: so
 * --output-dir names files. */
const char *output_member(const char *path, const char *otherwise);

/* ST_USAGE, with a message, if the extension of a path for JSON names another format of tensors. */
enum status output_check_json(const char *option, const char *path, struct diag *dg);

/* True if an output is printed in columns: it is standard output ("-"), that is a terminal, and the
 * format is FORMAT_BY_NAME. */
bool output_is_shown(const char *path, int format);
