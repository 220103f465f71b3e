#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "random.h"
#include "tensor/dtype.h"

/* Data that are bad for a selection by samples, limits and guesses. A recipe is a choice of each of
 * the enumerations below. */

/* Values by the place on the axis. */
enum recipe_order {
    ORDER_UNIFORM,
    ORDER_BEST_LAST,  /* ascending towards the result's first */
    ORDER_BEST_FIRST, /* descending */
    ORDER_EQUAL,
    ORDER_PIPE,     /* the best in the middle */
    ORDER_VALLEY,   /* the best at both ends */
    ORDER_DRIFT,    /* uniform, and better from row to row */
    ORDER_LATE,     /* uniform, then ever better from the middle on */
    ORDER_RARE,     /* equal, but for one in a thousand */
    ORDER_WALK,     /* random walks */
    ORDER_SAWTOOTH, /* better and better, again after each period */
    ORDER_TEETH,    /* better and better, but for periods that run backwards */
    ORDER_STAIRS,   /* better and better in steps of a period */
    ORDER_BLOCKS,   /* periods of better and of worse rows */
    ORDER_LAST,     /* uniform; the best are in the last 1/period */
    ORDER_FIRST,    /* the same of the first */
    ORDER_WAVES,
    ORDERS
};

/* Columns against each other. */
enum recipe_scale {
    SCALE_SAME,
    SCALE_FACTORS,   /* each has a scale of its own */
    SCALE_MEANS,     /* and a mean */
    SCALE_TIMES,     /* one ascends, far from the others */
    SCALE_ALTERNATE, /* every other one is reversed */
    SCALE_LEAST,     /* half of each is the least value */
    SCALE_PHASES,    /* each begins at another row, and ends with those before */
    SCALES
};

enum recipe_nans {
    NANS_NONE,
    NANS_COLUMN,    /* all of one column */
    NANS_ALTERNATE, /* every other row */
    NANS_HALF,
    NANS_ALL,
    NANS_ALL_BUT_FEW, /* all but one in a thousand */
    NANS_FIRST_HALF,
    NANS_LAST_HALF,
    NANS_FEW,   /* one in a thousand */
    NANS_GROUP, /* all of every other group */
    NANS
};

/* Rows that are the best or the worst of all, where a sample may look. */
enum recipe_poison {
    POISON_NONE,
    POISON_SPACED, /* at even distances */
    POISON_GOLDEN, /* the same, each moved by multiples of the golden ratio */
    POISON_MOVED,  /* the same by other bits of these */
    POISON_RUNS,   /* as golden, 16 elements each */
    POISON_BLOCKS, /* eight blocks of 1/256 */
    POISONS
};

struct recipe {
    enum recipe_order order;
    enum recipe_scale scale;
    enum recipe_nans nans;
    enum recipe_poison poison;
    uint64_t values; /* distinct ones; 0: any number */
    uint64_t period; /* of an order, in rows; also the number of poisoned rows */
    bool largest;    /* the direction that the data are bad for */
    bool best;       /* poisoned rows are the best, not the worst */
    uint64_t seed;
};

enum { RECIPE_PARTS = 9 };

/* Draws one of a recipe's RECIPE_PARTS members anew. */
static inline void recipe_draw(struct recipe *r, unsigned part, uint64_t *rng)
{
    static const uint64_t values[] = { 0, 0, 0, 2, 3, 16, 100 };
    bool plain = random_below(rng, 2);

    switch (part) {
    case 0: r->order = (enum recipe_order)random_below(rng, ORDERS); break;
    case 1: r->scale = plain ? SCALE_SAME : (enum recipe_scale)random_below(rng, SCALES); break;
    case 2: r->nans = plain ? NANS_NONE : (enum recipe_nans)random_below(rng, NANS); break;
    case 3: r->poison = plain ? POISON_NONE : (enum recipe_poison)random_below(rng, POISONS); break;
    case 4: r->values = values[random_below(rng, ARRAY_LEN(values))]; break;
    case 5: r->period = UINT64_C(1) << random_below(rng, 14); break;
    case 6: r->largest = random_below(rng, 2); break;
    case 7: r->best = random_below(rng, 2); break;
    default: r->seed = random_next(rng);
    }
}

static inline double recipe_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) / 9007199254740992.0;
}

/* The value of row i of n, 0 to 1 or so; 0 comes first in the result. */
static inline double recipe_value(const struct recipe *r, uint64_t i, uint64_t n, uint64_t *state,
                                  double *walk)
{
    uint64_t period = u64_max(1, u64_min(r->period, n));
    double u = recipe_unit(state), size = (double)n, x = (double)i / size;

    switch (r->order) {
    case ORDER_BEST_LAST: return 1 - x;
    case ORDER_BEST_FIRST: return x;
    case ORDER_EQUAL: return 0.5;
    case ORDER_PIPE: return x < 0.5 ? 1 - 2 * x : 2 * x - 1;
    case ORDER_VALLEY: return x < 0.5 ? 2 * x : 2 - 2 * x;
    case ORDER_DRIFT: return (1 - x) * 0.9 + u / 10;
    case ORDER_LATE: return i < n / 2 ? 0.5 + u / 2 : (1 - x) / 2;
    case ORDER_RARE: return u < 0.001 ? u * 1000 : 0.5;
    case ORDER_WALK: return *walk += (u - 0.5) / sqrt(size) / 4;
    case ORDER_SAWTOOTH: return 1 - (double)(i % period) / (double)period;
    case ORDER_TEETH: return 1 - (double)(i + period - 1 - 2 * (i % period)) / (2 * size);
    case ORDER_STAIRS: return 1 - (double)(i / period * period) / size;
    case ORDER_BLOCKS: return i / period % 2 ? u / 2 : 0.5 + u / 2;
    case ORDER_LAST: return i >= n - n / period ? u / 1000 : 0.5 + u / 2;
    case ORDER_FIRST: return i < n / period ? u / 1000 : 0.5 + u / 2;
    case ORDER_WAVES: return 0.5 + sin((double)i / (double)period) * 0.4 + u / 10;
    case ORDER_UNIFORM:
    case ORDERS: break;
    }
    return u;
}

static inline bool recipe_poisons(const struct recipe *r, uint64_t i, uint64_t n)
{
    uint64_t step = n / u64_max(1, u64_min(r->period, n / 2)), at;
    unsigned shift = r->poison == POISON_MOVED ? 7 : 0;

    if (r->poison == POISON_NONE || step == 0)
        return false;
    if (r->poison == POISON_SPACED)
        return i % step == 0;
    if (r->poison == POISON_BLOCKS)
        return i % (n / 8 + 1) < n / 256;
    at = ((i / step + 1) * UINT64_C(0x9e3779b9) >> shift & UINT32_MAX) * step >> 32;
    return i % step - at < (r->poison == POISON_RUNS ? 16 : 1); /* before: a large number */
}

static inline bool recipe_is_nan(const struct recipe *r, uint64_t group, uint64_t i,
                                 uint64_t column, uint64_t n, uint64_t *state)
{
    switch (r->nans) {
    case NANS_COLUMN: return column == 3;
    case NANS_ALTERNATE: return i % 2 == 0;
    case NANS_HALF: return random_below(state, 2);
    case NANS_ALL: return true;
    case NANS_ALL_BUT_FEW: return random_below(state, 1000) != 0;
    case NANS_FIRST_HALF: return i < n / 2;
    case NANS_LAST_HALF: return i >= n / 2;
    case NANS_FEW: return random_below(state, 1000) == 0;
    case NANS_GROUP: return group % 2 == 0;
    case NANS_NONE:
    case NANS: break;
    }
    return false;
}

/* Stores a value, an integer in the range of its type. NaNs have any payload. */
static inline void recipe_store(enum dtype type, void *to, double v, bool nan, uint64_t *state)
{
    unsigned bits = 8 * (unsigned)dtype_size(type);
    double whole = fmin(fmax(v, 0), 1), d = v * 1000;
    float f = (float)d;
    uint64_t element = 0;

    if (dtype_table[type].kind == KIND_FLOAT && nan)
        element = random_next(state) | (bits == 16 ? 0x7e00 : UINT64_C(0x7ff8) << (bits - 16));
    else if (type == DT_FLOAT32)
        memcpy(&element, &f, 4);
    else if (type == DT_FLOAT64)
        memcpy(&element, &d, 8);
    else if (type == DT_FLOAT16)
        element = (uint64_t)(whole * 0x7bff);
    else
        element = (uint64_t)(whole * 18446744073709549568.0) >> (64 - bits);
    if (dtype_table[type].kind == KIND_SIGNED)
        element ^= UINT64_C(1) << (bits - 1);
    for (unsigned i = 0; i < bits; i += 8) /* the tests run on little-endian machines, too */
        ((unsigned char *)to)[i / 8] = (unsigned char)(element >> i);
}

/* Fills contiguous data of sizes {outer, n, inner}, the axis in the middle. */
static inline void recipe_fill(const struct recipe *r, enum dtype type, const uint64_t sizes[3],
                               char *data)
{
    uint64_t state = random_start(r->seed), n = sizes[1], inner = sizes[2];
    size_t size = dtype_size(type);

    for (uint64_t column = 0; column < sizes[0] * inner; column++) {
        uint64_t group = column / inner, lane = inner > 1 ? column % inner : group;
        char *at = data + (group * n * inner + column % inner) * size;
        uint64_t phase = r->scale == SCALE_PHASES ? lane * 7919 % n : 0;
        double walk = 0.5;

        for (uint64_t i = 0; i < n; i++, at += inner * size) {
            double v = recipe_value(r, (i + phase) % n, n, &state, &walk);

            if (recipe_poisons(r, i, n))
                v = r->best ? 0 : 1;
            if (r->values)
                v = floor(v * (double)r->values) / (double)r->values;
            v = r->largest ? 1 - v : v;
            if (r->scale == SCALE_FACTORS)
                v = ldexp(v, (int)(lane % 40) - 20);
            else if (r->scale == SCALE_MEANS)
                v = v / 100 + (double)(lane * 37 % 101) / 102;
            else if (r->scale == SCALE_TIMES && lane == 5)
                v = 0.7 + (double)i / (double)n / 100;
            else if (r->scale == SCALE_ALTERNATE && lane % 2)
                v = 1 - v;
            else if (r->scale == SCALE_LEAST)
                v = fmax(2 * v - 1, 0);
            recipe_store(type, at, v, recipe_is_nan(r, group, i, lane, n, &state), &state);
        }
    }
}

/* Says what a recipe is. */
static inline void recipe_text(const struct recipe *r, char *text, size_t bytes)
{
    static const char *const orders[] = { "uniform", "best last", "best first",    "equal",
                                          "pipe",    "valley",    "drift",         "late",
                                          "rare",    "walks",     "sawtooth",      "teeth",
                                          "stairs",  "blocks",    "the last best", "the first best",
                                          "waves" };
    static const char *const scales[] = { "", ", columns' scales", ", columns' means",
                                          ", a column of times", ", every other column reversed",
                                          ", half least", ", columns' phases" };
    static const char *const nans[] = { "", ", a column NaN", ", every other row NaN", ", half NaN",
                                        ", all NaN", ", all but 1 in 1000 NaN",
                                        ", first half NaN", ", last half NaN",
                                        ", 1 in 1000 NaN", ", every other group NaN" };
    static const char *const poisons[] = { "",           "spaced rows", "golden rows",
                                           "moved rows", "golden runs", "eight blocks" };
    int n = snprintf(text, bytes, "%s, %s%s%s", r->largest ? "largest" : "smallest",
                     orders[r->order], scales[r->scale], nans[r->nans]);

    if (r->poison)
        n += snprintf(text + n, bytes - (size_t)n, ", %s %s", poisons[r->poison],
                      r->best ? "best" : "worst");
    if (r->values)
        n += snprintf(text + n, bytes - (size_t)n, ", %llu values", (unsigned long long)r->values);
    if (r->poison || r->order >= ORDER_SAWTOOTH)
        snprintf(text + n, bytes - (size_t)n, ", period %llu", (unsigned long long)r->period);
}
