/* Slices of any shape, layout, window and type: every kernel of this machine, on one to three
 * threads and cut into parts, against a walk over coordinates. Of src: op/slice/slice.c
 * op/slice/slice_run.c op/slice/slice_pieces.c kernel/slice/slice_copy.inc
 * kernel/slice/slice_ref.c kernel/transpose.inc */
#include "kernel/slice/slice.h"
#include "op/slice/slice_pieces.h"
#include "view.h"

enum { MOST = 1500, MANY = 40000 };

struct problem {
    struct desc d;
    struct fuzz_view in, out;
    uint64_t sizes[DML_MAX_RANK]; /* of the output */
    char *want;
};

/* Window and output along an axis of the input. */
static void draw_axis(struct fuzz_bytes *b, struct desc *d, unsigned i, uint64_t size,
                      uint64_t *out)
{
    unsigned choice = fuzz_byte(b);
    uint64_t offset = fuzz_word(b) % size,
             window = choice & 1 ? size - offset : 1 + fuzz_word(b) % (size - offset), most;
    int64_t stride = choice & 2 ? 1 : 1 + fuzz_byte(b) % 12;

    if (choice >> 2 == 63)
        stride = d->op == OP_SLICE ? UINT32_MAX : -(int64_t)INT32_MIN;
    most = 1 + (window - 1) / (uint64_t)stride;
    *out = choice & 4 ? most : 1 + fuzz_word(b) % most;
    d->offsets[i] = offset;
    d->sizes[i] = d->op == OP_SLICE ? *out : window;
    d->strides[i] = choice & 8 && d->op == OP_SLICE1 ? -stride : stride;
}

static void walk(struct problem *p)
{
    const struct tensor *in = &p->in.t;
    size_t size = dtype_size(in->type);
    uint64_t c[DML_MAX_RANK] = { 0 };

    do {
        const char *from = in->data;
        char *to = fuzz_view_in(&p->out, p->want, c);

        for (unsigned i = 0; i < in->rank; i++) {
            int64_t start = (int64_t)p->d.offsets[i];

            if (p->d.op == OP_SLICE1 && p->d.strides[i] < 0)
                start += (int64_t)p->d.sizes[i] - 1;
            from += (start + p->d.strides[i] * (int64_t)c[i]) * in->strides[i] * (int64_t)size;
        }
        for (size_t i = 0; i < size; i++)
            to[i] = from[in->swapped ? size - 1 - i : i];
    } while (tensor_next(in->rank, p->sizes, c));
}

static void check_kernel(struct problem *p, const char *kernel, int threads)
{
    struct tensor *t[SLOT_COUNT] = { [SLOT_IN] = &p->in.t, [SLOT_OUT] = &p->out.t };

    memset(p->out.memory, 0xa5, p->out.bytes);
    fuzz_run(&p->d, t, kernel, threads);
    if (memcmp(p->out.memory, p->want, p->out.bytes) != 0)
        fuzz_fail("%s: wrong bytes, %d threads", kernel, threads);
}

/* One part into its room in the packed output, from a copy of the bytes that it says it needs. */
static void check_part(struct problem *p, const struct slice_pieces *parts,
                       const struct slice_piece *part, char *to)
{
    size_t size = dtype_size(p->in.t.type), bytes = part->high - part->low;
    struct op_exec exec = { .threads = 1 };
    struct diag dg = fuzz_diag();
    char *piece = fuzz_alloc(bytes);
    struct op_plan *plan;

    memcpy(piece, (char *)p->in.t.data + part->low, bytes);
    if (!parts->contiguous) {
        if (slice_piece_plan_new(&plan, parts, part, piece, to, &exec, &dg) != ST_OK)
            fuzz_fail("no plan of a part");
        op_plan_run(plan);
        op_plan_free(plan);
    } else if (bytes != part->bytes) {
        fuzz_fail("a contiguous part of %llu bytes", (unsigned long long)bytes);
    }
    for (uint64_t j = 0; parts->contiguous && j < bytes; j++)
        to[j] = piece[p->in.t.swapped ? j / size * size + size - 1 - j % size : j];
    free(piece);
}

static void check_parts(struct problem *p, uint64_t window)
{
    size_t size = dtype_size(p->in.t.type);
    unsigned rank = p->in.t.rank;
    struct slice_pieces parts;
    uint64_t c[DML_MAX_RANK] = { 0 }, count, at = 0, low = 0;
    char *packed;

    if (!slice_pieces_plan(&parts, &p->d, &p->in.t, p->sizes, window))
        return;
    if (!tensor_count(rank, p->sizes, &count))
        fuzz_fail("too many elements");
    packed = fuzz_alloc(count * size);
    for (uint64_t i = 0; i < parts.count; i++) {
        struct slice_piece part;

        slice_piece_at(&parts, i, &part);
        if (part.bytes > count * size - at || part.low > part.first || part.first >= part.high ||
            (window > 0 && part.low < low) ||
            part.high > p->in.bytes - (size_t)((char *)p->in.t.data - p->in.memory))
            fuzz_fail("part %llu: bytes [%llu, %llu), after %llu", (unsigned long long)i,
                      (unsigned long long)part.low, (unsigned long long)part.high,
                      (unsigned long long)low);
        low = part.low;
        check_part(p, &parts, &part, packed + at);
        at += part.bytes;
    }
    if (at != count * size)
        fuzz_fail("the parts are not the whole");
    at = 0;
    do {
        if (memcmp(packed + at, fuzz_view_in(&p->out, p->want, c), size) != 0)
            fuzz_fail("wrong bytes by parts, window %llu", (unsigned long long)window);
        at += size;
    } while (tensor_next(rank, p->sizes, c));
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    uint64_t rng = fuzz_seed(&b), in_sizes[DML_MAX_RANK];
    unsigned choice = fuzz_byte(&b),
             rank = fuzz_sizes(&b, choice >> 4 == 15 ? MANY : MOST, in_sizes);
    struct problem p = { .d = { .op = choice & 1 ? OP_SLICE1 : OP_SLICE } };
    enum dtype type = fuzz_dtype(&b);

    p.in = fuzz_view_new(&b, type, rank, in_sizes, true);
    for (unsigned i = 0; i < rank; i++)
        draw_axis(&b, &p.d, i, in_sizes[i], &p.sizes[i]);
    p.out = fuzz_view_new(&b, type, rank, p.sizes, false);
    p.in.t.swapped = choice & 2 && dtype_size(type) > 1;
    fuzz_view_random(&p.in, &rng);
    p.want = fuzz_view_want(&p.out);
    walk(&p);
    for (unsigned i = 0; i < slice_kernel_count; i++)
        if (cpu_has(slice_kernels[i].row.needs))
            check_kernel(&p, slice_kernels[i].row.name, 1);
    check_kernel(&p, "auto", 1 + (int)(choice >> 2) % 3);
    check_parts(&p, choice & 64 && tensor_is_packed(&p.in.t) ? 1 + fuzz_word(&b) : 0);
    free(p.want);
    free(p.in.memory);
    free(p.out.memory);
    return 0;
}
