#include "run/part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/str.h"
#include "desc/emit.h"
#include "io/file.h"
#include "os/process.h"
#include "part/set.h"
#include "run/part_options.h"
#include "tensor/element.h"

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

static void add_data(struct digest *d, const char *data, uint64_t bytes)
{
    bool whole = bytes <= WHOLE_BYTES;
    uint64_t block = whole ? bytes : BLOCK_BYTES, span = bytes - block, last = BLOCKS - 1;

    add_number(d, bytes);
    for (uint64_t i = 0; i < (whole ? 1 : BLOCKS); i++) /* span * i may not fit */
        digest_add(d, data + span / last * i + span % last * i / last, (size_t)block);
}

/* Adds the type, sizes, .npy header and data of an input. */
static void add_input(struct digest *d, const struct source *s, const struct loaded *l)
{
    const struct tensor_file *f = &l->file;
    const struct tensor *t = s->numbers ? &l->view : &f->tensor;
    uint64_t bytes;

    add_number(d, s->text != NULL);
    if (!s->text)
        return;
    add_text(d, dtype_name(t->type));
    add_number(d, (uint64_t)t->is_bool << 1 | npy_is_big_endian(t->type, t->swapped));
    add_number(d, t->rank);
    for (unsigned i = 0; i < t->rank; i++)
        add_number(d, t->sizes[i]);
    if (!s->numbers &&
        f->format == FORMAT_NPY) { /* data as the file has them, whatever the strides */
        add_bytes(d, f->input.data, (size_t)f->header.data_offset);
        add_data(d, (const char *)f->input.data + f->header.data_offset, f->header.data_bytes);
        return;
    }
    add_bytes(d, NULL, 0);
    (void)tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes); /* fits: they are in memory */
    add_data(d, t->data, bytes);
}

/*
 * Sets the hash of the job, which all parts to be joined must share, from the descriptor (with it
 * the type of indices), the number of parts, the grid, the name of --job and the inputs. Data up
 * to 64 KiB are hashed completely, larger data as 16 blocks of 4 KiB from the first to the last, so
 * some changes go unnoticed.
 */
static enum status hash_job(struct part_job *job, const struct request *rq, const struct inputs *in,
                            struct diag *dg)
{
    const char *name = rq->args->part.job;
    struct digest *d = digest_new();
    struct str text = { 0 };

    desc_emit(&in->desc, &text);
    if (!d || text.failed) {
        digest_free(d);
        str_free(&text);
        return diag_nomem(dg);
    }
    add_bytes(d, text.s, text.len);
    str_free(&text);
    if (in->desc.nan_last)
        add_number(d, 1);
    add_number(d, job->parts);
    add_number(d, job->grid.n);
    for (unsigned i = 0; i < job->grid.n; i++) {
        add_number(d, job->grid.axis[i]);
        add_number(d, job->grid.count[i]);
    }
    add_text(d, name ? name : "");
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        add_input(d, &rq->in[s], &in->v[s]);
    job->hash = digest_value(d);
    digest_free(d);
    return ST_OK;
}

/* The path of a part's file, or of its record for RECORD_FILES; NULL if memory is short. */
static char *file_path(const struct part_task *p, unsigned file)
{
    char name[RECORD_NAME];

    return str_format("%s/%s", p->folder,
                      record_name(name, p->record.part, p->record.job.parts, file));
}

static enum status name_files(struct part_task *p, const struct request *rq, struct diag *dg)
{
    const struct field *out = op_output(rq->oc->op, ROLE_DATA),
                       *indices = op_output(rq->oc->op, ROLE_INDEX);

    p->folder = str_format("%s.parts", rq->out[out->slot]);
    if (!p->folder)
        return diag_nomem(dg);
    p->path = file_path(p, RECORD_FILES);
    p->out[out->slot] = file_path(p, 0);
    if (indices)
        p->out[indices->slot] = file_path(p, 1);
    return p->path && p->out[out->slot] && (!indices || p->out[indices->slot]) ? ST_OK
                                                                               : diag_nomem(dg);
}

/* Refuses an output that is a file of this job's parts or the descriptor, an input for what is no
 * result, and an input that is a file of this job's parts. */
static enum status check_outputs(const struct part_task *p, const struct request *rq,
                                 struct diag *dg)
{
    const char *outs[5 + SLOT_COUNT] = { rq->args->files.emit, rq->args->files.emit_model,
                                         rq->args->timing.timings, p->folder, p->path };
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        outs[5 + s] = p->on ? p->out[s] : rq->out[s];
    for (unsigned i = 0; i < 3 && p->on && st == ST_OK; i++)
        st = part_check_output(p->folder, outs[i], dg);
    for (unsigned i = 1; i < ARRAY_LEN(outs) && st == ST_OK; i++) /* 0: as it is understood */
        st = file_check_apart(rq->args->files.descriptor, outs[i], dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++) {
        for (unsigned i = 0; i < 3 && rq->in[s].text && st == ST_OK; i++)
            st = file_check_apart(rq->in[s].text, outs[i], dg);
        if (st == ST_OK && p->on) /* a part that is an input */
            st = part_check_output(p->folder, rq->in[s].text, dg);
    }
    return st;
}

/* Reads the part's record, if there is one; *ours: it is sound and of this job. */
static enum status find_record(const struct part_task *p, struct record *r, enum part_found *found,
                               bool *ours, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum status st = part_record_read(r, p->path, found, error, dg);

    *ours = st == ST_OK && *found == PART_SOUND && r->job.hash == p->record.job.hash &&
            r->part == p->record.part && r->job.parts == p->record.job.parts;
    return st;
}

/* For --resume: the part is done if it has a record of this job and part_files_there. */
static enum status find_part(struct part_task *p, bool checksums, struct diag *dg)
{
    enum part_found found;
    struct record r;
    bool ours;
    enum status st = find_record(p, &r, &found, &ours, dg);

    if (ours)
        st = part_files_there(&r, p->path, checksums, &p->done, dg);
    if (p->done && !dg->quiet)
        diag_error(dg, ST_OK, NULL, "part %" PRIu64 " of %" PRIu64 ": there already", r.part,
                   r.job.parts);
    return st;
}

enum status part_make(struct part_task *p, const struct request *rq, const struct inputs *in,
                      struct diag *dg)
{
    const struct part_args *a = &rq->args->part;
    uint64_t part = 0, parts = 1, *listed = NULL;
    size_t n = 0;
    struct share_shape shape;
    struct share_grid grid;
    enum status st;

    if (!a->part)
        return check_outputs(p, rq, dg);
    shape = share_shape_of(&in->desc);
    st = part_read_number(a->part, &part, &parts, dg);
    if (st == ST_OK)
        st = part_read_grid(a->axes, &shape, parts, &grid, dg);
    if (st || rq->emit_only)
        return st ? st : check_outputs(p, rq, dg);
    p->on = true;
    record_set(&p->record, &in->desc, &grid, part, parts);
    st = hash_job(&p->record.job, rq, in, dg);
    if (st == ST_OK)
        st = name_files(p, rq, dg);
    if (st == ST_OK)
        st = check_outputs(p, rq, dg);
    if (st == ST_OK)
        st = folder_make(p->folder, dg);
    if (st == ST_OK) /* 1000 records take less than a millisecond; join looks at all */
        st = part_list(p->folder, 1000, &parts, &listed, &n, dg);
    free(listed);
    if (st == ST_OK && a->resume)
        st = find_part(p, a->checksums, dg);
    return st;
}

static enum status remove_record(const struct part_task *p, struct diag *dg)
{
    if (unlink(p->path) == 0)
        folder_sync(AT_FDCWD, p->folder);
    else if (errno != ENOENT)
        return diag_errno(dg, ST_SYSTEM, p->path, errno, "cannot remove the old record");
    return ST_OK;
}

enum status part_begin(struct part_task *p, const struct request *rq, struct diag *dg)
{
    enum status st = ST_OK;

    if (!p->on)
        return ST_OK;
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        if (p->out[s] && file_is_special(p->out[s]))
            st = diag_error(dg, ST_SYSTEM, p->out[s], "cannot write: it is not a regular file");
    p->commit = rq->args->writing;
    if (st == ST_OK)
        st = outputs_add(&p->commit, p->path, dg);
    if (st == ST_OK)
        st = remove_record(p, dg);
    outputs_close(&p->commit); /* the old record may have been a link or a FIFO */
    return st ? st : outputs_add(&p->commit, p->path, dg);
}

void part_finish_indices(const struct part_task *p, struct results *r)
{
    const struct result *indices = &r->v[SLOT_INDICES];
    unsigned width_log2 = dtype_table[indices->view.type].width_log2;
    uint64_t from =
        p->on && p->record.share.stretched ? p->record.share.from[p->record.job.shape.along] : 0;

    for (uint64_t i = 0; i < indices->elements && from > 0; i++) {
        char *at = (char *)indices->data + (i << width_log2);

        element_store(at, width_log2, element_load(at, width_log2) + from);
    }
}

enum status part_before_store(const struct part_task *p, struct diag *dg)
{
    enum part_found found;
    struct record r;
    bool ours;
    enum status st = p->on ? find_record(p, &r, &found, &ours, dg) : ST_OK;

    return st || !p->on || ours || found == PART_NONE ? st : remove_record(p, dg);
}

enum status part_commit(struct part_task *p, const struct results *r, const struct desc *whole,
                        const struct timings *times, struct diag *dg)
{
    static const enum field_role roles[RECORD_FILES] = { ROLE_DATA, ROLE_INDEX };
    char host[256];
    struct str text = { 0 };
    enum status st;

    if (!p->on)
        return ST_OK;
    p->record.phases = times->phases;
    p->record.work = times->work;
    for (unsigned i = 0; i < p->record.job.files; i++) {
        const struct result *res = &r->v[op_output(whole->op, roles[i])->slot];

        p->record.file[i].xxh3 = output_digest(res->out, &p->record.file[i].bytes);
    }
    os_host_name(host, sizeof host);
    record_write(&text, &p->record, whole, host, "dmlop " DMLOP_VERSION);
    st = text.failed ? diag_nomem(dg) : output_write(p->commit.v[0], text.s, text.len, dg);
    str_free(&text);
    return st ? st : outputs_commit(&p->commit, dg);
}

void part_close(struct part_task *p)
{
    outputs_close(&p->commit);
    free(p->folder);
    free(p->path);
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        free(p->out[s]);
}
