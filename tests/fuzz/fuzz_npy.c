/* .npy files: header and data, from a file that is mapped and from a pipe that is read.
 * Of src: io/npy.c io/element.c io/input.c io/tensor_file.c tensor/stats.c */
#include "fuzz.h"
#include "io/element.h"
#include "io/npy.h"
#include "read_tensor.h"
#include "tensor/element.h"
#include "tensor/stats.h"

/* A header that was understood reads the same when it is written anew. */
static void check_header(const struct npy_header *h)
{
    char error[NPY_ERROR_TEXT];
    struct npy_header again;
    struct str text = { 0 };

    npy_format_header(&text, h->type, h->is_bool, h->rank, h->sizes);
    if (text.failed || text.len % 64 != 0 || !npy_read_header(text.s, text.len, &again, error))
        fuzz_fail("the header written cannot be read");
    if (again.type != h->type || again.is_bool != h->is_bool ||
        again.swapped != (BIG_MACHINE && dtype_size(h->type) > 1) || again.fortran ||
        again.rank != h->rank || memcmp(again.sizes, h->sizes, sizeof h->sizes) != 0 ||
        again.count != h->count || again.data_bytes != h->data_bytes ||
        again.data_offset != text.len || npy_header_end(text.s, text.len) != text.len)
        fuzz_fail("the header written reads differently");
    str_free(&text);
}

static void check_elements(const struct tensor_file *f)
{
    uint64_t c[TENSOR_MAX_RANK] = { 0 };
    const struct tensor *t = &f->tensor;
    char text[NUMBER_TEXT];

    for (uint64_t i = 0; i < f->count && i < 1000; i++, tensor_next(t->rank, t->sizes, c)) {
        _Alignas(8) char element[8];

        memcpy(element, tensor_at(t, c), dtype_size(t->type));
        if (element_text(t->type, false, element, false, text) != strlen(text))
            fuzz_fail("an element's text has another length");
    }
}

static void check_stats(const struct tensor_file *f)
{
    struct stats one, two;
    struct histogram h = { .n = HISTOGRAM_BINS };
    uint64_t finite = 0;

    if (f->count == 0)
        return;
    if (!stats_compute(&f->tensor, f->count, 1, &one) ||
        !stats_compute(&f->tensor, f->count, 2, &two) || !stats_histogram(&f->tensor, 2, &one, &h))
        fuzz_fail("no statistics");
    if (one.count != f->count || one.finite + one.nans + one.up + one.down != one.count ||
        one.zeros != two.zeros || memcmp(&one.mean, &two.mean, sizeof one.mean) != 0 ||
        memcmp(&one.deviation, &two.deviation, sizeof one.mean) != 0)
        fuzz_fail("the statistics do not add up");
    for (size_t i = 0; h.bins && i < h.n; i++)
        finite += h.bins[i];
    if (finite != one.finite)
        fuzz_fail("the histogram has other elements");
    free(h.bins);
}

static bool same_tensor(const struct tensor_file *a, const struct tensor_file *b)
{
    const struct tensor *t = &a->tensor, *u = &b->tensor;

    return a->count == b->count && a->format == b->format && t->type == u->type &&
           t->is_bool == u->is_bool && t->swapped == u->swapped && t->rank == u->rank &&
           memcmp(t->sizes, u->sizes, sizeof t->sizes) == 0 &&
           memcmp(t->strides, u->strides, sizeof t->strides) == 0 &&
           memcmp(t->data, u->data, a->count * dtype_size(t->type)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct tensor_file mapped, piped;
    struct npy_header h;
    struct npy_peek peek;
    char error[NPY_ERROR_TEXT] = "";
    bool good = npy_read_header(data, size, &h, error);
    struct diag dg = fuzz_diag();
    enum status st, st_piped = ST_OK;

    if (good)
        check_header(&h);
    else if (!memchr(error, '\0', sizeof error) || !error[0])
        fuzz_fail("a header was refused without a message");
    fuzz_file_set(&file, data, size);
    npy_peek(file.path, &peek);
    if (peek.length != size || (peek.is_npy && good && peek.header.data_offset != h.data_offset))
        fuzz_fail("a look at the file saw something else");
    st = tensor_file_read(&mapped, file.path, DT_NONE, 1, &dg);
    fuzz_check_said(st);
    if (npy_is(data, size) && !good && st != ST_INPUT)
        fuzz_fail("a broken header is status %d", (int)st);
    if (st == ST_OK) {
        check_elements(&mapped);
        check_stats(&mapped);
    }
    if (size <= FUZZ_PIPE_MAX) {
        dg = fuzz_diag();
        st_piped = tensor_file_read(&piped, fuzz_pipe(data, size), DT_NONE, 1, &dg);
        if (st_piped != st || (st == ST_OK && !same_tensor(&mapped, &piped)))
            fuzz_fail("status %d from the file, %d from a pipe", (int)st, (int)st_piped);
        tensor_file_close(&piped);
    }
    tensor_file_close(&mapped);
    return 0;
}
