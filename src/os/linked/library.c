#include <lzma.h>
#include <stdint.h>
#include <string.h>
#include <zip.h>

#include "os/process.h"

/* Libraries are part of the program. */

void *os_library(const char *const *names) { return (void *)(uintptr_t)names; }

bool os_library_symbol(void *library, const char *name, void *function)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {
#define FUNCTION(name) { #name, (void (*)(void))name }
        FUNCTION(zip_fdopen),
        FUNCTION(zip_discard),
        FUNCTION(zip_get_num_entries),
        FUNCTION(zip_name_locate),
        FUNCTION(zip_stat_index),
        FUNCTION(zip_fopen_index),
        FUNCTION(zip_fread),
        FUNCTION(zip_fclose),
        FUNCTION(lzma_properties_decode),
        FUNCTION(lzma_raw_buffer_decode),
        FUNCTION(lzma_crc32),
#undef FUNCTION
    };

    (void)library;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) {
            memcpy(function, &all[i].function, sizeof all[i].function);
            return true;
        }
    return false;
}
