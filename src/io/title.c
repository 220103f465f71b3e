#include "io/kind.h"

size_t title_find(const struct input *in)
{
    static const char sizes[] = "(Sizes:";
    const char *text = (const char *)in->data, *p = text + text_start(in), *end, *found;
    size_t len = u64_min(in->len, KIND_PREFIX);

    found = len > 0 ? memmem(text, len, sizes, strlen(sizes)) : NULL;
    if (!found)
        return 0;
    for (end = found; end > p && isspace((unsigned char)end[-1]); end--)
        ;
    if (end > p && (end[-1] != ':' || memchr(p, '\n', (size_t)(end - p)) || strchr("[{", *p) ||
                    strncmp(p, "//", 2) == 0 || strncmp(p, "/*", 2) == 0)) /* JSON */
        return 0;
    return (size_t)(found - text) + 1;
}

bool kind_may_be_json(const struct input *in)
{
    size_t i = text_start(in);

    return i < in->len && in->data[i] && strchr("[{\"-/0123456789tfnNIi", in->data[i]);
}
