#pragma once

#include <stddef.h>

/* poll(2) for standard input and output, as far as the language server uses it. */

struct pollfd {
    int fd;
    short events, revents;
};

enum { POLLIN = 1, POLLOUT = 4 };

int poll(struct pollfd *fds, size_t n, int milliseconds);
