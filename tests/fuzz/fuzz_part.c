/*
 * Records of parts: whatever stands there, what is read is consistent, and what differs has a name.
 * Of src: part/record.c part/record_read.c part/share.c
 */
#include "fuzz.h"
#include "part/record.h"

/* What merging relies on. */
static void check_record(const struct record *r)
{
    uint64_t product = 1;
    char error[RECORD_ERROR] = "";
    struct share s;

    if (r->parts < 1 || r->parts > SHARE_PARTS_MAX || r->part >= r->parts || r->shape.rank < 1 || r->shape.rank > DML_MAX_RANK ||
        r->grid.n < 1 || r->grid.n > r->shape.rank || r->type == DT_NONE || (r->files == 2) != (r->index_type != DT_NONE))
        fuzz_fail("a record without limits");
    for (unsigned i = 0; i < r->grid.n; i++) {
        product *= r->grid.count[i];
        if (r->grid.axis[i] >= r->shape.rank || r->grid.count[i] > share_axis_size(&r->shape, r->grid.axis[i]))
            fuzz_fail("an axis has more parts than elements");
    }
    if (product != r->parts)
        fuzz_fail("%llu parts on the axes", (unsigned long long)product);
    share_at(&r->shape, &r->grid, r->part, &s);
    for (unsigned i = 0; i < r->shape.rank; i++)
        if (s.from[i] >= s.to[i] || s.to[i] > (i == r->shape.along ? r->shape.length : r->shape.sizes[i]))
            fuzz_fail("a share is empty, or beyond its axis");
    if (!record_is_share(r, error) && !error[0])
        fuzz_fail("no share, and no message");
    if (!record_same_job(r, r))
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
    if (result == RECORD_OK && (record_read(&again, text, size, error) != RECORD_OK || !record_same_job(&r, &again)))
        fuzz_fail("read again it differs");
    free(text);
    return 0;
}
