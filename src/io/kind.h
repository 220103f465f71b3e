#pragma once

#include "base/str.h"
#include "io/input.h"

/* Recognizes files of a kind that a command does not read. */

enum kind_wanted { WANT_TENSOR, WANT_DESCRIPTOR, WANT_MODEL, WANT_DOCUMENT /* the last two */ };

/* "descriptor" and so on, for messages. */
extern const char *const kind_wanted_names[];

enum {
    KIND_PREFIX = 4096,          /* bytes that show the kind */
    KIND_FILL = KIND_PREFIX + 1, /* to be read: one more shows that there are more */
};

/* Makes UTF-8 of a text in UTF-16 with a byte-order mark, which stays; the first bytes are read. If
 * it has more than `most` bytes then, it need not be the whole text. ST_INPUT, with a message that
 * has the place, for what is no UTF-16. */
enum status utf16_decode(struct input *in, size_t most, struct diag *dg);

/* Checks the first bytes of an input, of which KIND_FILL suffice. ST_INPUT, with a message that
 * names the kind and a remedy, if possible a command, for another known format, for binary data,
 * and for an empty file. ST_OK if it may be what is wanted. */
enum status kind_check(const struct input *in, enum kind_wanted wanted, struct diag *dg);

/* The same for a complete text, which may be JSON that dmlop writes: ST_INPUT for another kind or a
 * JSON Schema; ST_INVALID for a model if a descriptor is wanted. */
enum status kind_check_json(const struct input *in, enum kind_wanted wanted, struct diag *dg);

/* Sets *is if the file is an archive of arrays by its content, or a zip archive by the name .npz.
 * Errors as input_begin. */
enum status kind_is_npz(const char *path, bool *is, struct diag *dg);

/* True for a Git LFS pointer; false for any other file and if it cannot be read. */
bool kind_is_lfs(const char *path);

/* Adds "this is KIND, not WANTED" and a remedy; false, and adds nothing, if the format is unknown
 * or the file cannot be read. If memory is short, what->failed or remedy->failed is set. */
bool kind_describe(const char *path, const char *wanted, struct str *what, struct str *remedy);

/* The offset of the '(' of a tensor's title, as DirectML's documentation and `dmlop show` print it,
 * "InputTensor: (Sizes:{1,3}, DataType:FLOAT32)", plus 1; 0 if the first bytes have none. */
size_t title_find(const struct input *in);

/* True if the text begins as JSON may. */
bool kind_may_be_json(const struct input *in);

/* Reads a text file, or standard input ("-"), of at most `most` bytes, which should be `wanted`.
 * *text has *len bytes and a NUL and is owned by the caller; *utf16 (NULL: not asked): it was
 * UTF-16. ST_INPUT or ST_SYSTEM, with a message
 * and a NULL *text, if that fails or it is something else. */
enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, bool *utf16, struct diag *dg);

/* A format that is known by its first bytes and cannot be read, or not as what is wanted. */

enum kind_way {
    TENSOR,   /* it is one */
    ADVICE,   /* the remedy is given only if a tensor is wanted */
    DECODE,   /* ... if anything is wanted: then it is a text */
    REPAIR,   /* ... if anything is wanted */
    DOCUMENT, /* ... if anything is wanted; it is JSON, but no tensor */
    MEMBER,   /* ... only if a tensor is wanted; its remedy names an array in it */
};

/* In a remedy $ is the file as a word of a shell, FILE for standard input and members, $.npy the
 * file with that extension instead of its own, $. with none and $.utf8 with both; @ is `how`, which
 * ends before a line that is not indented. */
struct kind {
    char name[48];
    enum kind_way way;
    const char *remedy, *how; /* NULL: none */
};

/* ST_INPUT, with "this is KIND, not a WANTED; REMEDY". */
enum status kind_refuse(const struct kind *k, const struct input *in, enum kind_wanted wanted,
                        struct diag *dg);

/* Sets *k to the first format of fragments/kinds.txt that fits the bytes read of an input; false if
 * none does. */
bool kind_find(const struct input *in, struct kind *k);

/* Sets *k to the format of that name in the table. */
void kind_named(const char *name, struct kind *k);

/* A folder of parts (part/set.h) where a file should be. It is recognized here only so that a
 * message can say how to get the file. */

/* True if a path is a folder that is named FILE.parts or has files of parts. */
bool parts_folder_is(const char *path);

/* Adds the command that joins the parts. */
void parts_folder_add_join(struct str *b, const char *path);

/* ST_INPUT, with a message that has that command, for such a folder. */
enum status parts_folder_refuse(const char *path, struct diag *dg);
