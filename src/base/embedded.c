#include "base/embedded.h"

#include <stddef.h>
#include <string.h>

const char *embedded_find(const struct embedded *files, const char *name)
{
    while (files->name && strcmp(files->name, name) != 0)
        files++;
    return files->text;
}
