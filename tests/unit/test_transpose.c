/* The transposition of every kernel: shapes about the vectors' sizes, the source between two pages
 * that cannot be read, the destination whole. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/cpu.h"
#include "kernel/slice/slice.h"

enum { MARK = 0xa5 };

/* Bytes that end (or begin) at a page that cannot be read. */
struct guarded_tile {
    char *base, *at;
    size_t bytes;
};

static struct guarded_tile guarded_new(size_t bytes, int at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    struct guarded_tile g = { .bytes = inner + 2 * page };

    g.base = mmap(NULL, g.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.base != MAP_FAILED);
    assert_int_equal(mprotect(g.base + page, inner, PROT_READ | PROT_WRITE), 0);
    g.at = g.base + page + (at_end ? inner - bytes : 0);
    return g;
}

static void compare(const struct slice_kernel *kernel, size_t rows, size_t columns, size_t row_step,
                    size_t dst_step, unsigned width_log2, int at_end)
{
    size_t elem = (size_t)1 << width_log2, src_bytes = ((rows - 1) * row_step + columns) * elem;
    size_t dst_bytes = columns * dst_step * elem;
    struct guarded_tile src = guarded_new(src_bytes, at_end), dst = guarded_new(dst_bytes, 1);
    unsigned char *want = malloc(dst_bytes);

    assert_non_null(want);
    for (size_t i = 0; i < src_bytes; i++)
        src.at[i] = (char)(i * 7 + i / 251);
    memset(dst.at, MARK, dst_bytes);
    memset(want, MARK, dst_bytes);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            memcpy(want + (j * dst_step + i) * elem, src.at + (i * row_step + j) * elem, elem);
    kernel->transpose(dst.at, dst_step, src.at, row_step, rows, columns, width_log2);
    if (memcmp(dst.at, want, dst_bytes) != 0)
        fail_msg("%s: %zu rows of %zu, steps %zu and %zu, %zu bytes", kernel->row.name, rows,
                 columns, row_step, dst_step, elem);
    free(want);
    munmap(src.base, src.bytes);
    munmap(dst.base, dst.bytes);
}

static void compare_shapes(const struct slice_kernel *kernel)
{
    static const size_t lengths[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48 };

    for (unsigned width_log2 = 0; width_log2 < 4; width_log2++)
        for (size_t r = 0; r < sizeof lengths / sizeof *lengths; r++)
            for (size_t c = 0; c < sizeof lengths / sizeof *lengths; c++)
                for (size_t more = 0; more < 20; more += 9) {
                    compare(kernel, lengths[r], lengths[c], lengths[c] + more,
                            lengths[r] + more / 2, width_log2, 1);
                    compare(kernel, lengths[r], lengths[c], lengths[c] + more, lengths[r],
                            width_log2, 0);
                }
}

TEST(test_shapes)
{
    for (unsigned i = 0; i < slice_kernel_count; i++)
        if (cpu_has(slice_kernels[i].row.needs))
            compare_shapes(&slice_kernels[i]);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
