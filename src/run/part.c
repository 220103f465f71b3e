#include "run/part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "io/file.h"
#include "part/job.h"
#include "part/record_file.h"
#include "part/tensor.h"
#include "run/part_options.h"
#include "tensor/element.h"

/* What of an input goes into the job's hash. */
static struct job_input identify(const struct loaded *l, const struct source *s)
{
    const struct tensor_file *f = &l->file;
    struct job_input in = { .present = s->text != NULL, .tensor = &f->tensor };
    uint64_t count = 1;

    if (s->numbers > 0) {
        in.tensor = &l->view;
        in.data = l->owned;
        (void)tensor_count(l->view.rank, l->view.sizes, &count); /* fits: they are in memory */
    } else if (s->text && f->format == FORMAT_NPY) {
        in.header = f->input.data;
        in.header_bytes = (size_t)f->header.data_offset;
        in.data = f->source ? f->tensor.data : f->input.data + f->header.data_offset;
        in.bytes = f->header.data_bytes;
    } else if (s->text) {
        in.data = f->tensor.data;
        count = f->count;
    }
    if (!in.bytes && in.present)
        in.bytes = count * dtype_size(in.tensor->type);
    return in;
}

static enum status hash_job(struct part_task *p, const struct request *rq, const struct inputs *in,
                            struct diag *dg)
{
    struct job job = { .desc = &in->job, .parts = p->record.parts, .grid = &p->record.grid,
                       .name = rq->args->part.job };

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        job.in[s] = identify(&in->v[s], &rq->in[s]);
    return job_hash(&job, &p->record.job, dg);
}

static enum status name_files(struct part_task *p, struct request *rq, struct diag *dg)
{
    const struct field *out = op_output(rq->oc->op, ROLE_DATA),
                       *indices = op_output(rq->oc->op, ROLE_INDEX);
    char name[RECORD_NAME];

    p->folder = str_format("%s.parts", rq->out[out->slot]);
    for (unsigned i = 0; i <= RECORD_FILES && p->folder; i++) {
        record_name(name, p->record.part, p->record.parts, i);
        p->path[i] = str_format("%s/%s", p->folder, name);
        if (!p->path[i])
            return diag_nomem(dg);
    }
    rq->out[out->slot] = p->path[0];
    if (indices)
        rq->out[indices->slot] = p->path[1];
    return p->folder ? ST_OK : diag_nomem(dg);
}

/* Parts are not written over those that are read. */
static enum status check_apart(const struct part_task *p, const struct request *rq,
                               struct diag *dg)
{
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (rq->in[s].text && part_tensor_in(rq->in[s].text, p->folder))
            return diag_error(dg, ST_USAGE, p->folder,
                              "an input is this folder, where the parts would go; give another -o");
    return ST_OK;
}

/* Whether a record of this job is at the part's place: of none, and of one that is not sound,
 * *found says so. */
static enum status find_record(const struct part_task *p, struct record *r,
                               enum part_found *found, bool *ours, struct diag *dg)
{
    char error[RECORD_ERROR];
    enum status st = part_record_read(r, p->path[RECORD_FILES], found, error, dg);

    *ours = st == ST_OK && *found == PART_SOUND && r->job == p->record.job &&
            r->part == p->record.part && r->parts == p->record.parts;
    return st;
}

/* For --resume: whether the part is there, a record of this job beside files that have their
 * bytes. */
static enum status find_part(struct part_task *p, struct diag *dg)
{
    enum part_found found;
    struct record r;
    bool ours;
    enum status st = find_record(p, &r, &found, &ours, dg);

    if (ours)
        st = part_files_there(&r, p->path[RECORD_FILES], &p->done, dg);
    if (p->done && !dg->quiet)
        diag_error(dg, ST_OK, NULL, "part %" PRIu64 " of %" PRIu64 ": there already", r.part,
                   r.parts);
    return st;
}

static void narrow(struct part_task *p, struct inputs *in)
{
    struct tensor *views[SLOT_COUNT];
    struct share share;

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        views[s] = &in->v[s].view;
    share_at(&p->record.shape, &p->record.grid, p->record.part, &share);
    share_narrow(&in->desc, &share, views);
}

enum status part_take(struct part_task *p, struct request *rq, struct inputs *in,
                      struct timings *times, struct diag *dg)
{
    const struct part_args *a = &rq->args->part;
    const struct share_shape shape = share_shape_of(&in->job);
    struct share_grid grid;
    uint64_t part = 0, parts = 1;
    enum status st;

    if (!a->part)
        return ST_OK;
    st = part_read_number(a->part, &part, &parts, dg);
    if (st == ST_OK)
        st = part_read_grid(a->axes, &shape, parts, &grid, dg);
    if (st || rq->emit_only)
        return st;
    p->on = true;
    record_set(&p->record, &in->job, &grid, part, parts);
    st = inputs_finish_pipe(in, times, dg);
    if (st == ST_OK)
        st = hash_job(p, rq, in, dg);
    if (st == ST_OK)
        st = name_files(p, rq, dg);
    if (st == ST_OK)
        st = check_apart(p, rq, dg);
    if (st == ST_OK && a->resume)
        st = find_part(p, dg);
    if (st || p->done)
        return st;
    narrow(p, in);
    return folder_make(p->folder, dg);
}

static enum status remove_record(const struct part_task *p, struct diag *dg)
{
    const char *path = p->path[RECORD_FILES];

    if (unlink(path) == 0) {
        folder_sync(AT_FDCWD, p->folder);
        return ST_OK;
    }
    return errno == ENOENT ? ST_OK
                           : diag_errno(dg, ST_SYSTEM, path, errno, "cannot remove the old record");
}

enum status part_begin(struct part_task *p, const struct request *rq, struct diag *dg)
{
    enum status st;

    if (!p->on)
        return ST_OK;
    p->commit.no_sync = rq->args->writing.no_sync;
    p->commit.no_clobber = rq->args->writing.no_clobber;
    st = outputs_add(&p->commit, p->path[RECORD_FILES], dg);
    return st ? st : remove_record(p, dg);
}

void part_finish_indices(const struct part_task *p, struct results *r)
{
    const struct result *indices = &r->v[SLOT_INDICES];
    unsigned width_log2 = dtype_table[indices->view.type].width_log2;

    if (!p->on || !p->record.stretched || p->record.from == 0)
        return;
    for (uint64_t i = 0; i < indices->elements; i++) {
        char *at = (char *)indices->data + (i << width_log2);

        element_store(at, width_log2, element_load(at, width_log2) + p->record.from);
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

enum status part_commit(struct part_task *p, const struct results *r, const struct inputs *in,
                        const struct record_times *times, struct diag *dg)
{
    const struct field *out = op_output(in->job.op, ROLE_DATA),
                       *indices = op_output(in->job.op, ROLE_INDEX);
    struct utsname host;
    struct str text = { 0 };
    enum status st;

    if (!p->on)
        return ST_OK;
    p->record.times = *times;
    for (unsigned i = 0; i < p->record.files; i++) {
        struct record_file *f = &p->record.file[i];

        f->xxh3 = outputs_digest(&r->files, r->v[(i == 0 ? out : indices)->slot].file, &f->bytes);
    }
    record_write(&text, &p->record, &in->job, uname(&host) == 0 ? host.nodename : "",
                 "dmlop " DMLOP_VERSION);
    st = text.failed ? diag_nomem(dg) : outputs_write(&p->commit, 0, text.s, text.len, dg);
    str_free(&text);
    return st ? st : outputs_commit(&p->commit, dg);
}

void part_close(struct part_task *p)
{
    outputs_close(&p->commit);
    free(p->folder);
    for (unsigned i = 0; i <= RECORD_FILES; i++)
        free(p->path[i]);
}
