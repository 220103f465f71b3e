#include <stdio.h>

#include "os/process.h"

void *memmem(const void *text, size_t n, const void *word, size_t length)
{
    const char *p = text, *end = p + n;

    if (length == 0)
        return (void *)(uintptr_t)text;
    while ((size_t)(end - p) >= length &&
           (p = memchr(p, *(const char *)word, (size_t)(end - p) - length + 1))) {
        if (memcmp(p, word, length) == 0)
            return (void *)(uintptr_t)p;
        p++;
    }
    return NULL;
}

void *memrchr(const void *text, int c, size_t n)
{
    const char *p = text;

    while (n > 0)
        if (p[--n] == (char)c)
            return (void *)(uintptr_t)(p + n);
    return NULL;
}

char *stpcpy(char *to, const char *from)
{
    size_t n = strlen(from);

    memcpy(to, from, n + 1);
    return to + n;
}

int setenv(const char *name, const char *value, int replace)
{
    return replace || !getenv(name) ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name) { return _putenv_s(name, ""); }

const char *posix_strerror(int error)
{
    static const struct {
        int error;
        const char *text;
    } own[] = {
        { EBUSY, "another program, or dmlop itself, has the file open or mapped" },
        { ELOOP, "Too many levels of symbolic links" },
        { ENAMETOOLONG, "File name too long" },
        { EXDEV, "Invalid cross-device link" },
        { ENOTSUP, "Operation not supported" },
        { EIO, "Input/output error" },
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].error == error)
            return own[i].text;
    return (strerror)(error);
}

/* True if c is in one of the ranges, which are in order. */
static bool is_in(uint32_t c, const uint32_t (*ranges)[2], size_t n)
{
    size_t i = 0;

    while (i < n && c > ranges[i][1])
        i++;
    return i < n && c >= ranges[i][0];
}

int os_columns(uint32_t c)
{
    static const uint32_t none[][2] = {
        { 0x300, 0x36f },     { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
        { 0x64b, 0x65f },     { 0x6d6, 0x6dc },   { 0x900, 0x902 },   { 0x93c, 0x93c },
        { 0x941, 0x948 },     { 0x94d, 0x94d },   { 0xe31, 0xe31 },   { 0xe34, 0xe3a },
        { 0xe47, 0xe4e },     { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
        { 0x202a, 0x202e },   { 0x2060, 0x2064 }, { 0x20d0, 0x20ff }, { 0x302a, 0x302d },
        { 0x3099, 0x309a },   { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
        { 0xe0100, 0xe01ef },
    };
    static const uint32_t two[][2] = {
        { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
        { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
        { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
        { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
    };

    if (is_in(c, none, sizeof none / sizeof *none))
        return 0;
    return is_in(c, two, sizeof two / sizeof *two) ? 2 : 1;
}
