#include "run/show_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/element.h"
#include "tensor/element.h"
#include "tensor/scalar.h"

/* Removes the zeros that end the fraction of text[0..n-1], and a decimal point that is then last.
 * Returns the new length. */
static size_t trim_fraction(char *text, size_t n)
{
    if (!memchr(text, '.', n))
        return n;
    while (text[n - 1] == '0')
        n--;
    n -= text[n - 1] == '.';
    text[n] = '\0';
    return n;
}

/* v with an exponent as number_format_double writes it: 1.5e-7, not 1.500e-07. */
static void write_exponent(double v, int precision, char *buf)
{
    char text[NUMBER_TEXT];
    const char *sign, *digits;
    size_t n;

    snprintf(text, sizeof text, "%.*e", precision, v);
    n = strcspn(text, "e");
    sign = text[n + 1] == '-' ? "-" : "";
    digits = text + n + 2;
    digits += *digits == '0'; /* there are two at least */
    n = trim_fraction(text, n);
    snprintf(buf, NUMBER_TEXT, "%.*se%s%s", (int)n, text, sign, digits);
}

/* Rounds v, whose exact text is in buf, to digits after the decimal point. */
static void round_text(double v, int precision, char *buf)
{
    const char *point = strchr(buf, '.');
    size_t digits = point ? strcspn(point + 1, "e") : 0;

    if (digits <= (size_t)precision)
        return;
    if (point[1 + digits] == 'e') {
        write_exponent(v, precision, buf);
        return;
    }
    snprintf(buf, NUMBER_TEXT, "%.*f", precision, v);
    if (strspn(buf, "-0.") == strlen(buf))
        write_exponent(v, precision, buf);
    else
        trim_fraction(buf, strlen(buf));
}

void show_value_text(const struct show_column *c, const void *element, char *buf)
{
    const struct dtype_info *type = &dtype_table[c->type];
    unsigned char native[8];
    struct scalar s;

    element_store(native, type->width_log2,
                  element_load_swapped(element, type->width_log2, c->swapped));
    element_text(c->type, native, false, buf);
    if (c->precision < 0 || type->kind != KIND_FLOAT)
        return;
    s = scalar_load(c->type, false, native);
    if (isfinite(s.f) && s.f != 0) /* "-0.0" stays */
        round_text(s.f, c->precision, buf);
}

/* Whether the text is a NaN or an infinity. */
static bool is_special(const char *text)
{
    return strpbrk(text, "in") != NULL;
}

void show_column_measure(struct show_column *c, const void *element)
{
    char text[NUMBER_TEXT];
    unsigned n, before;

    show_value_text(c, element, text);
    n = (unsigned)strlen(text);
    if (is_special(text)) {
        c->special = n > c->special ? n : c->special;
        return;
    }
    before = (unsigned)strcspn(text, ".e");
    c->before = before > c->before ? before : c->before;
    c->after = n - before > c->after ? n - before : c->after;
}

unsigned show_column_width(const struct show_column *c)
{
    unsigned n = c->before + c->after;

    return n > c->special ? n : c->special;
}

void show_column_add(const struct show_column *c, const void *element, struct str *out)
{
    char text[NUMBER_TEXT];
    unsigned width = show_column_width(c), n, right = 0;

    show_value_text(c, element, text);
    n = (unsigned)strlen(text);
    if (!is_special(text))
        right = c->after - (n - (unsigned)strcspn(text, ".e"));
    str_printf(out, "%*s%s%*s", (int)(width - n - right), "", text, (int)right, "");
}
