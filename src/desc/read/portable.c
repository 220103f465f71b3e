#include <math.h>

#include "desc/read/reader.h"
#include "json/number.h"

/* What DxDispatch's parser refuses or reads otherwise (DxDispatch/src/model/JsonParsers.cpp). */

bool is_plain_integer(const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];
    int64_t v;

    return n->type == JSON_NUMBER &&
           number_int_literal(doc->clean + n->start, n->end - n->start, &v) != NUMBER_FRACTION;
}

void portable_number(struct reader *r, size_t node, enum dtype type)
{
    const struct json_node *n = &r->doc->nodes[node];
    const char *text = r->doc->clean + n->start, *name = dtype_name(type);
    size_t len = n->end - n->start;
    int shown = (int)(len < 40 ? len : 40);
    bool plain = is_plain_integer(r->doc, node);
    char rounded[NUMBER_TEXT], cut[NUMBER_TEXT];
    uint16_t half;
    uint64_t whole;
    double v;

    if (!r->fs->opt.portable || n->type != JSON_NUMBER || number_double(text, len, &v) != NUMBER_OK)
        return;
    if (dtype_table[type].kind != KIND_FLOAT) {
        if (!plain)
            finding_remedy(report(r, node, RULE_PORTABLE_INTEGER,
                                  "%.*s is not written as an integer, which DxDispatch requires "
                                  "for %s",
                                  shown, text, name));
    } else if (plain && fabs(v) >= 0x1p53 &&
               number_u64(text + (*text == '-'), len - (*text == '-'), &whole) == NUMBER_OK &&
               (fabs(v) >= 0x1p64 || (uint64_t)fabs(v) != whole))
        finding_hint(report(r, node, RULE_PORTABLE_FLOAT,
                            "%.*s is an integer of more than 53 bits, which DxDispatch does not "
                            "accept for %s",
                            shown, text, name),
                     "write %.*s.0", shown, text);
    else if (type == DT_FLOAT16 && number_half(text, len, &half) == NUMBER_OK &&
             fabs((double)half_to_float(half)) > fabs((double)(float)v)) {
        number_format_double(rounded, (double)half_to_float(half));
        number_format_half(cut, (uint16_t)(half - 1));
        finding_hint(report(r, node, RULE_PORTABLE_FLOAT,
                            "DxDispatch cuts %.*s off to %s instead of rounding it to FLOAT16",
                            shown, text, cut),
                     "write %s", rounded);
    }
}

void portable_name(struct reader *r, size_t node, const char *what, const char *name)
{
    if (str_is_word(name, strlen(name), "FOLD RESAMPLE3 UNFOLD WRAP", false))
        finding_remedy(
            report(r, node, RULE_PORTABLE_NAME, "DxDispatch does not know the %s %s", what, name));
}
