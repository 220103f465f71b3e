#include "cli/number_text.h"

#include <math.h>

#include "json/notation_lex.h"
#include "json/number.h"

/* Writes a number as JSON writes it, also a hexadecimal one. Returns its length, 0 for other texts.
 */
static size_t to_json(const char *text, char json[NUMBER_RELAXED + 1])
{
    size_t n = strlen(text), length = number_relaxed(text, n, json);

    if (length == 0 && strpbrk(text, "xX") && notation_number(text, n, json) == n)
        return strlen(json);
    json[length] = '\0';
    return length;
}

/* Reads NaN and the infinities as JSON tensors, NumPy and C write them. */
static bool read_special(const char *text, double *v)
{
    size_t plus = *text == '+' && tolower((unsigned char)text[1]) == 'i', n = strlen(text += plus);

    n -= n >= 8 && strcasecmp(text + n - 8, "infinity") == 0 ? 5 : 0;
    return number_special(text, n, v);
}

/* Reads a fraction such as 1/255. */
static bool read_fraction(const char *text, double *v)
{
    const char *slash = strchr(text, '/');
    char above[NUMBER_MAX + 1], json[NUMBER_RELAXED + 1];
    double below;

    if (!slash || slash - text > NUMBER_MAX)
        return false;
    snprintf(above, sizeof above, "%.*s", (int)(slash - text), text);
    if (number_double(json, to_json(above, json), v) != NUMBER_OK ||
        number_double(json, to_json(slash + 1, json), &below) != NUMBER_OK)
        return false;
    *v /= below;
    return true;
}

/* Reads a hexadecimal number such as 0x1p-3, exactly up to 53 bits. */
static bool read_hexadecimal(const char *text, double *v)
{
    char *end;

    if (!strpbrk(text, "xX") || isspace((unsigned char)*text))
        return false;
    *v = strtod(text, &end);
    return *end == '\0';
}

/* Reads what is a number of a float type and not written as in JSON. */
static bool read_float(const char *text, double *v)
{
    return read_special(text, v) || read_fraction(text, v) || read_hexadecimal(text, v);
}

/* True if text is a number, however large, or the name of a NaN or an infinity. */
static bool is_any(const char *text)
{
    char json[NUMBER_RELAXED + 1];
    double v;

    return to_json(text, json) > 0 || read_float(text, &v);
}

bool number_text_whole(const char *text, size_t n, int64_t *v)
{
    enum number_result result = number_int_literal(text, n, v);

    if (result == NUMBER_RANGE)
        *v = *text == '-' ? INT64_MIN : INT64_MAX;
    return result == NUMBER_OK || result == NUMBER_RANGE;
}

bool number_text_scalar(const char *text, bool is_float, struct scalar *s)
{
    char json[NUMBER_RELAXED + 1];
    size_t n = number_relaxed(text, strlen(text), json);
    int64_t v;

    *s = (struct scalar){ .is_float = is_float };
    if (is_float)
        return number_double(json, n, &s->f) == NUMBER_OK;
    if (number_i64(json, n, &v) != NUMBER_OK)
        return number_u64(json, n, &s->magnitude) == NUMBER_OK;
    s->negative = v < 0;
    s->magnitude = i64_magnitude(v);
    return true;
}

bool number_text_element(const char *text, enum dtype type, void *at)
{
    bool is_float = dtype_table[type].kind == KIND_FLOAT;
    char json[NUMBER_RELAXED + 1];
    size_t n = to_json(text, json);
    struct scalar s = { .is_float = true };

    if (is_float && read_float(text, &s.f))
        return scalar_store(&s, type, at) == SCALAR_FITS;
    if (type == DT_FLOAT32) /* rounded once */
        return number_float(json, n, at) == NUMBER_OK;
    if (type == DT_FLOAT16)
        return number_half(json, n, at) == NUMBER_OK;
    return n > 0 && number_text_scalar(json, is_float, &s) &&
           scalar_store(&s, type, at) == SCALAR_FITS;
}

/* Copies n bytes that are a number, also one that only C or Python can read; false for others. */
static bool copy_number(const char *s, size_t n, char number[NUMBER_MAX + 1])
{
    char json[NOTATION_NUMBER];

    if (n == 0 || n > NUMBER_MAX)
        return false;
    memcpy(number, s, n);
    number[n] = '\0';
    return is_any(number) || notation_number(number, n, json) == n;
}

/* True for one number, a whole one if `whole`, with or without a comma after it. */
static bool is_number(const char *word, bool whole)
{
    size_t n = strlen(word), sign = *word == '+';
    char number[NUMBER_MAX + 1];
    int64_t v;

    n -= n > 0 && word[n - 1] == ',';
    return whole ? number_text_whole(word + sign, n - sign, &v) : copy_number(word, n, number);
}

bool number_list_goes_on(const struct option_list *words, const char *word, bool whole)
{
    const char *first = words->v[0] + strspn(words->v[0], " \t");

    if (!*first || !strchr("{[(", *first))
        return is_number(words->v[words->n - 1], whole) && is_number(word, whole);
    for (size_t i = 0; i < words->n; i++)
        if (strpbrk(words->v[i], "}])"))
            return false;
    return strspn(word, whole ? "0123456789+-, \t)]}"
                              : "0123456789abcdefxpinABCDEFXPIN+-./, \t)]}") == strlen(word) &&
           (strpbrk(word, "0123456789,)]}") || is_any(word));
}

size_t number_list_count(const struct option_list *words)
{
    char number[NUMBER_MAX + 1];
    struct list_entries e;

    if (!list_split(words, &e))
        return 0;
    for (size_t i = 0; i < e.n; i++)
        if (!copy_number(e.v[i].s, e.v[i].n, number))
            return 0;
    return e.n;
}

enum status number_list_store(const char *option, const struct option_list *words, enum dtype type,
                              void *at, struct diag *dg)
{
    char number[NUMBER_MAX + 1], json[NOTATION_NUMBER];
    struct list_entries e;

    list_split(words, &e);
    for (size_t i = 0; i < e.n; i++) {
        copy_number(e.v[i].s, e.v[i].n, number);
        if (number_text_element(number, type, (char *)at + i * dtype_size(type)))
            continue;
        if (!is_any(number) && notation_number(number, e.v[i].n, json) > 0)
            return diag_usage(dg, "%s: '%s' is not how a number is written here; write %s", option,
                              number, json);
        if (type == DT_FLOAT32) { /* an overflow */
            ((float *)at)[i] = *number == '-' ? -INFINITY : INFINITY;
            continue;
        }
        return diag_input(dg, NULL,
                          "%s: %s is not a value of type %s; give a whole number %jd to %ju",
                          option, number, dtype_name(type), dtype_min(type), dtype_max(type));
    }
    return ST_OK;
}

enum status coordinates_read(const char *option, const struct option_list *words, unsigned rank,
                             const uint64_t *sizes, unsigned least, uint64_t *c, struct diag *dg)
{
    const struct sizes_text shown = tensor_sizes_text(rank, sizes);
    struct list_entries e = { .n = 0 };
    struct str text = { 0 };
    bool whole = list_split(words, &e);
    int64_t v;

    memset(c, 0, rank * sizeof *c);
    for (size_t i = 0; i < e.n && whole; i++)
        whole = number_text_whole(e.v[i].s, e.v[i].n, &v);
    if (!whole)
        return list_refuse(dg, ST_USAGE, option, words,
                           "is not a list of whole numbers, one for each axis of the output, which "
                           "is %s",
                           shown.text);
    if (e.n != rank && e.n != least)
        return list_refuse(dg, ST_INPUT, option, words,
                           "has %zu coordinate%s, but the output is %s; give %u%s", e.n,
                           e.n == 1 ? "" : "s", shown.text, rank,
                           least == rank ? "" : ", or only row and column");
    for (size_t i = 0; i < e.n; i++) {
        size_t axis = rank - e.n + i;

        number_text_whole(e.v[i].s, e.v[i].n, &v);
        if (v < 0 && sizes[axis] <= INT64_MAX)
            v += (int64_t)sizes[axis];
        c[axis] = (uint64_t)v;
        if (v >= 0 && c[axis] < sizes[axis])
            continue;
        str_printf(&text, "%s: %.*s in '", option, (int)e.v[i].n, e.v[i].s);
        list_add_text(&text, words);
        str_printf(&text, "' is outside axis %zu of the output, which is %s; use 0 to %ju", axis,
                   shown.text, sizes[axis] - 1);
        return diag_str(dg, ST_INPUT, NULL, &text);
    }
    return ST_OK;
}

static const char opening[] = "{[(", closing[] = "}])";

struct state {
    struct list_entries *entries;
    char close;  /* the bracket that must end the list; 0: none */
    bool closed; /* after that bracket */
    bool comma;  /* after a comma */
};

/* Reads a bracket or a comma; false if it must not come here. */
static bool read_mark(struct state *st, char c)
{
    const char *bracket = strchr(opening, c);

    if (bracket && !st->close && st->entries->n == 0) {
        st->close = closing[bracket - opening];
    } else if (c == ',' && st->entries->n > 0 && !st->comma) {
        st->comma = true;
    } else if (c == st->close && st->entries->n > 0) {
        st->closed = true;
        st->comma = false; /* as Python's (3,) */
    } else
        return false;
    return true;
}

static bool read_word(struct state *st, const char *p)
{
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
        size_t n = strcspn(p, " \t,{[()]}");

        if (st->closed)
            return false;
        if (n == 0) {
            if (!read_mark(st, *p++))
                return false;
            continue;
        }
        if (st->entries->n == LIST_ENTRIES_MAX)
            return false;
        st->entries->v[st->entries->n].s = p;
        st->entries->v[st->entries->n++].n = n;
        st->comma = false;
        p += n;
    }
    return true;
}

bool list_split(const struct option_list *words, struct list_entries *entries)
{
    struct state st = { .entries = entries };

    entries->n = 0;
    for (size_t i = 0; i < words->n; i++)
        if (!read_word(&st, words->v[i]))
            return false;
    return entries->n > 0 && !st.comma && st.closed == (st.close != 0);
}

void list_add_text(struct str *b, const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        str_printf(b, "%s%s", i ? " " : "", words->v[i]);
}

enum status list_refuse(struct diag *dg, enum status st, const char *option,
                        const struct option_list *words, const char *fmt, ...)
{
    struct str text = { 0 };
    va_list ap;

    str_printf(&text, "%s: '", option);
    list_add_text(&text, words);
    str_puts(&text, "' ");
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    return diag_str(dg, st, NULL, &text);
}

static bool is_empty(const struct option_list *words)
{
    for (size_t i = 0; i < words->n; i++)
        if (words->v[i][strspn(words->v[i], " \t")])
            return false;
    return true;
}

static bool read_integers(const struct option_list *words, struct integers *list)
{
    struct list_entries entries = { .n = 0 };

    list->n = 0;
    if (!is_empty(words) && !list_split(words, &entries))
        return false;
    for (; list->n < entries.n; list->n++)
        if (list->n == TENSOR_MAX_RANK ||
            number_int_literal(entries.v[list->n].s, entries.v[list->n].n, &list->v[list->n]) !=
                NUMBER_OK)
            return false;
    return true;
}

enum status list_axes(const char *option, const struct option_list *words, struct integers *list,
                      struct diag *dg)
{
    return read_integers(words, list)
               ? ST_OK
               : list_refuse(dg, ST_USAGE, option, words, "is not a list of axes, such as 1,0");
}

enum status list_sizes(const char *option, const struct option_list *words, bool computed,
                       struct integers *list, struct diag *dg)
{
    unsigned left = computed;

    if (!read_integers(words, list))
        return list_refuse(dg, ST_USAGE, option, words,
                           "is not a list of at most 32 sizes, such as 2,3");
    for (unsigned i = 0; i < list->n; i++) {
        if (list->v[i] >= 0)
            continue;
        if (list->v[i] < -1 || left == 0)
            return list_refuse(dg, ST_USAGE, option, words,
                               "is not a list of sizes: each is 0 or more%s",
                               computed ? ", and one of them may be -1" : "");
        left--;
    }
    return ST_OK;
}

struct integers_text integers_text(const struct integers *list)
{
    struct integers_text s = { "" };
    char *p = s.text;

    for (unsigned i = 0; i < list->n; i++)
        p += sprintf(p, "%s%jd", i ? "," : "", list->v[i]);
    return s;
}
