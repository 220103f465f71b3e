#include "part/job.h"

#include <string.h>

#include "base/digest.h"
#include "desc/emit.h"

enum { WHOLE_BYTES = 64 << 10, BLOCKS = 16, BLOCK_BYTES = 4 << 10 };

/* Numbers are hashed as 8 little-endian bytes; texts and bytes follow their length. */
static void add_number(struct digest *d, uint64_t v)
{
    unsigned char bytes[8];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(v >> 8 * i);
    digest_add(d, bytes, sizeof bytes);
}

static void add_bytes(struct digest *d, const void *bytes, size_t n)
{
    add_number(d, n);
    digest_add(d, bytes, n);
}

static void add_text(struct digest *d, const char *text) { add_bytes(d, text, strlen(text)); }

static enum status add_block(struct digest *d, const struct tensor *t, const char *data,
                             uint64_t bytes)
{
    enum status st = tensor_need(t, data, bytes);

    if (st == ST_OK)
        digest_add(d, data, (size_t)bytes);
    return st;
}

static enum status add_data(struct digest *d, const struct tensor *t, const char *data,
                            uint64_t bytes)
{
    uint64_t span = bytes - BLOCK_BYTES;
    enum status st = ST_OK;

    add_number(d, bytes);
    if (bytes <= WHOLE_BYTES)
        return add_block(d, t, data, bytes);
    for (uint64_t i = 0; i < BLOCKS && st == ST_OK; i++) /* span * i / (BLOCKS - 1) might not fit */
        st =
            add_block(d, t, data + span / (BLOCKS - 1) * i + span % (BLOCKS - 1) * i / (BLOCKS - 1),
                      BLOCK_BYTES);
    return st;
}

static enum status add_input(struct digest *d, const struct job_input *in)
{
    const struct tensor *t = in->values ? in->values : in->file ? &in->file->tensor : NULL;
    bool npy = !in->values && in->file && in->file->format == FORMAT_NPY;
    const char *data;
    uint64_t bytes;

    add_number(d, t != NULL);
    if (!t)
        return ST_OK;
    add_text(d, dtype_name(t->type));
    add_number(d, (uint64_t)t->is_bool << 1 | npy_is_big_endian(t->type, t->swapped));
    add_number(d, t->rank);
    for (unsigned i = 0; i < t->rank; i++)
        add_number(d, t->sizes[i]);
    if (npy) { /* data as the file has them, whatever the strides */
        const struct npy_header *h = &in->file->header;

        add_bytes(d, in->file->input.data, (size_t)h->data_offset);
        data = in->file->source ? t->data : (const char *)in->file->input.data + h->data_offset;
        return add_data(d, t, data, h->data_bytes);
    }
    add_bytes(d, NULL, 0);
    (void)tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes); /* fits: they are in memory */
    return add_data(d, t, t->data, bytes);
}

enum status job_hash(struct part_job *job, const struct desc *whole, const char *name,
                     const struct job_input in[SLOT_COUNT], struct diag *dg)
{
    struct digest *d = digest_new();
    struct str text = { 0 };
    enum status st = ST_OK;

    desc_emit(whole, &text);
    if (!d || text.failed) {
        digest_free(d);
        str_free(&text);
        return diag_nomem(dg);
    }
    add_bytes(d, text.s, text.len);
    str_free(&text);
    if (whole->nan_last)
        add_number(d, 1);
    add_number(d, job->parts);
    add_number(d, job->grid.n);
    for (unsigned i = 0; i < job->grid.n; i++) {
        add_number(d, job->grid.axis[i]);
        add_number(d, job->grid.count[i]);
    }
    add_text(d, name ? name : "");
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = add_input(d, &in[s]);
    job->hash = digest_value(d);
    digest_free(d);
    return st;
}
