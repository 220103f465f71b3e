/*
 * The data that slow topk most, against uniform data of the same shape, type, K and threads.
 * `bench_worst [-t THREADS] [-s SECONDS] [-r SEED] [-j] [-l] [TEXT]`
 *
 * For SECONDS (120) it draws shapes and recipes of data (topk_recipes.h), or changes a part of the
 * worst found so far, and measures both data by turns. It prints what is worse than before and at
 * the end the worst ratios, for K up to 1000 and for larger K. Uniform data count at least as long
 * as it takes to read them once: where elements have 8 bits, they end early. Cases on one thread
 * are measured in its own processor time.
 * THREADS: the most (2); half of the cases run on one. -j: the worst as JSON, as bench.h has it.
 * -l: nothing random, but every kind of data for each shape whose line holds TEXT.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/topk_recipes.h"
#include "machine.h"
#include "op/op.h"
#include "reading.h"

enum { K_MOST = 1000, RUNS = 7, RUNS_FIRST = 2, RECIPES = 4 /* for a shape at once */ };

#define OTHERS 0.1 /* of the processors' time, that others may use */

struct shape {
    uint64_t sizes[3]; /* outer, n, inner: the axis is the middle one */
    enum dtype type;
    uint64_t k;
};

static const uint64_t sizes[][3] = {
    { 1, 4000000, 1 }, { 4, 1000000, 1 }, { 400, 10000, 1 },  { 4000, 1000, 1 },  { 40000, 100, 1 },
    { 1, 500000, 8 },  { 1, 100000, 40 }, { 1, 40000, 100 },  { 1, 100000, 100 }, { 1, 20000, 200 },
    { 1, 4000, 1000 }, { 1, 1000, 4000 }, { 1, 1000, 10000 }, { 1, 100, 40000 },  { 1, 2000, 100 },
    { 10, 10000, 40 }, { 100, 1000, 50 },
};

static const uint64_t ks[] = { 1, 2, 5, 10, 12, 13, 20, 50, 100, 300, 1000, 3000, 10000, 100000 };

static const enum dtype types[] = { DT_FLOAT32, DT_FLOAT64, DT_FLOAT16, DT_INT8,
                                    DT_INT16,   DT_INT32,   DT_INT64,   DT_UINT8,
                                    DT_UINT16,  DT_UINT32,  DT_UINT64 };

/* A shape and its data, and what was measured. */
struct found {
    struct shape shape;
    struct recipe recipe;
    int threads;
    double ratio, ns, uniform_ns; /* ratio 0: nothing was found */
};

/* What runs one shape. */
struct job {
    const struct shape *shape;
    int threads;
    char *data[2], *values, *indices; /* data: uniform, the recipe's */
};

static uint64_t rng;

static void must(bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_worst: memory is short\n");
    exit(ST_SYSTEM);
}

static size_t elements(const struct shape *s, uint64_t along)
{
    return (size_t)(s->sizes[0] * along * s->sizes[2]);
}

static struct job work_new(const struct shape *s, int threads)
{
    struct recipe uniform = { .seed = 1 };
    size_t size = dtype_size(s->type), n = elements(s, s->sizes[1]), results = elements(s, s->k);
    struct job w = {
        .shape = s,
        .threads = threads,
        .data = { mem_alloc_aligned(n, size), mem_alloc_aligned(n, size) },
        .values = mem_alloc_aligned(results, size),
        .indices = mem_alloc_aligned(results, sizeof(uint32_t)),
    };

    must(w.data[0] && w.data[1] && w.values && w.indices);
    recipe_fill(&uniform, s->type, s->sizes, w.data[0]);
    return w;
}

static void work_free(struct job *w)
{
    free(w->data[0]);
    free(w->data[1]);
    free(w->values);
    free(w->indices);
}

static struct op_plan *plan_new(const struct job *w, int which, bool largest)
{
    const struct shape *s = w->shape;
    struct tensor in = { .type = s->type, .rank = 3, .data = w->data[which] };
    struct tensor values = { .type = s->type, .rank = 3, .data = w->values };
    struct tensor indices = { .type = DT_UINT32, .rank = 3, .data = w->indices };
    struct tensor *t[SLOT_COUNT] = { &in, &values, &indices };
    struct desc d = { .op = OP_TOP_K1,
                      .axis = 1,
                      .k = s->k,
                      .direction = largest ? AXIS_DECREASING : AXIS_INCREASING };
    struct op_exec exec = { .threads = w->threads, .kernel = "auto" };
    struct diag dg = { .err = stderr, .command = "bench_worst" };
    struct op_plan *plan;

    for (int i = 0; i < 3; i++) {
        memcpy(t[i]->sizes, s->sizes, sizeof s->sizes);
        t[i]->sizes[1] = i == 0 ? s->sizes[1] : s->k;
        tensor_pack_strides(3, t[i]->sizes, t[i]->strides);
    }
    must(op_plan_new(&plan, &d, t, &exec, &dg) == ST_OK);
    return plan;
}

/* The time that a single thread waits for a processor does not count. */
static double now_ns(int threads)
{
    struct timespec t;

    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Runs the operator, or reads the data once if there is no plan. */
static double run_ns(const struct job *w, struct op_plan *plan)
{
    static struct reading r;
    double start;

    r.data = w->data[1];
    r.bytes = elements(w->shape, w->shape->sizes[1]) * dtype_size(w->shape->type);
    r.threads = w->threads;
    start = now_ns(w->threads);
    if (plan)
        op_plan_run(plan);
    else
        reading_run(&r);
    return now_ns(w->threads) - start;
}

/* Measures some runs of each by turns, and takes the shortest. */
static void measure(const struct job *w, struct found *f, int runs)
{
    struct op_plan *plans[3] = { plan_new(w, 0, f->recipe.largest),
                                 plan_new(w, 1, f->recipe.largest), NULL };
    double least[3] = { INFINITY, INFINITY, INFINITY };

    for (int i = 0; i < 3 * runs; i++)
        least[i % 3] = fmin(least[i % 3], run_ns(w, plans[i % 3]));
    op_plan_free(plans[0]);
    op_plan_free(plans[1]);
    f->ns = least[1];
    f->uniform_ns = fmax(least[0], least[2]);
    f->ratio = f->ns / f->uniform_ns;
}

static void shape_text(const struct shape *s, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s {%llu,%llu,%llu} k=%llu", dtype_name(s->type),
             (unsigned long long)s->sizes[0], (unsigned long long)s->sizes[1],
             (unsigned long long)s->sizes[2], (unsigned long long)s->k);
}

static void print(const struct found *f)
{
    char shape[100], recipe[200];

    shape_text(&f->shape, shape, sizeof shape);
    recipe_text(&f->recipe, recipe, sizeof recipe);
    printf("%6.2f  %-38s %d thread%s, %8.3f ms, uniform %8.3f: %s\n", f->ratio, shape, f->threads,
           f->threads > 1 ? "s" : "", f->ns / 1e6, f->uniform_ns / 1e6, recipe);
    fflush(stdout);
}

/* The worst of a range of K; its rate is the ratio of times. disturbed: others were busy. */
static void print_worst(const struct found *f, bool beyond, bool json, bool disturbed)
{
    char shape[100], recipe[200];

    if (!json) {
        printf("worst ratio for K %s %d: %.2f\n", beyond ? "above" : "up to", K_MOST, f->ratio);
        return;
    }
    shape_text(&f->shape, shape, sizeof shape);
    recipe_text(&f->recipe, recipe, sizeof recipe);
    printf("{\"bench\":\"worst\",\"type\":\"topk\",\"shape\":\"\",\"what\":\"K %s %d, worst data\","
           "\"threads\":%d,\"ms\":%.5g,\"rate\":%.5g,\"unit\":\"times uniform data's time\","
           "\"rounds\":%d,\"disturbed\":%s,\"found\":\"%s, %s\"}\n",
           beyond ? "above" : "up to", K_MOST, f->threads, f->ns / 1e6, f->ratio, RUNS,
           disturbed ? "true" : "false", shape, recipe);
}

static void draw_shape(struct shape *s, bool beyond)
{
    const uint64_t *drawn;

    do {
        drawn = sizes[random_below(&rng, ARRAY_LEN(sizes))];
        s->k = ks[random_below(&rng, ARRAY_LEN(ks))];
    } while ((s->k > K_MOST) != beyond || s->k > drawn[1]);
    memcpy(s->sizes, drawn, sizeof s->sizes);
    s->type = random_below(&rng, 3) ? types[random_below(&rng, ARRAY_LEN(types))] : DT_FLOAT32;
}

/* Measures data, and keeps them if they are the worst, also when measured again. */
static void try_recipe(const struct job *w, struct found *now, struct found *worst, bool quiet)
{
    struct found first;

    recipe_fill(&now->recipe, now->shape.type, now->shape.sizes, w->data[1]);
    measure(w, now, RUNS_FIRST);
    first = *now;
    if (first.ratio > worst->ratio)
        measure(w, now, RUNS);
    if (first.ratio < now->ratio)
        *now = first;
    if (now->ratio <= worst->ratio)
        return;
    *worst = *now;
    if (!quiet)
        print(now);
}

/* Draws a shape and some recipes for it, or changes parts of the worst recipe. */
static void try_shape(struct found *worst, bool beyond, int threads, bool quiet)
{
    bool fresh = worst->ratio == 0 || random_below(&rng, 2);
    struct found now = *worst;
    struct job w;

    if (fresh) {
        draw_shape(&now.shape, beyond);
        now.threads = random_below(&rng, 2) ? 1 : threads;
    }
    w = work_new(&now.shape, now.threads);
    for (int i = 0; i < RECIPES; i++) {
        now.recipe = worst->recipe;
        for (unsigned part = 0; fresh && part < RECIPE_PARTS; part++)
            recipe_draw(&now.recipe, part, &rng);
        recipe_draw(&now.recipe, (unsigned)random_below(&rng, RECIPE_PARTS), &rng);
        try_recipe(&w, &now, worst, quiet);
    }
    work_free(&w);
}

/* Recipes that differ from uniform data in one way, or from those that end with the best. */
static size_t list_recipes(struct recipe *r)
{
    static const int counts[] = { SCALES, NANS, 2 * POISONS };
    const struct recipe usual = { .period = 128, .seed = 7 };
    size_t n = 0;

    for (int order = 0; order < ORDERS; order++) {
        r[n] = usual;
        r[n++].order = (enum recipe_order)order;
    }
    for (size_t part = 0; part < ARRAY_LEN(counts); part++)
        for (int i = 2; i < 2 * counts[part]; i++) {
            r[n] = usual;
            r[n].order = i % 2 ? ORDER_BEST_LAST : ORDER_UNIFORM;
            r[n].scale = part == 0 ? (enum recipe_scale)(i / 2) : SCALE_SAME;
            r[n].nans = part == 1 ? (enum recipe_nans)(i / 2) : NANS_NONE;
            r[n].poison = part == 2 ? (enum recipe_poison)(i / 4) : POISON_NONE;
            r[n++].best = part == 2 && i / 2 % 2;
        }
    return n;
}

static void list_shape(const struct shape *s, int threads)
{
    struct recipe recipes[ORDERS + 2 * SCALES + 2 * NANS + 4 * POISONS];
    size_t n = list_recipes(recipes);
    struct job w = work_new(s, threads);

    for (size_t i = 0; i < 2 * n; i++) {
        struct found f = { .shape = *s, .recipe = recipes[i / 2], .threads = threads };

        f.recipe.largest = i % 2;
        recipe_fill(&f.recipe, s->type, s->sizes, w.data[1]);
        measure(&w, &f, RUNS_FIRST + 1);
        print(&f);
    }
    work_free(&w);
}

static void list(const char *wanted, int threads)
{
    for (size_t i = 0; i < ARRAY_LEN(sizes) * ARRAY_LEN(ks) * ARRAY_LEN(types); i++) {
        struct shape s = { .type = types[i % ARRAY_LEN(types)],
                           .k = ks[i / ARRAY_LEN(types) % ARRAY_LEN(ks)] };
        char line[100];

        memcpy(s.sizes, sizes[i / ARRAY_LEN(types) / ARRAY_LEN(ks)], sizeof s.sizes);
        shape_text(&s, line, sizeof line);
        if (s.k <= s.sizes[1] && strstr(line, wanted))
            list_shape(&s, threads);
    }
}

static void search(int threads, double seconds, bool json)
{
    struct found worst[2] = { { .ratio = 0 }, { .ratio = 0 } };
    uint64_t start = clock_ns(), end = start + (uint64_t)(seconds * 1e9);
    double others = machine_others_s(), share;

    machine_print(json);
    for (unsigned i = 0; i < 2 || clock_ns() < end; i++)
        try_shape(&worst[i % 4 == 1], i % 4 == 1, threads, json);
    share = (machine_others_s() - others) * 1e9 / (double)(clock_ns() - start);
    for (int i = 0; i < 2; i++)
        print_worst(&worst[i], i, json, share > OTHERS * machine_processors());
}

int main(int argc, char **argv)
{
    double seconds = 120;
    int threads = 2;
    bool json = false, all = false;
    uint64_t seed = 1;

    for (int option; (option = getopt(argc, argv, "t:s:r:jl")) != -1;)
        switch (option) {
        case 't': threads = atoi(optarg); break;
        case 's': seconds = atof(optarg); break;
        case 'r': seed = strtoull(optarg, NULL, 0); break;
        case 'j': json = true; break;
        case 'l': all = true; break;
        default: threads = 0;
        }
    if (threads < 1 || threads > PARALLEL_MOST || argc - optind > all) {
        fprintf(stderr, "usage: bench_worst [-t THREADS] [-s SECONDS] [-r SEED] [-j] | -l [-t "
                        "THREADS] [TEXT]\n");
        return ST_USAGE;
    }
    rng = random_start(seed);
    if (all)
        list(optind < argc ? argv[optind] : "", threads);
    else
        search(threads, seconds, json);
    return 0;
}
