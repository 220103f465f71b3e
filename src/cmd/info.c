#include <float.h>

#include "cli/option_groups.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "desc/schema.h"
#include "io/element.h"
#include "io/kind.h"
#include "io/npz.h"
#include "part/set.h"
#include "run/tensor_options.h"
#include "tensor/stats.h"

struct info_args {
    struct common_args common;
    bool stats, histogram, places;
    long bins;  /* of the histogram; 0: not given */
    int format; /* enum report_format */
    struct reading reading;
    long threads;
};

#include "cmd/info_rows.h"

/* What is reported of a tensor. */
struct facts {
    const char *name;
    const struct tensor_file *text; /* NULL: .npy */
    struct npy_header header;       /* of a text: without a version */
    uint64_t packed;                /* bytes in an archive; 0: in none */
    bool has_stats;
    struct stats stats;
    struct histogram histogram;
    struct stats_place places[STATS_PLACES];
    size_t n_places;
};

struct info_report {
    struct info_args a;
    struct str b;         /* JSON */
    struct json_writer w; /* into b, inside the array of tensors */
    struct diag *dg;
};

/* The mean in nine digits, or in as many as keep the text between those of the extremes, which are
 * rounded too; else the nearer one of these. */
static void mean_text(const struct stats *s, enum dtype type, char *mean)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    bool below = true, above = true;

    scalar_text(&s->finite_min, type, false, low);
    scalar_text(&s->finite_max, type, false, high);
    for (int digits = 9; digits <= DBL_DECIMAL_DIG && (below || above); digits++) {
        snprintf(mean, NUMBER_TEXT, "%.*g", digits, s->mean);
        below = strtold(mean, NULL) < strtold(low, NULL);
        above = strtold(mean, NULL) > strtold(high, NULL);
    }
    if (below || above)
        memcpy(mean, below ? low : high, NUMBER_TEXT);
}

static void print_stats(const struct stats *s, enum dtype type)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT], mean[NUMBER_TEXT];

    if (s->count > s->nans) {
        scalar_text(&s->min, type, false, low);
        scalar_text(&s->max, type, false, high);
        printf("  min %s, max %s", low, high);
    }
    if (s->finite > 0) {
        mean_text(s, type, mean);
        printf(", mean %s, standard deviation %.9g", mean, s->deviation);
    }
    if (s->count > s->nans)
        putchar('\n');
    printf("  %ju element%s: %ju zero, %ju NaN, %ju infinite\n", s->count, s->count == 1 ? "" : "s",
           s->zeros, s->nans, s->up + s->down);
}

enum { EDGE_TEXT = 40 };

/* Edge i of a histogram, in a type that tells more of them apart than double. */
static int edge_text(const struct histogram *h, size_t i, int digits, char text[EDGE_TEXT])
{
    long double n = (long double)h->n, share = (long double)i, low = h->low, high = h->high;
    long double edge = i == 0 ? low : i == h->n ? high : low / n * (n - share) + high / n * share;

    return snprintf(text, EDGE_TEXT, "%.*Lg", digits, edge);
}

/* True if no two neighbours look the same; sets the width of the longest edge, at least 12. */
static bool edges_differ(const struct histogram *h, int digits, int *width)
{
    char text[2][EDGE_TEXT] = { "" };

    *width = 12;
    for (size_t i = 0; i <= h->n; i++) {
        int n = edge_text(h, i, digits, text[i % 2]);

        if (i > 0 && strcmp(text[0], text[1]) == 0)
            return false;
        *width = n > *width ? n : *width;
    }
    return true;
}

static void print_histogram(const struct histogram *h)
{
    enum { WIDTH = 50, DIGITS_MOST = 21 };
    int width, digits = 5;
    char edge[EDGE_TEXT];
    uint64_t most = 1;

    while (!edges_differ(h, digits, &width) && digits < DIGITS_MOST)
        digits++;
    for (size_t i = 0; i < h->n; i++)
        most = u64_max(most, h->bins[i]);
    for (size_t i = 0; i < h->n; i++) {
        double length = (double)h->bins[i] / (double)most * (int)WIDTH;
        int bar = (int)length + (length > (int)length); /* rounded up */

        edge_text(h, i, digits, edge);
        printf("  %*s |%.*s%*s| %ju\n", width, edge, bar,
               "##################################################", WIDTH - bar, "", h->bins[i]);
    }
    edge_text(h, h->n, digits, edge);
    printf("  %*s\n", width, edge);
}

static void print_places(const struct facts *f)
{
    const struct stats *s = &f->stats;
    const struct npy_header *h = &f->header;
    uint64_t index[TENSOR_MAX_RANK], all = s->nans + s->up + s->down;

    printf("  not finite: %ju nan, %ju inf, %ju -inf\n", s->nans, s->up, s->down);
    for (size_t i = 0; i < f->n_places; i++) {
        tensor_coordinate(h->rank, h->sizes, f->places[i].number, index);
        printf("  %s: %s\n", tensor_index_text(h->rank, index, h->rank).text,
               number_special_name(f->places[i].value));
    }
    if (all > f->n_places)
        printf("  ... and %ju more\n", all - f->n_places);
}

/* The type of the statistics. */
static enum dtype stats_type(const struct npy_header *h)
{
    return h->type == DT_BFLOAT16 ? DT_FLOAT32 : h->type;
}

static const char *byte_order(const struct npy_header *h)
{
    return npy_is_big_endian(h->type, h->swapped) ? "big" : "little";
}

static void print_facts(const struct facts *f, const struct info_args *a)
{
    const struct npy_header *h = &f->header;

    print_path(f->name, stdout);
    printf(": %s %s", h->is_bool ? "BOOL (UINT8)" : dtype_name(h->type),
           tensor_sizes_text(h->rank, h->sizes).text);
    if (f->text)
        printf(", %ju bytes, %s%s", h->data_bytes, tensor_file_kind(f->text), f->text->skipped);
    else if (h->major == 0)
        printf(", %ju bytes, raw data", h->data_bytes);
    else
        printf(", %s order, %s-endian, %ju bytes, .npy %u.%u", h->fortran ? "Fortran" : "C",
               byte_order(h), h->data_bytes, h->major, h->minor);
    if (f->packed)
        printf(", %ju in the archive", f->packed);
    putchar('\n');
    if (f->has_stats)
        print_stats(&f->stats, stats_type(h));
    if (a->places)
        print_places(f);
    if (f->histogram.bins)
        print_histogram(&f->histogram);
}

static void write_stats(struct json_writer *w, const struct stats *s, enum dtype type)
{
    json_format(w, "\n    stats: { count: %ju zeros: %ju nan: %ju inf: %ju", s->count, s->zeros,
                s->nans, s->up + s->down);
    if (s->count > s->nans) {
        scalar_json(w, "min", type, &s->min);
        scalar_json(w, "max", type, &s->max);
    }
    if (s->finite > 0)
        json_format(w, "mean: %g standard_deviation: %g", s->mean, s->deviation);
    json_close(w);
}

static void write_places(struct json_writer *w, const struct facts *f)
{
    uint64_t index[TENSOR_MAX_RANK];

    json_format(w, "\n    nonfinite: { nan: %ju inf: %ju -inf: %ju first: [", f->stats.nans,
                f->stats.up, f->stats.down);
    for (size_t i = 0; i < f->n_places; i++) {
        tensor_coordinate(f->header.rank, f->header.sizes, f->places[i].number, index);
        json_format(w, "{");
        json_uints(w, "index", index, f->header.rank);
        json_format(w, "value: %g }", f->places[i].value);
    }
    json_format(w, "] }");
}

static void write_facts(struct json_writer *w, const struct facts *f, const struct info_args *a)
{
    const struct npy_header *h = &f->header;
    enum tensor_format format = f->text ? f->text->format : h->major ? FORMAT_NPY : FORMAT_RAW;

    json_format(w, "\n  { file: %s format: %s type: %s bool: %d", f->name,
                f->text && f->text->titled ? "text" : tensor_format_names[format],
                dtype_name(h->type), h->is_bool);
    json_uints(w, "sizes", h->sizes, h->rank);
    json_uint(w, "bytes", h->data_bytes);
    if (f->text && *f->text->skipped)
        json_format(w, "skipped: %s", f->text->skipped + 2);
    if (!f->text) {
        json_format(w, "order: %s byte_order: %s", h->fortran ? "Fortran" : "C", byte_order(h));
        if (h->major)
            json_stringf(w, "version", "%u.%u", h->major, h->minor);
    }
    if (f->packed)
        json_uint(w, "packed_bytes", f->packed);
    if (f->has_stats)
        write_stats(w, &f->stats, stats_type(h));
    if (a->places)
        write_places(w, f);
    if (f->histogram.bins) {
        json_format(w, "\n    histogram: {");
        json_uints(w, "counts", f->histogram.bins, f->histogram.n);
        json_format(w, "low: %g high: %g }", f->histogram.low, f->histogram.high);
    }
    json_close(w);
}

/* Prints the facts, or adds them to the JSON, whose end reports that memory ran out. */
static void report_facts(struct info_report *r, const struct facts *f)
{
    if (r->a.format == REPORT_TEXT)
        print_facts(f, &r->a);
    else
        write_facts(&r->w, f, &r->a);
}

static bool compute_stats(const struct info_report *r, const struct tensor_file *t, struct facts *f)
{
    int threads = (int)r->a.threads;

    f->has_stats = true; /* a file's elements are dense, and their order does not matter */
    f->histogram.n = (size_t)r->a.bins;
    return stats_compute(&t->tensor, t->count, threads, &f->stats) &&
           (!r->a.places || stats_places(&t->tensor, &f->stats, f->places, &f->n_places)) &&
           (!r->a.histogram || stats_histogram(&t->tensor, threads, &f->stats, &f->histogram));
}

/* Reads a tensor and reports it: for its statistics, or because it is text or from a pipe. */
static enum status report_read(struct info_report *r, const char *path)
{
    struct tensor_file t = { 0 };
    struct facts f = { .name = shown_path(path) };
    bool fine;
    enum status st = reading_whole(&t, path, &r->a.reading, (int)r->a.threads, r->dg);

    if (st) {
        tensor_file_close(&t);
        return st;
    }
    f.header = t.header;
    if (t.format != FORMAT_NPY) {
        f.text = &t;
        f.header.type = t.tensor.type;
        f.header.is_bool = t.tensor.is_bool;
        f.header.rank = t.tensor.rank;
        memcpy(f.header.sizes, t.tensor.sizes, sizeof t.tensor.sizes);
        f.header.data_bytes = t.count * dtype_size(t.tensor.type);
    }
    diag_note(r->dg, path, "read as a whole%s", t.typed ? "" : "; it does not name its type");
    warn_inexact(path, &t, r->dg);
    if (t.typed)
        warn_dtype(path, r->a.reading.type, t.tensor.type, r->dg);
    fine = !r->a.stats || compute_stats(r, &t, &f);
    st = input_intact(&t.input, r->dg);
    if (st == ST_OK && !fine)
        st = diag_nomem(r->dg);
    if (st == ST_OK)
        report_facts(r, &f);
    free(f.histogram.bins);
    tensor_file_close(&t);
    return st;
}

static enum status report_member(void *report, const char *path, const struct npz_member *m,
                                 struct diag *dg)
{
    const struct facts f = { .name = path, .header = m->header, .packed = m->packed };
    struct info_report *r = report;

    (void)dg;
    if (r->a.stats || npy_is_bfloat16(&f.header))
        return report_read(r, path);
    report_facts(r, &f);
    return ST_OK;
}

/* Prints what a folder of parts is, or adds it to the JSON. */
static void report_set(struct info_report *r, const struct part_set *s, const char *path,
                       const char *missing, const char *join)
{
    const struct part_job *job = &s->job;
    const char *name = op_schema(job->op)->name;
    uint64_t bytes = 0;

    (void)tensor_dense_bytes(job->type[0], job->shape.rank, job->shape.sizes, &bytes); /* checked */
    if (r->a.format == REPORT_JSON) {
        json_format(&r->w, "\n  { file: %s format: %s type: %s bool: %d", path, "parts",
                    dtype_name(job->type[0]), s->is_bool);
        json_uints(&r->w, "sizes", job->shape.sizes, job->shape.rank);
        json_uint(&r->w, "bytes", bytes);
        json_stringf(&r->w, "operator", "DML_OPERATOR_%s", name);
        json_uint(&r->w, "parts", job->parts);
        json_format(&r->w, "missing: %s join: %s }", missing, join);
        return;
    }
    print_path(path, stdout);
    printf(": parts of DML_OPERATOR_%s, %s %s, %ju bytes\n", name,
           s->is_bool ? "BOOL (UINT8)" : dtype_name(job->type[0]),
           tensor_sizes_text(job->shape.rank, job->shape.sizes).text, bytes);
    printf("  %ju of %ju %s there; ", s->found, job->parts, s->found == 1 ? "is" : "are");
    if (*missing)
        printf("compute the others with --part: %s\n  then ", missing);
    printf("join them with: %s\n", join);
    if (job->files > 1)
        printf("  with --indices FILE also the indices, %s\n", dtype_name(job->type[1]));
}

/* Reports a folder of parts: what it is, what is missing, how to join it. */
static enum status report_parts(struct info_report *r, char *path)
{
    struct part_set s = { .paths = &path, .n = 1, .unchecked = true };
    struct str missing = { 0 }, join = { 0 };
    enum status st = part_check_output(path, r->a.common.text, r->dg);

    st = st ? st : part_set_read(&s, r->dg);
    if (st == ST_OK) {
        part_set_ranges(&s, &missing);
        parts_folder_add_join(&join, path);
        st = missing.failed || join.failed ? diag_nomem(r->dg) : s.damaged ? ST_INPUT : ST_OK;
    }
    if (st == ST_OK || (st == ST_INPUT && s.damaged && join.s))
        report_set(r, &s, path, missing.s ? missing.s : "", join.s);
    str_free(&missing);
    str_free(&join);
    part_set_close(&s);
    return st;
}

static enum status report_file(struct info_report *r, char *path)
{
    char error[NPY_LENGTH_TEXT];
    struct npy_peek s;
    bool archive;
    enum status st;

    if (!r->a.stats && parts_folder_is(path))
        return report_parts(r, path);
    st = kind_is_npz(path, &archive, r->dg);
    if (st || (archive && !r->a.reading.array))
        return st ? st : members_each(path, report_member, r, r->dg);
    if (r->a.stats || archive || r->a.reading.array || r->a.reading.raw || strcmp(path, "-") == 0 ||
        npz_member(path))
        return report_read(r, path);
    if (!npy_peek(path, &s) || !s.is_npy ||
        !npy_check_length(&s.header, npy_peek_rest(&s), false, error))
        return s.failed ? diag_nomem(r->dg) : report_read(r, path); /* reports what is wrong */
    warn_dtype(path, r->a.reading.type, s.header.type, r->dg);
    diag_note(r->dg, path, "only the header is read; the data begins at byte %ju",
              s.header.data_offset);
    report_facts(r, &(struct facts){ .name = path, .header = s.header });
    return ST_OK;
}

static enum status report_all(struct info_report *r, int n, char **paths)
{
    enum status worst = ST_OK;

    if (r->a.format == REPORT_JSON) {
        r->w.out = &r->b;
        json_format(&r->w, "{ schema: %s tensors: [", "dmlop.info/1");
    }
    for (int i = 0; i < n && !r->b.failed && worst != ST_SYSTEM; i++) {
        enum status st = report_file(r, paths[i]);

        worst = st > worst ? st : worst;
    }
    if (r->a.format == REPORT_JSON && print_json(&r->w, r->dg) != ST_OK)
        worst = ST_SYSTEM;
    return worst;
}

enum status cmd_info(int argc, char **argv, struct diag *dg)
{
    struct info_report r = { .dg = dg };
    enum status st;
    int most;

    if (!command_begin(info_options, &r.a, &argc, &argv, &st, dg))
        return st;
    if (!input_given(&argc, &argv))
        return usage_error(dg, "no file is given");
    st = reading_parse(&r.a.reading, dg);
    if (st)
        return st;
    r.a.histogram = r.a.histogram || r.a.bins > 0;
    r.a.bins = r.a.bins ? r.a.bins : HISTOGRAM_BINS;
    r.a.stats = r.a.stats || r.a.histogram || r.a.places;
    r.a.threads = execution_threads(r.a.threads, dg);
    most = parallel_threads_for((int)r.a.threads, UINT64_MAX);
    if (r.a.stats)
        diag_note(dg, NULL, "statistics on at most %d thread%s", most, most == 1 ? "" : "s");
    return report_all(&r, argc, argv);
}
