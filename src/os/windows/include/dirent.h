#pragma once

#include <stdint.h>

/* The names in a folder, in UTF-8. */

struct dirent {
    uint64_t d_ino;
    unsigned char d_type;
    char d_name[3 * 260];
};

enum { DT_UNKNOWN, DT_REG };

typedef struct folder DIR;

DIR *opendir(const char *path);
struct dirent *readdir(DIR *d);
int dirfd(DIR *d);
int closedir(DIR *d);
