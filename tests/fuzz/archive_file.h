#pragma once

#include "folder.h"
#include "fuzz.h"

/* A file for archives in a folder of its own, under a name that ends in .npz; removed at exit. */
static struct {
    char folder[FOLDER_PATH], path[FOLDER_PATH + 16];
} archive_file;

static void leave(void)
{
    unlink(archive_file.path);
    rmdir(archive_file.folder);
}

static void begin(void)
{
    if (!mkdtemp(folder_template(archive_file.folder, "fuzz")))
        fuzz_fail("no temporary folder");
    snprintf(archive_file.path, sizeof archive_file.path, "%s/x.npz", archive_file.folder);
    atexit(leave);
}

/* The CRC-32 of zip archives. */
static uint32_t checksum(const uint8_t *p, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
    }
    return ~crc;
}
