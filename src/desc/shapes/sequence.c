#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "desc/shapes/parts.h"
#include "desc/shapes/recipes.h"

/* Words as in expect_sizes. */
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
    struct number numbers[] = { { .name = "directions", .value = directions },
                                { .name = "gates", .value = gates },
                                { .name = "hidden size" },
                                { .name = "input size" },
                                { .name = "length of sequences" },
                                { .name = "batch size" },
                                { .name = "" } };
    char why[80];

    if (!both && !shape_is(c, "Direction", "FORWARD") && !shape_is(c, "Direction", "BACKWARD"))
        return;
    snprintf(why, sizeof why, "%u per direction * %u = %u", functions, directions,
             functions * directions);
    expect_length(c, "ActivationDescs", functions * directions, why);
    for (size_t t = 0; t < ARRAY_LEN(tensors); t++)
        expect_sizes(c, tensors[t].field, tensors[t].words, numbers);
}

/* Query, key and value are each given once; a past key or value may replace them. */
static void check_inputs(struct check *c)
{
    static const char *const names[] = { "Query", "Key", "Value" };
    static const char *const tensors[] = { "QueryTensor", "KeyTensor", "ValueTensor" };

    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        const char *first = NULL, *past = n == 1 ? "PastKeyTensor" : "PastValueTensor";

        for (const struct field *f = c->schema->fields; f->name && !f->output; f++) {
            if (!strstr(f->name, names[n]) || strstr(f->name, "Past") || !shape_given(c, f->name))
                continue;
            if (first)
                expect_tensor(c, f->name, "leave one of them out", "%s and %s both contain %s",
                              first, f->name, names[n]);
            first = f->name;
        }
        if (!first && (n == 0 || !shape_given(c, past)))
            expect_tensor(c, tensors[n], "give it, or a stacked tensor", "no tensor contains %s",
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
    static const struct sizes masks[] = { { "KEY_SEQUENCE_LENGTH", "b" },
                                          { "KEY_SEQUENCE_END_START", "2 b" },
                                          { "KEY_QUERY_SEQUENCE_LENGTH_START_END", "3b+2" } };
    struct number numbers[] = {
        { .name = "batch size" },  { .name = "sequence length" }, { .name = "length of keys" },
        { .name = "past length" }, { .name = "query heads" },     { .name = "key heads" },
        { .name = "head size" },   { .name = "value head size" }, { .name = "" }
    };
    /* Present tensors may have room if PastSequenceLengthsTensor is given. */
    bool room = shape_given(c, "PastSequenceLengthsTensor");
    const char *length = room ? "?" : shape_given(c, "PastKeyTensor") ? "p+l" : "l";
    const char *why = "there is at least one head";
    unsigned queries = 0, keys;
    char words[16];

    check_inputs(c);
    expect_integer(c, "HeadCount", 1, UINT32_MAX, why, &queries);
    keys = queries;
    expect_integer(c, "QueryHeadCount", 1, UINT32_MAX, why, &queries);
    expect_integer(c, "KeyValueHeadCount", 1, UINT32_MAX, why, &keys);
    numbers[4].value = queries;
    numbers[5].value = keys;
    for (size_t t = 0; t < ARRAY_LEN(tensors); t++)
        expect_sizes(c, tensors[t].field, tensors[t].words, numbers);
    snprintf(words, sizeof words, "b k %s h", length);
    expect_sizes(c, "OutputPresentKeyTensor", words, numbers);
    snprintf(words, sizeof words, "b k %s v", length);
    expect_sizes(c, "OutputPresentValueTensor", words, numbers);
    for (size_t i = 0; i < ARRAY_LEN(masks); i++)
        if (shape_is(c, "MaskType", masks[i].field))
            expect_sizes(c, "MaskTensor", masks[i].words, numbers);
}

/* An image is {batch, channels, height * factor, width * factor}. */
static void check_blocks(struct check *c, const char *in, const char *out)
{
    struct number numbers[] = { { .name = "batch size" }, { .name = "channels" },
                                { .name = "height" },     { .name = "width" },
                                { .name = "factor" },     { .name = "" } };
    unsigned block;

    if (!expect_integer(c, "BlockSize", 1, UINT32_MAX, "a block is not empty", &block))
        return;
    numbers[4].value = block;
    expect_sizes(c, "InputTensor", in, numbers);
    expect_sizes(c, "OutputTensor", out, numbers);
}

void shape_space_to_depth(struct check *c) { check_blocks(c, "b c hf wf", "b cff h w"); }

void shape_depth_to_space(struct check *c) { check_blocks(c, "b cff h w", "b c hf wf"); }

/* `image` is {N, C, spatial axes}, `columns` {N, C * elements of the window, blocks}. The pages
 * have columns of 3 dimensions, and of as many as the image: leading dimensions of size 1. */
static void check_columns(struct check *c, const char *image, const char *columns)
{
    /* From p on: the blocks along each spatial axis. */
    struct number numbers[] = { { .name = "batch size" }, { .name = "channels" },
                                { .name = "window" },     { .name = "places of the window" },
                                { .name = "q" },          { .name = "r" },
                                { .name = "s" },          { .name = "t" },
                                { .name = "u" },          { .name = "" } };
    char words[] = "b cw pqrstu";
    struct window w[DML_MAX_RANK];
    struct shape s;
    unsigned axes;

    if (!shape_of(c, image, &s))
        return;
    axes = read_windows(c, &s, NULL, w);
    for (unsigned i = 0; i < 2 && axes > 0; i++)
        numbers[i] = (struct number){ numbers[i].name, s.sizes[i], true, s.slot, i };
    numbers[2].value = 1;
    for (unsigned d = 0; d < axes; d++) {
        uint64_t most = (w[d].in + w[d].start + w[d].end - 1) / w[d].dilation + 1;

        if (!expect_range(c, "WindowSizes", (int)d, (int64_t)w[d].size, 1, (int64_t)most,
                          "%" PRIu64 " + %" PRIu64 " + %" PRIu64 " elements have room for %" PRIu64,
                          w[d].in, w[d].start, w[d].end, most))
            return;
        numbers[d + 3].value = window_count(&w[d]);
        numbers[2].value = shape_mul(numbers[2].value, w[d].size);
    }
    words[strlen("b cw ") + axes] = '\0';
    if (axes > 0)
        expect_sizes(c, columns, words, numbers);
    if (axes > 0 && shape_of(c, columns, &s))
        expect_rank(c, &s, 3, axes + 2, "it has N, C * window and blocks");
}

void shape_fold(struct check *c) { check_columns(c, "OutputTensor", "InputTensor"); }

void shape_unfold(struct check *c) { check_columns(c, "InputTensor", "OutputTensor"); }

/* OutputCoordinatesTensor: a row for each element. Coordinates of leading dimensions of size 1 may
 * be left out. */
void shape_nonzero(struct check *c)
{
    struct number numbers[] = { { .name = "elements" }, { .name = "" } };
    unsigned leading = 0;
    struct shape in, out;

    expect_sizes(c, "OutputCountTensor", "1", numbers);
    if (!shape_of(c, "InputTensor", &in))
        return;
    numbers[0].value = shape_product(&in, 0, in.rank);
    expect_sizes(c, "OutputCoordinatesTensor", "e ?", numbers);
    while (leading < in.rank && in.sizes[leading] == 1)
        leading++;
    if (shape_of(c, "OutputCoordinatesTensor", &out) &&
        (out.sizes[out.rank - 1] < in.rank - leading || out.sizes[out.rank - 1] > in.rank))
        expect_size(c, &out, out.rank - 1, in.rank, "the dimensions of InputTensor");
}

static void check_constant(struct check *c, const char *field, const char *words)
{
    struct number none = { .name = "" };

    expect_sizes(c, field, words, &none);
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
    check_constant(c, "OutputScaleTensor", "1");
    check_constant(c, "OutputZeroPointTensor", "1");
}
