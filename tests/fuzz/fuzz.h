#pragma once

#include <dirent.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "tensor/dtype.h"

/* What the fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput, which
 * calls fuzz_fail for every promise that an input breaks. Most are texts and files as users have
 * them; the last byte of a text chooses options, such that a newline means the usual ones. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, as a crash that libFuzzer keeps the input of. */
static inline void fuzz_fail(const char *format, ...) PRINTF_LIKE(1, 2);

static inline void fuzz_fail(const char *format, ...)
{
    va_list args;

    fputs("fuzz: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

/* Memory of exactly so many bytes, so that the sanitizer sees what goes beyond them. */
static inline void *fuzz_alloc(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);

    if (!p)
        fuzz_fail("out of memory");
    return p;
}

/* Numbers from the input's bytes; 0 past its end. */
struct fuzz_bytes {
    const uint8_t *at, *end;
};

static inline size_t fuzz_left(const struct fuzz_bytes *b) { return (size_t)(b->end - b->at); }

static inline uint8_t fuzz_byte(struct fuzz_bytes *b) { return b->at < b->end ? *b->at++ : 0; }

static inline uint32_t fuzz_word(struct fuzz_bytes *b)
{
    uint32_t low = fuzz_byte(b);

    return low | (uint32_t)fuzz_byte(b) << 8;
}

static inline uint32_t fuzz_u32(struct fuzz_bytes *b)
{
    uint32_t low = fuzz_word(b);

    return low | fuzz_word(b) << 16;
}

/* first to last, both included, of one byte. */
static inline unsigned fuzz_between(struct fuzz_bytes *b, unsigned first, unsigned last)
{
    return first + fuzz_byte(b) % (last - first + 1);
}

/* Fills memory with what is left, again and again; where nothing is, with zeros. */
static inline void fuzz_fill(struct fuzz_bytes *b, void *to, size_t bytes)
{
    size_t left = fuzz_left(b);

    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = left ? b->at[i % left] : 0;
}

static inline enum dtype fuzz_dtype(struct fuzz_bytes *b)
{
    return (enum dtype)fuzz_between(b, DT_NONE + 1, DT_COUNT - 1);
}

/* What went to the diagnostics. */
static struct {
    size_t bytes, lines;
    uint64_t hash;
} fuzz_said;

static inline ssize_t fuzz_listen(void *cookie, const char *text, size_t n)
{
    (void)cookie;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
            fuzz_fail("a message has the control byte %02x", c);
        fuzz_said.lines += c == '\n';
        fuzz_said.hash = (fuzz_said.hash ^ c) * 1099511628211u;
    }
    fuzz_said.bytes += n;
    return (ssize_t)n;
}

/* A stream that counts what is written, and takes no control bytes. */
static inline FILE *fuzz_stream(void)
{
    static FILE *stream;

    if (!stream) {
        stream = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = fuzz_listen });
        if (!stream)
            fuzz_fail("no stream");
        setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    }
    return stream;
}

/* Diagnostics that listen, from nothing said, to all but warnings: these are no failures. */
static inline struct diag fuzz_diag(void)
{
    fflush(fuzz_stream());
    fuzz_said.bytes = fuzz_said.lines = 0;
    fuzz_said.hash = 0;
    return (struct diag){ .err = fuzz_stream(), .command = "fuzz", .quiet = true };
}

/* A failure has a message, success none. */
static inline void fuzz_check_said(enum status st)
{
    fflush(fuzz_stream());
    if ((st != ST_OK) != (fuzz_said.lines > 0))
        fuzz_fail("status %d with %zu lines of messages", (int)st, fuzz_said.lines);
}

/* A file in memory, with a path. */
struct fuzz_file {
    int fd;
    char path[32];
};

/* Opened at its first use. Its contents are replaced by n bytes. */
static inline void fuzz_file_set(struct fuzz_file *f, const void *bytes, size_t n)
{
    if (f->path[0] == '\0') {
        f->fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(f->path, sizeof f->path, "/dev/fd/%d", f->fd);
    }
    if (f->fd < 0 || ftruncate(f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0 ||
        (n > 0 && pwrite(f->fd, bytes, n, 0) != (ssize_t)n))
        fuzz_fail("cannot write to a file in memory");
}

/* All that was written to it; the caller's (free), with a NUL after it. */
static inline char *fuzz_file_get(const struct fuzz_file *f, size_t *n)
{
    off_t size = lseek(f->fd, 0, SEEK_END);
    char *text = fuzz_alloc((size_t)size + 1);

    *n = (size_t)size;
    if (pread(f->fd, text, *n, 0) != (ssize_t)*n)
        fuzz_fail("cannot read from a file in memory");
    text[*n] = '\0';
    return text;
}

/* A pipe that n bytes, at most 64 KiB, wait in: its path, until the next call. */
static inline const char *fuzz_pipe(const void *bytes, size_t n)
{
    static int reader = -1;
    static char path[32];
    int ends[2];

    if (reader >= 0)
        close(reader);
    if (pipe(ends) != 0 || (n > 0 && write(ends[1], bytes, n) != (ssize_t)n))
        fuzz_fail("cannot write to a pipe");
    close(ends[1]);
    reader = ends[0];
    snprintf(path, sizeof path, "/dev/fd/%d", reader);
    return path;
}

enum { FUZZ_PIPE_MAX = 65536 };
