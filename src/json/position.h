#ifndef DMLOP_JSON_POSITION_H
#define DMLOP_JSON_POSITION_H

#include <stddef.h>

/* Positions in a text: lines from 1, ended by \n, \r\n or \r; columns from 1, in characters (UTF-8
 * sequences), a tab being one and a byte-order mark none. Start with { 0, 1, 1 }. */
struct json_position {
    size_t offset;
    size_t line, column;
};

/* Moves a position forward to `offset`, at most len. Only the text between is read, so many
 * ascending offsets take linear time together. */
void json_position_advance(struct json_position *position, const char *text, size_t len,
                           size_t offset);

#endif
