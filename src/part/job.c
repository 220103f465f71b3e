#include "part/job.h"

#include <string.h>

#include "base/digest.h"
#include "desc/emit.h"
#include "io/npy.h"

enum { WHOLE_BYTES = 64 << 10, BLOCKS = 16, BLOCK_BYTES = 4 << 10 };

/* Numbers go in as 8 bytes, the least first, texts and bytes with their length before them. */
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

static enum status add_block(struct digest *d, const struct tensor *t, const char *data,
                             uint64_t bytes)
{
    enum status st = tensor_need(t, data, bytes);

    if (st == ST_OK)
        digest_add(d, data, (size_t)bytes);
    return st;
}

static enum status add_data(struct digest *d, const struct job_input *in)
{
    const char *data = in->data;
    uint64_t span = in->bytes - BLOCK_BYTES;
    enum status st = ST_OK;

    add_number(d, in->bytes);
    if (in->bytes <= WHOLE_BYTES)
        return add_block(d, in->tensor, data, in->bytes);
    for (uint64_t i = 0; i < BLOCKS && st == ST_OK; i++) /* span * i / (BLOCKS - 1) might not fit */
        st = add_block(d, in->tensor,
                       data + span / (BLOCKS - 1) * i + span % (BLOCKS - 1) * i / (BLOCKS - 1),
                       BLOCK_BYTES);
    return st;
}

static enum status add_input(struct digest *d, const struct job_input *in)
{
    const struct tensor *t = in->tensor;

    add_number(d, in->present);
    if (!in->present)
        return ST_OK;
    add_bytes(d, dtype_name(t->type), strlen(dtype_name(t->type)));
    add_number(d, (uint64_t)t->is_bool << 1 | npy_is_big_endian(t->type, t->swapped));
    add_number(d, t->rank);
    for (unsigned i = 0; i < t->rank; i++)
        add_number(d, t->sizes[i]);
    add_bytes(d, in->header, in->header_bytes);
    return add_data(d, in);
}

enum status job_hash(const struct job *j, uint64_t *hash, struct diag *dg)
{
    struct digest *d = digest_new();
    struct str text = { 0 };
    enum status st = ST_OK;

    desc_emit(j->desc, &text);
    if (!d || text.failed) {
        digest_free(d);
        str_free(&text);
        return diag_nomem(dg);
    }
    add_bytes(d, text.s, text.len);
    str_free(&text);
    if (j->desc->nan_last)
        add_number(d, 1);
    add_number(d, j->parts);
    add_number(d, j->grid->n);
    for (unsigned i = 0; i < j->grid->n; i++) {
        add_number(d, j->grid->axis[i]);
        add_number(d, j->grid->count[i]);
    }
    add_bytes(d, j->name ? j->name : "", j->name ? strlen(j->name) : 0);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = add_input(d, &j->in[s]);
    *hash = digest_value(d);
    digest_free(d);
    return st;
}
