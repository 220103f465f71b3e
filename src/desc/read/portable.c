#include <math.h>
#include <string.h>

#include "desc/read/reader.h"
#include "json/number.h"
#include "tensor/element.h"

/* What DxDispatch's parser refuses or reads otherwise (DxDispatch/src/model/JsonParsers.cpp). */

bool is_plain_integer(const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];
    const char *text = doc->clean + n->start;
    size_t len = n->end - n->start;

    return n->type == JSON_NUMBER && !memchr(text, '.', len) && !memchr(text, 'e', len) &&
           !memchr(text, 'E', len);
}

/* True if FLOAT64 holds the integer; DxDispatch refuses others for floats. */
static bool is_lossless(const char *text, size_t len)
{
    uint64_t m;
    int64_t i = 0;

    if (number_u64(text, len, &m) != NUMBER_OK)
        m = number_i64(text, len, &i) == NUMBER_OK ? i64_magnitude(i) : 0; /* a FLOAT64 to it */
    while (m > 0 && m % 2 == 0)
        m /= 2;
    return m < (uint64_t)1 << 53;
}

void portable_number(struct reader *r, size_t node, enum dtype type)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start, *name = dtype_name(type);
    size_t len = n->end - n->start;
    int shown = (int)(len < 40 ? len : 40);
    bool plain = is_plain_integer(r->doc, node);
    char here[NUMBER_TEXT], there[NUMBER_TEXT];
    uint16_t half;
    double v;

    if (!r->fs->opt.portable || n->type != JSON_NUMBER)
        return;
    if (dtype_table[type].kind != KIND_FLOAT) {
        if (!plain)
            finding_remedy(report(r, RULE_PORTABLE_INTEGER,
                                  "%.*s is not written as an integer, which DxDispatch requires "
                                  "for %s",
                                  shown, text, name));
    } else if (plain && !is_lossless(text, len))
        finding_hint(report(r, RULE_PORTABLE_FLOAT,
                            "%.*s is an integer of more than 53 bits, which DxDispatch does not "
                            "accept for %s",
                            shown, text, name),
                     "write %.*s.0", shown, text);
    else if (type == DT_FLOAT16 && number_half(text, len, &half) == NUMBER_OK &&
             number_double(text, len, &v) == NUMBER_OK &&
             fabs((double)half_to_float(half)) > fabs((double)(float)v)) {
        number_format_double(here, (double)half_to_float(half));
        number_format_half(there, (uint16_t)(half - 1));
        finding_hint(report(r, RULE_PORTABLE_FLOAT,
                            "DxDispatch cuts %.*s off to %s instead of rounding it to FLOAT16",
                            shown, text, there),
                     "write %s", here);
    }
}

void portable_name(struct reader *r, const char *what, const char *name)
{
    static const char *const unknown[] = { "FOLD", "RESAMPLE3", "UNFOLD", "WRAP" };
    size_t i = 0;

    while (i < ARRAY_LEN(unknown) && strcmp(name, unknown[i]) != 0)
        i++;
    if (r->fs->opt.portable && i < ARRAY_LEN(unknown))
        finding_remedy(
            report(r, RULE_PORTABLE_NAME, "DxDispatch does not know the %s %s", what, name));
}
