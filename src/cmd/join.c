#include "base/mem.h"
#include "base/path.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "os/file.h"
#include "part/set.h"
#include "run/shared_options.h"
#include "run/timings.h"

struct join_args {
    struct common_args common;
    struct outputs writing;
    struct timing_args timing; /* only `timings` */
    const char *output, *indices;
    bool remove, checksums;
    long missing; /* 0: not given */
};

#include "cmd/join_rows.h"

struct join {
    const struct join_args *args;
    struct part_set set;
    struct outputs outs; /* the whole, and indices if they are wanted */
    struct timings times;
    struct diag *dg;
};

static enum status print_missing(struct join *j)
{
    struct str ranges = { 0 };
    enum status st = ST_OK;

    for (unsigned i = 0; i < j->set.n && st == ST_OK; i++)
        st = part_check_output(j->set.paths[i], j->args->output, j->dg);
    st = st ? st : part_set_find(&j->set, (uint64_t)j->args->missing, j->dg);
    st = st ? st : print_to(j->args->output, ST_INPUT, 0, NULL, j->dg);
    if (st || part_set_ranges(&j->set, &ranges) == 0)
        return st;
    str_puts(&ranges, "\n");
    st = print_str(&ranges, j->dg);
    return st ? st : ST_INPUT;
}

/* The first operand without its .parts, for -o; owned by the caller. */
static enum status default_output(const char *operand, char **path, struct diag *dg)
{
    size_t n = strlen(operand), end = strlen(".parts");

    while (n > 1 && strchr(os_separators, operand[n - 1]))
        n--;
    if (n <= end || strncasecmp(operand + n - end, ".parts", end) != 0)
        return diag_error(dg, ST_USAGE, operand,
                          "is not a folder named FILE.parts, which names the output; give -o FILE");
    *path = str_format("%.*s", (int)(n - end), operand);
    return *path ? ST_OK : diag_nomem(dg);
}

static enum status add_output(struct join *j, const char *path)
{
    if (strstr(path_base_name(path), ".npz:") ||
        (*path_extension(path) && !path_has_extension(path, ".npy")))
        return diag_error(j->dg, ST_USAGE, path,
                          "join writes .npy; 'dmlop convert' makes other formats");
    return outputs_add(&j->outs, path, j->dg);
}

static enum status prepare(struct join *j, const char *output)
{
    const struct join_args *a = j->args;
    const char *const paths[] = { output, a->indices, a->timing.timings };
    enum status st = ST_OK;

    for (unsigned i = 0; i < 3 * j->set.n && st == ST_OK; i++)
        st = part_check_output(j->set.paths[i / 3], paths[i % 3], j->dg);
    j->outs = a->writing;
    j->outs.shared = true;
    st = st ? st : add_output(j, output);
    if (st == ST_OK && a->indices)
        st = add_output(j, a->indices);
    st = st ? st : timings_prepare(&j->times, &a->timing, &a->writing, j->dg);
    return st ? st : outputs_check_apart(&j->outs, &j->times.report, j->dg);
}

/* Statistics of a set's records. */
struct parts_summary {
    const struct part_set *set;
    struct samples_summary compute;
    uint64_t sum, slowest, hosts; /* slowest: a part; the first one of several */
};

/* False if memory is short. */
static bool summarize_parts(const struct part_set *s, struct parts_summary *p)
{
    uint64_t n = s->job.parts, *v = mem_alloc(n, sizeof *v);
    bool done = false;

    *p = (struct parts_summary){ .set = s };
    for (uint64_t i = 0; v && i < n; i++) {
        v[i] = s->v[i].compute_ns;
        if (v[i] > s->v[p->slowest].compute_ns)
            p->slowest = i;
        p->sum = u64_add_most(p->sum, v[i]);
    }
    if (v && samples_summarize(v, n, &p->compute)) {
        for (uint64_t i = 0; i < n; i++)
            v[i] = s->v[i].host;
        qsort(v, n, sizeof *v, samples_ascending);
        for (uint64_t i = 0; i < n; i++)
            p->hosts += i == 0 || v[i] != v[i - 1];
        done = true;
    }
    free(v);
    return done;
}

/* What the records say together, for timings_report. */
static void write_parts(const void *context, struct json_writer *w)
{
    const struct parts_summary *p = context;

    json_format(w,
                "\n  parts: { count: %ju compute_ns: { min: %ju median: %ju max: %ju sum: %ju } "
                "\n    slowest: %ju hosts: %ju",
                p->set->job.parts, p->compute.min, p->compute.median, p->compute.max, p->sum,
                p->slowest, p->hosts);
    work_write(w, &p->set->work);
}

static void print_parts(const void *context, FILE *out)
{
    const struct parts_summary *p = context;
    const struct part_set *s = p->set;

    fprintf(out, "computing %ju part%s on %ju host%s\n", s->job.parts, s->job.parts == 1 ? "" : "s",
            p->hosts, p->hosts == 1 ? "" : "s");
    timings_print(out, "min", p->compute.min);
    timings_print(out, "median", p->compute.median);
    timings_print(out, "max", p->compute.max);
    timings_print(out, "sum", p->sum);
    fprintf(out, "  part %ju took longest\n", p->slowest);
}

static enum status report(struct join *j)
{
    const struct part_job *job = &j->set.job;
    struct timings *t = &j->times;
    struct parts_summary parts;
    uint64_t bytes = 0, count = 0;

    (void)tensor_count(job->shape.rank, job->shape.sizes, &count); /* the record was checked */
    for (size_t file = 0; file < j->outs.n; file++)
        bytes += count * dtype_size(job->type[file]);
    t->command = "join";
    t->operator_name = op_schema(job->op)->name;
    t->kernel = "reference";
    t->threads = 1;
    t->samples = (struct samples){ .v = &t->phases.compute, .n = 1 };
    t->work = (struct work){ bytes, bytes, count };
    if (j->args->timing.timings && !summarize_parts(&j->set, &parts))
        return diag_nomem(j->dg);
    t->context = &parts;
    t->write_more = write_parts;
    t->print_more = print_parts;
    return timings_report(t, &j->args->timing, j->dg);
}

static enum status join(struct join *j)
{
    uint64_t start = clock_ns(), prepared, loaded, merged;
    char *owned = NULL;
    const char *output = j->args->output;
    enum status st = ST_OK;

    if (!output)
        st = default_output(j->set.paths[0], &owned, j->dg);
    if (st == ST_OK)
        st = prepare(j, output ? output : owned);
    free(owned);
    prepared = clock_ns();
    st = st ? st : part_set_load(&j->set, j->dg);
    loaded = clock_ns();
    if (st == ST_OK && j->outs.n > 1 && j->set.job.files < 2)
        st = diag_usage(j->dg, "--indices: the parts have no indices; topk has");
    st = st ? st : part_merge(&j->set, j->outs.v, j->dg);
    merged = clock_ns();
    st = st ? st : outputs_commit(&j->outs, j->dg);
    j->times.phases = (struct phases){ .load = loaded - prepared,
                                       .compute = merged - loaded,
                                       .store = clock_ns() - merged };
    if (st == ST_OK && j->args->remove)
        st = part_set_remove(&j->set, j->dg);
    j->times.total = clock_ns() - start;
    return st ? st : report(j);
}

enum status cmd_join(int argc, char **argv, struct diag *dg)
{
    struct join_args a = { .output = NULL };
    struct join j = { .args = &a, .dg = dg };
    enum status st;

    if (!command_begin(join_options, &a, &argc, &argv, &st, dg))
        return st;
    if (argc == 0)
        return usage_error(dg, "no parts are given");
    j.set.paths = argv;
    j.set.n = (unsigned)argc;
    j.set.unchecked = a.missing && !a.checksums;
    st = a.missing ? print_missing(&j) : join(&j);
    outputs_close(&j.times.report);
    outputs_close(&j.outs);
    part_set_close(&j.set);
    return st;
}
