#include "cmd/bind.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "desc/schema.h"
#include "json/number.h"
#include "tensor/scalar.h"

enum status binding_load(struct binding *b, bool begin, enum dtype json_type, struct diag *dg)
{
    enum status st;

    if (!b->text || b->is_number)
        return ST_OK;
    st = (begin ? tensor_file_begin : tensor_file_read)(&b->file, b->text, json_type, dg);
    b->view = b->file.tensor;
    return st;
}

void binding_close(struct binding *b)
{
    tensor_file_close(&b->file);
    free(b->owned);
    b->owned = NULL;
}

enum status binding_check_operand(const struct binding *b, struct diag *dg)
{
    const struct tensor *t = &b->file.tensor;
    char text[TENSOR_SIZES_TEXT];

    if (t->rank == 0 || t->rank > DML_MAX_RANK)
        return diag_error(dg, ST_INPUT, b->text, "the array has %u dimensions; operators take 1 to %d", t->rank,
                          DML_MAX_RANK);
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] == 0)
            return diag_error(dg, ST_INPUT, b->text, "the array is empty: its sizes are %s",
                              tensor_sizes_text(text, t->rank, t->sizes));
    return ST_OK;
}

/* The elements one after the other in row-major order, copied where they are not. */
static enum status flatten(struct binding *b, struct diag *dg)
{
    struct tensor packed = b->file.tensor;

    if (tensor_is_packed(&b->file.tensor))
        return ST_OK;
    b->owned = mem_alloc_aligned(b->file.count, dtype_size(packed.type));
    if (!b->owned)
        return diag_nomem(dg);
    packed.data = b->owned;
    tensor_pack_strides(packed.rank, packed.sizes, packed.strides); /* as many as the file has: fits */
    tensor_copy(&packed, &b->file.tensor);
    b->view.data = b->owned;
    return ST_OK;
}

/* With Strides the file is a buffer. */
static enum status match_buffer(struct binding *b, const char *field, const struct tensor_desc *td, struct diag *dg)
{
    bool swapped = b->view.swapped, is_bool = b->view.is_bool;
    enum status st = flatten(b, dg);
    uint64_t extent = UINT64_MAX;

    if (st)
        return st;
    if (!tensor_desc_view(td, b->view.data, &b->view) ||
        !tensor_extent(td->rank, b->view.sizes, b->view.strides, &extent))
        extent = UINT64_MAX; /* more than any file holds */
    if (extent > b->file.count)
        return diag_error(dg, ST_INPUT, b->text,
                          "holds %" PRIu64 " elements, but the Sizes and Strides of %s reach %" PRIu64
                          "; give a larger file or smaller strides", b->file.count, field, extent);
    b->view.swapped = swapped;
    b->view.is_bool = is_bool;
    return ST_OK;
}

/* Sizes equal up to leading ones: the view takes the descriptor's rank and the file's strides. */
static bool match_sizes(struct binding *b, const struct tensor_desc *td)
{
    const struct tensor *t = &b->file.tensor;
    unsigned i = t->rank, j = td->rank;

    for (; i > 0 && j > 0; i--, j--) {
        if (t->sizes[i - 1] != td->sizes[j - 1])
            return false;
        b->view.sizes[j - 1] = t->sizes[i - 1];
        b->view.strides[j - 1] = t->strides[i - 1];
    }
    for (; i > 0; i--)
        if (t->sizes[i - 1] != 1)
            return false;
    for (; j > 0; j--) {
        if (td->sizes[j - 1] != 1)
            return false;
        b->view.sizes[j - 1] = 1;
        b->view.strides[j - 1] = 1;
    }
    b->view.rank = td->rank;
    return true;
}

enum { NUMBER_MAX = 128 /* characters of a number on the command line */ };

/* A number in JSON's grammar from one that may begin with '+' or '.', or end its digits with '.'; its length, 0 for what
 * is none for certain. */
static size_t to_json_number(const char *text, char out[NUMBER_MAX + 3])
{
    size_t n = 0;

    if (strlen(text) > NUMBER_MAX)
        return 0;
    if (*text == '+' && text[1] != '-')
        text++;
    for (const char *p = text; *p; p++) {
        bool before = p > text && isdigit((unsigned char)p[-1]), after = isdigit((unsigned char)p[1]);

        if (*p != '.' || (before && after))
            out[n++] = *p;
        else if (after && (p == text || (p == text + 1 && *text == '-'))) {
            out[n++] = '0';
            out[n++] = '.';
        } else if (!before || (p[1] != '\0' && p[1] != 'e' && p[1] != 'E'))
            return 0;
    }
    out[n] = '\0';
    return n;
}

bool binding_is_number(const char *text)
{
    char json[NUMBER_MAX + 3];
    size_t n = to_json_number(text, json);
    double d;

    return n > 0 && number_double(json, n, &d) != NUMBER_SYNTAX;
}

/* The number text to a value of FLOAT32, INT8 or UINT8. */
static enum status number_value(const struct binding *b, enum dtype type, void *at, struct diag *dg)
{
    char json[NUMBER_MAX + 3];
    size_t n = to_json_number(b->text, json);
    struct scalar s;
    int64_t v;

    if (type == DT_FLOAT32) {
        float f;

        if (number_float(json, n, &f) != NUMBER_OK)
            return diag_error(dg, ST_INPUT, NULL, "%s: %s does not fit FLOAT32", b->option, b->text);
        memcpy(at, &f, sizeof f);
        return ST_OK;
    }
    if (number_i64(json, n, &v) == NUMBER_OK)
        s = (struct scalar){ .negative = v < 0, .magnitude = i64_magnitude(v) };
    else
        s = (struct scalar){ .magnitude = UINT64_MAX }; /* fits no 8-bit type */
    if (scalar_store(&s, type, at) != SCALAR_FITS)
        return diag_error(dg, ST_INPUT, NULL, "%s: %s is no %s; give a whole number %" PRId64 " to %" PRIu64, b->option,
                          b->text, dtype_name(type), dtype_min(type), dtype_max(type));
    return ST_OK;
}

enum status binding_match(struct binding *b, const char *field, const struct tensor_desc *td, struct diag *dg)
{
    const struct tensor *t = &b->file.tensor;
    char have[TENSOR_SIZES_TEXT], want[TENSOR_SIZES_TEXT];
    uint64_t count;

    tensor_sizes_text(want, td->rank, td->sizes);
    if (b->is_number) {
        if (!tensor_count(td->rank, td->sizes, &count) || count != 1)
            return diag_error(dg, ST_INPUT, NULL, "%s: one number, but %s is %s; give a file", b->option, field, want);
        b->owned = mem_alloc_aligned(8, 1);
        if (!b->owned)
            return diag_nomem(dg);
        tensor_desc_view(td, b->owned, &b->view); /* one element: no stride counts */
        return number_value(b, td->type, b->owned, dg);
    }
    if (t->type != td->type)
        return diag_error(dg, ST_INPUT, b->text, "holds %s %s, but %s is %s %s; change the DataType or convert the file",
                          dtype_name(t->type), tensor_sizes_text(have, t->rank, t->sizes), field, dtype_name(td->type),
                          want);
    if (td->has_strides)
        return match_buffer(b, field, td, dg);
    if (!match_sizes(b, td))
        return diag_error(dg, ST_INPUT, b->text,
                          "holds %s %s, but %s is %s %s; sizes may differ in leading ones only", dtype_name(t->type),
                          tensor_sizes_text(have, t->rank, t->sizes), field, dtype_name(td->type), want);
    return ST_OK;
}

/* An element as one of FLOAT32, INT8 or UINT8: floats rounded once, integers whole. False where it does not fit. */
static bool convert_element(const struct tensor *t, const void *from, enum dtype type, void *at)
{
    struct scalar s = scalar_load(t->type, t->swapped, from);

    if (type != DT_FLOAT32 && s.is_float && s.f != floor(s.f))
        return false;
    return scalar_store(&s, type, at) == SCALAR_FITS;
}

/* Whether sizes are (), (1), (L), (L,1), (1,..,L,1) for rows, (1,L) and so on for columns; *count is 1 or L. */
static bool parameter_sizes(const struct tensor *t, unsigned from_right, uint64_t lanes, uint64_t *count)
{
    if (!tensor_count(t->rank, t->sizes, count) || (*count != 1 && *count != lanes))
        return false;
    for (unsigned i = 0; i < t->rank; i++)
        if (t->sizes[i] != 1 && t->rank != 1 && t->rank - i != from_right)
            return false;
    return true;
}

enum status binding_parameter(struct binding *b, enum dtype type, unsigned rank, unsigned from_right, uint64_t lanes,
                              struct diag *dg)
{
    const struct tensor *t = &b->file.tensor;
    size_t size = dtype_size(type);
    uint64_t count = 1, c[TENSOR_MAX_RANK] = { 0 };
    char text[TENSOR_SIZES_TEXT];

    if (!b->is_number && !parameter_sizes(t, from_right, lanes, &count))
        return diag_error(dg, ST_INPUT, b->text, "%s takes one value or %" PRIu64 " (one per %s), not sizes %s", b->option,
                          lanes, from_right == 1 ? "column" : "row", tensor_sizes_text(text, t->rank, t->sizes));
    b->owned = mem_alloc_aligned(count, size);
    if (!b->owned)
        return diag_nomem(dg);
    b->view = (struct tensor){ .type = type, .rank = rank, .data = b->owned };
    for (unsigned i = 0; i < rank; i++)
        b->view.sizes[i] = 1, b->view.strides[i] = 1;
    b->view.sizes[rank - from_right] = count;
    if (b->is_number)
        return number_value(b, type, b->owned, dg);
    for (uint64_t i = 0; i < count; i++, tensor_next(t->rank, t->sizes, c))
        if (!convert_element(t, tensor_at(t, c), type, (char *)b->owned + i * size))
            return diag_error(dg, ST_INPUT, b->text, "%s: the value at index %" PRIu64 " does not fit %s", b->option, i,
                              dtype_name(type));
    return ST_OK;
}
