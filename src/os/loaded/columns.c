#include <locale.h>
#include <wchar.h>

#include "os/process.h"

int os_columns(uint32_t c)
{
    static locale_t utf8; /* wcwidth knows all characters in this locale only */
    locale_t before;
    int columns;

    if (!utf8)
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    before = uselocale(utf8); /* changes nothing if there is no such locale */
    columns = wcwidth((wchar_t)c);
    uselocale(before);
    return columns;
}
