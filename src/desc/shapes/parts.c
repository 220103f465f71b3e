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
        struct shape p;
        char field[64];

        snprintf(field, sizeof field, "%s%sTensor", name, kinds[k]);
        shape_of(c, field, &p);
        for (unsigned i = 0; i < p.rank; i++)
            if (lanes == 1 || (p.rank == data->rank && i != axis))
                expect_size(c, &p, i, 1, "%s", "");
            else if (p.sizes[i] != 1)
                expect_size(c, &p, i, lanes, "the %s, or 1", lane);
    }
}

enum { STRIDE, DILATION, SIZE, START, END, OUTPUT, ARRAYS };

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
    unsigned n = in->rank - 2;
    const int64_t *v[ARRAYS] = {
        [DILATION] = ones, [SIZE] = filter ? ones : NULL, [OUTPUT] = zeros
    };
    bool good = true;
    char why[160];

    if (in->rank < 3)
        return 0;
    snprintf(why, sizeof why, "%s has %u spatial dimension%s", at_sizes(c, in->slot).name, n,
             n == 1 ? "" : "s");
    if (!expect_arrays(c, names, n, why, NULL))
        return 0;
    for (unsigned k = 0; k < ARRAYS; k++) {
        if (given_value(c, names[k]))
            v[k] = shape_integers(c, names[k], n);
        if (!v[k])
            return 0;
        for (unsigned i = 0; k <= SIZE && i < n; i++)
            good = expect_range(c, names[k], (int)i, v[k][i], 1, UINT32_MAX,
                                "it must be at least 1") &&
                   good;
    }
    for (unsigned i = 0; good && i < n; i++) {
        w[i] = (struct window){ .in = in->sizes[i + 2],
                                .size = filter ? filter->sizes[i + 2] : (uint64_t)v[SIZE][i],
                                .stride = (uint64_t)v[STRIDE][i],
                                .dilation = (uint64_t)v[DILATION][i],
                                .start = (uint64_t)v[START][i],
                                .end = (uint64_t)v[END][i],
                                .output_padding = (uint64_t)v[OUTPUT][i] };
        w[i].span = (w[i].size - 1) * w[i].dilation + 1;
        snprintf(w[i].span_text, sizeof w[i].span_text,
                 w[i].dilation == 1 ? "%" PRIu64 : "((%" PRIu64 " - 1) * %" PRIu64 " + 1)",
                 w[i].size, w[i].dilation);
    }
    return good ? n : 0;
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
        expect_size(c, s, i, n, "(%" PRIu64 " + %" PRIu64 " + %" PRIu64 " - %s) / %" PRIu64 " + 1",
                    w->in, w->start, w->end, w->span_text, w->stride);
    else if (hi)
        expect_size(c, s, i, hi, "as a window of %" PRIu64 " exceeds the %" PRIu64 " elements",
                    w->span, w->in + w->start + w->end);
    else
        finding_hint(violation(c, RULE_SHAPE_SIZE, unnamed(at_size(c, s->slot, i)),
                               "a window of %s does not fit into %" PRIu64 " + %" PRIu64
                               " + %" PRIu64 " = %" PRIu64,
                               w->span_text, w->in, w->start, w->end, w->in + w->start + w->end),
                     "change the window, its dilation or the padding");
}

struct number *find_number(struct number *n, char letter)
{
    while (*n->name && *n->name != letter)
        n++;
    return n;
}

void read_numbers(struct check *c, struct number numbers[SCHEMA_MAX_NUMBERS + 1])
{
    for (size_t i = 0; i < c->schema->numbers.n; i++) {
        const struct op_number *n = &c->schema->numbers.v[i];
        unsigned value = n->value;

        if (n->field)
            expect_integer(c, n->field, 1, UINT32_MAX, n->why, &value);
        numbers[i] = (struct number){ .name = n->name, .value = value, .field = n->field };
    }
    numbers[c->schema->numbers.n].name = "";
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

        f = expect_size(c, s, i, sum, "%s%s",
                        plural     ? "the number of "
                        : *n->name ? "the "
                                   : "",
                        n->name);
    } else if (!unknown)
        f = expect_size(c, s, i, sum, "%s", text);
    else if (sum == product && size % product == 0)
        learn(unknown, size / product, s->slot, i);
    else if (sum == product)
        f = expect_size(c, s, i, u64_round_up(size, product), "%" PRIu64 " * %" PRIu64,
                        u64_ceil_div(size, product), product);
    for (n = numbers; f && *n->name; n++)
        if (n->learned && memchr(word, *n->name, length))
            relate_value(f, at_size(c, n->slot, n->axis), c->tensor[n->slot].sizes[n->axis]);
        else if (n->field && memchr(word, *n->name, length))
            relate_value(f, at_field(c, n->field, WHOLE), n->value);
}

void expect_sizes(struct check *c, const char *field, const char *words, struct number *numbers,
                  bool learning)
{
    unsigned count = 1, i;
    struct shape s;

    for (const char *p = words; *p; p++)
        count += *p == ' ';
    if (!shape_of(c, field, &s) || s.rank < count)
        return;
    for (i = 0; i < s.rank - count; i++)
        expect_size(c, &s, i, 1, "the size of a leading dimension");
    for (size_t length; i < s.rank; i++, words += length + 1) {
        length = strcspn(words, " ");
        if (*words != '?')
            check_word(c, &s, i, words, length, numbers, learning);
    }
}

void expect_tensors(struct check *c, struct number *numbers)
{
    for (size_t i = 0, n = c->schema->sizes.n; i < 2 * n; i++) {
        const struct op_sizes *s = &c->schema->sizes.v[i % n];

        if (!s->when || shape_is(c, s->when, s->is))
            expect_sizes(c, s->tensor, s->words, numbers, i < n);
    }
}
