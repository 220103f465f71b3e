#include "io/tensor_file.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/path.h"
#include "io/csv.h"
#include "io/kind.h"
#include "io/npz.h"
#include "tensor/element.h"

const char *const tensor_format_names[] = { "npy", "json", "csv", "tsv", "raw", NULL };
const char *const tensor_format_titles[] = { ".npy", "JSON", "CSV", "TSV", "raw data" };

enum tensor_format tensor_format_of(const char *path)
{
    /* by enum tensor_format; further ones are raw */
    static const char *const extensions[] = { ".npy", ".json", ".csv", ".tsv", ".dat", ".bin" };

    for (size_t i = 0; i < ARRAY_LEN(extensions); i++)
        if (strcasecmp(path_extension(path), extensions[i]) == 0)
            return i < FORMAT_RAW ? (enum tensor_format)i : FORMAT_RAW;
    return FORMAT_NONE;
}

/* Refuses a file that has further arrays, of which none was chosen. */
static enum status refuse_several(const struct input *in, struct diag *dg)
{
    bool numbered = in->mapped || path_has_extension(in->path, ".npy");
    const char *path = numbered ? in->path : "-"; /* a pipe is read again as standard input */

    if (npz_member(in->path))
        return diag_input(
            dg, in->path,
            "another array follows; unpack the member, and read NAME.npy:0, NAME.npy:1 and so on");
    return diag_input(
        dg, in->path, "another array follows; read the first as %s:0, the next as %s:1 and so on%s",
        path, path, path == in->path || strcmp(in->path, "-") == 0 ? "" : ", by < FILE");
}

/* ST_INPUT if the `bytes_left` bytes after the header are not the data. `after` has n bytes behind.
 */
static enum status check_length(const struct tensor_file *f, uint64_t bytes_left, const void *after,
                                size_t n, struct diag *dg)
{
    char error[NPY_LENGTH_TEXT];

    if (bytes_left > f->header.data_bytes && npy_is(after, n))
        return f->input.numbered ? ST_OK : refuse_several(&f->input, dg);
    return npy_check_length(&f->header, bytes_left, f->input.more, error)
               ? ST_OK
               : diag_input(dg, f->input.path, "%s", error);
}

/* Sets f from the header, without data. */
static enum status read_header(struct tensor_file *f, enum dtype type, struct diag *dg)
{
    struct npy_header *h = &f->header;
    struct tensor *t = &f->tensor;
    char error[NPY_ERROR_TEXT];

    if (!npy_read_header(f->input.data, f->input.len, h, error) &&
        (!npy_is_bfloat16(h) || type != DT_BFLOAT16))
        return diag_input(dg, f->input.path, "%s", error);
    *t = (struct tensor){
        .type = h->type, .is_bool = h->is_bool, .swapped = h->swapped, .rank = h->rank
    };
    memcpy(t->sizes, h->sizes, sizeof t->sizes);
    tensor_pack_strides(t->rank, t->sizes, t->strides); /* fits, as the sizes do */
    for (unsigned i = 0; i < t->rank && h->fortran; i++)
        t->strides[i] = i ? t->strides[i - 1] * (int64_t)u64_max(t->sizes[i - 1], 1) : 1;
    f->count = h->count;
    f->format = FORMAT_NPY;
    f->typed = true;
    return ST_OK;
}

/* Sets the data of a complete input. */
static enum status set_data(struct tensor_file *f, struct diag *dg)
{
    unsigned char *data = f->input.data + f->header.data_offset;
    uint64_t bytes_left = f->input.len - f->header.data_offset,
             n = u64_min(bytes_left, f->header.data_bytes);

    f->tensor.data = data;
    return check_length(f, bytes_left, data + n, (size_t)(bytes_left - n), dg);
}

/* Of an input that is not mapped, reads what shows the format, and of an .npy the header. */
enum status tensor_file_begin_on(struct tensor_file *f, enum dtype json_type, int threads,
                                 struct diag *dg)
{
    struct input *in = &f->input;
    enum status st = input_fill(in, NPY_PREFIX_MAX, dg);
    bool npy = npy_is(in->data, in->len);
    enum csv_answer look;
    struct csv csv;

    st = st ? st : input_fill(in, npy ? npy_header_end(in->data, in->len) + 1 : KIND_FILL, dg);
    if (st == ST_OK && npy) {
        st = read_header(f, json_type, dg);
        if (st == ST_OK && f->header.type == DT_BFLOAT16)
            return tensor_file_widen(f, dg);
        return st || in->more ? st : set_data(f, dg);
    }
    st = st ? st : utf16_decode(in, SIZE_MAX, dg);
    st = st ? st : kind_check(in, WANT_TENSOR, dg);
    look = st == ST_OK ? csv_look(in, f->skip_lines, &csv) : CSV_NO;
    if (st == ST_OK && in->more &&
        (look == CSV_YES || look == CSV_UNDECIDED || kind_may_be_json(in) || title_find(in)))
        st = input_finish(in, dg); /* another one, which may be endless, need not be read */
    st = st ? st : kind_check_json(in, WANT_TENSOR, dg);
    json_type = json_type == DT_BFLOAT16 ? DT_NONE : json_type; /* JSON has the value */
    return st ? st : tensor_json_read(f, json_type, threads, TENSOR_JSON_PIECE, dg);
}

enum status tensor_file_widen(struct tensor_file *f, struct diag *dg)
{
    struct tensor *t = &f->tensor;
    enum status st = input_finish(&f->input, dg);

    st = st ? st : set_data(f, dg);
    if (st)
        return st;
    f->values = mem_alloc_aligned(f->count, sizeof(float));
    if (!f->values)
        return diag_nomem(dg);
    for (uint64_t i = 0; i < f->count; i++) {
        uint64_t half = element_load_swapped((char *)t->data + 2 * i, 1, t->swapped);

        element_store((char *)f->values + 4 * i, 2, half << 16);
    }
    t->type = DT_FLOAT32;
    t->swapped = false;
    t->data = f->values;
    return ST_OK;
}

/* Keeps the path of the first array, and none if there are more: members_visit. */
static enum status keep_only(void *context, const char *path, const struct npz_member *m,
                             struct diag *dg)
{
    struct tensor_file *f = context;

    (void)m;
    if (f->count++ == 0)
        f->member = mem_strdup(path);
    return f->member ? ST_OK : diag_nomem(dg);
}

enum status tensor_file_input(struct tensor_file *f, const char *path, struct diag *dg)
{
    struct input *in = &f->input;
    bool standard = strcmp(path, "-") == 0;
    struct kind kind;
    enum status st = input_begin(in, path, dg);

    st = st || !f->array ? st : input_fill(in, KIND_FILL, dg);
    if (st || in->len < 4 || memcmp(in->data, "PK\x03\x04", 4) != 0 || !kind_find(in, &kind) ||
        kind.way != MEMBER)
        return st || !f->array
                   ? st
                   : diag_error(dg, ST_USAGE, path,
                                "is not an archive of arrays; --array %s is for FILE.npz",
                                f->array);
    if (f->array)
        f->member = str_format("%s:%s", path, f->array);
    else if (in->mapped && !standard)
        st = members_each(path, keep_only, f, dg);
    in->path = standard && f->member ? f->member : path;
    if (st || !in->mapped || standard || (!f->array && f->count != 1))
        return st; /* kind_check refuses it */
    f->count = 0;
    if (!f->member)
        return diag_nomem(dg);
    input_close(in);
    return input_begin(in, f->member, dg);
}

enum status tensor_file_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg)
{
    enum status st = tensor_file_input(f, path, dg);

    st = st ? st : tensor_file_begin_on(f, json_type, threads, dg);
    if (st)
        tensor_file_close(f);
    return st;
}

/* Copies the elements of an .npy unless they are aligned. */
static enum status align(struct tensor_file *f, struct diag *dg)
{
    struct tensor *t = &f->tensor;

    if ((uintptr_t)t->data % dtype_size(t->type) == 0)
        return ST_OK;
    f->values = mem_alloc_aligned(f->header.data_bytes, 1);
    if (!f->values)
        return diag_nomem(dg);
    t->data = memcpy(f->values, t->data, (size_t)f->header.data_bytes);
    return ST_OK;
}

enum status tensor_file_finish(struct tensor_file *f, struct diag *dg)
{
    bool more = f->input.more;
    enum status st = input_finish(&f->input, dg);

    st = st || !more ? st : set_data(f, dg);
    return st ? st : align(f, dg);
}

enum status tensor_file_end(struct tensor_file *f, struct diag *dg)
{
    unsigned char after[NPY_MAGIC_LEN]; /* more than the padding */
    const struct npy_header *h = &f->header;
    uint64_t got;
    enum status st =
        input_read(&f->input, h->data_offset + h->data_bytes, after, sizeof after, &got, dg);

    return st ? st : check_length(f, f->input.consumed - h->data_offset, after, (size_t)got, dg);
}

void tensor_file_close(struct tensor_file *f)
{
    input_close(&f->input);
    free(f->values);
    free(f->member);
    f->values = NULL;
    f->member = NULL;
}

/* Copies elements into a buffer, little-endian. */
static size_t copy_piece(const void *context, uint64_t from, uint64_t n, char *buf)
{
    const struct tensor *t = context;
    size_t size = dtype_size(t->type);

    tensor_gather(t, from, n, buf);
    if (t->swapped != BIG_MACHINE)
        tensor_swap_bytes(buf, size, n);
    return (size_t)n * size;
}

/* Writes the data of t in row-major order, little-endian. */
static enum status write_elements(struct output *out, const struct tensor *t, uint64_t count,
                                  int threads, struct diag *dg)
{
    enum { PIECE = 256 << 10 /* several rows, whose elements may share cache lines */ };
    size_t size = dtype_size(t->type);
    struct output_pieces pieces = { count, PIECE / size, PIECE, copy_piece, t };

    if (t->swapped == BIG_MACHINE && tensor_is_packed(t))
        return output_write(out, t->data, count * size, dg);
    return output_pieces_write(out, &pieces, parallel_threads_for(threads, count * size), dg);
}

enum status tensor_file_write_header(struct output *out, const struct tensor *t, struct diag *dg)
{
    struct str header = { 0 };
    enum status st = ST_OK;
    uint64_t bytes = 0;

    npy_format_header(&header, t->type, t->is_bool, t->rank, t->sizes);
    if (header.failed || !tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes))
        st = diag_nomem(dg);
    st = st ? st : output_begin(out, header.len + bytes, dg);
    st = st ? st : output_write(out, header.s, header.len, dg);
    str_free(&header);
    return st;
}

enum status tensor_file_write(struct output *out, const struct tensor *t, enum tensor_format format,
                              int threads, struct diag *dg)
{
    enum status st = ST_OK;
    uint64_t count;

    if (format == FORMAT_JSON)
        return tensor_json_write(out, t, threads, TENSOR_JSON_PIECE, dg);
    if (format == FORMAT_CSV || format == FORMAT_TSV)
        return tensor_csv_write(out, t, format == FORMAT_CSV ? ',' : '\t', threads,
                                TENSOR_JSON_PIECE, dg);
    if (format == FORMAT_NPY)
        st = tensor_file_write_header(out, t, dg);
    if (st == ST_OK && tensor_count(t->rank, t->sizes, &count) && count > 0)
        st = write_elements(out, t, count, threads, dg);
    return st;
}

void note_tensor_file(const char *path, const struct tensor_file *f, struct diag *dg)
{
    const struct tensor *t = &f->tensor;
    const struct sizes_text sizes = tensor_sizes_text(t->rank, t->sizes);

    warn_inexact(path, f, dg);
    if (f->format == FORMAT_NPY && f->header.major == 0)
        diag_note(dg, path, "%s %s, raw data", dtype_name(f->header.type), sizes.text);
    else if (f->format == FORMAT_NPY)
        diag_note(dg, path, "%s %s, .npy version %u.%u, %s order", dtype_name(t->type), sizes.text,
                  f->header.major, f->header.minor, f->header.fortran ? "Fortran" : "C");
    else
        diag_note(dg, path, "%s %s, %s%s%s", dtype_name(t->type), sizes.text, tensor_file_kind(f),
                  f->typed ? "" : " that does not name its type", f->skipped);
}

void warn_inexact(const char *path, const struct tensor_file *f, struct diag *dg)
{
    if (f->counts.inexact > 0)
        diag_warn(dg, path,
                  "%ju whole number%s rounded: without a type, numbers in JSON are FLOAT32; give "
                  "--dtype int64 or float64",
                  f->counts.inexact, f->counts.inexact == 1 ? " is" : "s are");
}

void warn_dtype(const char *path, enum dtype asked, enum dtype type, struct diag *dg)
{
    if (asked != DT_NONE && asked != type && asked != DT_BFLOAT16)
        diag_warn(dg, path,
                  "--dtype %s is ignored: the tensor is %s; 'dmlop convert --dtype' converts it",
                  dtype_name(asked), dtype_name(type));
}
