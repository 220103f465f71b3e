#include "base/str.h"

#include "base/mem.h"
#include "os/process.h"

/* Room for n more bytes and a NUL. */
static bool reserve(struct str *b, size_t n)
{
    b->failed = b->failed || !mem_reserve(&b->s, b->len + n, &b->cap, 1);
    return !b->failed;
}

void str_add(struct str *b, const char *bytes, size_t n)
{
    if (!reserve(b, n))
        return;
    memcpy(b->s + b->len, bytes, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void str_vprintf(struct str *b, const char *fmt, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        b->failed = true;
    else if (reserve(b, (size_t)n)) {
        vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void str_printf(struct str *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(b, fmt, ap);
    va_end(ap);
}

size_t str_utf8_length(const char *bytes, size_t n)
{
    const unsigned char *s = (const unsigned char *)bytes;
    unsigned char c = s[0];
    size_t len = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) || (c == 0xf0 && s[1] < 0x90) ||
        (c == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

unsigned str_utf8_decode(const char *bytes, size_t len)
{
    const unsigned char *s = (const unsigned char *)bytes;
    unsigned c = len > 1 ? s[0] & (0x7fu >> len) : s[0];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | (s[i] & 0x3fu);
    return c;
}

bool str_is_word(const char *s, size_t n, const char *words, bool any_case)
{
    for (size_t len; *words; words += len + strspn(words + len, " \n")) {
        len = strcspn(words, " \n");
        if (len == n && (any_case ? strncasecmp : strncmp)(s, words, n) == 0)
            return true;
    }
    return false;
}

size_t str_width(const char *bytes, size_t n)
{
    size_t width = 0;

    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        int columns = -1;

        len = str_utf8_length(bytes + i, n - i);
        if (len > 1)
            columns = os_columns(str_utf8_decode(bytes + i, len));
        width += columns < 0 ? 1 : (size_t)columns;
    }
    return width;
}

/* The character to escape at the start of n bytes (1 or more), 0 if there is none: a control
 * character, also of C1 (U+0080 to U+009F), a separator of lines, a mark of the direction of text,
 * which shows it in another order, or a byte of invalid UTF-8, which some terminals read as C1. */
static unsigned special(const char *bytes, size_t n)
{
    size_t len = str_utf8_length(bytes, n);
    unsigned c = str_utf8_decode(bytes, len);
    bool mark = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
                (c >= 0x2066 && c <= 0x2069);

    return len == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0) || (len > 1 && mark) ? c : 0;
}

size_t str_escape(const char *bytes, size_t n, char out[STR_ESCAPE], size_t *used)
{
    size_t len = str_utf8_length(bytes, n);
    unsigned c = special(bytes, n);

    *used = len ? len : 1;
    if (c == 0 && *bytes) {
        memcpy(out, bytes, len);
        return len;
    }
    if (c == '\n' || c == '\t' || c == '\r')
        return (size_t)snprintf(out, STR_ESCAPE, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    return (size_t)snprintf(out, STR_ESCAPE, len <= 1 ? "\\x%02x" : "\\u%04x", c);
}

static void add_escaped(struct str *b, const char *bytes, size_t n, bool tabs)
{
    char out[STR_ESCAPE];
    size_t used;

    for (size_t i = 0; i < n; i += used) {
        size_t length = str_escape(bytes + i, n - i, out, &used);

        if (tabs && bytes[i] == '\t')
            str_puts(b, "\t");
        else
            str_add(b, out, length);
    }
}

void str_add_escaped(struct str *b, const char *bytes, size_t n)
{
    add_escaped(b, bytes, n, false);
}

void str_add_line(struct str *b, const char *bytes, size_t n) { add_escaped(b, bytes, n, true); }

void str_add_json(struct str *b, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)bytes[i];
        size_t len = str_utf8_length(bytes + i, n - i);

        if (len == 0)
            str_puts(b, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            str_printf(b, "\\%c", c);
        else if (c == '\n')
            str_puts(b, "\\n");
        else if (c == '\t')
            str_puts(b, "\\t");
        else if (c < 0x20 || special(bytes + i, n - i))
            str_printf(b, "\\u%04x", special(bytes + i, n - i));
        else
            str_add(b, bytes + i, len);
        i += len ? len : 1;
    }
}

char *str_detach(struct str *b)
{
    char *s = NULL;

    str_add(b, "", 0); /* an empty text is one, too */
    if (!b->failed) {
        s = b->s;
        b->s = NULL;
    }
    str_free(b);
    return s;
}

void str_free(struct str *b)
{
    free(b->s);
    *b = (struct str){ 0 };
}

void str_done(struct str *b, bool *failed)
{
    *failed = *failed || b->failed;
    str_free(b);
}

char *str_format(const char *fmt, ...)
{
    struct str b = { 0 };
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(&b, fmt, ap);
    va_end(ap);
    return str_detach(&b);
}

enum { NEAREST_MAX = 64 }; /* longer names get no suggestion */

/* The cost of a substitution: 2; 1 if only the case differs, 3 between a digit and another byte:
 * SLIC1 lacks a letter rather than having a wrong one. */
static unsigned differ(char a, char b)
{
    if (a == b)
        return 0;
    if (tolower((unsigned char)a) == tolower((unsigned char)b))
        return 1;
    return !isdigit((unsigned char)a) == !isdigit((unsigned char)b) ? 2 : 3;
}

static bool separates(char c) { return c == '_' || c == '-' || c == ' '; }

/* The cost of an insertion or deletion. */
static unsigned extra(char c) { return separates(c) ? 1 : 2; }

/* Damerau-Levenshtein distance (restricted), an edit costing 1 to 3. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned rows[3][NEAREST_MAX + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];

    above[0] = 0;
    for (size_t j = 1; j <= nb; j++)
        above[j] = above[j - 1] + extra(b[j - 1]);
    for (size_t i = 1; i <= na; i++) {
        unsigned *oldest = before;

        row[0] = above[0] + extra(a[i - 1]);
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = above[j - 1] + differ(a[i - 1], b[j - 1]);

            if (above[j] + extra(a[i - 1]) < best)
                best = above[j] + extra(a[i - 1]);
            if (row[j - 1] + extra(b[j - 1]) < best)
                best = row[j - 1] + extra(b[j - 1]);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 2 < best)
                best = before[j - 2] + 2;
            row[j] = best;
        }
        before = above;
        above = row;
        row = oldest;
    }
    return above[nb];
}

bool str_same_letters(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (separates(*a))
            a++;
        while (separates(*b))
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

bool str_near(const char *name, const char *other, unsigned *cost)
{
    size_t n = strlen(name), m = strlen(other);

    if (n == 0 || n > NEAREST_MAX || m == 0 || m > NEAREST_MAX)
        return false;
    *cost = distance(name, n, other, m);
    return *cost <= 2 * ((n > m ? n : m) / 3) || str_same_letters(name, other);
}

size_t str_nearest_all(const char *name, const char *const names[], size_t n, size_t found[],
                       size_t most)
{
    unsigned best = UINT32_MAX, cost;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (!names[i] || !str_near(name, names[i], &cost) || cost > best)
            continue;
        count = cost < best ? 0 : count;
        best = cost;
        if (count < most)
            found[count++] = i;
    }
    return count;
}

size_t str_nearest(const char *name, const char *const names[], size_t n)
{
    size_t found;

    return str_nearest_all(name, names, n, &found, 1) ? found : n;
}
