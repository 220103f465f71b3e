#include "desc/shapes/shapes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

void expect_parameters(struct check *c, const char *name, const struct shape *data, unsigned axis,
                       uint64_t lanes, const char *lane)
{
    static const char *const kinds[] = { "Scale", "ZeroPoint" };

    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        struct shape p = shape_given(c, phrase("%s%sTensor", name, kinds[k]).s, 0);

        for (unsigned i = 0; i < p.rank; i++)
            if (lanes == 1 || (p.rank == data->rank && i != axis))
                expect_size(c, &p, i, 1, "");
            else if (p.sizes[i] != 1)
                expect_size(c, &p, i, lanes, phrase("the %s, or 1", lane).s);
    }
}

enum { STRIDE, DILATION, SIZE, START, END, OUTPUT };

unsigned read_windows(struct check *c, const struct shape *in, const struct shape *filter,
                      struct window w[DML_MAX_RANK])
{
    const char *const names[] = { "Strides",
                                  "Dilations",
                                  given_value(c, "WindowSize") ? "WindowSize" : "WindowSizes",
                                  "StartPadding",
                                  "EndPadding",
                                  "OutputPadding",
                                  NULL };
    static const int64_t ones[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros[DML_MAX_RANK];
    const int64_t *v[] = { [DILATION] = ones, [SIZE] = filter ? ones : NULL, [OUTPUT] = zeros };
    bool good = expect_arrays(c, names, in, 2, v);

    for (unsigned k = STRIDE; k <= SIZE; k++)
        if (v[k] && given_value(c, names[k]))
            good = expect_positive(c, names[k]) && good;
    for (unsigned i = 0; good && i < in->rank - 2; i++) {
        w[i] = (struct window){ .in = in->sizes[i + 2],
                                .size = filter ? filter->sizes[i + 2] : (uint64_t)v[SIZE][i],
                                .stride = (uint64_t)v[STRIDE][i],
                                .dilation = (uint64_t)v[DILATION][i],
                                .start = (uint64_t)v[START][i],
                                .end = (uint64_t)v[END][i],
                                .output_padding = (uint64_t)v[OUTPUT][i] };
        w[i].span = (w[i].size - 1) * w[i].dilation + 1;
        w[i].span_text =
            phrase(w[i].dilation == 1 ? "%" PRIu64 : "((%" PRIu64 " - 1) * %" PRIu64 " + 1)",
                   w[i].size, w[i].dilation);
    }
    return good ? in->rank - 2 : 0;
}

uint64_t window_count(const struct window *w)
{
    uint64_t padded = w->in + w->start + w->end;

    return padded < w->span ? 0 : (padded - w->span) / w->stride + 1;
}

void expect_window_count(struct check *c, const struct shape *s, unsigned i, const struct window *w,
                         uint64_t lo, uint64_t hi)
{
    uint64_t n = window_count(w);

    if (s->sizes[i] >= lo && s->sizes[i] <= hi)
        return;
    if (n)
        expect_size(c, s, i, n,
                    phrase("(%" PRIu64 " + %" PRIu64 " + %" PRIu64 " - %s) / %" PRIu64 " + 1",
                           w->in, w->start, w->end, w->span_text.s, w->stride)
                        .s);
    else if (hi)
        expect_size(c, s, i, hi,
                    phrase("as a window of %" PRIu64 " exceeds the %" PRIu64 " elements", w->span,
                           w->in + w->start + w->end)
                        .s);
    else
        finding_hint(violation(c, RULE_SHAPE_SIZE, unnamed(at_size(c, s->slot, i)),
                               "a window of %s does not fit into %" PRIu64 " + %" PRIu64
                               " + %" PRIu64 " = %" PRIu64,
                               w->span_text.s, w->in, w->start, w->end, w->in + w->start + w->end),
                     "change the window, its dilation or the padding");
}

struct number *find_number(struct number *n, char letter)
{
    while (*n->name && *n->name != letter)
        n++;
    return n;
}

/* A size implies a number. Other sizes do so, too: the value of most of them is left. */
static void learn(struct number *n, uint64_t v, unsigned slot, unsigned axis)
{
    if (n->votes > 0 && n->value != v)
        n->votes--;
    else if (n->votes++ == 0)
        *n = (struct number){ n->name, v, n->field, true, 1, slot, axis };
}

/* Checks size i of s against a word, or only learns numbers from it. */
static void check_word(struct check *c, const struct shape *s, unsigned i, const char *word,
                       size_t length, struct number *numbers, bool learning)
{
    uint64_t sum = 0, product = 1, size = s->sizes[i], v;
    struct number *n = numbers, *unknown = NULL;
    char text[256], *end = text;
    struct finding *f = NULL;

    for (const char *p = word;; p++) {
        if (p == word + length || *p == '+') {
            if (!u64_add(sum, product, &sum))
                sum = UINT64_MAX;
            if (p == word + length)
                break;
            product = 1;
            continue;
        }
        n = find_number(numbers, *p);
        v = isdigit((unsigned char)*p) ? (uint64_t)(*p - '0')
            : learning && n->learned   ? 0
                                       : n->value;
        if (v == 0 && unknown)
            return;
        if (v == 0)
            unknown = n;
        else
            product = shape_mul(product, v);
        end += sprintf(end, "%s%" PRIu64, p == word ? "" : p[-1] == '+' ? " + " : " * ", v);
    }
    if (learning && (!unknown || sum != product || size % product != 0))
        return;
    if (!unknown && length == 1) {
        bool plural = *n->name && n->name[strlen(n->name) - 1] == 's' && !strstr(n->name, " of ");

        f = expect_size(c, s, i, sum,
                        phrase("%s%s",
                               plural     ? "the number of "
                               : *n->name ? "the "
                                          : "",
                               n->name)
                            .s);
    } else if (!unknown)
        f = expect_size(c, s, i, sum, text);
    else if (sum == product && size % product == 0)
        learn(unknown, size / product, s->slot, i);
    else if (sum == product)
        f = expect_size(c, s, i, u64_round_up(size, product),
                        phrase("%" PRIu64 " * %" PRIu64, u64_ceil_div(size, product), product).s);
    for (n = numbers; f && *n->name; n++)
        if (n->learned && memchr(word, *n->name, length))
            relate_value(f, at_size(c, n->slot, n->axis), c->tensor[n->slot].sizes[n->axis]);
        else if (n->field && memchr(word, *n->name, length))
            relate_value(f, at_field(c, n->field, WHOLE), n->value);
}

void expect_sizes(struct check *c, const char *field, const char *words, struct number *numbers,
                  bool learning)
{
    struct shape s = shape_of(c, field);
    unsigned count = 1, i;

    for (const char *p = words; *p; p++)
        count += *p == ' ';
    if (s.rank < count)
        return;
    i = s.rank - count;
    expect_ones(c, &s, axes_below(i), "the size of a leading dimension");
    for (size_t length; i < s.rank; i++, words += length + 1) {
        length = strcspn(words, " ");
        if (*words != '?')
            check_word(c, &s, i, words, length, numbers, learning);
    }
}

void shape_words(struct check *c, struct shapes *s)
{
    for (size_t i = 0, n = c->schema->sizes.n; i < 2 * n; i++) {
        const struct op_sizes *z = &c->schema->sizes.v[i % n];

        if (!z->when || shape_is(c, z->when, z->is))
            expect_sizes(c, z->tensor, z->words, s->numbers, i < n);
    }
}
