#ifndef DMLOP_LSP_FRAME_H
#define DMLOP_LSP_FRAME_H

#include "base/diag.h"
#include "base/str.h"

/* Messages in a stream of bytes, as the base protocol of LSP 3.17 frames them: header fields, an
 * empty line, and as many bytes as Content-Length says. */

enum { LSP_HEADER_MOST = 4096 /* bytes of a message's header */ };

/* What was read and is not used yet. Zero-initialise; release with lsp_frames_free. */
struct lsp_frames {
    struct str bytes;
    size_t at;     /* where the next message begins */
    size_t header; /* its bytes; 0 before it is complete */
    size_t body;   /* bytes after the header */
};

enum lsp_frame {
    LSP_FRAME_NONE,    /* not all of a message is there */
    LSP_FRAME_MESSAGE,
    LSP_FRAME_BROKEN,  /* the stream is no use from here on; there was a message on dg */
};

/* Takes n bytes of the stream; fr->bytes.failed where memory is short. */
void lsp_frames_add(struct lsp_frames *fr, const char *bytes, size_t n);

/* The next message, *len bytes that hold until the next call for fr. */
enum lsp_frame lsp_frames_next(struct lsp_frames *fr, const char **text, size_t *len,
                               struct diag *dg);

/* Whether a message has begun and is not complete. */
bool lsp_frames_cut(const struct lsp_frames *fr);

void lsp_frames_free(struct lsp_frames *fr);

/* Adds a message, with its header, to out. */
void lsp_frame_write(struct str *out, const struct str *body);

#endif
