#include "driver/driver.h"
#include "json/decimal.h"
#include "kernel/qmatmul/qmatmul.h"

enum {
    SHOWN_ROWS = 32,
    SHOWN_FIRST = 24, /* of the products: all, or the first if there are more */
    RATIO_DIGITS = 20,
    RATIO_TEXT = 48, /* bytes */
};

/* Returns m < 2^24 with |f| = m * 2^*exponent. */
static uint32_t whole_part(float f, int *exponent)
{
    float fraction = frexpf(fabsf(f), exponent);

    *exponent -= 24;
    return (uint32_t)ldexpf(fraction, 24);
}

/* Writes the digits of n / d, by long division, from the first to the last that is not 0, and
 * returns the first one's power of ten. *more: digits are left over. n must not be 0. */
static int make_digits(const struct big *n, uint32_t d, char digits[RATIO_DIGITS + 1], bool *more)
{
    int last = 0, count = 0, power = 0, at = LIMB_DIGITS * n->n - 1;
    uint64_t rest = 0;

    while (big_digit(n, last) == 0)
        last++;
    for (; count < RATIO_DIGITS && (at >= last || rest > 0); at--) {
        rest = rest * 10 + (at >= 0 ? big_digit(n, at) : 0);
        if (count == 0)
            power = at;
        if (count > 0 || rest >= d)
            digits[count++] = (char)('0' + rest / d);
        rest %= d;
    }
    *more = at >= last || rest > 0;
    while (!*more && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    return power;
}

/* Writes digits, the first of weight 10^power, to text[RATIO_TEXT - 1]. */
static void place_point(char *text, const char *digits, int power, bool more)
{
    int n = (int)strlen(digits), whole = power + 1;
    const char *dots = more ? "..." : "";

    if (power < -5 || power >= RATIO_DIGITS || (more && whole >= n))
        snprintf(text, RATIO_TEXT - 1, "%.1s%s%s%se%+03d", digits, n > 1 || more ? "." : "",
                 digits + 1, dots, power);
    else if (whole <= 0)
        snprintf(text, RATIO_TEXT - 1, "0.%.*s%s%s", -whole, "0000", digits, dots);
    else if (n > whole)
        snprintf(text, RATIO_TEXT - 1, "%.*s.%s%s", whole, digits, digits + whole, dots);
    else
        snprintf(text, RATIO_TEXT - 1, "%s%.*s", digits, whole - n, "00000000000000000000");
}

/* Writes sum * a * b / c, for finite floats and c not 0: all digits if they are at most
 * RATIO_DIGITS, else the first ones, not rounded, and "...". Returns text. */
static const char *ratio_exact(int64_t sum, float a, float b, float c, char text[RATIO_TEXT])
{
    bool negative = (sum < 0) ^ (a < 0) ^ (b < 0) ^ (c < 0), more;
    struct big n = big_of(i64_magnitude(sum));
    char digits[RATIO_DIGITS + 1];
    int ea, eb, ec, e, power;
    uint32_t d = whole_part(c, &ec);

    if (sum == 0 || a == 0 || b == 0)
        return memcpy(text, "0", 2);
    /* fits: at most 2^111 * 5^448, which has 347 digits */
    big_multiply(&n, whole_part(a, &ea));
    big_multiply(&n, whole_part(b, &eb));
    e = ea + eb - ec;
    for (int i = 0; i < abs(e); i++) /* 2^e = 5^-e * 10^e */
        big_multiply(&n, e > 0 ? 2 : 5);
    if (negative)
        text[0] = '-';
    power = make_digits(&n, d, digits, &more) + (e < 0 ? e : 0);
    place_point(text + negative, digits, power, more);
    return text;
}

struct element {
    const struct inputs *in;
    uint64_t c[DML_MAX_RANK]; /* its index in the output */
    unsigned rank;
    uint64_t k;
    int64_t za, zb, sum;
};

/* The value of a matrix at a row and column of the element's product. */
static int64_t matrix_at(const struct element *e, unsigned slot, uint64_t row, uint64_t column)
{
    const struct tensor *t = &e->in->v[slot].view;
    uint64_t c[DML_MAX_RANK];
    struct scalar s;

    memcpy(c, e->c, sizeof c);
    c[e->rank - 2] = row;
    c[e->rank - 1] = column;
    s = scalar_load(t->type, false, tensor_at(t, c));
    return (int64_t)scalar_double(&s);
}

/* The scale or zero point of the element's row or column; 0 if it is not given. */
static double parameter_at(const struct element *e, unsigned slot)
{
    unsigned from_right = schema_tensor(op_schema(OP_QMATMUL), slot)->use.from_right;
    const struct tensor *t = &e->in->v[slot].view;
    uint64_t c[DML_MAX_RANK] = { 0 };
    struct scalar s;

    if (!e->in->desc.tensor[slot].present)
        return 0;
    if (t->rank >= from_right && t->sizes[t->rank - from_right] > 1)
        c[t->rank - from_right] = e->c[e->rank - from_right];
    s = scalar_load(t->type, t->swapped, tensor_at(t, c));
    return scalar_double(&s);
}

static void add_products(struct str *out, struct element *e)
{
    uint64_t row = e->c[e->rank - 2], column = e->c[e->rank - 1];
    int64_t shown = 0;

    str_printf(out, "%8s %6s %8s %6s %8s %10s\n", "k", "a", "a - za", "b", "b - zb", "product");
    for (uint64_t k = 0; k < e->k; k++) {
        int64_t a = matrix_at(e, SLOT_A, row, k), b = matrix_at(e, SLOT_B, k, column);
        int64_t product = (a - e->za) * (b - e->zb);

        e->sum += product;
        if (e->k > SHOWN_ROWS && k >= SHOWN_FIRST)
            continue;
        shown = e->sum;
        str_printf(out, "%8ju %6jd %8jd %6jd %8jd %10jd\n", k, a, a - e->za, b, b - e->zb, product);
    }
    if (e->k > SHOWN_ROWS)
        str_printf(out, "     ... %ju more, whose products add up to %jd\n", e->k - SHOWN_FIRST,
                   e->sum - shown);
    str_printf(out, "sum of the products: %jd\n", e->sum);
}

/* Adds the last step, from the rounded value to the output's range. */
static void add_result(struct str *out, const struct element *e, int32_t rounded, bool tie)
{
    enum dtype type = e->in->desc.tensor[SLOT_C].type;
    int64_t zc = (int64_t)parameter_at(e, SLOT_C_ZERO), sum = rounded + zc;
    int64_t lo = dtype_min(type), hi = (int64_t)dtype_max(type);
    const char *end = sum < lo ? "smallest" : "largest", *side = sum < lo ? "below" : "above";
    int64_t result = sum < lo ? lo : hi;
    bool beyond = rounded == QMM_BEYOND || rounded == -QMM_BEYOND;

    if (beyond)
        str_printf(out, "rounded: so far %s the range that the zero point cannot bring it back\n",
                   side);
    else
        str_printf(out, "rounded: %d%s\n", rounded,
                   tie ? ", the even one of two that are equally near (a tie)" : " (no tie)");
    str_printf(out, "zero point of the output: %jd\n", zc);
    if (sum >= lo && sum <= hi) {
        str_printf(out, "result: %d + %jd = %jd, within %jd to %jd\n", rounded, zc, sum, lo, hi);
        return;
    }
    str_printf(out, "result: clamped to %jd, the %s %s", result, end, dtype_name(type));
    if (!beyond)
        str_printf(out, ": %d + %jd = %jd is %s it", rounded, zc, sum, side);
    str_puts(out, "\n");
}

static void add_rounding(struct str *out, const struct element *e)
{
    float a = (float)parameter_at(e, SLOT_A_SCALE), b = (float)parameter_at(e, SLOT_B_SCALE);
    float c = (float)parameter_at(e, SLOT_C_SCALE);
    struct qmm_scale s = qmm_scale_make(a, b, c);
    bool tie;
    int32_t rounded = qmm_round(e->sum, &s, &tie);
    char real[RATIO_TEXT];

    /* a FLOAT32 has at most 112 digits, as 0.1f has: 0.100000001490116119384765625 */
    str_printf(out, "real value: %jd * %.112g * %.112g / %.112g = %s\n", e->sum, (double)a,
               (double)b, (double)c, ratio_exact(e->sum, a, b, c, real));
    add_result(out, e, rounded, tie);
}

void explain_qmatmul(struct str *out, const struct inputs *in, const uint64_t *c)
{
    struct element e = { .in = in, .rank = in->desc.tensor[SLOT_C].rank };
    unsigned written = desc_result(&in->desc, SLOT_C).rank;

    memcpy(e.c, c, e.rank * sizeof *c);
    if (in->desc.vector_a) {
        e.c[e.rank - 1] = c[e.rank - 2];
        e.c[e.rank - 2] = 0;
    }
    e.k = in->desc.tensor[SLOT_A].sizes[e.rank - 1];
    e.za = (int64_t)parameter_at(&e, SLOT_A_ZERO);
    e.zb = (int64_t)parameter_at(&e, SLOT_B_ZERO);
    str_puts(out, "element ");
    json_uints(&(struct json_writer){ .out = out }, NULL, c, written);
    str_printf(out, " of the output: row %ju of A by column %ju of B\n", e.c[e.rank - 2],
               e.c[e.rank - 1]);
    str_printf(out, "zero points: %jd of A's row (za), %jd of B's column (zb)\n", e.za, e.zb);
    add_products(out, &e);
    if (in->desc.tensor[SLOT_C].type != DT_INT32)
        add_rounding(out, &e);
    else if (e.sum >= INT32_MIN && e.sum <= INT32_MAX)
        str_printf(out, "result: %jd, the sum, which fits INT32\n", e.sum);
    else
        str_puts(out, "result: none, as the sum does not fit INT32\n");
}
