/* Records of parts: whatever stands there, what is read is consistent, and what differs has a name.
 * Of src: part/record.c part/record_read.c part/share.c */
#include "fuzz.h"
#include "part/record.h"

/* What merging relies on. */
static void check_record(const struct record *r)
{
    const struct part_job *job = &r->job;
    uint64_t product = 1;
    char error[RECORD_ERROR] = "";
    struct share s;

    if (job->parts < 1 || job->parts > SHARE_PARTS_MAX || r->part >= job->parts ||
        job->shape.rank < 1 || job->shape.rank > DML_MAX_RANK || job->grid.n < 1 ||
        job->grid.n > job->shape.rank || job->type[0] == DT_NONE ||
        (job->files == 2) != (job->type[1] != DT_NONE))
        fuzz_fail("a record without limits");
    for (unsigned i = 0; i < job->grid.n; i++) {
        product *= job->grid.count[i];
        if (job->grid.axis[i] >= job->shape.rank ||
            job->grid.count[i] > share_axis_size(&job->shape, job->grid.axis[i]))
            fuzz_fail("an axis has more parts than elements");
    }
    if (product != job->parts)
        fuzz_fail("%llu parts on the axes", (unsigned long long)product);
    share_at(&job->shape, &job->grid, r->part, &s);
    for (unsigned i = 0; i < job->shape.rank; i++)
        if (s.from[i] >= s.to[i] ||
            s.to[i] > (i == job->shape.along ? job->shape.length : job->shape.sizes[i]))
            fuzz_fail("a share is empty, or beyond its axis");
    if (!record_is_share(r, error) && !error[0])
        fuzz_fail("no share, and no message");
    if (!record_same_job(job, job, error))
        fuzz_fail("a record is not of its own job");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[RECORD_ERROR] = "";
    char *text = fuzz_alloc(size);
    struct record r, again;
    enum record_result result;

    memcpy(text, data, size);
    result = record_read(&r, text, size, error);
    if (result == RECORD_OK)
        check_record(&r);
    else if (result != RECORD_WRONG || !error[0] || !memchr(error, '\0', sizeof error))
        fuzz_fail("refused without a message");
    if (result == RECORD_OK && (record_read(&again, text, size, error) != RECORD_OK ||
                                !record_same_job(&r.job, &again.job, error)))
        fuzz_fail("read again it differs");
    free(text);
    return 0;
}
