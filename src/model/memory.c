#include "model/memory.h"

#include "base/mem.h"
#include "base/path.h"
#include "model/values.h"
#include "io/tensor_file.h"
#include "tensor/element.h"

static void store_little(unsigned char *at, size_t size, uint64_t n)
{
    if (BIG_MACHINE)
        tensor_swap_bytes(at, size, n);
}

static void fill_array(const struct model_resource *res, const struct json_doc *doc,
                       unsigned char *to)
{
    size_t size = dtype_size(res->type), at = res->values + 1;

    for (uint64_t i = 0; i < res->count; i++, at = doc->nodes[at].next)
        value_store(doc, at, res->type, to + i * size); /* cannot fail: checked before */
    store_little(to, size, res->count);
}

static void fill_generated(const struct model_resource *res, const struct json_doc *doc,
                           unsigned char *to)
{
    size_t size = dtype_size(res->type);
    unsigned char start[8] = { 0 }, delta[8] = { 0 };
    bool constant = res->form == INIT_CONSTANT;

    value_store(doc, (size_t)json_doc_member(doc, res->values, constant ? "value" : "valueStart"),
                res->type, start);
    if (constant)
        for (uint64_t i = 0; i < res->count; i++)
            memcpy(to + i * size, start, size);
    else {
        value_store(doc, (size_t)json_doc_member(doc, res->values, "valueDelta"), res->type, delta);
        values_fill(res->type, start, delta, res->count, to);
    }
    store_little(to, size, res->count);
}

static void fill_list(const struct model_resource *res, const struct json_doc *doc,
                      unsigned char *buffer)
{
    for (struct memory_element e = { 0 }; memory_next(res, doc, &e);) {
        size_t value = (size_t)json_doc_member(doc, e.node, "value");

        value_store(doc, value, e.type, buffer + e.offset);
        store_little(buffer + e.offset, dtype_size(e.type), 1);
    }
}

/* Copies the elements of an .npy in row-major order, or raw bytes. */
static enum status fill_file(const struct model_resource *res, unsigned char *to, struct diag *dg)
{
    uint64_t bytes = res->count * dtype_size(res->type);
    struct tensor_file f = { 0 };
    struct input in;
    enum status st;

    if (!path_has_extension(res->path, ".npy")) {
        st = input_open(&in, res->path, dg);
        if (st)
            return st;
        if (in.len < bytes)
            st = diag_input(dg, res->path,
                            "the file has become shorter since the model was checked");
        else
            memcpy(to, in.data, bytes);
        st = st ? st : input_intact(&in, dg);
        input_close(&in);
        return st;
    }
    st = tensor_file_begin(&f, res->path, DT_NONE, 1, dg);
    st = st ? st : tensor_file_finish(&f, dg);
    if (st == ST_OK && (f.count != res->count || f.tensor.type != res->type))
        st = diag_input(dg, res->path, "the file has changed since the model was checked");
    if (st == ST_OK) {
        tensor_gather(&f.tensor, 0, f.count, to);
        if (f.tensor.swapped != BIG_MACHINE)
            tensor_swap_bytes(to, dtype_size(res->type), res->count);
        st = input_intact(&f.input, dg);
    }
    tensor_file_close(&f);
    return st;
}

enum status memory_fill(const struct model_resource *res, const struct json_doc *doc,
                        unsigned char **bytes, struct diag *dg)
{
    unsigned char *b = mem_alloc_aligned(res->size, 1), *to;
    enum status st = ST_OK;

    *bytes = b;
    if (!b)
        return diag_error(dg, ST_SYSTEM, NULL, "resource '%s': out of memory for %llu bytes",
                          res->name, (unsigned long long)res->size);
    memset(b, 0, res->size);
    to = b + res->offset;
    switch (res->form) {
    case INIT_NONE:
    case INIT_PICTURE: /* a model with one does not run */
    case INIT_DEFERRED: break;
    case INIT_ARRAY: fill_array(res, doc, to); break;
    case INIT_CONSTANT:
    case INIT_SEQUENCE: fill_generated(res, doc, to); break;
    case INIT_FILE: st = fill_file(res, to, dg); break;
    case INIT_LIST: fill_list(res, doc, b); break;
    }
    return st;
}

bool memory_next(const struct model_resource *res, const struct json_doc *doc,
                 struct memory_element *e)
{
    bool first = e->type == DT_NONE;

    if (res->form != INIT_LIST) {
        e->index += !first;
        e->type = res->type;
        e->offset = e->index * dtype_size(res->type);
        return e->offset + dtype_size(res->type) <= res->used;
    }
    if (first) {
        e->node = res->values + 1;
        e->offset = res->offset;
    } else {
        e->offset += dtype_size(e->type);
        e->node = doc->nodes[e->node].next;
        e->index++;
    }
    if (e->index >= res->count)
        return false;
    e->type =
        dtype_from_name(json_doc_text(doc, (size_t)json_doc_member(doc, e->node, "type")), false);
    return true;
}
