/* Tensors of any type, sizes, layout and bits: read(write(x)) is x, bit for bit, as .npy in every
 * byte and element order and as JSON, where every NaN is one and bool is its bytes.
 * Of src: io/npy.c io/tensor_file.c io/tensor_json.c io/tensor_json_write.c io/output_pieces.c
 * io/json_reader.c io/element.c json/number_format.c */
#include "read_tensor.h"
#include "tensor/element.h"
#include "view.h"

static struct fuzz_file file;

static void write_file(const struct tensor *t, enum tensor_format format)
{
    struct outputs outs = { .no_sync = true };
    struct diag dg = fuzz_diag();

    fuzz_file_set(&file, NULL, 0);
    if (outputs_add(&outs, file.path, &dg) != ST_OK ||
        (format == FORMAT_JSON ? tensor_json_write(outs.v[0], t, 1, 100, &dg)
                               : tensor_file_write(outs.v[0], t, format, 1, &dg)) != ST_OK ||
        outputs_commit(&outs, &dg) != ST_OK)
        fuzz_fail("cannot write the tensor");
    outputs_close(&outs);
}

/* Reads the file back and holds it to the tensor. The file's bytes are big end first where `big`,
 * its axes are t's from last to first where `reversed`. */
static void check_read(const struct tensor *t, enum tensor_format format, bool big, bool reversed)
{
    struct tensor_file f;
    struct diag dg = fuzz_diag();
    size_t size = dtype_size(t->type);
    bool swapped = format == FORMAT_NPY && size > 1 && big != BIG_MACHINE;
    uint64_t c[TENSOR_MAX_RANK] = { 0 }, back[TENSOR_MAX_RANK] = { 0 }, count;

    if (tensor_file_read(&f, file.path, DT_NONE, 1, &dg) != ST_OK)
        fuzz_fail("cannot read what was written");
    if (!tensor_count(t->rank, t->sizes, &count) || f.format != format ||
        f.tensor.type != t->type || f.tensor.rank != t->rank || f.count != count ||
        f.tensor.is_bool != (t->is_bool && format == FORMAT_NPY) || f.tensor.swapped != swapped)
        fuzz_fail("another type, or other sizes, are read back");
    for (uint64_t i = 0; i < count; i++, tensor_next(t->rank, t->sizes, c)) {
        _Alignas(8) char got[8] = { 0 }, want[8] = { 0 };
        struct scalar a, b;

        for (unsigned axis = 0; axis < t->rank; axis++)
            back[reversed ? t->rank - 1 - axis : axis] = c[axis];
        memcpy(got, tensor_at(&f.tensor, back), size);
        memcpy(want, tensor_at(t, c), size);
        if (f.tensor.swapped)
            tensor_swap_bytes(got, size, 1);
        a = scalar_load(t->type, false, got);
        b = scalar_load(t->type, false, want);
        if (memcmp(got, want, size) != 0 &&
            !(format == FORMAT_JSON && a.is_float && a.f != a.f && b.f != b.f))
            fuzz_fail("element %llu is %llx and not %llx", (unsigned long long)i,
                      (unsigned long long)element_load(got, dtype_table[t->type].width_log2),
                      (unsigned long long)element_load(want, dtype_table[t->type].width_log2));
    }
    for (unsigned axis = 0; axis < t->rank; axis++)
        if (f.tensor.sizes[reversed ? t->rank - 1 - axis : axis] != t->sizes[axis])
            fuzz_fail("size %u differs", axis);
    tensor_file_close(&f);
}

/* Rewrites the .npy as one that says Fortran order, with sizes from last to first, or the other
 * byte order: the same bytes of data, swapped. */
static void rewrite(const struct tensor *t, bool swapped, bool reversed)
{
    size_t n, header;
    char *bytes = fuzz_file_get(&file, &n), *dict;
    struct str again = { 0 };
    struct npy_header h;
    char error[NPY_ERROR_TEXT];

    if (!npy_read_header(bytes, n, &h, error))
        fuzz_fail("cannot parse what was written");
    str_printf(&again, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (", swapped ? '>' : '<',
               t->is_bool ? "b1" : dtype_table[t->type].npy + 1, reversed ? "True" : "False");
    for (unsigned i = 0; i < h.rank; i++)
        str_printf(&again, "%llu,", (unsigned long long)h.sizes[reversed ? h.rank - 1 - i : i]);
    str_puts(&again, ")}");
    header = again.len;
    dict = fuzz_alloc(10 + header + h.data_bytes);
    memcpy(dict,
           (const char[]){ '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(header & 255),
                           (char)(header >> 8) },
           10);
    memcpy(dict + 10, again.s, header);
    memcpy(dict + 10 + header, bytes + h.data_offset, h.data_bytes);
    if (swapped)
        tensor_swap_bytes(dict + 10 + header, dtype_size(t->type), h.count);
    fuzz_file_set(&file, dict, 10 + header + h.data_bytes);
    str_free(&again);
    free(dict);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    enum dtype type = fuzz_dtype(&b);
    unsigned choice = fuzz_byte(&b), rank;
    uint64_t sizes[DML_MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    struct fuzz_view v;

    rank = fuzz_sizes(&b, choice >> 4 == 15 ? 20000 : 300, sizes);
    if (choice & 4)
        rank = 0;
    v = fuzz_view_new(&b, type, rank, sizes, true);
    v.t.is_bool = type == DT_UINT8 && choice & 8;
    fuzz_fill(&b, v.memory, v.bytes);
    write_file(&v.t, FORMAT_NPY);
    check_read(&v.t, FORMAT_NPY, false, false);
    rewrite(&v.t, choice & 1, choice & 2);
    check_read(&v.t, FORMAT_NPY, choice & 1, choice & 2);
    write_file(&v.t, FORMAT_JSON);
    check_read(&v.t, FORMAT_JSON, false, false);
    free(v.memory);
    return 0;
}
