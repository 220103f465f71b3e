#include "driver/part_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "driver/part.h"
#include "json/number.h"
#include "part/auto.h"

static enum status check_path(const char *what, const char *option, const char *path,
                              struct diag *dg)
{
    return !path || path_has_extension(path, ".npy")
               ? ST_OK
               : diag_error(dg, ST_USAGE, NULL,
                            "--part: %s '%s' is not a file named .npy; give %s FILE.npy", what,
                            path, option);
}

static enum status check_outputs(const struct request *rq, struct diag *dg)
{
    const struct field *main = op_output(rq->oc->op, ROLE_DATA),
                       *indices = op_output(rq->oc->op, ROLE_INDEX);
    const char *output = rq->out[main->slot];
    enum status st;

    if (rq->args->files.layout == LAYOUT_BUFFER)
        return diag_error(dg, ST_USAGE, NULL,
                          "--part and --output-layout buffer cannot be used together");
    if (rq->args->files.format != FORMAT_BY_NAME && rq->args->files.format != FORMAT_NPY)
        return diag_error(dg, ST_USAGE, NULL, "--part: parts are .npy, not JSON");
    if (output && strcmp(output, "-") == 0)
        return diag_error(dg, ST_USAGE, NULL,
                          "--part: parts do not go to standard output; give -o FILE.npy");
    st = check_path("the output", "-o", output, dg);
    return st || !indices
               ? st
               : check_path("the output of indices", "--indices", rq->out[indices->slot], dg);
}

enum status part_request(struct request *rq, struct diag *dg)
{
    const struct part_args *a = &rq->args->part;
    const char *alone = a->axes ? "--part-axis" : a->resume ? "--resume" : a->job ? "--job" : NULL;

    if (a->checksums && !a->resume)
        return diag_error(dg, ST_USAGE, NULL, "--checksums needs --resume");
    if (!a->part)
        return alone ? diag_error(dg, ST_USAGE, NULL, "%s needs --part I/N", alone) : ST_OK;
    for (unsigned s = 0; s < SLOT_COUNT; s++)
        if (rq->in[s].text && rq->in[s].numbers == 0 && strcmp(rq->in[s].text, "-") == 0)
            return diag_error(dg, ST_USAGE, NULL,
                              "--part: every part reads the input, which standard input cannot "
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
        return diag_error(dg, ST_USAGE, NULL, "--part: '%s' is not auto/N, N from 1 to %d", text,
                          SHARE_PARTS_MAX);
    if (!auto_part_find(&p, *parts))
        return diag_error(dg, ST_USAGE, NULL, "--part %s: %s", text, p.text);
    *part = p.part;
    *parts = p.parts;
    diag_note(dg, NULL, "part %" PRIu64 " of %" PRIu64 ", by %s", *part, *parts, p.text);
    return ST_OK;
}

enum status part_read_number(const char *text, uint64_t *part, uint64_t *parts, struct diag *dg)
{
    const char *slash = strchr(text, '/');
    char first[16];

    if (strcmp(text, "auto") == 0 || strncmp(text, "auto/", 5) == 0)
        return read_auto(text, part, parts, dg);
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
    if (!slash || slash - text >= (int)sizeof first || !auto_part_number(first, part) ||
        !auto_part_number(slash + 1, parts))
        return diag_error(dg, ST_USAGE, NULL,
                          "--part: '%s' is not I/N, such as 0/4, nor auto or auto/N", text);
    if (*parts < 1 || *parts > SHARE_PARTS_MAX)
        return diag_error(dg, ST_USAGE, NULL,
                          "--part: '%s' asks for %" PRIu64 " parts; there are 1 to %d", text,
                          *parts, SHARE_PARTS_MAX);
    if (*part >= *parts)
        return diag_error(dg, ST_USAGE, NULL,
                          "--part: there is no part %" PRIu64 " of %" PRIu64
                          "; parts are counted from 0 to %" PRIu64,
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
        return diag_error(dg, ST_USAGE, NULL,
                          "--part-axis: '%.*s' is not AXIS or AXIS:COUNT, such as 0:4", (int)n,
                          text);
    if (axis < -rank || axis >= rank)
        return diag_error(dg, ST_USAGE, NULL,
                          "--part-axis: the output has no axis %" PRId64 "; its axes are %" PRId64
                          " to %" PRId64,
                          axis, -rank, rank - 1);
    axis = axis < 0 ? axis + rank : axis;
    for (unsigned i = 0; i < grid->n; i++)
        if (grid->axis[i] == (unsigned)axis)
            return diag_error(dg, ST_USAGE, NULL, "--part-axis: axis %" PRId64 " is given twice",
                              axis);
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
            return diag_error(dg, ST_USAGE, NULL,
                              "--part-axis: '%s': at most one axis has no COUNT", axes);
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
    return diag_error(dg, ST_USAGE, NULL,
                      "--part-axis: '%s' makes %s%" PRIu64 " parts; --part asks for %" PRIu64, axes,
                      open < grid->n ? "a multiple of " : "", product, parts);
}

/* Reports `what`, with a grid that would do, or with the sizes of the axes. */
static enum status too_many(const char *what, const struct share_shape *shape, uint64_t parts,
                            struct diag *dg)
{
    struct str b = { 0 };
    struct share_grid grid;

    str_printf(&b, "%s; ", what);
    if (share_suggest(shape, parts, &grid)) {
        str_puts(&b, "use --part-axis ");
        for (unsigned i = 0; i < grid.n; i++)
            str_printf(&b, "%s%u:%" PRIu64, i ? "," : "", grid.axis[i], grid.count[i]);
    } else {
        str_puts(&b, "use another N: the axes can be split into at most ");
        for (unsigned i = 0; i < shape->rank; i++)
            str_printf(&b, "%s%u:%" PRIu64, i ? "," : "", i, share_axis_size(shape, i));
    }
    return diag_str(dg, ST_USAGE, NULL, &b);
}

enum status part_read_grid(const char *axes, const struct share_shape *shape, uint64_t parts,
                           struct share_grid *grid, struct diag *dg)
{
    enum status st = ST_OK;
    char what[160];

    *grid = (struct share_grid){ .n = 0 };
    if (shape->rank == 0)
        return diag_error(dg, ST_USAGE, NULL, "--part: the output is one number; leave --part out");
    if (!axes) {
        if (share_default(shape, parts, grid))
            return ST_OK;
        snprintf(what, sizeof what, "--part: no axis has %" PRIu64 " elements to split", parts);
        return too_many(what, shape, parts, dg);
    }
    for (const char *p = axes;; p++) {
        size_t n = strcspn(p, ",");

        st = read_axis(p, n, shape, grid, dg);
        p += n;
        if (st || !*p)
            break;
    }
    if (st == ST_OK)
        st = set_count(axes, parts, grid, dg);
    for (unsigned i = 0; i < grid->n && st == ST_OK; i++) {
        uint64_t size = share_axis_size(shape, grid->axis[i]);

        snprintf(what, sizeof what,
                 "--part-axis: axis %u has %" PRIu64 " element%s, fewer than %" PRIu64 " parts",
                 grid->axis[i], size, size == 1 ? "" : "s", grid->count[i]);
        if (grid->count[i] > size)
            st = too_many(what, shape, parts, dg);
    }
    return st;
}
