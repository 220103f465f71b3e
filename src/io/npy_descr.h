#ifndef DMLOP_IO_NPY_DESCR_H
#define DMLOP_IO_NPY_DESCR_H

#include "io/npy.h"

/*
 * Sets type, is_bool and swapped by the text of a descr: "<f4" and all other strings that
 * numpy.dtype() makes one of these types of, such as "float32", "single", "f" and ">I"; "l" and
 * "int_" have 64 bits, as on Linux. V2 is DT_BFLOAT16. False, with a message and a remedy in
 * error[NPY_ERROR_TEXT], for all others.
 */
bool npy_read_descr(const char *descr, struct npy_header *h, char *error);

#endif
