#include "base/mem.h"
#include "op/topk/topk_plan.h"

OPTIMIZE_LOOPS

/* Sorts candidates in time proportional to their number for any data. A few are sorted at once;
 * many in order are written as they are; others are counted by a prefix of their keys, scattered to
 * buckets of neighbouring prefixes, and each bucket gets a radix sort of the bits left. Each thread
 * counts and scatters an equal share of the candidates. All passes are stable. */

/* Measured as those in topk.c. */
enum {
    DIGIT_BITS = 11, /* 10^7 K = n, 8: 1.09 */
};

/* One column's candidates to be sorted. */
struct ordering {
    const struct topk_plan *plan;
    struct topk_sorter *sorter;
    const struct topk_strip *strip;
    uint64_t column;
    const struct topk_list *lists;
    uint64_t total; /* candidates of all parts */
    uint64_t least; /* key */
    unsigned bits;  /* in which the keys may differ from it */
    bool falls;     /* the candidates are not in order */
};

/* Candidate i of a part whose first element has the index `first`. */
INLINE struct topk_entry candidate(const struct topk_list *list, uint64_t first, size_t i,
                                   unsigned width_log2)
{
    return (struct topk_entry){ topk_list_key(list, i, width_log2),
                                first + (list->index ? list->index[i] : i) };
}

/* Candidates of one part: those from..to-1 of its list. */
struct stretch {
    struct topk_list list;  /* a copy, which no store changes */
    uint64_t first;         /* index of the part's first element */
    uint64_t from, to, end; /* end: the number of candidates up to the part's last */
    size_t next;            /* part */
};

/* Finds the next part that has some of candidates from..to-1 of all parts. s is zero at first. */
static bool next_stretch(const struct ordering *w, uint64_t from, uint64_t to, struct stretch *s)
{
    while (s->end < to) {
        uint64_t start = s->end;

        s->list = w->lists[s->next * w->plan->cut.strip_columns];
        s->first = s->next++ * w->plan->cut.part_rows;
        s->end += s->list.count;
        s->from = u64_max(start, from) - start;
        s->to = u64_min(s->end, to) - start;
        if (s->end > from && s->list.count > 0)
            return true;
    }
    return false;
}

static uint64_t share_start(const struct ordering *w, size_t share)
{
    return u64_ceil_div(w->total, w->plan->cut.parts) * share;
}

static unsigned bits_of(uint64_t n) { return n ? 64 - (unsigned)__builtin_clzll(n) : 0; }

INLINE void survey(struct topk_list *list, unsigned width_log2)
{
    size_t n = list->count;

    for (size_t i = 1, end; i < n && !list->falls; i = end) {
        bool falls = false;

        end = u64_min(i + 64, n);
        for (size_t j = i; j < end; j++)
            falls |= topk_list_key(list, j, width_log2) < topk_list_key(list, j - 1, width_log2);
        list->falls = falls;
    }
    list->least = n > 0 ? topk_list_key(list, 0, width_log2) : UINT64_MAX;
    list->most = n > 0 ? topk_list_key(list, n - 1, width_log2) : 0;
    for (size_t i = 0; list->falls && i < n; i++) {
        list->least = u64_min(list->least, topk_list_key(list, i, width_log2));
        list->most = u64_max(list->most, topk_list_key(list, i, width_log2));
    }
}

void topk_survey(struct topk_list *list, unsigned width_log2)
{
    WITH_WIDTH(survey, width_log2, list);
}

/* Sorts by insertion. False if that takes more moves: some entries are in order then, and equal
 * keys in theirs. */
INLINE bool insert(void *entries, size_t n, size_t most_moves, bool pairs)
{
    uint64_t most = 0;
    size_t moves = 0;

    for (size_t i = 0; i < n; i++) {
        struct topk_entry e = topk_entry_get(entries, i, pairs);
        size_t at = i;

        if (e.key >= most) {
            most = e.key;
            continue;
        }
        for (; at > 0 && topk_entry_get(entries, at - 1, pairs).key > e.key; at--)
            topk_entry_set(entries, at, topk_entry_get(entries, at - 1, pairs), pairs);
        topk_entry_set(entries, at, e, pairs);
        moves += i - at;
        if (moves > most_moves)
            return false;
    }
    return true;
}

/* The digit of keys that a pass sorts by. */
struct digit {
    uint64_t least, mask;
    unsigned shift;
};

INLINE size_t digit_of(struct digit by, uint64_t key)
{
    return (key - by.least) >> by.shift & by.mask;
}

/* One pass of the radix sort. False if all entries have the same digit: nothing is moved. */
INLINE bool sort_digit(void *to, const void *from, size_t n, struct digit by, bool pairs)
{
    size_t places[1 << DIGIT_BITS], sum = 0;

    memset(places, 0, (by.mask + 1) * sizeof places[0]);
    for (size_t i = 0; i < n; i++)
        places[digit_of(by, topk_entry_get(from, i, pairs).key)]++;
    if (places[digit_of(by, topk_entry_get(from, 0, pairs).key)] == n)
        return false;
    for (size_t i = 0; i <= by.mask; i++) {
        size_t count = places[i];

        places[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        struct topk_entry e = topk_entry_get(from, i, pairs);

        topk_entry_set(to, places[digit_of(by, e.key)]++, e, pairs);
    }
    return true;
}

/* Sorts by digits of at most `most` bits. */
INLINE void *all_digits(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                        unsigned most, uint64_t *work, bool pairs)
{
    unsigned passes = (bits + most - 1) / most;
    unsigned width = passes ? (bits + passes - 1) / passes : 0;

    for (unsigned pass = 0; pass < passes; pass++) {
        struct digit by = { least, (UINT64_C(1) << width) - 1, pass * width };
        void *from = entries;

        *work += n;
        if (!sort_digit(room, from, n, by, pairs))
            continue;
        *work += n;
        entries = room;
        room = from;
    }
    return entries;
}

static void *sort_bits(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                       unsigned most, uint64_t *work, bool pairs)
{
    return pairs ? all_digits(entries, room, n, least, bits, most, work, true)
                 : all_digits(entries, room, n, least, bits, most, work, false);
}

/* Sorts by a first digit and insertion, from *entries to there. False if that takes more moves than
 * all digits: the entries are in runs of one first digit then. */
static bool sort_first(void **entries, void **room, size_t n, uint64_t least, unsigned bits,
                       bool pairs)
{
    unsigned width = (unsigned)u64_min(bits, bits_of(n));
    struct digit by = { least, (UINT64_C(1) << width) - 1, bits - width };
    void *from = *entries;

    if (sort_digit(*room, from, n, by, pairs)) {
        *entries = *room;
        *room = from;
    }
    return insert(*entries, n, (bits + width - 1) / width * n, pairs);
}

/* The same, then each run by a digit of its own keys: some of all are far from the others. */
static void *sort_few(void *entries, void *room, size_t n, uint64_t least, unsigned bits,
                      bool pairs)
{
    unsigned shift = bits - (unsigned)u64_min(bits, bits_of(n));
    size_t size = topk_entry_bytes(pairs);
    uint64_t work = 0;

    if (sort_first(&entries, &room, n, least, bits, pairs))
        return entries;
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t first = topk_entry_get(entries, i, pairs).key, low = first, high = first;
        void *from = (char *)entries + i * size, *run = from, *other = (char *)room + i * size;

        for (end = i + 1; end < n; end++) {
            uint64_t key = topk_entry_get(entries, end, pairs).key;

            if ((key - least) >> shift != (first - least) >> shift)
                break;
            low = u64_min(low, key);
            high = u64_max(high, key);
        }
        if (high > low && !sort_first(&run, &other, end - i, low, bits_of(high - low), pairs))
            run =
                sort_bits(run, other, end - i, low, bits_of(high - low), bits_of(n), &work, pairs);
        if (run != from)
            memcpy(from, run, (end - i) * size);
    }
    return entries;
}

INLINE void count_keys(const struct ordering *w, size_t share, unsigned width_log2)
{
    const struct topk_sorter *s = w->sorter;
    uint64_t *counts = s->counts + share * s->most_prefixes;
    uint64_t to = u64_min(share_start(w, share + 1), w->total);

    memset(counts, 0, s->prefixes * sizeof counts[0]);
    for (struct stretch r = { .next = 0 }; next_stretch(w, share_start(w, share), to, &r);)
        for (size_t i = r.from; i < r.to; i++)
            counts[(topk_list_key(&r.list, i, width_log2) - w->least) >> s->shift]++;
}

static uint32_t prefixes_for(uint64_t n)
{
    unsigned bits = bits_of(n / SORT_BUCKETS);

    return UINT32_C(1) << u64_min(u64_max(bits, 1), SORT_PREFIX_BITS);
}

/* Divides the prefixes into buckets of about equal size; the first ones, with k entries, are
 * sorted. Turns the counts of each share into the positions of its first entries in the buckets. */
static void plan_buckets(const struct ordering *w)
{
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    uint64_t size = u64_max(w->total / (SORT_BUCKETS - 1) + 1, TOPK_FEW), at = 0;
    unsigned b = 0;

    s->largest = 0;
    for (uint32_t first = 0, end; first < s->prefixes; first = end, b++) {
        uint64_t start = at;

        for (end = first; end < s->prefixes && at - start < size; end++) {
            s->bucket_of[end] = (uint16_t)b;
            for (uint64_t i = 0; i < p->cut.parts; i++)
                at += s->counts[i * s->most_prefixes + end];
        }
        s->bucket[b] =
            (struct topk_bucket){ start, w->least + ((uint64_t)first << s->shift),
                                  bits_of(((uint64_t)(end - first) << s->shift) - 1), 0, NULL };
        if (start < p->task.k) {
            s->buckets = b + 1;
            s->largest = u64_max(s->largest, at - start);
        }
        for (uint64_t i = 0, place = start; i < p->cut.parts; i++) {
            uint64_t *counts = s->counts + i * s->most_prefixes, count = 0;

            for (uint32_t j = first; j < end; j++)
                count += counts[j];
            counts[b] = place; /* b <= first */
            place += count;
        }
    }
    s->bucket[b].start = w->total;
}

INLINE void scatter(const struct ordering *w, size_t share, unsigned width_log2)
{
    const struct topk_sorter *s = w->sorter;
    uint64_t least = w->least, to = u64_min(share_start(w, share + 1), w->total);
    uint64_t *places = s->counts + share * s->most_prefixes;
    const uint16_t *bucket_of = s->bucket_of; /* copies, which no store changes */
    unsigned shift = s->shift;
    void *entries = s->entries;
    bool pairs = w->plan->task.pairs;

    for (struct stretch r = { .next = 0 }; next_stretch(w, share_start(w, share), to, &r);)
        for (size_t i = r.from; i < r.to; i++) {
            struct topk_entry e = candidate(&r.list, r.first, i, width_log2);
            uint64_t at = places[bucket_of[(e.key - least) >> shift]]++;

            topk_entry_set(entries, at, e, pairs);
            __builtin_prefetch((char *)entries + at * topk_entry_bytes(pairs) + CACHE_LINE, 1);
        }
}

/* Counts a share's candidates, or scatters them once there are buckets. */
static void pass_share(void *context, size_t share, int thread)
{
    const struct ordering *w = context;

    (void)thread;
    if (w->sorter->buckets == 0)
        WITH_WIDTH(count_keys, w->plan->task.width_log2, w, share);
    else
        WITH_WIDTH(scatter, w->plan->task.width_log2, w, share);
}

/* Each thread has room for the largest bucket: its entries stay in the thread's cache, and are
 * written at once. Otherwise one bucket may have half of all entries, and all threads write it. */
static bool has_room(const struct topk_sorter *s)
{
    return s->largest * (uint64_t)s->threads <= s->most;
}

static void sort_bucket(void *context, size_t number, int thread)
{
    struct ordering *w = context;
    const struct topk_plan *p = w->plan;
    struct topk_sorter *s = w->sorter;
    struct topk_bucket *b = &s->bucket[number];
    size_t bytes = topk_entry_bytes(p->task.pairs), n = b[1].start - b->start;
    char *entries = (char *)s->entries + b->start * bytes;
    uint64_t room_at = has_room(s) ? (uint64_t)thread * s->largest : b->start, work = 0;
    char *room = (char *)s->room + room_at * bytes;

    b->sorted = sort_bits(entries, room, n, b->least, b->bits, DIGIT_BITS, &work, p->task.pairs);
    b->work = work; /* once, as adjacent buckets share its cache line */
    if (has_room(s))
        topk_write(p, w->strip, w->column, b->start, b->sorted, u64_min(n, p->task.k - b->start));
}

static size_t run_length(const struct ordering *w)
{
    return u64_ceil_div(w->plan->task.k, TOPK_CHUNKS * (uint64_t)w->sorter->threads);
}

/* Writes a run of the sorted buckets' entries. */
static void write_sorted(void *context, size_t run, int thread)
{
    const struct ordering *w = context;
    size_t bytes = topk_entry_bytes(w->plan->task.pairs);
    uint64_t from = run * run_length(w), to = u64_min(from + run_length(w), w->plan->task.k);

    (void)thread;
    for (const struct topk_bucket *b = w->sorter->bucket; b->start < to; b++) {
        uint64_t first = u64_max(from, b->start), last = u64_min(to, b[1].start);

        if (first < last)
            topk_write(w->plan, w->strip, w->column, first,
                       (const char *)b->sorted + (first - b->start) * bytes, last - first);
    }
}

static void sort_many(struct ordering *w)
{
    struct topk_sorter *s = w->sorter;
    unsigned longest = bits_of(prefixes_for(w->total) - 1);

    s->shift = w->bits > longest ? w->bits - longest : 0;
    s->prefixes = UINT32_C(1) << (w->bits - s->shift);
    parallel_for(w->plan->cut.parts, s->threads, pass_share, w);
    plan_buckets(w);
    parallel_for(w->plan->cut.parts, s->threads, pass_share, w);
    parallel_for(s->buckets, s->threads, sort_bucket, w);
    if (!has_room(s))
        parallel_for(u64_ceil_div(w->plan->task.k, run_length(w)), s->threads, write_sorted, w);
}

/* Counts all candidates, finds the range of their keys, and if they are in order. */
static void survey_parts(struct ordering *w)
{
    uint64_t most = 0;

    w->least = UINT64_MAX;
    for (size_t i = 0; i < w->plan->cut.parts; i++) {
        const struct topk_list *list = &w->lists[i * w->plan->cut.strip_columns];

        w->total += list->count;
        w->falls |= list->falls || list->least < most;
        w->least = u64_min(w->least, list->least);
        most = u64_max(most, list->most);
    }
    w->bits = bits_of(most - w->least);
}

/* Copies candidates `from` to `to` of all parts. */
INLINE void collect(const struct ordering *w, void *entries, uint64_t from, uint64_t to,
                    unsigned width_log2)
{
    size_t n = 0;
    bool pairs = w->plan->task.pairs;

    for (struct stretch r = { .next = 0 }; next_stretch(w, from, to, &r);)
        for (size_t i = r.from; i < r.to; i++)
            topk_entry_set(entries, n++, candidate(&r.list, r.first, i, width_log2), pairs);
}

/* Writes candidates from..to-1, at most TOPK_FEW, in order: all of them, or some that are in order.
 * Not inlined: sorting many does not need its stack. */
__attribute__((noinline)) static void write_few(const struct ordering *w, uint64_t from,
                                                uint64_t to, struct topk_guess *guess)
{
    const struct topk_plan *p = w->plan;
    size_t n = to - from;
    struct topk_entry entries[TOPK_FEW], room[TOPK_FEW];
    const void *sorted = entries;

    WITH_WIDTH(collect, p->task.width_log2, w, entries, from, to);
    if (w->falls && n > 1)
        sorted = sort_few(entries, room, n, w->least, w->bits, p->task.pairs);
    topk_write(p, w->strip, w->column, from, sorted, u64_min(n, p->task.k - from));
    if (guess)
        topk_limit_learn(p, guess, sorted, n);
}

static void write_run(void *context, size_t run, int thread)
{
    const struct ordering *w = context;
    uint64_t last = u64_min((run + 1) * TOPK_LARGE, w->plan->task.k);

    (void)thread;
    for (uint64_t first = run * TOPK_LARGE; first < last; first += TOPK_FEW)
        write_few(w, first, u64_min(first + TOPK_FEW, last), NULL);
}

void topk_order(const struct topk_plan *p, uint64_t worker, const struct topk_strip *strip,
                uint64_t column, const struct topk_list *lists)
{
    struct ordering w = { .plan = p, .strip = strip, .column = column, .lists = lists };

    survey_parts(&w);
    if (w.total <= TOPK_FEW) {
        write_few(&w, 0, w.total, p->limits.expected > 0 ? &p->limits.guesses[worker] : NULL);
        return;
    }
    w.sorter = &p->sorter[p->cut.shared ? 0 : worker];
    w.sorter->buckets = 0;
    if (w.falls)
        sort_many(&w);
    else
        parallel_for(u64_ceil_div(p->task.k, TOPK_LARGE), w.sorter->threads, write_run, &w);
}

static bool sorter_init(const struct topk_plan *p, struct topk_sorter *s)
{
    uint64_t parts = p->cut.parts, rows = p->cut.part_rows;
    size_t bytes = topk_entry_bytes(p->task.pairs);

    s->threads = p->cut.shared ? p->base.threads : 1;
    if (!u64_mul(parts, topk_candidates(rows, u64_min(p->task.k, rows)), &s->most))
        return false;
    s->entries = mem_alloc_aligned(s->most, bytes);
    s->room = mem_alloc_aligned(s->most, bytes);
    s->most_prefixes = prefixes_for(s->most);
    s->counts = mem_alloc_aligned(parts, s->most_prefixes * sizeof s->counts[0]);
    s->bucket_of = mem_alloc_aligned(s->most_prefixes, sizeof s->bucket_of[0]);
    return s->entries && s->room && s->counts && s->bucket_of;
}

bool topk_sorters_new(struct topk_plan *p)
{
    bool good = true;

    if (p->cut.parts == 1 && topk_candidates(p->task.n, p->task.k) <= TOPK_FEW)
        return true;
    p->sorters = p->cut.shared ? 1 : (unsigned)p->base.threads;
    p->sorter = mem_zalloc(p->sorters, sizeof *p->sorter);
    for (unsigned i = 0; p->sorter && i < p->sorters; i++)
        good = good && sorter_init(p, &p->sorter[i]);
    return p->sorter && good;
}

void topk_sorters_free(struct topk_plan *p)
{
    for (unsigned i = 0; p->sorter && i < p->sorters; i++) {
        free(p->sorter[i].entries);
        free(p->sorter[i].room);
        free(p->sorter[i].counts);
        free(p->sorter[i].bucket_of);
    }
    free(p->sorter);
}
