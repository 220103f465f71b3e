#ifndef DMLOP_DESC_FOREIGN_H
#define DMLOP_DESC_FOREIGN_H

#include "desc/document.h"

/* Where a text that the scanner refused at `offset` is C, such as "UINT sizes[] = { 1, 1, 4, 4 };",
 * or an example as DirectML's pages show it, adds a finding that says so and what to write instead.
 * False, and nothing is added, where it is neither. */
bool foreign_report(struct document *d, size_t offset);

#endif
