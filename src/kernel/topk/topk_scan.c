#include "kernel/topk/topk_scan.h"

OPTIMIZE_LOOPS

/* For looking ahead: bench_topk, Xeon (AMX), one thread, time of the next best value. */
enum {
    DENSE_BYTES = 256, /* of input for each candidate: 10^7 K = 1000, ascending, 512: 1.04 */
    GROUPS_UNIT = 64,  /* a multiple of the lanes of every vector */
};

/* The parts of scratch: offsets in bytes, multiples of a cache line. */
struct state_layout {
    uint64_t capacity, groups;
    uint64_t keys, index, firsts, end;
};

static uint64_t lines(uint64_t bytes) { return u64_round_up(bytes, CACHE_LINE); }

/* Cannot overflow: k <= n <= 2^32. */
static struct state_layout lay_out(const struct topk_job *job)
{
    uint64_t size = UINT64_C(1) << job->width_log2, pad = TOPK_PAD_BYTES / size;
    struct state_layout l = { .capacity = topk_candidates(job->n, job->k),
                              .groups = u64_round_up(2 * job->k + 1, GROUPS_UNIT) };

    if (l.groups * 2 > job->n)
        l.groups = 0;
    l.keys = lines(sizeof(struct topk_state));
    l.index = l.keys + lines((l.capacity + pad) * size);
    l.firsts = l.index + lines((l.capacity + pad + 4) * sizeof(uint32_t));
    l.end = l.firsts + lines((l.groups + pad) * size);
    return l;
}

uint64_t topk_scan_scratch(const struct topk_job *job) { return lay_out(job).end; }

struct topk_mapping topk_mapping_of(const struct topk_job *job)
{
    unsigned width_log2 = job->width_log2;
    uint64_t sign = topk_sign(width_log2), ones = topk_ones(width_log2);
    bool negates = topk_negates(job->order), reverses = job->order.largest && !negates;
    struct topk_mapping m = { .order = job->order,
                              .flip = (job->order.kind == KIND_UNSIGNED ? sign : 0) ^
                                      (job->order.largest ? ones : 0),
                              .least = topk_signed_key(0, width_log2),
                              .most = topk_signed_key(ones, width_log2) };

    if (job->order.kind == KIND_FLOAT) {
        int64_t nan = topk_signed_key(2 * topk_infinity(width_log2) + 1, width_log2);

        m.flip = job->order.largest ? sign : 0;
        m.shift = (int64_t)(topk_infinity(width_log2) - sign);
        m.shift = reverses ? ~m.shift : m.shift;
        m.least = reverses ? ~nan : m.least;
        m.most = reverses ? m.most : nan;
    }
    return m;
}

void topk_scan_begin(void *scratch, const struct topk_job *job)
{
    struct topk_state *s = scratch;
    struct state_layout l = lay_out(job);
    char *at = scratch;

    assert(job->width_log2 <= 3 && 1 <= job->k && job->k <= job->n &&
           job->n <= UINT64_C(1) << TOPK_N_LOG2_MAX);
    assert((uintptr_t)scratch % CACHE_LINE == 0);
    *s = (struct topk_state){
        .job = *job,
        .loops = topk_loops_of(job),
        .filter = { .keys = at + l.keys,
                    .index = (uint32_t *)(at + l.index),
                    .capacity = l.capacity,
                    .ahead = job->prefetch >= PREFETCH_AHEAD ? SCAN_AHEAD : 0,
                    .map = topk_mapping_of(job) },
        .groups = l.groups,
        .whole = l.capacity == job->n && job->limit == UINT64_MAX,
        .open = true,
        .dense = true,
        .firsts = at + l.firsts,
    };
    if (topk_signed_key(job->limit, job->width_log2) < s->filter.map.most) {
        topk_set_threshold(s, topk_signed_key(job->limit, job->width_log2) + 1);
        s->filter.capacity = job->k; /* see topk_scan_make_room */
        s->limited = true;
        s->dense = false;
    }
}

/* Appends all elements, while there is no threshold; returns their number. */
static size_t fill(struct topk_state *s, const void *src, size_t n)
{
    struct topk_filter *f = &s->filter;

    n = u64_min(n, f->capacity - f->count);
    s->loops->convert((char *)f->keys + (f->count << s->job.width_log2), src, n, &f->map);
    for (size_t i = 0; !s->whole && i < n; i++)
        f->index[f->count + i] = (uint32_t)(s->fed + i);
    f->count += n;
    return n;
}

bool topk_scan_make_room(struct topk_state *s)
{
    struct topk_filter *f = &s->filter;
    size_t accepted = f->count - s->job.k, bytes = s->since << s->job.width_log2;
    bool fast = accepted * s->fed / 4 > s->job.k * s->since;

    if (s->limited) { /* k candidates within the limit: elements equal to it come too late */
        f->capacity = topk_candidates(s->job.n, s->job.k);
        topk_set_threshold(s, f->threshold - 1);
        accepted = s->loops->below(f->keys, f->count, f->threshold);
        s->loose = bytes < accepted * DENSE_BYTES && s->fed < s->job.n / 2;
    } else {
        s->dense = bytes < accepted * DENSE_BYTES;
    }
    s->limited = false;
    s->since = 0;
    if (f->count >= f->capacity)
        s->loops->compact(s);
    return fast;
}

void topk_scan_look(void *scratch, const void *src, size_t count)
{
    struct topk_state *s = scratch;

    s->loops->look_ahead(s, src, count);
}

bool topk_scan_feed(void *scratch, const void *src, size_t count)
{
    struct topk_state *s = scratch;
    struct topk_filter *f = &s->filter;
    const char *p = src;
    bool fast = false;

    for (size_t at = 0, done; at < count && !s->closed; at += done) {
        if (s->dense)
            s->loops->look_ahead(s, p + (at << s->job.width_log2), count - at);
        if (s->open)
            done = fill(s, p + (at << s->job.width_log2), count - at);
        else
            done = s->loops->filter(f, p, at, count, (uint32_t)(s->fed - at)) - at;
        s->work += done;
        s->fed += done;
        s->since += done;
        if (f->count >= f->capacity && (s->fed < s->job.n || s->limited))
            fast = topk_scan_make_room(s);
    }
    return fast;
}

void topk_scan_candidates(void *scratch, struct topk_list *list)
{
    struct topk_state *s = scratch;
    struct topk_filter *f = &s->filter;

    if (f->count > topk_candidates(s->job.n, s->job.k))
        s->loops->compact(s);
    *list = (struct topk_list){ .keys = f->keys,
                                .index = s->whole ? NULL : f->index,
                                .count = f->count,
                                .loose = s->loose,
                                .work = s->work };
}

uint64_t topk_scan_kth(const struct topk_job *job, void *keys, const void *src)
{
    const struct topk_scan *loops = topk_loops_of(job);
    const struct topk_mapping map = topk_mapping_of(job);
    uint64_t work = 0, key;

    loops->convert(keys, src, job->n, &map);
    key = (uint64_t)loops->kth(keys, job->n, job->k, &work).key;
    return (key ^ topk_sign(job->width_log2)) & topk_ones(job->width_log2);
}
