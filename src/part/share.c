#include "part/share.h"

#include "desc/schema.h"

struct share_shape share_shape_of(const struct desc *d)
{
    const struct tensor_desc out = desc_result(d, op_output(d->op, ROLE_DATA)->slot);
    struct share_shape s = { .rank = out.rank, .along = out.rank };

    for (unsigned i = 0; i < out.rank; i++)
        s.sizes[i] = out.sizes[i];
    if (op_output(d->op, ROLE_INDEX)) {
        s.along = (unsigned)d->axis;
        s.length = d->tensor[SLOT_IN].sizes[d->axis];
    }
    return s;
}

void share_bounds(uint64_t size, uint64_t n, uint64_t i, uint64_t *from, uint64_t *to)
{
    uint64_t q = size / n, r = size % n;

    *from = i * q + u64_min(i, r); /* at most size */
    *to = *from + q + (i < r);
}

uint64_t share_piece(uint64_t size, uint64_t n, uint64_t at)
{
    uint64_t q = size / n, r = size % n;

    return at < r * (q + 1) ? at / (q + 1) : (at - r) / q; /* the first r pieces have q + 1 */
}

uint64_t share_pieces(const struct share_grid *grid, unsigned axis)
{
    for (unsigned i = 0; i < grid->n; i++)
        if (grid->axis[i] == axis)
            return grid->count[i];
    return 1;
}

uint64_t share_step(const struct share_grid *grid, unsigned axis)
{
    uint64_t step = 1;

    for (unsigned i = grid->n; i-- > 0; step *= grid->count[i])
        if (grid->axis[i] == axis)
            return step;
    return 0;
}

void share_at(const struct share_shape *s, const struct share_grid *grid, uint64_t part,
              struct share *share)
{
    *share = (struct share){ .stretched = share_step(grid, s->along) > 0 };
    memcpy(share->to, s->sizes, s->rank * sizeof s->sizes[0]);
    for (unsigned i = grid->n; i-- > 0; part /= grid->count[i]) {
        unsigned axis = grid->axis[i];

        share_bounds(share_axis_size(s, axis), grid->count[i], part % grid->count[i],
                     &share->from[axis], &share->to[axis]);
    }
    for (unsigned i = 0; i < s->rank; i++) {
        bool merged = share->stretched && i == s->along; /* the part has up to K of its elements */
        uint64_t size = share->to[i] - share->from[i];

        share->place[i] = merged ? 0 : share->from[i];
        share->sizes[i] = merged ? u64_min(size, s->sizes[i]) : size;
    }
}

uint64_t share_part_of(const struct share_shape *s, const struct share_grid *grid,
                       const uint64_t *c, unsigned skip_axis)
{
    uint64_t part = 0;

    for (unsigned i = 0; i < grid->n; i++) {
        unsigned axis = grid->axis[i];

        part *= grid->count[i];
        if (axis != skip_axis)
            part += share_piece(share_axis_size(s, axis), grid->count[i], c[axis]);
    }
    return part;
}

uint64_t share_offset(const struct share_shape *s, const struct share *share, const uint64_t *c,
                      unsigned skip_axis)
{
    uint64_t offset = 0;

    for (unsigned i = 0; i < s->rank; i++)
        offset = offset * share->sizes[i] + (i == skip_axis ? 0 : c[i] - share->place[i]);
    return offset;
}

bool share_default(const struct share_shape *s, uint64_t n, struct share_grid *grid)
{
    unsigned best = s->rank;

    for (unsigned i = s->rank; i-- > 0;)
        if (i != s->along && s->sizes[i] >= n)
            best = i;
    if (best == s->rank && s->along < s->rank && s->length >= n)
        best = s->along;
    *grid = (struct share_grid){ .n = 1, .axis = { best }, .count = { n } };
    return best < s->rank;
}

/* Splits `axis` and the axes after it into n parts; tries the most pieces of `axis` first. */
static bool suggest_from(const struct share_shape *s, unsigned axis, uint64_t n,
                         struct share_grid *grid)
{
    uint64_t room = 1;

    if (n == 1)
        return true;
    for (unsigned i = axis; i < s->rank && room < n; i++)
        room = u64_mul_most(room, share_axis_size(s, i));
    if (room < n || axis == s->rank)
        return false;
    for (uint64_t count = u64_min(n, share_axis_size(s, axis)); count >= 1; count--) {
        unsigned before = grid->n;

        if (n % count != 0)
            continue;
        if (count > 1) {
            grid->axis[grid->n] = axis;
            grid->count[grid->n++] = count;
        }
        if (suggest_from(s, axis + 1, n / count, grid))
            return true;
        grid->n = before;
    }
    return false;
}

bool share_suggest(const struct share_shape *s, uint64_t n, struct share_grid *grid)
{
    uint64_t largest = 1, left = n, prime = 1;

    *grid = (struct share_grid){ .n = 0 };
    for (unsigned i = 0; i < s->rank; i++)
        largest = u64_max(largest, share_axis_size(s, i));
    for (uint64_t p = 2; left > 1; p++) /* every prime factor must fit an axis */
        for (; left % p == 0; left /= p)
            prime = p;
    return prime <= largest && suggest_from(s, 0, n, grid);
}

/* Narrows a packed description, and its view unless NULL, to [from, to) of an axis. */
static void narrow(struct tensor_desc *td, struct tensor *view, unsigned axis, uint64_t from,
                   uint64_t to)
{
    td->sizes[axis] = to - from;
    if (!view)
        return;
    view->sizes[axis] = to - from;
    view->data =
        (char *)view->data + (int64_t)from * view->strides[axis] * (int64_t)dtype_size(view->type);
}

/* Narrows the window to the input of output elements [from, to) of an axis. */
static void narrow_window(struct desc *d, unsigned axis, uint64_t from, uint64_t to)
{
    uint64_t step = i64_magnitude(d->strides[axis]), span = (to - from - 1) * step;

    if (d->op == OP_SLICE) { /* Sizes counts output elements */
        d->offsets[axis] += from * step;
        d->sizes[axis] = to - from;
        return;
    }
    if (d->strides[axis] < 0) /* starts at the window's end */
        d->offsets[axis] += d->sizes[axis] - 1 - from * step - span;
    else
        d->offsets[axis] += from * step;
    d->sizes[axis] = span + 1;
}

/* The axis of a tensor of the multiply that is output axis `axis`; its rank if none is. */
static unsigned multiply_axis(const struct field *f, unsigned tensor_rank, unsigned axis,
                              unsigned rank)
{
    unsigned from_right = rank - axis;
    bool inner = (f->slot == SLOT_A && from_right == FROM_RIGHT_COLUMNS) ||
                 (f->slot == SLOT_B && from_right == FROM_RIGHT_ROWS);

    return inner || from_right > tensor_rank ? tensor_rank : tensor_rank - from_right;
}

static void narrow_multiply(struct desc *d, struct tensor *const views[], unsigned axis,
                            uint64_t from, uint64_t to)
{
    unsigned rank = d->tensor[SLOT_C].rank;

    for (const struct field *f = op_schema(d->op)->fields; f->name; f++) {
        struct tensor_desc *td = &d->tensor[f->slot];
        unsigned at = td->rank;

        if (f->kind == FIELD_TENSOR && td->present)
            at = multiply_axis(f, td->rank, axis, rank);
        if (at < td->rank && (td->sizes[at] > 1 || f->output))
            narrow(td, f->output ? NULL : views[f->slot], at, from, to);
    }
}

static void narrow_topk(struct desc *d, struct tensor *const views[], unsigned axis, uint64_t from,
                        uint64_t to)
{
    uint64_t most = to - from;

    narrow(&d->tensor[SLOT_IN], views[SLOT_IN], axis, from, to);
    if (axis == d->axis)
        most = d->k = u64_min(d->k, most);
    d->tensor[SLOT_VALUES].sizes[axis] = d->tensor[SLOT_INDICES].sizes[axis] = most;
}

void share_narrow(struct desc *d, const struct share *share, struct tensor *const views[])
{
    const struct share_shape s = share_shape_of(d);

    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        d->tensor[slot].has_strides = false;
        d->tensor[slot].total_size = 0;
    }
    for (unsigned axis = 0; axis < s.rank; axis++) {
        uint64_t from = share->from[axis], to = share->to[axis];

        if (axis == s.along && !share->stretched)
            continue;
        if (from == 0 && to == share_axis_size(&s, axis))
            continue;
        if (d->op == OP_QMATMUL)
            narrow_multiply(d, views, axis + (d->vector_a && axis + 1 == s.rank), from, to);
        else if (s.along < s.rank)
            narrow_topk(d, views, axis, from, to);
        else {
            narrow_window(d, axis, from, to);
            d->tensor[SLOT_OUT].sizes[axis] = to - from;
        }
    }
}
