/* What the code under test says. */
#pragma once

#include "unit.h"

#include "base/diag.h"

/* A diag whose messages are in *message once message_end is called. What is there is freed first;
 * the caller frees the last one. */
static inline struct diag message_begin(char **message)
{
    static size_t size;
    struct diag dg = { .err = NULL };

    free(*message);
    dg.err = open_memstream(message, &size);
    assert_non_null(dg.err);
    return dg;
}

static inline void message_end(struct diag *dg)
{
    fclose(dg->err);
    dg->err = NULL;
}
