#ifndef DMLOP_RUN_SHOW_H
#define DMLOP_RUN_SHOW_H

#include "io/output.h"
#include "run/show_layout.h"

/* Tensors printed in aligned columns for people. */

enum { SHOW_EXACT = -1, SHOW_PRECISION_MOST = 17 /* digits */ };

/* True if an output is standard output ("-") and that is a terminal. */
bool show_on_terminal(const char *path);

/*
 * Writes a tensor to an output as DirectML's documentation prints tensors: NAME, sizes
 * and type, then a line per row in brackets, with "..." for elements that l leaves out. Lines fit
 * COLUMNS, the terminal, or 80 columns. Floats are rounded to `precision` digits after the decimal
 * point, or SHOW_EXACT. l is the layout of t's elements from t->data on; each shown element is read
 * twice. If t has a feed, the caller must check for its errors before it commits the set.
 */
enum status show_print(struct output *out, const char *name, const struct tensor *t,
                       const struct show_layout *l, int precision, struct diag *dg);

/* show_print with the default layout and precision. */
enum status show_tensor(struct output *out, const char *name, const struct tensor *t,
                        struct diag *dg);

#endif
