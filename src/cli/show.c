#include "cli/show.h"

#include <math.h>

#include "cli/option_groups.h"
#include "cli/usage.h"
#include "io/element.h"

enum { USUAL_WIDTH = 80 };

/* Shows `edge` indices at both ends of an axis, or all if they are no more. */
static void set_edges(struct show_axis *a, uint64_t size, uint64_t edge)
{
    a->elided = size / 2 > edge || (size / 2 == edge && size % 2);
    a->lead = a->elided ? edge : size;
    a->trail = a->elided ? edge : 0;
}

/* Number of shown elements, at most UINT64_MAX. */
static uint64_t count_shown(const struct show_layout *l)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < l->rank; i++)
        if (l->axis[i].lead == 0)
            return 0;
    for (unsigned i = 0; i < l->rank; i++)
        n = u64_mul_most(n, l->axis[i].lead + l->axis[i].trail);
    return n;
}

/* Shows less of the axes, outermost first, down to one index, to at most SHOW_ELEMENTS. */
static void shorten(struct show_layout *l, const uint64_t *sizes)
{
    for (unsigned i = 0; i < l->rank; i++) {
        struct show_axis *a = &l->axis[i];

        for (uint64_t edge = SHOW_EDGE - 1; edge > 0 && count_shown(l) > SHOW_ELEMENTS; edge--)
            set_edges(a, sizes[i], edge);
        if (count_shown(l) <= SHOW_ELEMENTS)
            return;
        a->elided = sizes[i] > 1;
        a->lead = 1;
        a->trail = 0;
    }
}

void show_layout_make(struct show_layout *l, const struct tensor *t, bool all, uint64_t edge)
{
    uint64_t count;
    bool few = tensor_count(t->rank, t->sizes, &count) && count <= SHOW_ELEMENTS;
    bool whole = all || (few && !edge);

    *l = (struct show_layout){ .rank = t->rank };
    for (unsigned i = 0; i < t->rank; i++)
        set_edges(&l->axis[i], t->sizes[i], whole ? t->sizes[i] : edge ? edge : SHOW_EDGE);
    if (!whole && !edge)
        shorten(l, t->sizes);
    for (unsigned i = 0; i < t->rank; i++) {
        struct show_axis *a = &l->axis[i];

        a->stride = t->strides[i];
        a->jump = a->trail ? (int64_t)(t->sizes[i] - a->lead - a->trail) * a->stride : 0;
        l->elided = l->elided || a->elided;
    }
    l->count = count_shown(l);
}

/* Distance from the first index of an axis to shown index number i, in elements. */
static int64_t offset_of(const struct show_axis *a, uint64_t i)
{
    return (int64_t)i * a->stride + (i < a->lead ? 0 : a->jump);
}

static bool walk_axis(const struct show_layout *l, unsigned i, int64_t at,
                      bool (*visit)(void *context, int64_t at), void *context)
{
    const struct show_axis *a = &l->axis[i];

    if (i == l->rank)
        return visit(context, at);
    for (uint64_t k = 0; k < a->lead + a->trail; k++)
        if (!walk_axis(l, i + 1, at + offset_of(a, k), visit, context))
            return false;
    return true;
}

bool show_layout_walk(const struct show_layout *l, bool (*visit)(void *context, int64_t at),
                      void *context)
{
    return l->count == 0 || walk_axis(l, 0, 0, visit, context);
}

bool show_layout_ascends(const struct show_layout *l)
{
    int64_t inner = 0; /* distance of the last element of the inner axes */

    for (unsigned i = l->rank; i-- > 0;) {
        const struct show_axis *a = &l->axis[i];
        uint64_t n = a->lead + a->trail;

        if (n > 1 && a->stride <= inner)
            return false;
        inner += n ? offset_of(a, n - 1) : 0;
    }
    return true;
}

void show_layout_pack(struct show_layout *l)
{
    int64_t step = 1;

    for (unsigned i = l->rank; i-- > 0;) {
        struct show_axis *a = &l->axis[i];

        a->stride = step;
        a->jump = 0;
        step *= (int64_t)(a->lead + a->trail);
    }
}

struct show_printer {
    const struct show_layout *l;
    const struct tensor *t;
    int precision;          /* or SHOW_EXACT */
    unsigned before, after; /* widest text before the decimal point, and from it on */
    unsigned special;       /* widest NaN or infinity, which are right-aligned */
    unsigned column, line;  /* width of a column, and of a line */
    unsigned at;            /* characters on the line */
    struct str text;        /* not written yet */
    struct output *out;
    enum status st;
    struct diag *dg;
};

/* Removes trailing zeros of the fraction in text[0..n-1], and a trailing decimal point. Returns the
 * new length. */
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

/* Writes v, whose shortest text is in buf, with an exponent as number_format_double does: 1.5e-7,
 * not 1.500e-07. */
static void write_exponent(double v, int precision, char *buf)
{
    double shortest = v, rounded = v; /* by number_double: the C library of MinGW misrounds */
    char text[NUMBER_TEXT];
    const char *sign, *digits;
    size_t n;

    (void)number_double(buf, strlen(buf), &shortest);
    snprintf(text, sizeof text, "%.*e", precision, shortest);
    (void)number_double(text, strlen(text), &rounded);
    if (rounded != shortest)
        snprintf(text, sizeof text, "%.*e", precision, v);
    n = strcspn(text, "e");
    sign = text[n + 1] == '-' ? "-" : "";
    digits = text + n + 2;
    digits += *digits == '0'; /* of two digits or more */
    n = trim_fraction(text, n);
    snprintf(buf, NUMBER_TEXT, "%.*se%s%s", (int)n, text, sign, digits);
}

/* Rounds v, whose exact text is in buf, to digits after the decimal point. A value that would round
 * to 0 gets an exponent. */
static void round_text(double v, int precision, char *buf)
{
    const char *point = strchr(buf, '.');
    size_t digits = point ? strcspn(point + 1, "e") : 0;
    char text[NUMBER_TEXT] = "0";

    if (digits <= (size_t)precision)
        return;
    if (point[1 + digits] != 'e')
        snprintf(text, sizeof text, "%.*f", precision, v);
    if (strspn(text, "-0.") == strlen(text))
        write_exponent(v, precision, buf);
    else
        memcpy(buf, text, trim_fraction(text, strlen(text)) + 1);
}

/* Writes the element `at` elements after the first to buf[NUMBER_TEXT]. Returns its length. */
static unsigned element_at(const struct show_printer *p, int64_t at, char *buf)
{
    enum dtype type = p->t->type;
    const char *element = (const char *)p->t->data + at * (int64_t)dtype_size(type);
    struct scalar s = scalar_load(type, p->t->swapped, element);

    scalar_text(&s, type, false, buf);
    if (p->precision >= 0 && s.is_float && isfinite(s.f) && s.f != 0) /* "-0.0" stays */
        round_text(s.f, p->precision, buf);
    return (unsigned)strlen(buf);
}

/* True if the text is a NaN or an infinity. */
static bool is_special(const char *text) { return strpbrk(text, "in") != NULL; }

static void widen(unsigned *width, unsigned n) { *width = n > *width ? n : *width; }

static bool measure(void *context, int64_t at)
{
    struct show_printer *p = context;
    char text[NUMBER_TEXT];
    unsigned n = element_at(p, at, text), before = (unsigned)strcspn(text, ".e");

    if (is_special(text))
        widen(&p->special, n);
    else {
        widen(&p->before, before);
        widen(&p->after, n - before);
    }
    return true;
}

static void flush(struct show_printer *p)
{
    if (p->text.failed && p->st == ST_OK)
        p->st = diag_nomem(p->dg);
    if (p->st == ST_OK && p->text.len > 0)
        p->st = output_write(p->out, p->text.s, p->text.len, p->dg);
    p->text.len = 0;
}

static void new_line(struct show_printer *p, unsigned indent)
{
    str_printf(&p->text, "\n%*s", (int)indent, "");
    p->at = indent;
    flush(p);
}

/* Separates two items of an axis; the next one is `width` characters wide if it is an element. */
static void separate(struct show_printer *p, unsigned axis, unsigned width)
{
    unsigned rank = p->l->rank;

    str_puts(&p->text, ",");
    if (axis + 1 < rank) {
        str_puts(&p->text, axis + 2 < rank ? "\n" : ""); /* an empty line between blocks */
        new_line(p, axis + 1);
    } else if (p->at + 2 + width + rank > p->line) /* at most rank brackets follow */
        new_line(p, rank);
    else {
        str_puts(&p->text, " ");
        p->at += 2;
    }
}

static void print_element(struct show_printer *p, int64_t at)
{
    char text[NUMBER_TEXT];
    unsigned n = element_at(p, at, text), right = 0;

    if (!is_special(text))
        right = p->after - (n - (unsigned)strcspn(text, ".e"));
    str_printf(&p->text, "%*s%s%*s", (int)(p->column - n - right), "", text, (int)right, "");
    p->at += p->column;
}

static void print_axis(struct show_printer *p, unsigned axis, int64_t at)
{
    const struct show_axis *a = &p->l->axis[axis];

    if (axis == p->l->rank) {
        print_element(p, at);
        return;
    }
    str_puts(&p->text, "[");
    p->at++;
    for (uint64_t k = 0; k < a->lead + a->trail && p->st == ST_OK; k++) {
        if (k > 0)
            separate(p, axis, p->column);
        print_axis(p, axis + 1, at + offset_of(a, k));
        if (a->elided && k + 1 == a->lead) {
            separate(p, axis, 3);
            str_puts(&p->text, "...");
            p->at += 3;
        }
    }
    str_puts(&p->text, "]");
}

/* Prints NAME: (Sizes:{...}, DataType:...), broken into lines that fit the terminal. */
static void print_title(struct show_printer *p, const char *name, size_t columns)
{
    const struct tensor *t = p->t;
    const struct sizes_text sizes = tensor_sizes_text(t->rank, t->sizes);
    const char *type = dtype_name(t->type), *note = t->is_bool ? " (bool)" : "";
    size_t all, tail;

    str_add_escaped(&p->text, name, strlen(name));
    tail = strlen("(Sizes:, DataType:)") + strlen(sizes.text) + strlen(type) + strlen(note);
    all = str_width(p->text.s ? p->text.s : "", p->text.len) + 2 + tail;
    str_printf(&p->text, ":%s(Sizes:%s,%s DataType:%s%s)\n", all > columns ? "\n" : " ", sizes.text,
               tail > columns ? "\n" : "", type, note);
}

enum status show_print(struct output *out, const char *name, const struct tensor *t,
                       const struct show_layout *l, int precision, struct diag *dg)
{
    unsigned width = terminal_width();
    struct show_printer p = { .l = l,
                              .t = t,
                              .precision = precision,
                              .out = out,
                              .line = width ? width : USUAL_WIDTH,
                              .dg = dg };

    show_layout_walk(l, measure, &p);
    p.column = p.before + p.after;
    widen(&p.column, p.special);
    print_title(&p, name, width ? width : SIZE_MAX);
    if (l->count == 0)
        str_puts(&p.text, "[]");
    else
        print_axis(&p, 0, 0);
    str_puts(&p.text, "\n");
    flush(&p);
    str_free(&p.text);
    return p.st;
}

enum status show_tensor(struct output *out, const char *name, const struct tensor *t,
                        struct diag *dg)
{
    struct show_layout l;

    show_layout_make(&l, t, false, 0);
    return show_print(out, name, t, &l, SHOW_EXACT, dg);
}
