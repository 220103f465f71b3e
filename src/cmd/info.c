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
#include "part/tensor.h"
#include "tensor/stats.h"

struct info_args {
    struct common_args common;
    bool stats, histogram;
    int format; /* enum report_format */
    enum dtype json_type;
    long threads;
};

static const struct option_row rows[] = {
    OPT_FLAG(0, "stats", struct info_args, stats,
             "read the data, and print minimum, maximum, mean and standard deviation, and how many "
             "zeros, NaN and infinities there are"),
    OPT_FLAG(0, "histogram", struct info_args, histogram,
             "also print a histogram of the values; implies --stats"),
    OPT_GROUP(report_options, struct info_args, format),
    OPT_GROUP(json_type_options, struct info_args, json_type),
    OPT_GROUP(threads_options, struct info_args, threads),
    OPT_GROUP(common_options, struct info_args, common),
    OPT_END,
};

static const struct usage usage = {
    "info", "[OPTIONS] FILE...",
    "Prints the data type, sizes, order and length of tensor files, and of the arrays in .npz "
    "archives. FILE may be '-', FILE.npz:NAME, or a folder FILE.parts.",
    rows,
    NULL,
};

/* What is reported of one tensor. */
struct facts {
    const char *name;
    enum tensor_format format;
    enum dtype type;
    bool is_bool, swapped, fortran;
    unsigned rank;
    const uint64_t *sizes;
    uint64_t bytes, file_bytes;    /* of the data; of the file, or 0 */
    uint64_t packed;               /* in an archive; 0: in none */
    unsigned major, minor;         /* of an .npy header */
    bool has_stats;
    struct stats stats;
    struct histogram histogram;
};

struct info_report {
    const struct info_args *a;
    int threads;
    struct str b;                  /* JSON */
    struct json_writer w;          /* into b, inside the array of tensors */
    const char *archive;           /* whose members are listed */
    struct members_seen seen;      /* of these */
    struct diag *dg;
};

static const char *type_name(const struct facts *f)
{
    return f->is_bool ? "BOOL (UINT8)" : dtype_name(f->type);
}

/* An end of the range as text: an infinity is a float whatever the type. */
static const char *scalar_text(const struct scalar *s, enum dtype type, char text[NUMBER_TEXT],
                               bool quoted)
{
    unsigned char at[8];

    if (s->is_float && dtype_table[type].kind != KIND_FLOAT)
        type = DT_FLOAT64;
    scalar_store(s, type, at);
    element_text(type, at, quoted, text);
    return text;
}

static void print_stats(const struct facts *f)
{
    const struct stats *s = &f->stats;
    char low[NUMBER_TEXT], high[NUMBER_TEXT];

    if (s->count > s->nans)
        printf("  min %s, max %s", scalar_text(&s->min, f->type, low, false),
               scalar_text(&s->max, f->type, high, false));
    if (s->finite > 0)
        printf(", mean %.9g, standard deviation %.9g", s->mean, s->deviation);
    if (s->count > s->nans)
        putchar('\n');
    printf("  %" PRIu64 " elements: %" PRIu64 " zero, %" PRIu64 " NaN, %" PRIu64 " infinite\n",
           s->count, s->zeros, s->nans, s->infinities);
}

static void print_histogram(const struct histogram *h)
{
    enum { WIDTH = 50 };
    uint64_t most = 1;

    for (int i = 0; i < STATS_BINS; i++)
        most = h->bins[i] > most ? h->bins[i] : most;
    for (int i = 0; i < STATS_BINS; i++) {
        double share = (double)h->bins[i] / (double)most;
        int bar = h->bins[i] ? (int)ceil(share * WIDTH) : 0;

        printf("  %12.5g |%.*s%*s| %" PRIu64 "\n",
               h->low / STATS_BINS * (STATS_BINS - i) + h->high / STATS_BINS * i, bar,
               "##################################################", WIDTH - bar, "", h->bins[i]);
    }
    printf("  %12.5g\n", h->high);
}

static enum status print_text(const struct info_report *r, const struct facts *f)
{
    char sizes[TENSOR_SIZES_TEXT];
    struct str name = { 0 };

    str_add_escaped(&name, f->name, strlen(f->name));
    if (name.failed) {
        str_free(&name);
        return diag_nomem(r->dg);
    }
    printf("%s: %s %s", name.s ? name.s : "", type_name(f),
           tensor_sizes_text(sizes, f->rank, f->sizes));
    str_free(&name);
    if (f->format == FORMAT_NPY)
        printf(", %s order, %s-endian, %" PRIu64 " bytes, .npy %u.%u", f->fortran ? "Fortran" : "C",
               npy_is_big_endian(f->type, f->swapped) ? "big" : "little",
               f->bytes, f->major, f->minor);
    else
        printf(", %" PRIu64 " bytes, JSON", f->bytes);
    if (f->packed)
        printf(", %" PRIu64 " in the archive", f->packed);
    putchar('\n');
    if (f->has_stats)
        print_stats(f);
    if (f->has_stats && r->a->histogram && f->stats.finite > 0)
        print_histogram(&f->histogram);
    return ST_OK;
}

/* An end of the range, as JSON. */
static void write_scalar(struct json_writer *w, const char *key, const struct scalar *s,
                         enum dtype type)
{
    char text[NUMBER_TEXT];

    json_raw(w, key, scalar_text(s, type, text, true));
}

static void write_stats(struct json_writer *w, const struct facts *f)
{
    const struct stats *s = &f->stats;

    json_line(w, 4);
    json_open(w, "stats", "{ }");
    json_uint(w, "count", s->count);
    json_uint(w, "zeros", s->zeros);
    json_uint(w, "nan", s->nans);
    json_uint(w, "inf", s->infinities);
    if (s->count > s->nans) {
        write_scalar(w, "min", &s->min, f->type);
        write_scalar(w, "max", &s->max, f->type);
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
    json_line(w, 2);
    json_open(w, NULL, "{ }");
    json_string(w, "file", f->name);
    json_string(w, "format", tensor_format_names[f->format]);
    json_string(w, "type", dtype_name(f->type));
    json_bool(w, "bool", f->is_bool);
    json_uints(w, "sizes", f->sizes, f->rank);
    json_uint(w, "bytes", f->bytes);
    if (f->format == FORMAT_NPY) {
        json_string(w, "order", f->fortran ? "Fortran" : "C");
        json_string(w, "byte_order",
                    npy_is_big_endian(f->type, f->swapped) ? "big" : "little");
        json_stringf(w, "version", "%u.%u", f->major, f->minor);
    }
    if (f->packed)
        json_uint(w, "packed_bytes", f->packed);
    if (f->has_stats)
        write_stats(w, f);
    if (f->has_stats && histogram && f->stats.finite > 0)
        write_histogram(w, &f->histogram);
    json_close(w);
}

static enum status report_facts(struct info_report *r, const struct facts *f)
{
    if (r->a->format == REPORT_TEXT)
        return print_text(r, f);
    write_facts(&r->w, f, r->a->histogram);
    return ST_OK; /* a text that memory did not suffice for is found at its end */
}

static struct facts from_header(const char *name, const struct npy_header *h)
{
    return (struct facts){ .name = name, .format = FORMAT_NPY, .type = h->type,
                           .is_bool = h->is_bool, .swapped = h->swapped, .fortran = h->fortran,
                           .rank = h->rank, .sizes = h->sizes, .bytes = h->data_bytes,
                           .major = h->major, .minor = h->minor };
}

/* A tensor that is read: for its statistics, or because it is JSON or comes through a pipe. */
static enum status report_read(struct info_report *r, const char *path)
{
    struct tensor_file t = { 0 };
    struct facts f;
    bool fine = true;
    enum status st = part_tensor_begin(&t, path, r->a->json_type, r->threads, r->dg);

    if (st == ST_OK && !t.source)
        st = tensor_file_finish(&t, r->dg);
    if (st) {
        tensor_file_close(&t);
        return st;
    }
    if (t.format == FORMAT_NPY)
        f = from_header(shown_path(path), &t.header);
    else
        f = (struct facts){ .name = shown_path(path), .format = FORMAT_JSON,
                            .type = t.tensor.type, .rank = t.tensor.rank, .sizes = t.tensor.sizes,
                            .bytes = t.count * dtype_size(t.tensor.type) };
    if (!t.source)
        diag_note(r->dg, path, "read as a whole%s", t.typed ? "" : "; it does not name its type");
    if (t.typed)
        warn_dtype(path, r->a->json_type, t.tensor.type, r->dg);
    if (r->a->stats) { /* a file's elements are dense, and their order does not count */
        f.has_stats = true;
        fine = stats_compute(&t.tensor, t.count, r->threads, &f.stats);
        if (fine && r->a->histogram)
            fine = stats_histogram(&t.tensor, r->threads, &f.stats, &f.histogram);
    }
    st = tensor_file_intact(&t, r->dg);
    if (st == ST_OK && !fine)
        st = diag_nomem(r->dg);
    if (st == ST_OK)
        st = report_facts(r, &f);
    tensor_file_close(&t);
    return st;
}

static enum status report_member(void *context, const struct npz_member *m)
{
    struct info_report *r = context;
    struct str name = { 0 };
    enum status st = ST_OK;

    npz_add_path(&name, r->archive, m);
    r->seen.arrays += m->file.is_npy;
    if (name.failed)
        st = diag_nomem(r->dg);
    else if (!m->file.is_npy)
        note_member(&r->seen, name.s, m, r->dg);
    else if (r->a->stats)
        st = report_read(r, name.s);
    else {
        struct facts f = from_header(name.s, &m->file.header);

        f.packed = m->packed;
        st = report_facts(r, &f);
    }
    str_free(&name);
    if (st == ST_INPUT) /* the others are reported all the same */
        r->seen.worst = st;
    return st == ST_INPUT ? ST_OK : st;
}

static enum status report_archive(struct info_report *r, const char *path)
{
    enum status st;

    r->archive = path;
    r->seen = (struct members_seen){ 0 };
    st = npz_list(path, report_member, r, r->dg);
    return st ? st : members_status(&r->seen, path, r->dg);
}

static enum status report_file(struct info_report *r, const char *path)
{
    char error[NPY_LENGTH_TEXT];
    struct npy_peek s;
    struct facts f;
    bool archive;
    enum status st = kind_is_npz(path, &archive, r->dg);

    if (st || archive)
        return st ? st : report_archive(r, path);
    if (r->a->stats || strcmp(path, "-") == 0 || npz_is_member(path))
        return report_read(r, path);
    if (!npy_peek(path, &s) || !s.is_npy)
        return s.failed ? diag_nomem(r->dg) : report_read(r, path); /* which says what is wrong */
    f = from_header(path, &s.header);
    warn_dtype(path, r->a->json_type, f.type, r->dg);
    diag_note(r->dg, path, "only the header is read; the data begins at byte %" PRIu64,
              s.header.data_offset);
    if (!npy_check_length(&s.header, npy_peek_rest(&s), false, error))
        return diag_error(r->dg, ST_INPUT, path, "%s", error);
    return report_facts(r, &f);
}

static enum status report_all(struct info_report *r, int n, char **paths)
{
    enum status worst = ST_OK;

    if (r->a->format == REPORT_JSON) {
        r->w.out = &r->b;
        json_open(&r->w, NULL, "{ }");
        json_string(&r->w, "schema", "dmlop.info/1");
        json_open(&r->w, "tensors", "[ ]");
    }
    for (int i = 0; i < n && !r->b.failed && worst != ST_SYSTEM; i++) {
        enum status st = report_file(r, paths[i]);

        worst = st > worst ? st : worst;
    }
    if (r->a->format == REPORT_JSON && print_json(&r->w, r->dg) != ST_OK)
        worst = ST_SYSTEM;
    return worst;
}

enum status cmd_info(int argc, char **argv, struct diag *dg)
{
    struct info_args a = { .stats = false };
    struct info_report r = { .a = &a, .dg = dg };
    enum status st;
    int most;

    if (!command_begin(&usage, &a, &argc, &argv, &st, dg))
        return st;
    if (argc == 0) {
        diag_error(dg, ST_USAGE, NULL, "no file is given");
        return usage_hint(dg);
    }
    a.stats = a.stats || a.histogram;
    r.threads = execution_threads(a.threads, dg);
    most = parallel_threads_for(r.threads, UINT64_MAX);
    if (a.stats)
        diag_note(dg, NULL, "statistics on at most %d thread%s", most, most == 1 ? "" : "s");
    return report_all(&r, argc, argv);
}
