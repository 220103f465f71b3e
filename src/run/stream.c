#include "run/job.h"

#include "base/mem.h"

enum {
    ADVISE_MIN = 1 << 20, /* bytes: smaller inputs are read ahead completely */
    PIPE_THREADS = 4,     /* a pipe is not faster than four threads */
};

/* The piece that a thread works on. */
struct stream_lane {
    struct slice_piece piece;
    struct op_plan *plan;      /* owned; NULL: the piece needs no kernel */
    const unsigned char *data; /* the input bytes that the piece needs */
    void *window;              /* owned: data, if they come through a pipe */
    void *block;               /* owned: the piece's output */
};

struct stream {
    const struct slice_pieces *pieces;
    struct slice_piece largest; /* the first; the last on its axis may be smaller */
    int threads;                /* with one piece each */
    struct op_exec exec;        /* of a piece */
    struct tensor_file *source;
    struct output *out;
    struct progress *progress; /* NULL: none */
    struct stream_lane *lanes; /* [threads] */
    enum status st;
    struct diag *dg;
};

static enum status make_room(void **p, uint64_t bytes, struct diag *dg)
{
    if (!*p)
        *p = mem_alloc_aligned(bytes, 1);
    return *p ? ST_OK : diag_nomem(dg);
}

static enum status fill_window(struct stream *s, struct stream_lane *l)
{
    const struct slice_piece *piece = &l->piece;
    uint64_t got = 0, bytes = piece->high - piece->low;
    struct tensor_file *f = s->source;
    enum status st = make_room(&l->window, s->largest.high - s->largest.low, s->dg);

    if (st == ST_OK)
        st = input_read(&f->input, f->header.data_offset + piece->low, l->window, bytes, &got,
                        s->dg);
    l->data = l->window;
    return st || got == bytes ? st : tensor_file_end(f, s->dg);
}

/* True if pieces are pieces of the input that need no kernel. */
static bool is_copied(const struct stream *s)
{
    return s->pieces->contiguous && !s->source->tensor.swapped;
}

/* True if the input is read from the mapping of an .npy. */
static bool is_mapped(const struct tensor_file *f)
{
    return f->input.mapped && f->format == FORMAT_NPY && !f->values;
}

/* The steps of struct parallel_steps. */

static bool begin_step(void *context, uint64_t piece, int thread)
{
    struct stream *s = context;
    struct stream_lane *l = &s->lanes[thread];

    slice_piece_at(s->pieces, piece, &l->piece);
    if (s->source->input.more)
        s->st = fill_window(s, l);
    else
        l->data = (const unsigned char *)s->source->tensor.data + l->piece.low;
    if (s->st == ST_OK && !is_copied(s))
        s->st = make_room(&l->block, s->largest.bytes, s->dg);
    if (s->st == ST_OK && !is_copied(s))
        s->st = slice_piece_plan_new(&l->plan, s->pieces, &l->piece, l->data, l->block, &s->exec,
                                     s->dg);
    return s->st == ST_OK;
}

static void compute_step(void *context, uint64_t piece, int thread)
{
    const struct stream *s = context;

    (void)piece;
    if (s->lanes[thread].plan)
        op_plan_run(s->lanes[thread].plan);
}

static bool write_step(void *context, uint64_t piece, int thread)
{
    struct stream *s = context;
    struct stream_lane *l = &s->lanes[thread];
    const struct tensor_file *f = s->source;
    size_t bytes = (size_t)l->piece.bytes;

    (void)piece;
    op_plan_free(l->plan);
    l->plan = NULL;
    if (!is_copied(s))
        s->st = output_write(s->out, l->block, bytes, s->dg);
    else if (!is_mapped(f) || f->input.more)
        s->st = output_write(s->out, l->data, bytes, s->dg);
    else
        s->st = output_copy(s->out, l->data, bytes, f->input.fd,
                            input_offset(&f->input) + f->header.data_offset + l->piece.low, s->dg);
    if (s->progress)
        progress_add(s->progress, l->piece.bytes);
    return s->st == ST_OK;
}

/* Advises the system how the pages of a mapped input will be read: mostly and in order, or in small
 * distant pieces. */
static void advise(const struct stream *s, const struct slice_piece *whole)
{
    const struct tensor_file *f = s->source;
    uint64_t span = whole->high - whole->low;
    bool dense = whole->bytes >= span / 4;

    if (is_mapped(f) && span >= ADVISE_MIN &&
        (dense || (!s->pieces->contiguous && whole->bytes < span / 64)))
        input_advise(&f->input, (size_t)(f->header.data_offset + whole->low), (size_t)span, dense);
}

static void run_pieces(void *context)
{
    static const struct parallel_steps steps = { begin_step, compute_step, write_step };
    struct stream *s = context;

    (void)parallel_pipeline(s->pieces->count, s->threads, &steps, s);
}

/* Gives each thread a piece of its own if there are enough pieces, else all threads to one piece.
 * Returns the number of threads. */
static int choose_threads(struct stream *s, const struct op_exec *exec, uint64_t bytes)
{
    int n = is_copied(s) ? 1 : parallel_threads_for(exec->threads, bytes);

    if (s->source->input.more && n > PIPE_THREADS)
        n = PIPE_THREADS;
    s->exec = (struct op_exec){ .threads = 1,
                                .kernel = exec->kernel,
                                .prefetch = prefetch_for_copy(exec->prefetch, bytes) };
    s->threads = n;
    if (s->pieces->count < (uint64_t)n) {
        s->exec.threads = n;
        s->threads = 1;
    }
    return n;
}

enum status stream_run(const struct plan *plan, struct tensor_file *source,
                       const struct op_exec *exec, struct results *r, struct progress *progress,
                       struct diag *dg)
{
    struct result *target = &r->v[SLOT_OUT];
    struct stream s = { .pieces = &plan->pieces,
                        .source = source,
                        .out = target->out,
                        .progress = progress,
                        .dg = dg };
    bool piped = source->input.more;
    struct slice_piece whole;
    unsigned kernel;
    int threads;

    slice_piece_at(s.pieces, 0, &s.largest);
    slice_piece_whole(s.pieces, &whole);
    threads = choose_threads(&s, exec, whole.high - whole.low);
    target->view.is_bool = source->tensor.is_bool;
    advise(&s, &whole);
    s.lanes = mem_zalloc((uint64_t)s.threads, sizeof *s.lanes);
    s.st = s.lanes ? op_select_kernel(KERNELS_SLICE, exec->kernel, &kernel, dg) : diag_nomem(dg);
    if (s.st == ST_OK) {
        plan_note_kernel(plan, kernel_list_row(KERNELS_SLICE, kernel)->name, threads, dg);
        s.st = tensor_file_write_header(s.out, &target->view, dg);
    }
    if (s.st == ST_OK)
        parallel_region(threads, run_pieces, &s);
    if (s.st == ST_OK && piped)
        s.st = tensor_file_end(source, dg);
    for (int i = 0; s.lanes && i < s.threads; i++) {
        op_plan_free(s.lanes[i].plan);
        free(s.lanes[i].window);
        free(s.lanes[i].block);
    }
    free(s.lanes);
    return s.st;
}
