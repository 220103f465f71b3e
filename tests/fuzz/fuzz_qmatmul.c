/* Quantized products of any sizes, layouts, signs, zero points and scales: every kernel of this
 * machine, on one to three threads, against exact sums and division of whole numbers.
 * Of src: op/qmatmul/qmatmul.c op/qmatmul/qmatmul_packed.c op/qmatmul/qmatmul_pack.c
 * op/qmatmul/qmatmul_loops.c op/qmatmul/qmatmul_operand.c
 * op/qmatmul/qmatmul_epilogue.c op/qmatmul/qmatmul_skinny.c
 * kernel/qmatmul/qmm_requant.c kernel/qmatmul/qmatmul_ref.c */
#include "kernel/qmatmul/qmatmul.h"
#include "kernel/qmm_oracle.h"
#include "view.h"

enum { MOST_WORK = 4000, MUCH_WORK = 60000 };

struct problem {
    struct desc d;
    struct fuzz_view v[SLOT_COUNT];
    struct tensor *t[SLOT_COUNT];
    unsigned outer; /* axes before the matrices' */
    uint64_t sizes[DML_MAX_RANK], m, k, n;
    char *want;
};

static void add(struct problem *p, struct fuzz_bytes *b, unsigned slot, enum dtype type,
                unsigned rank, const uint64_t *sizes)
{
    p->v[slot] = fuzz_view_new(b, type, rank, sizes, slot != SLOT_C);
    p->t[slot] = &p->v[slot].t;
}

static void add_matrix(struct problem *p, struct fuzz_bytes *b, unsigned slot, enum dtype type,
                       uint64_t rows, uint64_t columns)
{
    p->sizes[p->outer] = rows;
    p->sizes[p->outer + 1] = columns;
    add(p, b, slot, type, p->outer + 2, p->sizes);
}

/* One value, or one per lane of its matrix. */
static void add_parameter(struct problem *p, struct fuzz_bytes *b, unsigned slot, enum dtype type,
                          unsigned from_right, uint64_t lanes)
{
    uint64_t sizes[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    unsigned choice = fuzz_byte(b), rank = 2 + choice % 3;

    if (choice & 16)
        sizes[rank - from_right] = lanes;
    add(p, b, slot, type, rank, sizes);
}

/* A finite scale: near 1, a power of two, or any bits. */
static float draw_scale(struct fuzz_bytes *b, bool output)
{
    unsigned choice = fuzz_byte(b);
    uint32_t bits = fuzz_u32(b);
    float f;

    if (choice & 1)
        bits = (bits & 0x80ffffffU) | (uint32_t)(choice & 2 ? 0x3f000000 : 0x37000000);
    else if (choice & 4)
        bits &= 0xff800000U;
    memcpy(&f, &bits, sizeof f);
    if (!isfinite(f) || (output && f == 0))
        return output ? 64 : 1;
    return f;
}

static void fill_scales(struct problem *p, struct fuzz_bytes *b, unsigned slot)
{
    struct tensor *t = p->t[slot];
    uint64_t c[DML_MAX_RANK] = { 0 };
    float few[4];

    for (size_t i = 0; i < ARRAY_LEN(few); i++)
        few[i] = draw_scale(b, slot == SLOT_C_SCALE);
    memset(p->v[slot].memory, 0x3f, p->v[slot].bytes);
    for (unsigned i = 0;; i++) {
        memcpy(tensor_at(t, c), &few[i % 4], sizeof few[0]);
        if (t->swapped)
            tensor_swap_bytes(tensor_at(t, c), sizeof few[0], 1);
        if (!tensor_next(t->rank, t->sizes, c))
            break;
    }
}

/* Values of a matrix or zero points: any, the ends of the type, or the input's. */
static void fill_values(struct problem *p, struct fuzz_bytes *b, unsigned slot, uint64_t *rng)
{
    struct fuzz_view *v = &p->v[slot];
    unsigned choice = fuzz_byte(b);
    bool is_signed = v->t.type == DT_INT8;

    if (choice % 4 == 3) {
        fuzz_fill(b, v->memory, v->bytes);
        return;
    }
    fuzz_view_random(v, rng);
    for (size_t i = 0; choice % 4 && i < v->bytes; i++) {
        int lo = is_signed ? -128 : 0, hi = choice & 16 ? 64 : is_signed ? 127 : 255;

        v->memory[i] = (char)(choice % 4 == 1 ? (v->memory[i] & 1 ? hi : lo)
                              : choice & 8    ? hi
                                              : lo);
    }
}

static void check_kernel(struct problem *p, const char *kernel, int threads)
{
    memset(p->v[SLOT_C].memory, 0xa5, p->v[SLOT_C].bytes);
    fuzz_run(&p->d, p->t, kernel, threads);
    if (memcmp(p->v[SLOT_C].memory, p->want, p->v[SLOT_C].bytes) != 0)
        fuzz_fail("%s: wrong bytes, %d threads, M=%llu K=%llu N=%llu", kernel, threads,
                  (unsigned long long)p->m, (unsigned long long)p->k, (unsigned long long)p->n);
}

static void draw(struct problem *p, struct fuzz_bytes *b)
{
    unsigned choice = fuzz_byte(b), present = fuzz_byte(b);
    enum dtype a = choice & 1 ? DT_INT8 : DT_UINT8, right = choice & 2 ? DT_INT8 : DT_UINT8;
    enum dtype c = choice & 4 ? DT_INT8 : DT_UINT8;
    uint64_t work = choice >> 5 == 7 ? MUCH_WORK : MOST_WORK, *const sizes[] = { &p->m, &p->n,
                                                                                 &p->k };

    p->outer = (choice >> 3) % 3;
    for (unsigned i = 0; i < p->outer; i++) {
        p->sizes[i] = 1 + fuzz_byte(b) % 3;
        work /= p->sizes[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        *sizes[i] = 1 + (i == 2 ? fuzz_word(b) : fuzz_byte(b)) % u64_min(work, i == 2 ? work : 150);
        work /= *sizes[i];
    }
    add_matrix(p, b, SLOT_A, a, p->m, p->k);
    add_matrix(p, b, SLOT_B, right, p->k, p->n);
    add_matrix(p, b, SLOT_C, c, p->m, p->n);
    add_parameter(p, b, SLOT_A_SCALE, DT_FLOAT32, 2, p->m);
    add_parameter(p, b, SLOT_B_SCALE, DT_FLOAT32, 1, p->n);
    add_parameter(p, b, SLOT_C_SCALE, DT_FLOAT32, 2, p->m);
    for (unsigned slot = SLOT_A_SCALE; slot <= SLOT_C_SCALE; slot++)
        if (p->t[slot])
            p->t[slot]->swapped = p->t[slot]->type == DT_FLOAT32 && present & 16;
    if (present & 1)
        add_parameter(p, b, SLOT_A_ZERO, a, 2, p->m);
    if (present & 2)
        add_parameter(p, b, SLOT_B_ZERO, right, 1, p->n);
    if (present & 4)
        add_parameter(p, b, SLOT_C_ZERO, c, 2, p->m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    struct problem p = { .d = { .op = OP_QMATMUL } };
    uint64_t rng = fuzz_seed(&b), c[DML_MAX_RANK] = { 0 };
    int threads = (int)fuzz_between(&b, 1, 3);

    draw(&p, &b);
    for (unsigned slot = 0; slot < SLOT_C; slot++)
        if (p.t[slot] && p.t[slot]->type == DT_FLOAT32)
            fill_scales(&p, &b, slot);
        else if (p.t[slot])
            fill_values(&p, &b, slot, &rng);
    p.want = fuzz_view_want(&p.v[SLOT_C]);
    do
        *fuzz_view_in(&p.v[SLOT_C], p.want, c) = oracle_product(p.t, c);
    while (tensor_next(p.outer + 2, p.t[SLOT_C]->sizes, c));
    for (unsigned i = 0; i < qmm_kernel_count; i++)
        if (cpu_has(qmm_kernels[i].row.needs))
            check_kernel(&p, qmm_kernels[i].row.name, 1);
    check_kernel(&p, "auto", threads);
    free(p.want);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
        free(p.v[slot].memory);
    return 0;
}
