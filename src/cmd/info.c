#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "cli/option_groups.h"
#include "cli/print.h"
#include "cmd/commands.h"
#include "io/element.h"
#include "io/kind.h"
#include "io/npz.h"
#include "io/tensor_file.h"
#include "io/npy.h"
#include "run/reading.h"
#include "tensor/stats.h"

struct info_args {
    struct common_args common;
    bool stats, histogram;
    int format; /* enum report_format */
    struct reading_args reading_words;
    struct reading reading; /* the same, parsed */
    long threads;
};

static const struct option_row rows[] = {
    OPT_FLAG(0, "stats", struct info_args, stats,
             "read the data, and print minimum, maximum, mean and standard deviation, and how many "
             "zeros, NaN and infinities there are"),
    OPT_FLAG(0, "histogram", struct info_args, histogram,
             "also print a histogram of the values; implies --stats"),
    OPT_GROUP(report_options, struct info_args, format),
    OPT_GROUP(reading_options, struct info_args, reading_words),
    OPT_GROUP(raw_sizes_options, struct info_args, reading_words.sizes),
    OPT_GROUP(threads_options, struct info_args, threads),
    OPT_GROUP(common_options, struct info_args, common),
    OPT_END,
};

static const struct usage usage = {
    "info",
    "[OPTIONS] FILE...",
    "Prints the data type, sizes, order and length of tensor files, and of the arrays in .npz "
    "archives. FILE may be '-', FILE.npz:NAME, or a folder FILE.parts.",
    rows,
    NULL,
};

/* What is reported of a tensor. */
struct facts {
    const char *name;
    bool is_json;
    struct npy_header header; /* of JSON: without a version */
    uint64_t packed;          /* bytes in an archive; 0: in none */
    bool has_stats;
    struct stats stats;
    struct histogram histogram;
};

struct info_report {
    struct info_args a;
    int threads;
    struct str b;         /* JSON */
    struct json_writer w; /* into b, inside the array of tensors */
    struct diag *dg;
};

static void print_stats(const struct stats *s, enum dtype type)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];

    if (s->count > s->nans) {
        scalar_text(&s->min, type, false, low);
        scalar_text(&s->max, type, false, high);
        printf("  min %s, max %s", low, high);
    }
    if (s->finite > 0)
        printf(", mean %.9g, standard deviation %.9g", s->mean, s->deviation);
    if (s->count > s->nans)
        putchar('\n');
    printf("  %" PRIu64 " element%s: %" PRIu64 " zero, %" PRIu64 " NaN, %" PRIu64 " infinite\n",
           s->count, s->count == 1 ? "" : "s", s->zeros, s->nans, s->infinities);
}

static void print_histogram(const struct histogram *h)
{
    enum { WIDTH = 50 };
    uint64_t most = 1;

    for (int i = 0; i < STATS_BINS; i++)
        most = u64_max(most, h->bins[i]);
    for (int i = 0; i < STATS_BINS; i++) {
        double share = (double)h->bins[i] / (double)most;
        int bar = h->bins[i] ? (int)ceil(share * (double)WIDTH) : 0;

        printf("  %12.5g |%.*s%*s| %" PRIu64 "\n",
               h->low / (double)STATS_BINS * (STATS_BINS - i) + h->high / (double)STATS_BINS * i,
               bar, "##################################################", WIDTH - bar, "",
               h->bins[i]);
    }
    printf("  %12.5g\n", h->high);
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

static void print_facts(const struct facts *f, bool histogram)
{
    const struct npy_header *h = &f->header;
    char sizes[TENSOR_SIZES_TEXT];

    print_path(f->name, stdout);
    printf(": %s %s", h->is_bool ? "BOOL (UINT8)" : dtype_name(h->type),
           tensor_sizes_text(sizes, h->rank, h->sizes));
    if (f->is_json)
        printf(", %" PRIu64 " bytes, JSON", h->data_bytes);
    else if (h->major == 0)
        printf(", %" PRIu64 " bytes, raw data", h->data_bytes);
    else
        printf(", %s order, %s-endian, %" PRIu64 " bytes, .npy %u.%u", h->fortran ? "Fortran" : "C",
               byte_order(h), h->data_bytes, h->major, h->minor);
    if (f->packed)
        printf(", %" PRIu64 " in the archive", f->packed);
    putchar('\n');
    if (f->has_stats)
        print_stats(&f->stats, stats_type(h));
    if (histogram)
        print_histogram(&f->histogram);
}

static void write_stats(struct json_writer *w, const struct stats *s, enum dtype type)
{
    json_line(w, 4);
    json_open(w, "stats", "{ }");
    json_uint(w, "count", s->count);
    json_uint(w, "zeros", s->zeros);
    json_uint(w, "nan", s->nans);
    json_uint(w, "inf", s->infinities);
    if (s->count > s->nans) {
        scalar_json(w, "min", type, &s->min);
        scalar_json(w, "max", type, &s->max);
    }
    if (s->finite > 0) {
        double_json(w, "mean", s->mean);
        double_json(w, "standard_deviation", s->deviation);
    }
    json_close(w);
}

static void write_histogram(struct json_writer *w, const struct histogram *h)
{
    json_line(w, 4);
    json_open(w, "histogram", "{ }");
    json_uints(w, "counts", h->bins, STATS_BINS);
    double_json(w, "low", h->low);
    double_json(w, "high", h->high);
    json_close(w);
}

static void write_facts(struct json_writer *w, const struct facts *f, bool histogram)
{
    const struct npy_header *h = &f->header;

    json_line(w, 2);
    json_open(w, NULL, "{ }");
    json_string(w, "file", f->name);
    json_string(w, "format",
                tensor_format_names[f->is_json ? FORMAT_JSON
                                    : h->major ? FORMAT_NPY
                                               : FORMAT_RAW]);
    json_string(w, "type", dtype_name(h->type));
    json_bool(w, "bool", h->is_bool);
    json_uints(w, "sizes", h->sizes, h->rank);
    json_uint(w, "bytes", h->data_bytes);
    if (!f->is_json) {
        json_string(w, "order", h->fortran ? "Fortran" : "C");
        json_string(w, "byte_order", byte_order(h));
        if (h->major)
            json_stringf(w, "version", "%u.%u", h->major, h->minor);
    }
    if (f->packed)
        json_uint(w, "packed_bytes", f->packed);
    if (f->has_stats)
        write_stats(w, &f->stats, stats_type(h));
    if (histogram)
        write_histogram(w, &f->histogram);
    json_close(w);
}

/* Prints the facts, or adds them to the JSON, whose end reports that memory ran out. */
static void report_facts(struct info_report *r, const struct facts *f)
{
    bool histogram = f->has_stats && r->a.histogram && f->stats.finite > 0;

    if (r->a.format == REPORT_TEXT)
        print_facts(f, histogram);
    else
        write_facts(&r->w, f, histogram);
}

static bool compute_stats(const struct info_report *r, const struct tensor_file *t, struct facts *f)
{
    f->has_stats = true; /* a file's elements are dense, and their order does not matter */
    return stats_compute(&t->tensor, t->count, r->threads, &f->stats) &&
           (!r->a.histogram || stats_histogram(&t->tensor, r->threads, &f->stats, &f->histogram));
}

/* Reads a tensor and reports it: for its statistics, or because it is JSON or comes through a
 * pipe. */
static enum status report_read(struct info_report *r, const char *path)
{
    struct tensor_file t = { 0 };
    struct facts f = { .name = shown_path(path) };
    bool fine = true;
    enum status st = reading_begin(&t, path, &r->a.reading, r->threads, r->dg);

    if (st == ST_OK && t.source)
        t.source->all = r->a.stats;
    else if (st == ST_OK)
        st = tensor_file_finish(&t, r->dg);
    if (st) {
        tensor_file_close(&t);
        return st;
    }
    f.is_json = t.format == FORMAT_JSON;
    f.header = t.header;
    if (f.is_json) {
        f.header.type = t.tensor.type;
        f.header.rank = t.tensor.rank;
        memcpy(f.header.sizes, t.tensor.sizes, sizeof t.tensor.sizes);
        f.header.data_bytes = t.count * dtype_size(t.tensor.type);
    }
    if (!t.source)
        diag_note(r->dg, path, "read as a whole%s", t.typed ? "" : "; it does not name its type");
    if (t.typed)
        warn_dtype(path, r->a.reading.type, t.tensor.type, r->dg);
    if (r->a.stats)
        fine = compute_stats(r, &t, &f);
    st = tensor_file_intact(&t, r->dg);
    if (st == ST_OK && !fine)
        st = diag_nomem(r->dg);
    if (st == ST_OK)
        report_facts(r, &f);
    tensor_file_close(&t);
    return st;
}

static enum status report_member(void *report, const char *path, const struct npz_member *m,
                                 struct diag *dg)
{
    const struct facts f = { .name = path, .header = m->file.header, .packed = m->packed };
    struct info_report *r = report;

    (void)dg;
    if (r->a.stats || npy_is_bfloat16(&f.header))
        return report_read(r, path);
    report_facts(r, &f);
    return ST_OK;
}

static enum status report_file(struct info_report *r, const char *path)
{
    char error[NPY_LENGTH_TEXT];
    struct npy_peek s;
    bool archive;
    enum status st = kind_is_npz(path, &archive, r->dg);

    if (st || archive)
        return st ? st : members_each(path, report_member, r, r->dg);
    if (r->a.stats || r->a.reading.raw || strcmp(path, "-") == 0 || npz_is_member(path))
        return report_read(r, path);
    if (!npy_peek(path, &s) || !s.is_npy ||
        !npy_check_length(&s.header, npy_peek_rest(&s), false, error))
        return s.failed ? diag_nomem(r->dg) : report_read(r, path); /* reports what is wrong */
    warn_dtype(path, r->a.reading.type, s.header.type, r->dg);
    diag_note(r->dg, path, "only the header is read; the data begins at byte %" PRIu64,
              s.header.data_offset);
    report_facts(r, &(struct facts){ .name = path, .header = s.header });
    return ST_OK;
}

static enum status report_all(struct info_report *r, int n, char **paths)
{
    enum status worst = ST_OK;

    if (r->a.format == REPORT_JSON) {
        r->w.out = &r->b;
        json_open(&r->w, NULL, "{ }");
        json_string(&r->w, "schema", "dmlop.info/1");
        json_open(&r->w, "tensors", "[ ]");
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

    if (!command_begin(&usage, &r.a, &argc, &argv, &st, dg))
        return st;
    if (argc == 0)
        return usage_error(dg, "no file is given");
    st = reading_parse(&r.a.reading_words, &r.a.reading_words.sizes, &r.a.reading, dg);
    if (st)
        return st;
    r.a.stats = r.a.stats || r.a.histogram;
    r.threads = execution_threads(r.a.threads, dg);
    most = parallel_threads_for(r.threads, UINT64_MAX);
    if (r.a.stats)
        diag_note(dg, NULL, "statistics on at most %d thread%s", most, most == 1 ? "" : "s");
    return report_all(&r, argc, argv);
}
