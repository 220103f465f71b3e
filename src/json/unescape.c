#include <cJSON.h>

#include "base/mem.h"
#include "json/lex.h"

char *json_unescaped(const char *token, size_t n)
{
    cJSON *string = cJSON_ParseWithLength(token, n);
    char *copy = string ? mem_strdup(string->valuestring) : NULL;

    cJSON_Delete(string);
    return copy;
}
