#include "web/web.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

#include "base/mem.h"
#include "lsp/server.h"

/* Of the linker and the C library. */
void __wasm_call_ctors(void);
int __main_void(void);
extern unsigned char __heap_base[];

/* How src/web/pack.mjs packs: a token below COPY is one less than the number of literal bytes that
 * follow. Any other says how many earlier bytes are copied, COPY for COPY_LEAST of them, and from
 * which distance, two bytes, the low one first. Tokens, literals and distances are apart, for they
 * are packed again on their way. Before all that are the address of the data and the three sizes,
 * which are 0 if the program is not packed. */
enum { COPY = 128, COPY_LEAST = 4, DISTANCE_SIZE = 2, HEAD_SIZE = 16 };

static uint32_t word_at(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Unpacks the data of the program; nothing else has run before. The packed bytes are at the
 * beginning of the heap, which must be zero then. */
static void unpack(void)
{
    unsigned char *out = (unsigned char *)(uintptr_t)word_at(__heap_base);
    const unsigned char *token = __heap_base + HEAD_SIZE,
                        *literals = token + word_at(__heap_base + 4), *end = literals,
                        *p = literals + word_at(__heap_base + 8);
    size_t size = HEAD_SIZE + (size_t)(p - token) + word_at(__heap_base + 12);

    while (token < end) {
        size_t n = *token++;

        if (n < COPY) {
            memcpy(out, literals, ++n);
            literals += n;
            out += n;
        } else { /* the bytes that are copied may overlap with those that are written */
            const unsigned char *from = out - (p[0] | p[1] << 8);

            p += DISTANCE_SIZE;
            for (n = n - COPY + COPY_LEAST; n > 0; n--)
                *out++ = *from++;
        }
    }
    memset(__heap_base, 0, size);
}

static struct lsp_server server;
static struct diag messages;
static struct str answers;

/* In place of the C library's, so that initializers run once and not around every function that the
 * page calls. */
void _start(void)
{
    unpack();
    __wasm_call_ctors();
    __wasi_proc_exit((__wasi_exitcode_t)__main_void()); /* main has written all output */
}

void web_begin(void)
{
    unpack();
    __wasm_call_ctors();
}

char *web_text(size_t len) { return mem_alloc(len, 1); }

ptrdiff_t web_message(char *text, size_t len)
{
    enum status st;

    if (!server.dg) {
        messages.err = stderr;
        server.dg = &messages;
        server.settings.check.desc = (struct desc_options){ .level = LEVEL_NEWEST };
    }
    str_free(&answers);
    st = lsp_server_message(&server, text, len, &answers);
    free(text);
    while (st == ST_OK && lsp_server_check(&server, &answers))
        ;
    return st || answers.failed ? -1 : (ptrdiff_t)answers.len;
}

const char *web_answers(void) { return answers.s; }
