#include "cmd/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/input.h"

enum status text_load(const char *path, size_t most, const char *what, char **text, size_t *len,
                      struct diag *dg)
{
    struct input in;
    enum status st = input_open(&in, path, dg);

    *text = NULL;
    if (st)
        return st;
    if (in.len > most)
        st = diag_error(dg, ST_INPUT, path,
                        "the text is longer than %zu MiB, the most that a %s may have", most >> 20,
                        what);
    if (st == ST_OK) {
        *text = mem_alloc(in.len + 1, 1);
        st = *text ? ST_OK : diag_nomem(dg);
    }
    if (st == ST_OK) {
        if (in.len > 0)
            memcpy(*text, in.data, in.len);
        (*text)[in.len] = '\0';
        *len = in.len;
        st = input_intact(&in, dg);
    }
    if (st) {
        free(*text);
        *text = NULL;
    }
    input_close(&in);
    return st;
}
