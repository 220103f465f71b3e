#include "io/npy_descr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/element.h"

/* Spellings without a size. A letter may follow a byte order, a name may not. */
static const struct {
    enum dtype type;
    const char *letters, *names;
} spellings[] = {
    { DT_FLOAT32, "f", " float32 single " },
    { DT_FLOAT16, "e", " float16 half " },
    { DT_FLOAT64, "d", " float64 double float float_ " },
    { DT_INT8, "b", " int8 byte " },
    { DT_INT16, "h", " int16 short " },
    { DT_INT32, "i", " int32 intc " },
    { DT_INT64, "lqpn", " int64 long longlong int int_ int0 intp " },
    { DT_UINT8, "B", " uint8 ubyte " },
    { DT_UINT16, "H", " uint16 ushort " },
    { DT_UINT32, "I", " uint32 uintc " },
    { DT_UINT64, "LQPN", " uint64 ulong ulonglong uint uint0 uintp " },
    { DT_NONE, "?", " bool bool_ bool8 " },
};

/* Finds f4, f, or if `names`, float32; DT_NONE is bool. */
static bool find_type(const char *s, bool names, enum dtype *type)
{
    char word[68], kind = '\0', *end = NULL;
    unsigned long size = strtoul(*s ? s + 1 : s, &end, 10); /* as NumPy: "f04", "f 4" */

    if (*s && *end == '\0' && end > s + 1)
        kind = *s;
    for (int t = DT_NONE + 1; t < DT_COUNT; t++)
        if (kind == dtype_table[t].npy[1] && size == dtype_table[t].size) {
            *type = (enum dtype)t;
            return true;
        }
    *type = DT_NONE;
    if (kind)
        return kind == 'b' && size == 1;
    snprintf(word, sizeof word, " %s ", s);
    for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
        *type = spellings[i].type;
        if (*s && (s[1] ? names && !strchr(s, ' ') && strstr(spellings[i].names, word)
                        : strchr(spellings[i].letters, *s) != NULL))
            return true;
    }
    return false;
}

/* Types that dmlop does not have, and what saves their numbers; the first row that fits counts. */
static const struct {
    const char *letters, *name, *remedy;
    unsigned long size; /* 0: any */
} foreign[] = {
    { "cFDG", "complex", "a.real and a.imag", 0 },
    { "O", "Python object", "a.astype(\"float32\")", 0 },
    { "Sa", "byte string", "a.astype(\"float32\")", 0 },
    { "U", "text string", "a.astype(\"float32\")", 0 },
    { "M", "date", "a.astype(\"int64\")", 0 },
    { "m", "time span", "a.astype(\"int64\")", 0 },
    { "V", "void; of ml_dtypes, a type of 8 or 4 bits",
      "a.view(T).astype(\"float32\"), where T is the type that it was, such as "
      "ml_dtypes.float8_e4m3fn",
      1 },
    { "V", "void", "a.view(T), where T is a type of the same size", 0 },
    { "t", "bit field", "numpy.unpackbits(a)", 0 },
    { "g", "long double float", "a.astype(\"float64\")", 0 },
    { "f", "long double float", "a.astype(\"float64\")", 12 },
    { "f", "long double float", "a.astype(\"float64\")", 16 },
    { "f", "unusual float", "a.astype(\"float32\")", 0 },
};

static bool refuse(const char *descr, const char *s, char *error)
{
    unsigned long size = strtoul(*s ? s + 1 : s, NULL, 10);

    for (size_t i = 0; i < ARRAY_LEN(foreign) && *s; i++)
        if (strchr(foreign[i].letters, *s) && (!foreign[i].size || foreign[i].size == size)) {
            snprintf(error, NPY_ERROR_TEXT, "NumPy type '%s' (%s) is not supported; save %s", descr,
                     foreign[i].name, foreign[i].remedy);
            return false;
        }
    snprintf(error, NPY_ERROR_TEXT, "unknown NumPy type '%s'", descr);
    return false;
}

static bool is_order(char c) { return c && strchr("<>=|", c); }

static char read_order(char **s, char otherwise) { return is_order(**s) ? *(*s)++ : otherwise; }

bool npy_read_descr(const char *descr, struct npy_header *h, char *error)
{
    char text[64], order, *s = text;
    size_t n;

    snprintf(text, sizeof text, "%s", descr);
    n = strlen(text);
    if (n > 0 && text[n - 1] == ',') /* one type alone, with a comma or without a shape */
        text[n - 1] = '\0';
    order = read_order(&s, '=');
    if (strncmp(s, "()", 2) == 0 || *s == '1') {
        s += *s == '1' ? 1 : 2;
        order = read_order(&s, order);
    }
    if (find_type(s, s == text || !is_order(s[-1]), &h->type)) {
        h->is_bool = h->type == DT_NONE;
        h->type = h->is_bool ? DT_UINT8 : h->type;
    } else if (strcmp(s, "V2") == 0)
        h->type = DT_BFLOAT16;
    else
        return refuse(descr, s, error);
    h->swapped =
        dtype_size(h->type) > 1 && (order == '>' || order == '<') && (order == '>') != BIG_MACHINE;
    return true;
}
