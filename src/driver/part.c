#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/file.h"
#include "json/number.h"
#include "os/process.h"
#include "part/auto.h"
#include "part/set.h"
#include "tensor/element.h"

static enum status check_outputs(const struct request *rq, struct diag *dg)
{
    const struct field *main = op_output(rq->oc->op, ROLE_DATA);
    const char *output = rq->out[main->slot];

    if (rq->args->files.layout == LAYOUT_BUFFER)
        return diag_usage(dg, "--part and --output-layout buffer cannot be used together");
    if (rq->args->files.format != FORMAT_BY_NAME && rq->args->files.format != FORMAT_NPY)
        return diag_usage(dg, "--part: parts are .npy, not JSON");
    if (output && strcmp(output, "-") == 0)
        return diag_usage(dg, "--part: parts do not go to standard output; give -o FILE.npy");
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (rq->out[s] && !path_has_extension(rq->out[s], ".npy"))
            return diag_usage(
                dg, "--part: the output%s '%s' is not a file named .npy; give %s FILE.npy",
                s == main->slot ? "" : " of indices", rq->out[s],
                s == main->slot ? "-o" : "--indices");
    return ST_OK;
}

enum status part_request(struct request *rq, struct diag *dg)
{
    const struct part_args *a = &rq->args->part;
    const char *alone = a->axes ? "--part-axis" : a->resume ? "--resume" : a->job ? "--job" : NULL;

    if (a->checksums && !a->resume)
        return diag_usage(dg, "--checksums needs --resume");
    if (!a->part)
        return alone ? diag_usage(dg, "%s needs --part I/N", alone) : ST_OK;
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (rq->in[s].text && rq->in[s].numbers == 0 && strcmp(rq->in[s].text, "-") == 0)
            return diag_usage(dg, "--part: every part reads the input, which standard input cannot "
                                  "give; name a file");
    rq->whole = true; /* it is hashed */
    return check_outputs(rq, dg);
}

static enum status read_auto(const char *text, uint64_t *part, uint64_t *parts, struct diag *dg)
{
    struct auto_part p;

    *parts = 0;
    if (text[4] == '/' &&
        (!auto_part_number(text + 5, parts) || *parts < 1 || *parts > SHARE_PARTS_MAX))
        return diag_usage(dg, "--part: '%s' is not auto/N, N from 1 to %d", text, SHARE_PARTS_MAX);
    if (!auto_part_find(&p, *parts))
        return diag_usage(dg, "--part %s: %s", text, p.text);
    *part = p.part;
    *parts = p.parts;
    diag_note(dg, NULL, "part %ju of %ju, by %s", *part, *parts, p.text);
    return ST_OK;
}

/* Reads I/N, or asks the environment for auto and auto/N; -v prints the variables. */
static enum status read_number(const char *text, uint64_t *part, uint64_t *parts, struct diag *dg)
{
    const char *slash = strchr(text, '/');
    char first[16];

    if (strcmp(text, "auto") == 0 || strncmp(text, "auto/", 5) == 0)
        return read_auto(text, part, parts, dg);
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
    if (!slash || slash - text >= (int)sizeof first || !auto_part_number(first, part) ||
        !auto_part_number(slash + 1, parts))
        return diag_usage(dg, "--part: '%s' is not I/N, such as 0/4, nor auto or auto/N", text);
    if (*parts < 1 || *parts > SHARE_PARTS_MAX)
        return diag_usage(dg, "--part: '%s' asks for %ju parts; there are 1 to %d", text, *parts,
                          SHARE_PARTS_MAX);
    if (*part >= *parts)
        return diag_usage(dg,
                          "--part: there is no part %ju of %ju; parts are counted from 0 to %ju",
                          *part, *parts, *parts - 1);
    return ST_OK;
}

/* Reads one AXIS[:COUNT] of n bytes; without COUNT the count is 0. */
static enum status read_axis(const char *text, size_t n, const struct share_shape *shape,
                             struct share_grid *grid, struct diag *dg)
{
    const char *colon = memchr(text, ':', n);
    int64_t axis, rank = shape->rank;
    uint64_t count = 0;

    if (number_int_literal(text, colon ? (size_t)(colon - text) : n, &axis) != NUMBER_OK ||
        (colon &&
         (number_uint_literal(colon + 1, n - (size_t)(colon + 1 - text), &count) != NUMBER_OK ||
          count < 1 || count > SHARE_PARTS_MAX)))
        return diag_usage(dg, "--part-axis: '%.*s' is not AXIS or AXIS:COUNT, such as 0:4", (int)n,
                          text);
    if (axis < -rank || axis >= rank)
        return diag_usage(dg, "--part-axis: the output has no axis %jd; its axes are %jd to %jd",
                          axis, -rank, rank - 1);
    axis = axis < 0 ? axis + rank : axis;
    for (unsigned i = 0; i < grid->n; i++)
        if (grid->axis[i] == (unsigned)axis)
            return diag_usage(dg, "--part-axis: axis %jd is given twice", axis);
    grid->axis[grid->n] = (unsigned)axis; /* fits: no axis appears twice */
    grid->count[grid->n++] = count;
    return ST_OK;
}

/* Sets the missing count so that the grid has that many parts. */
static enum status set_count(const char *axes, uint64_t parts, struct share_grid *grid,
                             struct diag *dg)
{
    unsigned open = grid->n;
    uint64_t product = 1;

    for (unsigned i = 0; i < grid->n; i++) {
        if (grid->count[i] == 0 && open < grid->n)
            return diag_usage(dg, "--part-axis: '%s': at most one axis has no COUNT", axes);
        if (grid->count[i] == 0)
            open = i;
        else
            product = u64_mul_most(product, grid->count[i]);
    }
    if (open < grid->n && parts % product == 0) {
        grid->count[open] = parts / product;
        return ST_OK;
    }
    if (product == parts)
        return ST_OK;
    return diag_usage(dg, "--part-axis: '%s' makes %s%ju parts; --part asks for %ju", axes,
                      open < grid->n ? "a multiple of " : "", product, parts);
}

/* Reports `what`, with a grid that would do, or with the sizes of the axes. */
static enum status too_many(const char *what, const struct share_shape *shape, uint64_t parts,
                            struct diag *dg)
{
    struct str b = { 0 };
    struct share_grid grid;
    bool found = share_suggest(shape, parts, &grid);

    str_printf(&b, "%s; use %s", what,
               found ? "--part-axis" : "another N: the axes can be split into at most");
    for (unsigned i = 0; i < (found ? grid.n : shape->rank); i++)
        str_printf(&b, "%s%u:%ju", i ? "," : " ", found ? grid.axis[i] : i,
                   found ? grid.count[i] : share_axis_size(shape, i));
    return diag_str(dg, ST_USAGE, NULL, &b);
}

/* Reads --part-axis (NULL: the default) for that many parts. */
static enum status read_grid(const char *axes, const struct share_shape *shape, uint64_t parts,
                             struct share_grid *grid, struct diag *dg)
{
    enum status st = ST_OK;
    char what[160];

    *grid = (struct share_grid){ .n = 0 };
    if (shape->rank == 0)
        return diag_usage(dg, "--part: the output is one number; leave --part out");
    if (!axes) {
        if (share_default(shape, parts, grid))
            return ST_OK;
        snprintf(what, sizeof what, "--part: no axis has %ju elements to split", parts);
        return too_many(what, shape, parts, dg);
    }
    for (const char *p = axes;; p++) {
        size_t n = strcspn(p, ",");

        st = read_axis(p, n, shape, grid, dg);
        p += n;
        if (st || !*p)
            break;
    }
    st = st ? st : set_count(axes, parts, grid, dg);
    for (unsigned i = 0; i < grid->n && st == ST_OK; i++) {
        uint64_t size = share_axis_size(shape, grid->axis[i]);

        snprintf(what, sizeof what, "--part-axis: axis %u has %ju element%s, fewer than %ju parts",
                 grid->axis[i], size, size == 1 ? "" : "s", grid->count[i]);
        if (grid->count[i] > size)
            st = too_many(what, shape, parts, dg);
    }
    return st;
}

struct part_task {
    struct record record;
    struct inputs whole; /* of the job, before it was narrowed; the job owns what they refer to */
    char *folder;        /* FILE.parts; owned, like the paths in it: */
    char *out[SLOT_COUNT];
    char *path;            /* of the record */
    struct outputs commit; /* the record */
    bool done;             /* --resume found the part */
};

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
static void add_input(struct digest *d, const struct tensor_argument *s, const struct loaded *l)
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

/* Sets the hash of the job, which all parts to be joined must share, from the descriptor (with it
 * the type of indices), the number of parts, the grid, the name of --job and the inputs. Data up
 * to 64 KiB are hashed completely, larger data as 16 blocks of 4 KiB from the first to the last, so
 * some changes go unnoticed. */
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

/* Names the files of the part, which are the outputs of the request from now on. */
static enum status name_files(struct part_task *p, struct request *rq, struct diag *dg)
{
    const struct field *out = op_output(rq->oc->op, ROLE_DATA),
                       *indices = op_output(rq->oc->op, ROLE_INDEX);

    p->folder = str_format("%s.parts", rq->out[out->slot]);
    if (!p->folder)
        return diag_nomem(dg);
    p->path = file_path(p, RECORD_FILES);
    rq->out[out->slot] = p->out[out->slot] = file_path(p, 0);
    if (indices)
        rq->out[indices->slot] = p->out[indices->slot] = file_path(p, 1);
    return p->path && p->out[out->slot] && (!indices || p->out[indices->slot]) ? ST_OK
                                                                               : diag_nomem(dg);
}

/* Does request_check_apart, makes the folder, and refuses three more: a descriptor that is the
 * part's record, another output that is a file of the job's parts, and an input that is one. */
static enum status check_apart(const struct part_task *p, const struct request *rq, struct diag *dg)
{
    const char *const others[] = { rq->args->files.emit, rq->args->timing.timings };
    enum status st = file_check_apart(rq->args->files.descriptor, p->path, dg);

    st = st ? st : request_check_apart(rq, dg);
    st = st ? st : folder_make(p->folder, dg);
    for (unsigned i = 0; i < ARRAY_LEN(others) && st == ST_OK; i++)
        st = part_check_output(p->folder, others[i], dg);
    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = part_check_output(p->folder, rq->in[s].text, dg);
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
        diag_error(dg, ST_OK, NULL, "part %ju of %ju: there already", r.part, r.job.parts);
    return st;
}

/* Finds the share and the files of the part in the loaded job, makes the folder, and looks for a
 * finished part with --resume. */
static enum status begin(struct part_task *p, struct job *j, const struct share_grid *grid,
                         uint64_t part, uint64_t parts, struct diag *dg)
{
    const struct part_args *a = &j->request.args->part;
    uint64_t *listed = NULL;
    size_t n = 0;
    enum status st;

    p->whole = j->inputs;
    record_set(&p->record, &j->inputs.desc, grid, part, parts);
    st = hash_job(&p->record.job, &j->request, &j->inputs, dg);
    st = st ? st : name_files(p, &j->request, dg);
    st = st ? st : check_apart(p, &j->request, dg);
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

/* Removes an old record: until the new one is committed the part does not exist. */
static enum status begin_commit(struct part_task *p, const struct request *rq, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        if (p->out[s] && file_is_special(p->out[s]))
            st = diag_error(dg, ST_SYSTEM, p->out[s], "cannot write: it is not a regular file");
    p->commit = rq->args->writing;
    st = st ? st : outputs_add(&p->commit, p->path, dg);
    st = st ? st : remove_record(p, dg);
    outputs_close(&p->commit); /* the old record may have been a link or a FIFO */
    return st ? st : outputs_add(&p->commit, p->path, dg);
}

/* Makes topk's indices count from the start of the whole axis. */
static void shift_indices(const struct part_task *p, struct results *r)
{
    const struct result *indices = &r->v[SLOT_INDICES];
    unsigned width_log2 = dtype_table[indices->view.type].width_log2;
    const struct share *share = &p->record.share;
    uint64_t from = share->stretched ? share->from[p->record.job.shape.along] : 0;

    for (uint64_t i = 0; i < indices->elements && from > 0; i++) {
        char *at = (char *)indices->data + (i << width_log2);

        element_store(at, width_log2, element_load(at, width_log2) + from);
    }
}

/* Writes the record, when the results are there. */
static enum status commit(struct part_task *p, const struct job *j, struct diag *dg)
{
    static const enum field_role roles[RECORD_FILES] = { ROLE_DATA, ROLE_INDEX };
    const struct desc *whole = &p->whole.desc;
    char host[256];
    struct str text = { 0 };
    enum status st;

    p->record.phases = j->times.phases;
    p->record.work = j->times.work;
    for (unsigned i = 0; i < p->record.job.files; i++) {
        const struct result *res = &j->results.v[op_output(whole->op, roles[i])->slot];

        p->record.file[i].xxh3 = output_digest(res->out, &p->record.file[i].bytes);
    }
    os_host_name(host, sizeof host);
    record_write(&text, &p->record, whole, host, "dmlop " DMLOP_VERSION);
    st = output_text(p->commit.v[0], &text, dg);
    return st ? st : outputs_commit(&p->commit, dg);
}

/* Narrows the job to its share and computes it, from its plan to its record. */
static enum status run(struct part_task *p, struct job *j, struct diag *dg)
{
    struct emitted e = { NULL, NULL };
    enum part_found found;
    struct record other;
    bool ours;
    struct tensor *views[SLOT_COUNT];
    enum status st;

    for (unsigned s = 0; s < SLOT_COUNT; s++)
        views[s] = &j->inputs.v[s].view;
    share_narrow(&j->inputs.desc, &p->record.share, views);
    j->plan.place = p->record.share.place;
    j->results.files.digests = true;
    st = emit_add(&e, &j->request, &j->results.files, dg);
    st = st ? st : job_prepare(j, dg);
    st = st ? st : begin_commit(p, &j->request, dg);
    if (op_schema(j->plan.desc.op)->run.copies_part) /* reads no more bytes than it writes */
        j->times.work.bytes_in = j->times.work.bytes_out;
    st = st ? st : job_compute(j, dg);
    if (st == ST_OK) {
        shift_indices(p, &j->results);
        st = find_record(p, &other, &found, &ours, dg);
    }
    if (st == ST_OK && !ours && found != PART_NONE) /* another job's, written in the meantime, */
        st = remove_record(p, dg);                  /* would vouch for this part's data */
    if (st == ST_OK && e.descriptor)
        st = emit_write(&e, &j->request, &p->whole, dg);
    st = st ? st : job_store(j, dg);
    st = st ? st : commit(p, j, dg);
    return st ? st : job_report(j, dg);
}

enum status part_run(struct job *j, struct diag *dg)
{
    struct part_task *p = mem_zalloc(1, sizeof *p);
    const struct part_args *a = &j->request.args->part;
    const struct share_shape shape = share_shape_of(&j->inputs.desc);
    uint64_t part = 0, parts = 1;
    struct share_grid grid;
    enum status st = p ? read_number(a->part, &part, &parts, dg) : diag_nomem(dg);

    st = st ? st : read_grid(a->axes, &shape, parts, &grid, dg);
    if (st == ST_OK && j->request.emit_only)
        st = emit_run(j, dg);
    else if (st == ST_OK) {
        st = begin(p, j, &grid, part, parts, dg);
        if (st == ST_OK && !p->done)
            st = run(p, j, dg);
        outputs_close(&p->commit);
        free(p->folder);
        free(p->path);
        for (unsigned s = 0; s < SLOT_COUNT; s++)
            free(p->out[s]);
    }
    free(p);
    return st;
}
