#include "json/write.h"

#include <math.h>

#include "json/number.h"

static void start_line(struct json_writer *w)
{
    str_printf(w->out, "\n%*s", (int)w->indent, "");
    w->new_line = false;
}

/* Writes the comma, the blank or line break and the key before a value. */
static void start_value(struct json_writer *w, const char *key)
{
    bool spaced = w->any || (w->depth > 0 && w->open[w->depth - 1][1] == ' ');

    if (w->any)
        str_puts(w->out, ",");
    if (w->new_line)
        start_line(w);
    else if (spaced)
        str_puts(w->out, " ");
    if (key)
        str_printf(w->out, "\"%s\": ", key);
    w->any = w->depth > 0;
}

void json_open(struct json_writer *w, const char *key, const char *brackets)
{
    assert(w->depth < JSON_WRITE_DEPTH);
    start_value(w, key);
    str_add(w->out, brackets, 1);
    w->open[w->depth++] = brackets;
    w->any = false;
}

void json_close(struct json_writer *w)
{
    const char *brackets;

    assert(w->depth > 0);
    brackets = w->open[--w->depth];
    if (w->new_line) {
        start_line(w);
        brackets = strchr(brackets, '\0') - 2;
    }
    str_puts(w->out, brackets + 1);
    w->any = w->depth > 0;
}

void json_close_to(struct json_writer *w, unsigned depth)
{
    while (w->depth > depth)
        json_close(w);
}

void json_line(struct json_writer *w, unsigned indent)
{
    w->new_line = true;
    w->indent = indent;
}

void json_string(struct json_writer *w, const char *key, const char *s)
{
    start_value(w, key);
    str_puts(w->out, "\"");
    str_add_json(w->out, s, strlen(s));
    str_puts(w->out, "\"");
}

void json_str(struct json_writer *w, const char *key, struct str *text)
{
    json_string(w, key, text->s ? text->s : "");
    w->out->failed = w->out->failed || text->failed;
    str_free(text);
}

void json_stringf(struct json_writer *w, const char *key, const char *fmt, ...)
{
    struct str text = { 0 };
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    json_str(w, key, &text);
}

void json_uint(struct json_writer *w, const char *key, uint64_t v)
{
    start_value(w, key);
    str_printf(w->out, "%ju", v);
}

void json_int(struct json_writer *w, const char *key, int64_t v)
{
    start_value(w, key);
    str_printf(w->out, "%jd", v);
}

/* The shortest number that reads back to v, or "nan", "inf" or "-inf". */
static void write_double(struct json_writer *w, const char *key, double v)
{
    char text[NUMBER_TEXT];

    if (!isfinite(v)) {
        json_string(w, key, number_special_name(v));
        return;
    }
    number_format_double(text, v);
    json_raw(w, key, text);
}

void json_bool(struct json_writer *w, const char *key, bool v)
{
    start_value(w, key);
    str_puts(w->out, v ? "true" : "false");
}

void json_uints(struct json_writer *w, const char *key, const uint64_t v[], size_t n)
{
    json_open(w, key, "[]");
    for (size_t i = 0; i < n; i++)
        json_uint(w, NULL, v[i]);
    json_close(w);
}

void json_raw(struct json_writer *w, const char *key, const char *json)
{
    start_value(w, key);
    for (;;) {
        size_t n = strcspn(json, "\n");

        str_add(w->out, json, n);
        if (json[n] == '\0')
            return;
        json += n + 1;
        start_line(w);
    }
}

/* Writes the value that a conversion describes, such as %zu. */
static void write_conversion(struct json_writer *w, const char *key, const char *conversion,
                             va_list *ap)
{
    if (*conversion == 's')
        json_string(w, key, va_arg(*ap, const char *));
    else if (*conversion == 'd')
        json_bool(w, key, va_arg(*ap, int) != 0);
    else if (*conversion == 'i')
        json_int(w, key, va_arg(*ap, int));
    else if (*conversion == 'g')
        write_double(w, key, va_arg(*ap, double));
    else if (*conversion == 'z')
        json_uint(w, key, va_arg(*ap, size_t));
    else if (*conversion == 'u')
        json_uint(w, key, va_arg(*ap, unsigned));
    else /* ju */
        json_uint(w, key, va_arg(*ap, uint64_t));
}

void json_format(struct json_writer *w, const char *fmt, ...)
{
    char text[32], *key = NULL;
    va_list ap;

    va_start(ap, fmt);
    for (size_t n; *fmt; fmt += n) {
        bool tight = !strchr(" \n", fmt[1]); /* also " \n"'s NUL, the end of the format */

        n = strchr("{[]}", *fmt) ? 1 : strcspn(fmt, " \n]}");
        if (n == 0) {
            n = strspn(fmt + 1, " ") + 1;
            if (*fmt == '\n')
                json_line(w, (unsigned)n - 1);
            continue;
        }
        if (fmt[n - 1] == ':') {
            snprintf(text, sizeof text, "%.*s", (int)n - 1, fmt);
            key = text;
            continue;
        }
        if (*fmt == '%')
            write_conversion(w, key, fmt + 1, &ap);
        else if (*fmt == '{')
            json_open(w, key, w->tight || tight ? "{}" : "{ }");
        else if (*fmt == '[')
            json_open(w, key, w->tight || tight ? "[]" : "[ ]");
        else
            json_close(w);
        key = NULL;
    }
    va_end(ap);
}
