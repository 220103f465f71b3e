#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Memory that the system gives in whole pages, and files that are mapped into it. Lengths are in
 * bytes and need not be whole pages. Functions that return memory return NULL, with errno, if they
 * cannot; memory is released by os_unmap with the length that it has. */

size_t os_page_size(void);

/* Zeroed memory; pages take up memory once they are used. */
void *os_pages_new(size_t n);

/* Changes the length of memory from os_pages_new, which may move. p stays valid on failure. */
void *os_pages_grow(void *p, size_t old, size_t n);

/* Asks for large pages, which kernels that scatter use faster. */
void os_pages_large(void *p, size_t n);

/* The first n bytes of an open file, for reading. If it becomes shorter, reading beyond its end
 * is a fault (os/signals.h). */
void *os_map_file(int fd, size_t n);

/* Says how a mapped file is read next, from a page's beginning on. */
void os_map_expect(void *p, size_t n, bool sequential);

/* The bytes of whole pages are not needed again: files are mapped anew, other memory is zeroed. */
void os_pages_drop(void *p, size_t n);

void os_unmap(void *p, size_t n);
