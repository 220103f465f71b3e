#include <stdint.h>

#include "os/file.h"
#include "os/memory.h"
#include "os/process.h"
#include "os/processors.h"

/* What Windows and WebAssembly lack. The program is one module there. */

ptrdiff_t os_copy_range(int from, uint64_t *offset, int to, size_t n) { return -1; }

/* New files have the rights of their folder. */
bool os_set_mode(int fd, const struct stat *replaced) { return true; }

/* Large pages need a right that users of Windows do not have. */
void os_pages_large(void *p, size_t n) {}

void os_map_expect(void *p, size_t n, bool sequential) {}

bool os_same_module(const void *a, const void *b) { return true; }

size_t os_stack_bytes(void) { return SIZE_MAX; }

/* Neither is built for AArch64. */
void processors_words(unsigned long words[2]) { words[0] = words[1] = 0; }
