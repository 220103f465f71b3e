#include "run/show_print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "json/number.h"
#include "run/show_value.h"

enum { USUAL_WIDTH = 80, FLUSH_BYTES = 32 << 10 };

struct show_printer {
    const struct show_layout *l;
    const struct tensor *t;
    const unsigned char *data; /* the first element */
    size_t size;               /* bytes of an element */
    struct show_column column; /* all columns are alike */
    unsigned width;            /* of a line */
    unsigned at;               /* characters on the line */
    struct str text;           /* not written yet */
    struct outputs *outs;
    size_t index;
    enum status st;
    struct diag *dg;
};

unsigned show_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t n;

    if (columns && number_uint_literal(columns, strlen(columns), &n) == NUMBER_OK && n > 0 &&
        n <= INT16_MAX)
        return (unsigned)n;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool show_on_terminal(const char *path)
{
    return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO);
}

/* An element; some other bytes where it cannot be read, which the caller of show_print finds. */
static const void *element_at(const struct show_printer *p, int64_t at)
{
    static const char none[8];
    const void *element = p->data + at * (int64_t)p->size;

    return tensor_need(p->t, element, p->size) == ST_OK ? element : none;
}

static bool measure(void *context, int64_t at)
{
    struct show_printer *p = context;

    show_column_measure(&p->column, element_at(p, at));
    return true;
}

static void flush(struct show_printer *p)
{
    if (p->text.failed && p->st == ST_OK)
        p->st = diag_nomem(p->dg);
    if (p->st == ST_OK && p->text.len > 0)
        p->st = outputs_write(p->outs, p->index, p->text.s, p->text.len, p->dg);
    p->text.len = 0;
}

static void new_line(struct show_printer *p, unsigned indent)
{
    str_printf(&p->text, "\n%*s", (int)indent, "");
    p->at = indent;
    if (p->text.len >= FLUSH_BYTES || p->text.failed)
        flush(p);
}

/* Goes on to the next item of an axis, `width` characters wide where that is an element. */
static void separate(struct show_printer *p, unsigned axis, unsigned width)
{
    unsigned rank = p->l->rank;

    str_puts(&p->text, ",");
    if (axis + 1 < rank) {
        str_puts(&p->text, axis + 2 < rank ? "\n" : ""); /* an empty line between blocks */
        new_line(p, axis + 1);
    } else if (p->at + 2 + width + rank > p->width) /* at most rank brackets follow */
        new_line(p, rank);
    else {
        str_puts(&p->text, " ");
        p->at += 2;
    }
}

static void print_axis(struct show_printer *p, unsigned axis, int64_t at);

/* Item k of an axis that shows some: "..." stands before the first of the trailing ones. */
static void print_item(struct show_printer *p, unsigned axis, uint64_t k, int64_t at)
{
    const struct show_axis *a = &p->l->axis[axis];
    unsigned width = show_column_width(&p->column);

    if (k > 0)
        separate(p, axis, width);
    print_axis(p, axis + 1, at + show_layout_offset(a, k));
    if (a->elided && k + 1 == a->lead) {
        separate(p, axis, 3);
        str_puts(&p->text, "...");
        p->at += 3;
    }
}

static void print_axis(struct show_printer *p, unsigned axis, int64_t at)
{
    const struct show_axis *a = &p->l->axis[axis];

    if (axis == p->l->rank) {
        show_column_add(&p->column, element_at(p, at), &p->text);
        p->at += show_column_width(&p->column);
        return;
    }
    str_puts(&p->text, "[");
    p->at++;
    for (uint64_t k = 0; k < a->lead + a->trail && p->st == ST_OK; k++)
        print_item(p, axis, k, at);
    str_puts(&p->text, "]");
}

/* NAME: (Sizes:{...}, DataType:...), on as many lines as a terminal's width takes. */
static void print_title(struct show_printer *p, const char *name, const struct tensor *t)
{
    char sizes[TENSOR_SIZES_TEXT];
    const char *type = dtype_name(t->type), *note = t->is_bool ? " (bool)" : "";
    size_t columns = show_width(), all, tail;

    if (columns == 0)
        columns = SIZE_MAX;
    tensor_sizes_text(sizes, t->rank, t->sizes);
    str_add_escaped(&p->text, name, strlen(name));
    tail = strlen("(Sizes:, DataType:)") + strlen(sizes) + strlen(type) + strlen(note);
    all = p->text.len + 2 + tail;
    str_printf(&p->text, ":%s(Sizes:%s,%s DataType:%s%s)\n", all > columns ? "\n" : " ", sizes,
               tail > columns ? "\n" : "", type, note);
}

enum status show_print(struct outputs *outs, size_t index, const char *name,
                       const struct tensor *t, const struct show_layout *l, int precision,
                       struct diag *dg)
{
    struct show_printer p = {
        .l = l, .t = t, .data = t->data, .size = dtype_size(t->type),
        .width = show_width(), .outs = outs,
        .column = { .type = t->type, .swapped = t->swapped, .precision = precision },
        .index = index, .dg = dg,
    };

    if (p.width == 0)
        p.width = USUAL_WIDTH;
    show_layout_walk(l, measure, &p);
    print_title(&p, name, t);
    if (l->count == 0)
        str_puts(&p.text, "[]");
    else
        print_axis(&p, 0, 0);
    str_puts(&p.text, "\n");
    flush(&p);
    str_free(&p.text);
    return p.st;
}

enum status show_tensor(struct outputs *outs, size_t index, const char *name,
                        const struct tensor *t, struct diag *dg)
{
    const struct show_options usual = { .all = false };
    struct show_layout l;

    show_layout_make(&l, t, &usual);
    return show_print(outs, index, name, t, &l, SHOW_EXACT, dg);
}
