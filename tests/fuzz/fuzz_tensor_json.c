/* Tensors as JSON, as CSV and as `dmlop show` prints them: read from a mapped file, from a pipe,
 * and by pieces of a few bytes, held to the document scanner's numbers, written as JSON and CSV and
 * read again. The last byte chooses the type of untyped ones.
 * Of src: io/json_reader.c io/json_pieces.c io/json_window.c io/json_value.c io/tensor_json.c
 * io/tensor_json_write.c io/csv.c io/csv_reader.c io/element.c io/output.c json/lex.c
 * json/number.c */
#include "fuzz.h"
#include "io/kind.h"
#include "read_tensor.h"
#include "model/values.h"

/* A NaN's bits are those of any NaN: JSON has one. */
static bool is_nan(enum dtype type, const unsigned char *at)
{
    double d;
    float f;
    uint16_t h;

    memcpy(&d, at, type == DT_FLOAT64 ? 8 : 0);
    memcpy(&f, at, type == DT_FLOAT32 ? 4 : 0);
    memcpy(&h, at, type == DT_FLOAT16 ? 2 : 0);
    return type == DT_FLOAT64   ? d != d
           : type == DT_FLOAT32 ? f != f
                                : type == DT_FLOAT16 && (h & 0x7fff) > 0x7c00;
}

static bool same_elements(enum dtype type, const void *a, const void *b, uint64_t n)
{
    const unsigned char *p = a, *q = b;
    size_t size = dtype_size(type);

    for (uint64_t i = 0; i < n; i++, p += size, q += size)
        if (memcmp(p, q, size) != 0 && !(is_nan(type, p) && is_nan(type, q)))
            return false;
    return true;
}

static void check_same(const struct tensor_file *a, const struct tensor_file *b, const char *what)
{
    if (a->count != b->count || a->tensor.type != b->tensor.type ||
        a->tensor.rank != b->tensor.rank ||
        memcmp(a->tensor.sizes, b->tensor.sizes, sizeof a->tensor.sizes) != 0 ||
        !same_elements(a->tensor.type, a->tensor.data, b->tensor.data, a->count))
        fuzz_fail("%s: another tensor", what);
}

/* The leaves of the document are the elements, one by one. */
static void check_values(const struct tensor_file *f, const char *text, size_t len)
{
    struct json_error err;
    struct json_doc doc = { 0 };
    size_t size = dtype_size(f->tensor.type), node = 0, end;
    uint64_t i = 0;

    /* a tensor may hold NaN and Infinity, which JSON has not */
    if (json_doc_scan(&doc, text, len, &err) == JSON_OK) {
        if (doc.nodes[0].type == JSON_OBJECT) {
            ptrdiff_t values = json_doc_member(&doc, 0, "Values");

            if (values < 0)
                fuzz_fail("a tensor without Values was read");
            node = (size_t)values;
        }
        for (end = doc.nodes[node].next; node < end; node++) {
            unsigned char at[8] = { 0 };

            if (doc.nodes[node].type == JSON_ARRAY)
                continue;
            if (i == f->count || !value_store(&doc, node, f->tensor.type, at) ||
                !same_elements(f->tensor.type, at, (char *)f->tensor.data + i * size, 1))
                fuzz_fail("element %llu is not the number at byte %u", (unsigned long long)i,
                          doc.nodes[node].start);
            i++;
        }
        if (i != f->count)
            fuzz_fail("%llu of %llu elements are in the text", (unsigned long long)i,
                      (unsigned long long)f->count);
    }
    json_doc_free(&doc);
}

/* Writes the tensor as JSON, or as CSV, which does not keep sizes of 1, and reads it again. */
static void check_written(const struct tensor_file *f, bool csv)
{
    static struct fuzz_file file;
    struct outputs outs = { .no_sync = true };
    struct diag dg = fuzz_diag();
    enum tensor_format format = csv ? FORMAT_CSV : FORMAT_JSON;
    struct tensor_file again;

    fuzz_file_set(&file, NULL, 0);
    if (outputs_add(&outs, file.path, &dg) != ST_OK ||
        (csv ? tensor_csv_write(outs.v[0], &f->tensor, ',', 1, 200, &dg)
             : tensor_json_write(outs.v[0], &f->tensor, 1, 200, &dg)) != ST_OK ||
        outputs_commit(&outs, &dg) != ST_OK)
        fuzz_fail("the tensor cannot be written as %s", tensor_format_names[format]);
    outputs_close(&outs);
    if (tensor_file_read(&again, file.path, csv ? f->tensor.type : DT_NONE, 1, &dg) != ST_OK)
        fuzz_fail("the tensor written as %s cannot be read", tensor_format_names[format]);
    if (!csv)
        check_same(f, &again, "written and read");
    else if (again.count != f->count ||
             !same_elements(f->tensor.type, f->tensor.data, again.tensor.data, f->count))
        fuzz_fail("other elements in CSV");
    tensor_file_close(&again);
}

/* Pieces of any size, and threads, change neither the tensor nor the message. */
static void check_pieces(const struct tensor_file *want, enum status st, const char *path,
                         enum dtype type, size_t size)
{
    size_t bytes = fuzz_said.bytes, piece = 1 + size % 13;
    uint64_t hash = fuzz_said.hash;
    struct diag dg = fuzz_diag();
    struct tensor_file f = { 0 };
    enum status got = input_open(&f.input, path, &dg);

    got = got ? got : utf16_decode(&f.input, SIZE_MAX, &dg);
    if (got == ST_OK)
        got = tensor_json_read(&f, type, size % 8 == 0 ? 2 : 1, piece, &dg);
    fflush(fuzz_stream());
    if (got != st || fuzz_said.bytes != bytes || fuzz_said.hash != hash)
        fuzz_fail("status %d, or another message, by pieces of %zu bytes", (int)got, piece);
    if (st == ST_OK)
        check_same(want, &f, "by pieces");
    tensor_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct tensor_file mapped, piped;
    struct diag dg = fuzz_diag();
    enum dtype type;
    enum status st;

    if (size == 0)
        return 0;
    size--;
    type = (enum dtype)((data[size] ^ '\n') % DT_COUNT);
    fuzz_file_set(&file, data, size);
    st = tensor_file_read(&mapped, file.path, type, 1, &dg);
    fuzz_check_said(st);
    if (mapped.format != FORMAT_NPY && size > 0)
        check_pieces(&mapped, st, file.path, type, size);
    if (st == ST_OK && mapped.format == FORMAT_JSON && !mapped.titled)
        check_values(&mapped, (const char *)data, size);
    if (st == ST_OK && mapped.format != FORMAT_NPY)
        check_written(&mapped, false);
    if (st == ST_OK && mapped.format != FORMAT_NPY && mapped.tensor.rank <= 2 && mapped.count > 0)
        check_written(&mapped, true);
    if (size <= FUZZ_PIPE_MAX) {
        dg = fuzz_diag();
        if (tensor_file_read(&piped, fuzz_pipe(data, size), type, 1, &dg) != st)
            fuzz_fail("status %d from the file, another from a pipe", (int)st);
        if (st == ST_OK)
            check_same(&mapped, &piped, "from a pipe");
        tensor_file_close(&piped);
    }
    tensor_file_close(&mapped);
    return 0;
}
