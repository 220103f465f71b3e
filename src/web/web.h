#pragma once

#include <stddef.h>

/* What the page calls besides main: a language server (lsp/server.h) that does its work at once,
 * in one thread. A command is a run of main in an instance of its own. */

/* Runs main with the arguments of the instance, and ends it. */
void _start(void);

/* Is called once, before the first message. */
void web_begin(void);

/* Memory for a message of len bytes; NULL if memory is short. */
char *web_text(size_t len);

/* Handles a message, whose memory (web_text) is released. Returns the bytes of the answers and
 * notifications that it led to, framed as the protocol wants; -1 if memory is short. */
ptrdiff_t web_message(char *text, size_t len);

/* The answers to the last message, until the next one. */
const char *web_answers(void);
