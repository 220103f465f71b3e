#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "desc/shapes/recipes.h"
#include "desc/shapes/shapes.h"

/* A number that sizes depend on. The names of a list have different first letters; the last one is
 * empty. */
struct number {
    const char *name;
    uint64_t value; /* 0: not known */
};

static struct number *find_number(struct number *n, char letter)
{
    while (*n->name && *n->name != letter)
        n++;
    return n;
}

/* Checks size i of s against a word: a sum of products of digits and numbers, by letter. A number
 * that is not known is learned from the size. */
static void check_word(struct check *c, const struct shape *s, unsigned i, const char *word,
                       size_t length, struct number *numbers)
{
    uint64_t sum = 0, product = 1, size = s->sizes[i], v;
    struct number *n = numbers, *unknown = NULL;
    char text[256], *end = text;

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
        v = isdigit((unsigned char)*p) ? (uint64_t)(*p - '0') : n->value;
        if (v == 0 && unknown)
            return;
        if (v == 0)
            unknown = n;
        else
            product = shape_mul(product, v);
        end += sprintf(end, "%s%" PRIu64, p == word ? "" : p[-1] == '+' ? " + " : " * ", v);
    }
    if (!unknown && length == 1)
        expect_size(c, s, i, sum, "%s", *n->name ? n->name : "the size of this dimension");
    else if (!unknown)
        expect_size(c, s, i, sum, "%s", text);
    else if (sum == product && size % product == 0)
        unknown->value = size / product;
    else if (sum == product)
        expect_size(c, s, i, u64_round_up(size, product), "%" PRIu64 " * %" PRIu64,
                    u64_ceil_div(size, product), product);
}

/* Checks the last sizes of a tensor, if it is given, against words, with one space between; "?" is
 * any size. Sizes before these are 1. */
static void check_sizes(struct check *c, const char *field, const char *words,
                        struct number *numbers)
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
            check_word(c, &s, i, words, length, numbers);
    }
}

/* Words as in check_sizes. */
struct sizes {
    const char *field, *words;
};

void shape_recurrent(struct check *c)
{
    static const struct sizes tensors[] = {
        { "InputTensor", "1 l b i" },           { "RecurrenceTensor", "1 d gh h" },
        { "WeightTensor", "1 d gh i" },         { "BiasTensor", "1 1 d 2gh" },
        { "HiddenInitTensor", "1 d b h" },      { "CellMemInitTensor", "1 d b h" },
        { "PeepholeTensor", "1 1 d 3h" },       { "SequenceLengthsTensor", "1 1 1 b" },
        { "OutputSequenceTensor", "l d b h" },  { "OutputSingleTensor", "1 d b h" },
        { "OutputCellSingleTensor", "1 d b h" }
    };
    bool lstm = shape_given(c, "UseClipThreshold") || shape_given(c, "CoupleInputForget");
    bool gru = shape_given(c, "LinearBeforeReset"),
         both = shape_is(c, "Direction", "BIDIRECTIONAL");
    unsigned functions = lstm ? 3 : gru ? 2 : 1, directions = both ? 2 : 1;
    unsigned gates = lstm || gru ? functions + 1 : 1;
    struct number numbers[] = { { "directions", directions },
                                { "gates", gates },
                                { "hidden size", 0 },
                                { "input size", 0 },
                                { "length of sequences", 0 },
                                { "batch size", 0 },
                                { "", 0 } };
    char why[80];

    if (!both && !shape_is(c, "Direction", "FORWARD") && !shape_is(c, "Direction", "BACKWARD"))
        return;
    snprintf(why, sizeof why, "%u per direction * %u = %u", functions, directions,
             functions * directions);
    expect_length(c, "ActivationDescs", functions * directions, why);
    for (size_t t = 0; t < ARRAY_LEN(tensors); t++)
        check_sizes(c, tensors[t].field, tensors[t].words, numbers);
}

/* Query, key and value are each given once; a past key or value may replace them. */
static void check_inputs(struct check *c)
{
    static const char *const names[] = { "Query", "Key", "Value" };
    static const char *const fields[] = { "QueryTensor",           "KeyTensor",
                                          "ValueTensor",           "StackedQueryKeyTensor",
                                          "StackedKeyValueTensor", "StackedQueryKeyValueTensor" };

    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        const char *first = NULL, *past = n == 1 ? "PastKeyTensor" : "PastValueTensor";

        for (size_t f = 0; f < ARRAY_LEN(fields); f++) {
            if (!strstr(fields[f], names[n]) || !shape_given(c, fields[f]))
                continue;
            if (first)
                expect_tensor(c, fields[f], "leave one of them out", "%s and %s both contain %s",
                              first, fields[f], names[n]);
            first = fields[f];
        }
        if (!first && (n == 0 || !shape_given(c, past)))
            expect_tensor(c, fields[n], "give it, or a stacked tensor", "no tensor contains %s",
                          names[n]);
    }
}

void shape_attention(struct check *c)
{
    static const struct sizes tensors[] = {
        { "QueryTensor", "b s qh" },
        { "KeyTensor", "b l kh" },
        { "StackedQueryKeyValueTensor", "b s q 3 h" },
        { "StackedQueryKeyTensor", "b s q 2 h" },
        { "StackedQueryKeyValueTensor", "? l ? ? v" },
        { "StackedQueryKeyTensor", "? l ? ? ?" },
        { "StackedKeyValueTensor", "b l k 2 h" },
        { "StackedKeyValueTensor", "? ? ? ? v" },
        { "ValueTensor", "b l kv" },
        { "PastKeyTensor", "b k p h" },
        { "PastValueTensor", "b k p v" },
        { "OutputTensor", "b s qv" },
        { "RelativePositionBiasTensor", "b q s ?" },
        { "BiasTensor", "qh+kh+kv" },
    };
    static const struct sizes heads[] = { { "HeadCount", "qk" },
                                          { "QueryHeadCount", "q" },
                                          { "KeyValueHeadCount", "k" } };
    static const struct sizes masks[] = { { "KEY_SEQUENCE_LENGTH", "b" },
                                          { "KEY_SEQUENCE_END_START", "2 b" },
                                          { "KEY_QUERY_SEQUENCE_LENGTH_START_END", "3b+2" } };
    struct number numbers[] = {
        { "batch size", 0 },  { "sequence length", 0 }, { "length of keys", 0 },
        { "past length", 0 }, { "query heads", 0 },     { "key heads", 0 },
        { "head size", 0 },   { "value head size", 0 }, { "", 0 }
    };
    /* Present tensors may have room if PastSequenceLengthsTensor is given. */
    bool room = shape_given(c, "PastSequenceLengthsTensor");
    const char *length = room ? "?" : shape_given(c, "PastKeyTensor") ? "p+l" : "l";
    char words[16];
    int64_t v;

    check_inputs(c);
    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        if (shape_integer(c, heads[i].field, &v) &&
            expect_range(c, heads[i].field, WHOLE, v, 1, UINT32_MAX, "there is at least one head"))
            for (const char *p = heads[i].words; *p; p++)
                find_number(numbers, *p)->value = (uint64_t)v;
    for (size_t t = 0; t < ARRAY_LEN(tensors); t++)
        check_sizes(c, tensors[t].field, tensors[t].words, numbers);
    snprintf(words, sizeof words, "b k %s h", length);
    check_sizes(c, "OutputPresentKeyTensor", words, numbers);
    snprintf(words, sizeof words, "b k %s v", length);
    check_sizes(c, "OutputPresentValueTensor", words, numbers);
    for (size_t i = 0; i < ARRAY_LEN(masks); i++)
        if (shape_is(c, "MaskType", masks[i].field))
            check_sizes(c, "MaskTensor", masks[i].words, numbers);
}

/* An image is {batch, channels, height * factor, width * factor}. */
static void check_blocks(struct check *c, const char *in, const char *out)
{
    struct number numbers[] = { { "batch size", 0 }, { "channels", 0 }, { "height", 0 },
                                { "width", 0 },      { "factor", 0 },   { "", 0 } };
    int64_t block;

    if (!shape_integer(c, "BlockSize", &block) ||
        !expect_range(c, "BlockSize", WHOLE, block, 1, UINT32_MAX, "a block is not empty"))
        return;
    find_number(numbers, 'f')->value = (uint64_t)block;
    check_sizes(c, "InputTensor", in, numbers);
    check_sizes(c, "OutputTensor", out, numbers);
}

void shape_space_to_depth(struct check *c) { check_blocks(c, "b c hf wf", "b cff h w"); }

void shape_depth_to_space(struct check *c) { check_blocks(c, "b cff h w", "b c hf wf"); }

static const char *const arrays[] = { "WindowSizes", "Strides", "Dilations", "StartPadding",
                                      "EndPadding" };

/* The blocks along spatial axis d of n elements, from `arrays`; 0 if these are wrong. */
static uint64_t count_blocks(struct check *c, const int64_t *const a[], unsigned d, uint64_t n)
{
    int64_t window = a[0][d], stride = a[1][d], dilation = a[2][d];
    int64_t last = (int64_t)n + a[3][d] + a[4][d] - 1; /* of the padded elements */

    if (!expect_range(c, arrays[1], (int)d, stride, 1, UINT32_MAX, "a stride is at least 1") ||
        !expect_range(c, arrays[2], (int)d, dilation, 1, UINT32_MAX, "a dilation is at least 1") ||
        !expect_range(c, arrays[0], (int)d, window, 1, last / dilation + 1,
                      "(%" PRIu64 " + %" PRId64 " + %" PRId64 " - 1) / %" PRId64 " + 1 = %" PRId64
                      " fit",
                      n, a[3][d], a[4][d], dilation, last / dilation + 1))
        return 0;
    return (uint64_t)((last - dilation * (window - 1)) / stride + 1);
}

/* `image` is {N, C, spatial axes}, `columns` {N, C * elements of the window, blocks}. The pages
 * have columns of 3 dimensions, and of as many as the image: leading dimensions of size 1. */
static void check_columns(struct check *c, const char *image, const char *columns)
{
    /* From p on: the blocks along each spatial axis. */
    struct number numbers[] = { { "batch size", 0 }, { "channels", 0 },
                                { "window", 1 },     { "places of the window", 0 },
                                { "q", 0 },          { "r", 0 },
                                { "s", 0 },          { "t", 0 },
                                { "u", 0 },          { "", 0 } };
    char words[] = "b cw pqrstu";
    const int64_t *a[ARRAY_LEN(arrays)];
    struct shape s;
    unsigned axes;

    if (!shape_of(c, image, &s) ||
        !expect_rank(c, &s, 3, DML_MAX_RANK, "it has N, C and spatial dimensions"))
        return;
    axes = s.rank - 2;
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
        if (!expect_length(c, arrays[i], axes, "each spatial dimension has one"))
            return;
        a[i] = shape_integers(c, arrays[i], axes);
        if (!a[i])
            return;
    }
    numbers[0].value = s.sizes[0];
    numbers[1].value = s.sizes[1];
    for (unsigned d = 0; d < axes; d++) {
        numbers[d + 3].value = count_blocks(c, a, d, s.sizes[d + 2]);
        if (numbers[d + 3].value == 0)
            return;
        numbers[2].value = shape_mul(numbers[2].value, (uint64_t)a[0][d]);
    }
    words[strlen("b cw ") + axes] = '\0';
    check_sizes(c, columns, words, numbers);
    if (shape_of(c, columns, &s))
        expect_rank(c, &s, 3, axes + 2, "it has N, C * window and blocks");
}

void shape_fold(struct check *c) { check_columns(c, "OutputTensor", "InputTensor"); }

void shape_unfold(struct check *c) { check_columns(c, "InputTensor", "OutputTensor"); }

/* OutputCoordinatesTensor: a row for each element. Coordinates of leading dimensions of size 1 may
 * be left out. */
void shape_nonzero(struct check *c)
{
    struct number numbers[] = { { "elements", 0 }, { "", 0 } };
    unsigned leading = 0;
    struct shape in, out;

    check_sizes(c, "OutputCountTensor", "1", numbers);
    if (!shape_of(c, "InputTensor", &in))
        return;
    numbers[0].value = shape_product(&in, 0, in.rank);
    check_sizes(c, "OutputCoordinatesTensor", "e ?", numbers);
    while (leading < in.rank && in.sizes[leading] == 1)
        leading++;
    if (shape_of(c, "OutputCoordinatesTensor", &out) &&
        (out.sizes[out.rank - 1] < in.rank - leading || out.sizes[out.rank - 1] > in.rank))
        expect_size(c, &out, out.rank - 1, in.rank, "the dimensions of InputTensor");
}

static void check_constant(struct check *c, const char *field, const char *words)
{
    struct number none = { "", 0 };

    check_sizes(c, field, words, &none);
}

/* Philox 4x32-10: a counter of 4 words and a key of 2. */
void shape_random(struct check *c)
{
    if (shape_is(c, "Type", "PHILOX_4X32_10"))
        check_constant(c, "InputStateTensor", "4+2");
}

void shape_adam(struct check *c) { check_constant(c, "TrainingStepTensor", "1"); }

void shape_dynamic_quantize(struct check *c)
{
    struct shape in, out;

    check_constant(c, "OutputScaleTensor", "1");
    check_constant(c, "OutputZeroPointTensor", "1");
    if (shape_of(c, "InputTensor", &in) && shape_of(c, "OutputTensor", &out) && out.rank == in.rank)
        expect_same_sizes(c, &out, &in, 0, in.rank);
}
