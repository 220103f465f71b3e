#include "io/kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Reads the input, no more than is needed to refuse it. */
static enum status read_text(struct input *in, const char *path, size_t most,
                             enum kind_wanted wanted, struct diag *dg)
{
    enum status st = input_begin(in, path, dg);

    if (st == ST_OK)
        st = input_fill(in, KIND_FILL, dg);
    if (st == ST_OK)
        st = kind_check(in, wanted, dg);
    if (st == ST_OK)
        st = input_fill(in, most + 1, dg);
    if (st == ST_OK && in->len > most)
        return diag_error(dg, ST_INPUT, path,
                          "the text is longer than %zu MiB, the most that a %s may have",
                          most >> 20, kind_wanted_names[wanted]);
    return st ? st : kind_check_json(in, wanted, dg);
}

enum status text_load(const char *path, size_t most, enum kind_wanted wanted, char **text,
                      size_t *len, struct diag *dg)
{
    struct input in = { .data = NULL };
    enum status st = read_text(&in, path, most, wanted, dg);

    *text = st == ST_OK ? mem_alloc(in.len + 1, 1) : NULL;
    if (*text) {
        if (in.len > 0)
            memcpy(*text, in.data, in.len);
        (*text)[in.len] = '\0';
        *len = in.len;
        st = input_intact(&in, dg);
    } else if (st == ST_OK)
        st = diag_nomem(dg);
    if (st) {
        free(*text);
        *text = NULL;
    }
    input_close(&in);
    return st;
}
