#include "desc/sizes.h"

void read_numbers(struct check *c, struct number *numbers)
{
    for (size_t i = 0; i < c->schema->numbers.n; i++) {
        const struct op_number *n = &c->schema->numbers.v[i];
        const struct field_value *v = n->field ? good_value(c, n->field) : NULL;

        numbers[i] = (struct number){ .name = n->name,
                                      .value = v ? (uint64_t)v->v[0] : n->value,
                                      .field = n->field };
    }
    numbers[c->schema->numbers.n].name = "";
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

/* "the batch size", "the number of channels"; "" for a digit. */
static struct phrase named(const char *name)
{
    bool plural = *name && name[strlen(name) - 1] == 's' && !strstr(name, " of ");

    return phrase("%s%s", plural ? "the number of " : *name ? "the " : "", name);
}

/* Checks size i of s against a word, or only learns numbers from it. */
static void check_word(struct check *c, const struct shape *s, unsigned i, const char *word,
                       size_t length, struct number *numbers, bool learning)
{
    uint64_t sum = 0, product = 1, size = s->sizes[i], v;
    struct number *n = numbers, *unknown = NULL;
    struct phrase text = { "" };
    struct finding *f = NULL;

    for (const char *p = word;; p++) {
        if (p == word + length || *p == '+') {
            sum = u64_add_most(sum, product);
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
            product = u64_mul_most(product, v);
        text = phrase("%s%s%ju", text.s, p == word ? "" : p[-1] == '+' ? " + " : " * ", v);
    }
    if (learning && (!unknown || sum != product || size % product != 0))
        return;
    if (!unknown && length == 1)
        f = expect_size(c, s, i, sum, named(n->name).s);
    else if (!unknown)
        f = expect_size(c, s, i, sum, text.s);
    else if (sum == product && size % product == 0)
        learn(unknown, size / product, s->slot, i);
    else if (sum == product)
        f = expect_size(c, s, i, u64_round_up(size, product),
                        PHRASE("%ju * %ju", u64_ceil_div(size, product), product));
    for (n = numbers; f && *n->name; n++)
        if (n->learned && memchr(word, *n->name, length))
            relate_value(f, at_size(c, n->slot, n->axis), c->tensor[n->slot].sizes[n->axis]);
        else if (n->field && memchr(word, *n->name, length))
            relate_value(f, at_field(c, n->field, WHOLE), n->value);
}

void expect_words(struct check *c, const char *field, const char *words, struct number *numbers,
                  bool learning)
{
    struct shape s = shape_of(c, field, 0);
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

void check_words(struct check *c, struct number *numbers)
{
    for (size_t i = 0, n = c->schema->sizes.n; i < 2 * n; i++) {
        const struct op_sizes *z = &c->schema->sizes.v[i % n];

        if (!z->when || value_is(c, z->when, z->is))
            expect_words(c, z->tensor, z->words, numbers, i < n);
    }
}
