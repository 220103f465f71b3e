#include "os/process.h"

/* A program that may find no locale knows widths other than 1 by a short table, of which the first
 * range with a character counts. */
static const struct {
    uint32_t first, last;
    int columns;
} ranges[] = {
#include "os/columns_rows.h"
};

int os_columns(uint32_t c)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return ranges[i].columns;
    return 1;
}
