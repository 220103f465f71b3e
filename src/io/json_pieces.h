#ifndef DMLOP_IO_JSON_PIECES_H
#define DMLOP_IO_JSON_PIECES_H

#include "io/json_reader.h"

/*
 * The quick way through the values of a tensor in JSON, on several threads. It takes elements and
 * evenly nested brackets, with blanks between them, and stops before anything else: errors,
 * comments, the end of the values. All that is unusual is left to the lexer, so the result does not
 * depend on threads and pieces.
 *
 * The text is read by windows, each cut into pieces. A first pass counts the commas of each piece,
 * which says where its elements belong; a second one reads them. A piece begins and ends after an
 * element of the innermost arrays. It notes the lengths of the arrays that it closes; that they fit
 * those of the pieces before is checked in order.
 */

/*
 * Reads on after an element within an array, the last that was read. Afterwards r is as if the
 * lexer had read up to r->lx.end, which is the end of an element again. Errors: ST_SYSTEM.
 */
enum status json_pieces_read(struct json_reader *r);

#endif
