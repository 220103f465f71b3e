#ifndef DMLOP_RUN_SHOW_PRINT_H
#define DMLOP_RUN_SHOW_PRINT_H

#include "io/output.h"
#include "run/show_layout.h"

/* Columns of the terminal that standard output is, or of COLUMNS where that is set; 0 where neither
 * says. */
unsigned show_width(void);

/* Whether an output goes to a person: to standard output ("-"), which is a terminal. */
bool show_on_terminal(const char *path);

/*
 * Writes a tensor to output `index` of outs as DirectML's documentation prints tensors: NAME, sizes
 * and type on a line, then a line for each row in brackets, its elements in aligned columns, "..."
 * for those that l leaves out. Lines are broken to fit show_width(), or 80 columns. l is the layout
 * of t's elements from t->data on. Reads the elements twice, and what l leaves out never. Where t
 * has a feed, the caller asks whether that failed before outs are used.
 */
enum status show_print(struct outputs *outs, size_t index, const char *name,
                       const struct tensor *t, const struct show_layout *l, int precision,
                       struct diag *dg);

/* The same for all that calls for no options: the tensor as it suits a terminal. */
enum status show_tensor(struct outputs *outs, size_t index, const char *name,
                        const struct tensor *t, struct diag *dg);

#endif
