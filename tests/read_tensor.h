/* Reading a whole tensor, for tests and benchmarks. */
#pragma once

#include "io/tensor_file.h"

/* tensor_file_begin and tensor_file_finish; f is closed after an error. */
static inline enum status tensor_file_read(struct tensor_file *f, const char *path,
                                           enum dtype json_type, int threads, struct diag *dg)
{
    enum status st;

    *f = (struct tensor_file){ 0 };
    st = tensor_file_begin(f, path, json_type, threads, dg);
    if (st == ST_OK)
        st = tensor_file_finish(f, dg);
    if (st)
        tensor_file_close(f);
    return st;
}
