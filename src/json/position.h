#ifndef DMLOP_JSON_POSITION_H
#define DMLOP_JSON_POSITION_H

#include <stddef.h>

/*
 * Positions in a text as people count them: lines from 1, ended by \n, \r\n or \r; columns from 1,
 * in characters (UTF-8 sequences), a tab being one and a byte-order mark none.
 */

/* Start with { 0, 1, 1 }. */
struct json_position {
    size_t offset;
    size_t line, column;
};

/*
 * Moves a position forward to `offset` (not before it; at most len). Text before position->offset
 * is not looked at, so the positions of many offsets in ascending order take linear time together.
 */
void json_position_advance(struct json_position *position, const char *text, size_t len,
                           size_t offset);

/* Line and column of one byte offset. */
void json_locate(const char *text, size_t len, size_t offset, size_t *line, size_t *column);

#endif
