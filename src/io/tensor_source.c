#include "io/tensor_source.h"

#include <string.h>

#include "base/util.h"
#include "os/memory.h"

static enum status read_window(struct tensor_source *s, const struct tensor_window *w, void *to)
{
    if (s->st == ST_OK)
        s->st = s->read(s, w, to);
    return s->st;
}

/* The largest window from element `from` on with at most n elements: part of an axis, and all of
 * the axes inside it. Returns its number of elements. */
static uint64_t largest_window(const struct tensor *t, uint64_t from, uint64_t n,
                               struct tensor_window *w)
{
    unsigned axis = t->rank - 1;
    uint64_t inner = 1, some;

    tensor_coordinate(t->rank, t->sizes, from, w->start);
    while (axis > 0 && w->start[axis] == 0 && inner * t->sizes[axis] <= n)
        inner *= t->sizes[axis--];
    some = u64_min(n / inner, t->sizes[axis] - w->start[axis]);
    for (unsigned i = 0; i < t->rank; i++) {
        w->count[i] = i > axis ? t->sizes[i] : i == axis ? some : 1;
        w->step[i] = 1;
        w->stride[i] = t->strides[i];
    }
    return some * inner;
}

/* Reads n elements from element `from` on. */
static enum status read_elements(struct tensor_source *s, uint64_t from, uint64_t n, char *to)
{
    enum status st = ST_OK;

    while (n > 0 && st == ST_OK) {
        struct tensor_window w;
        uint64_t some = largest_window(&s->whole, from, n, &w);

        st = read_window(s, &w, to);
        to += some * dtype_size(s->whole.type);
        from += some;
        n -= some;
    }
    return st;
}

/* Reads whole pages, [low, high). */
static enum status read_pages(struct tensor_source *s, uint64_t low, uint64_t high)
{
    uint64_t size = dtype_size(s->whole.type), end = u64_min(high, s->bytes);

    if (s->st)
        return s->st;
    if (s->high > s->low) /* reading the last pages again by mistake faults */
        os_pages_decommit(s->base + s->low, s->high - s->low);
    s->low = s->high = 0;
    if (!os_pages_commit(s->base + low, high - low))
        return s->st = diag_nomem(s->dg);
    s->low = low;
    s->high = high;
    return read_elements(s, low / size, (end - low) / size, (char *)s->base + low);
}

static enum status need(void *context, const void *at, uint64_t bytes)
{
    struct tensor_source *s = context;
    uint64_t page = os_page_size(), from = (uint64_t)((const unsigned char *)at - s->base);
    uint64_t low = from - from % page, high = u64_round_up(from + bytes, page);

    return low >= s->low && high <= s->high && s->st == ST_OK ? ST_OK : read_pages(s, low, high);
}

enum status tensor_source_begin(struct tensor_source *s, struct tensor *t, struct diag *dg)
{
    s->dg = dg;
    if (tensor_dense_bytes(t->type, t->rank, t->sizes, &s->bytes) && s->bytes <= PTRDIFF_MAX)
        s->base = os_pages_reserve((size_t)u64_max(s->bytes, 1));
    if (!s->base)
        return diag_nomem(dg);
    s->feed = (struct tensor_feed){ need, s };
    t->data = s->base;
    t->feed = &s->feed;
    s->whole = *t;
    return ST_OK;
}

enum status tensor_source_all(struct tensor_source *s, struct tensor *t)
{
    enum status st;

    s->all = true;
    st = read_pages(s, 0, u64_round_up(s->bytes, os_page_size()));
    t->feed = st ? t->feed : NULL;
    return st;
}

/* The axis of the tensor that a stride goes along, the outermost whose stride is not larger, and
 * the *step on it. False if there is none. */
static bool find_axis(const struct tensor *whole, int64_t stride, unsigned *axis, int64_t *step)
{
    for (unsigned i = 0; i < whole->rank; i++)
        if (whole->sizes[i] > 1 && whole->strides[i] <= (int64_t)i64_magnitude(stride)) {
            *axis = i;
            *step = stride / whole->strides[i];
            return stride % whole->strides[i] == 0;
        }
    return false;
}

/* The view as a window; false if it is none. */
static bool set_window(const struct tensor *whole, const struct tensor *view,
                       struct tensor_window *w)
{
    uint64_t size = dtype_size(whole->type), dense = 1;
    uint64_t first = (uint64_t)((const char *)view->data - (const char *)whole->data) / size;

    tensor_coordinate(whole->rank, whole->sizes, first, w->start);
    for (unsigned i = 0; i < whole->rank; i++) {
        w->count[i] = 1;
        w->step[i] = 1;
        w->stride[i] = 0;
    }
    for (unsigned i = view->rank; i-- > 0; dense *= view->sizes[i]) {
        unsigned axis = 0;
        int64_t step = 0, last;

        if (view->sizes[i] == 1)
            continue;
        if (!find_axis(whole, view->strides[i], &axis, &step) || w->count[axis] > 1)
            return false;
        last = (int64_t)w->start[axis] + (int64_t)(view->sizes[i] - 1) * step;
        if (last < 0 || (uint64_t)last >= whole->sizes[axis])
            return false;
        w->count[axis] = view->sizes[i];
        w->step[axis] = step;
        w->stride[axis] = (int64_t)dense;
    }
    return true;
}

enum status tensor_source_copy(struct tensor_source *s, const struct tensor *view, void *to)
{
    struct tensor_window w;
    uint64_t count = 0;
    enum status st;

    (void)tensor_count(view->rank, view->sizes, &count); /* fits: it is in memory, or will be */
    s->all = s->all || count * dtype_size(view->type) == s->bytes;
    if (set_window(&s->whole, view, &w))
        return read_window(s, &w, to);
    st = read_pages(s, 0, u64_round_up(s->bytes, os_page_size()));
    if (st == ST_OK)
        tensor_gather(view, 0, count, to);
    return st;
}

void tensor_source_close(struct tensor_source *s)
{
    if (s->base)
        os_unmap(s->base, (size_t)u64_max(s->bytes, 1));
    s->close(s);
}
