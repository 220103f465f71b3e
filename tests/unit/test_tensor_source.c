/* Tensors that are read by need: windows of views, and what goes through all elements piece by
 * piece. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "io/tensor_source.h"
#include "tensor/cast.h"
#include "tensor/compare.h"
#include "tensor/stats.h"

/* A source that has its elements in memory, and counts what is asked for. */
struct counting {
    struct tensor_source source;
    struct tensor all; /* packed */
    uint64_t read;     /* elements */
    bool fails;
};

static enum status read_window(struct tensor_source *s, const struct tensor_window *w, void *to)
{
    struct counting *c = (struct counting *)s;
    struct tensor from = c->all, dst = c->all;
    int64_t at = 0;
    uint64_t n;

    if (c->fails)
        return ST_INPUT;
    for (unsigned i = 0; i < from.rank; i++) {
        assert_true(w->start[i] < c->all.sizes[i]);
        at += (int64_t)w->start[i] * c->all.strides[i];
        from.sizes[i] = dst.sizes[i] = w->count[i];
        from.strides[i] = c->all.strides[i] * w->step[i];
        dst.strides[i] = w->stride[i];
    }
    from.data = (char *)c->all.data + at * (int64_t)dtype_size(from.type);
    dst.data = to;
    assert_true(tensor_count(from.rank, from.sizes, &n));
    c->read += n;
    tensor_copy(&dst, &from);
    return ST_OK;
}

static void close_source(struct tensor_source *s) { (void)s; }

/* Element i is i, of a packed tensor; t is the one that is read by need. */
static void begin(struct counting *c, struct tensor *t, enum dtype type, unsigned rank,
                  const uint64_t *sizes)
{
    static struct diag dg;
    uint64_t n = 0;

    *c = (struct counting){ .source = { .read = read_window, .close = close_source } };
    c->all = (struct tensor){ .type = type, .rank = rank };
    memcpy(c->all.sizes, sizes, rank * sizeof *sizes);
    assert_true(tensor_pack_strides(rank, sizes, c->all.strides) && tensor_count(rank, sizes, &n));
    c->all.data = malloc(n * dtype_size(type));
    assert_non_null(c->all.data);
    for (uint64_t i = 0; i < n; i++) {
        if (type == DT_FLOAT64)
            ((double *)c->all.data)[i] = (double)i;
        else
            ((uint16_t *)c->all.data)[i] = (uint16_t)i;
    }
    *t = c->all;
    assert_int_equal(tensor_source_begin(&c->source, t, &dg), ST_OK);
}

static void end(struct counting *c)
{
    tensor_source_close(&c->source);
    free(c->all.data);
}

/* A view of t with these strides from that element on, which is read; the elements are as many. */
static void check_view(struct counting *c, const struct tensor *t, unsigned rank,
                       const uint64_t *sizes, const int64_t *strides, uint64_t first, bool all)
{
    struct tensor view = *t;
    uint16_t got[1024];
    uint64_t n, index[TENSOR_MAX_RANK] = { 0 };

    view.rank = rank;
    memcpy(view.sizes, sizes, rank * sizeof *sizes);
    memcpy(view.strides, strides, rank * sizeof *strides);
    view.data = (uint16_t *)t->data + first;
    assert_true(tensor_count(rank, sizes, &n) && n <= 1024);
    c->read = 0;
    assert_int_equal(tensor_source_copy(&c->source, &view, got), ST_OK);
    for (uint64_t i = 0; i < n; i++, tensor_next(rank, sizes, index)) {
        int64_t at = (int64_t)first;

        for (unsigned k = 0; k < rank; k++)
            at += (int64_t)index[k] * strides[k];
        assert_int_equal(got[i], at);
    }
    assert_true(all ? c->read > n : c->read == n);
}

static void test_views(void **state)
{
    struct counting c;
    struct tensor t;

    (void)state;
    begin(&c, &t, DT_UINT16, 4, (const uint64_t[]){ 5, 1, 6, 7 });
    check_view(&c, &t, 4, (const uint64_t[]){ 5, 1, 6, 7 }, (const int64_t[]){ 42, 42, 7, 1 }, 0,
               false);
    check_view(&c, &t, 3, (const uint64_t[]){ 2, 3, 4 }, (const int64_t[]){ 84, -14, 2 }, 77,
               false);
    /* permuted */
    check_view(&c, &t, 2, (const uint64_t[]){ 7, 5 }, (const int64_t[]){ -1, 42 }, 6, false);
    check_view(&c, &t, 1, (const uint64_t[]){ 1 }, (const int64_t[]){ 0 }, 209, false);
    /* repeats */
    check_view(&c, &t, 2, (const uint64_t[]){ 3, 4 }, (const int64_t[]){ 0, 1 }, 8, true);
    end(&c);
    begin(&c, &t, DT_UINT16, 4, (const uint64_t[]){ 5, 1, 6, 7 });
    /* along no axis */
    check_view(&c, &t, 2, (const uint64_t[]){ 3, 7 }, (const int64_t[]){ 10, 1 }, 0, true);
    end(&c);
    begin(&c, &t, DT_UINT16, 2, (const uint64_t[]){ 30, 30 });
    /* over the end of a row */
    check_view(&c, &t, 1, (const uint64_t[]){ 31 }, (const int64_t[]){ 1 }, 5, true);
    end(&c);
}

static void test_need(void **state)
{
    const uint64_t sizes[] = { 3, 50, 70 };
    struct counting c;
    struct tensor t;

    (void)state;
    begin(&c, &t, DT_UINT16, 3, sizes);
    for (uint64_t from = 0; from < 10500; from += 37) {
        const uint16_t *at = (uint16_t *)t.data + from;
        uint64_t n = u64_min(from % 5000 + 1, 10500 - from);

        assert_int_equal(tensor_need(&t, at, n * 2), ST_OK);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(at[i], from + i);
    }
    c.read = 0;
    assert_int_equal(tensor_need(&t, t.data, 2), ST_OK);
    assert_true(c.read > 0 && c.read <= (uint64_t)sysconf(_SC_PAGESIZE) / 2);
    assert_int_equal(tensor_need(&t, (uint16_t *)t.data + 5, 2), ST_OK); /* there already */
    assert_true(c.read <= (uint64_t)sysconf(_SC_PAGESIZE) / 2);
    assert_int_equal(tensor_source_all(&c.source, &t), ST_OK);
    assert_null(t.feed);
    assert_memory_equal(t.data, c.all.data, 21000);
    end(&c);
}

/* More elements than are in memory at a time: what goes through them is what goes through the
 * tensor at once. */
static void test_pieces(void **state)
{
    enum { N = 3 << 20 };
    struct compare_options exact = { .atol = 0 };
    struct comparison x, y;
    const struct cast_rules strict = { 0 }, clamping = { .clamp = true };
    struct stats s, u;
    struct histogram h = { .n = 7 }, g = { .n = 7 };
    struct counting c;
    struct tensor t;
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);

    (void)state;
    assert_true(a && b);
    begin(&c, &t, DT_FLOAT64, 2, (const uint64_t[]){ 3, N / 3 });
    assert_true(stats_compute(&t, N, 2, &s) && stats_compute(&c.all, N, 2, &u));
    assert_true(s.mean == u.mean && s.deviation == u.deviation && s.zeros == 1 && s.max.f == N - 1);
    assert_true(stats_histogram(&t, 2, &s, &h) && stats_histogram(&c.all, 2, &u, &g));
    assert_true(h.low == g.low && h.high == g.high);
    assert_memory_equal(h.bins, g.bins, 7 * sizeof *h.bins);
    free(h.bins);
    free(g.bins);
    assert_false(tensor_cast(&t, N, DT_FLOAT32, &strict, 2, a).refused);
    (void)tensor_cast(&c.all, N, DT_FLOAT32, &strict, 2, b);
    assert_memory_equal(a, b, N * sizeof *a);
    assert_int_equal(tensor_cast(&t, N, DT_UINT16, &strict, 2, a).first, 65536);
    assert_int_equal(tensor_cast(&t, N, DT_UINT16, &clamping, 2, a).counts.clamped, N - 65536);
    assert_true(comparison_make(&t, &c.all, &exact, 2, &x));
    assert_int_equal(x.differ, 0);
    comparison_free(&x);
    c.all.swapped = true;
    assert_true(comparison_make(&t, &c.all, &exact, 2, &x) &&
                comparison_make(&c.all, &t, &exact, 2, &y));
    assert_true(x.differ == N - 1 && y.differ == N - 1 && x.first[0].number == 1 &&
                x.axes[0].differ[2] == N / 3);
    comparison_free(&x);
    comparison_free(&y);
    c.fails = true;
    assert_false(stats_compute(&t, N, 2, &s));
    assert_int_equal(c.source.st, ST_INPUT);
    assert_false(comparison_make(&t, &c.all, &exact, 2, &x));
    end(&c);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_views), cmocka_unit_test(test_need),
                                        cmocka_unit_test(test_pieces) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
