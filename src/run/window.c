#include "run/operator.h"

#include "base/mem.h"
#include "json/number.h"

/* One entry of an index: i, or start:stop:step with any bound omitted. */
struct entry {
    const char *text;
    bool slice, has[3];
    int64_t v[3]; /* start (or the index), stop, step */
};

static void skip_blanks(const char **p) { *p += strspn(*p, " \t"); }

/* Reads an optional integer at *p; sets *has. */
static enum status read_bound(const char **p, const char *spec, int64_t *v, bool *has,
                              struct diag *dg)
{
    const char *start;
    size_t n;

    skip_blanks(p);
    start = *p;
    n = strspn(*p, "+-0123456789");
    *has = n > 0;
    if (*has && *start == '+' && start[1] != '-') { /* valid in Python, not in JSON */
        ++*p;
        n--;
    }
    if (*has && !number_text_whole(*p, n, v)) /* of large ones bounds are clipped */
        return diag_usage(dg, "--index: '%.*s' in '%s' is not a whole number",
                          (int)strspn(start, "+-0123456789"), start, spec);
    *p += n;
    skip_blanks(p);
    return ST_OK;
}

static enum status malformed(const char *spec, const char *at, struct diag *dg)
{
    static const char *const unsupported[] = {
        "None", "newaxis", "True", "False", "[", "(", "np."
    };

    for (size_t i = 0; i < ARRAY_LEN(unsupported); i++)
        if (strncmp(at, unsupported[i], strlen(unsupported[i])) == 0)
            return diag_usage(dg,
                              "--index: '%s' in '%s' is not basic slicing; write integers, "
                              "start:stop:step and ...",
                              unsupported[i], spec);
    return diag_usage(dg,
                      "--index: cannot read '%s' at '%s'; write integers, start:stop:step and ..., "
                      "separated by commas",
                      spec, at);
}

static enum status read_entry(const char **p, const char *spec, struct entry *e, struct diag *dg)
{
    const char *start = *p;
    enum status st;

    *e = (struct entry){ .text = start + strspn(start, " \t") };
    for (int i = 0; i < 3; i++) {
        st = read_bound(p, spec, &e->v[i], &e->has[i], dg);
        if (st)
            return st;
        if (**p != ':')
            break;
        e->slice = true;
        if (i == 2)
            return malformed(spec, start, dg);
        ++*p;
    }
    if ((**p && **p != ',') || (!e->slice && !e->has[0]))
        return malformed(spec, start, dg);
    if (e->has[2] && e->v[2] == 0)
        return diag_usage(dg, "--index: the step in '%s' must not be 0", spec);
    return ST_OK;
}

static int64_t clip(int64_t v, int64_t n, int64_t lo, int64_t hi)
{
    if (v < 0)
        v = v < -n ? -1 : v + n; /* an index before the start stays there */
    return v < lo ? lo : v > hi ? hi : v;
}

/* Computes Python's slice.indices, then the smallest window of the selected elements. */
static enum status place_entry(const struct entry *e, const char *spec, unsigned axis,
                               uint64_t size, struct desc *d, struct diag *dg)
{
    int64_t n = (int64_t)size, step = e->has[2] ? e->v[2] : 1, start, stop, low, high;
    uint64_t magnitude = i64_magnitude(step), span, count, *output = d->tensor[SLOT_OUT].sizes;

    low = step < 0 ? -1 : 0;
    high = low + n;
    if (e->slice) {
        start = e->has[0] ? clip(e->v[0], n, low, high) : step < 0 ? high : low;
        stop = e->has[1] ? clip(e->v[1], n, low, high) : step < 0 ? low : high;
    } else {
        start = e->v[0] < 0 ? e->v[0] + n : e->v[0];
        if (start < 0 || start >= n)
            return diag_input(dg, NULL, "--index: %.*s in '%s' is outside axis %u of size %ju",
                              (int)strspn(e->text, "+-0123456789"), e->text, spec, axis, size);
        stop = start + 1;
    }
    if (step < 0 ? start <= stop : start >= stop)
        return diag_input(dg, NULL, "--index: '%s' selects nothing from axis %u of size %ju", spec,
                          axis, size);
    span = (uint64_t)(step < 0 ? start - stop : stop - start);
    count = (span - 1) / magnitude + 1;
    output[axis] = count;
    d->sizes[axis] = (count - 1) * magnitude + 1;
    d->offsets[axis] = step < 0 ? (uint64_t)start + 1 - d->sizes[axis] : (uint64_t)start;
    d->strides[axis] = count == 1 ? (step < 0 ? -1 : 1) : step;
    return ST_OK;
}

/* Reads all entries. *dots: the entries before "..."; their number if there is none. */
static enum status read_index(const char *spec, struct entry *entries, unsigned rank, unsigned *n,
                              unsigned *dots, struct diag *dg)
{
    const char *p = spec;
    bool seen = false;
    struct entry e;

    *n = 0;
    do {
        skip_blanks(&p);
        if (strncmp(p, "...", 3) == 0) {
            if (seen)
                return diag_usage(dg, "--index: '...' appears twice in '%s'", spec);
            seen = true;
            *dots = *n;
            p += 3;
            skip_blanks(&p);
            if (*p && *p != ',')
                return malformed(spec, p, dg);
        } else {
            enum status st = read_entry(&p, spec, &e, dg);

            if (st)
                return st;
            if (*n == rank)
                return diag_input(dg, NULL,
                                  "--index: '%s' has more entries than the input's %u axes", spec,
                                  rank);
            entries[(*n)++] = e;
        }
        p += *p == ',';
        skip_blanks(&p);
    } while (*p);
    if (!seen)
        *dots = *n;
    return ST_OK;
}

enum status window_from_index(const char *spec, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg)
{
    static const struct entry whole = { .slice = true };
    struct entry entries[DML_MAX_RANK];
    unsigned n = 0, dots = 0;
    size_t len = strlen(spec);
    /* x[1:4, ::-2] is a slice, but NumPy's x[[0, 2]] is not, and so [0, 2] is refused */
    bool brackets = len >= 2 && spec[0] == '[' && spec[len - 1] == ']' && strpbrk(spec, ":.");
    char *inside = brackets ? str_format("%.*s", (int)(len - 2), spec + 1) : mem_strdup(spec);
    enum status st = inside ? read_index(inside, entries, rank, &n, &dots, dg) : diag_nomem(dg);

    for (unsigned axis = 0; axis < rank && st == ST_OK; axis++) {
        const struct entry *e = axis < dots              ? &entries[axis]
                                : axis < dots + rank - n ? &whole
                                                         : &entries[axis - (rank - n)];

        st = place_entry(e, inside, axis, sizes[axis], d, dg);
    }
    free(inside);
    return st;
}

/* Reports a list that is not `rank` numbers. */
static enum status refuse_list(const char *option, const struct option_list *words, unsigned rank,
                               bool is_signed, struct diag *dg)
{
    return list_refuse(dg, ST_USAGE, option, words,
                       "is not a list of %u %swhole numbers, one for each axis", rank,
                       is_signed ? "" : "non-negative ");
}

/* Reads rank numbers; leaves v alone if the option is not given. */
static enum status read_list(const char *option, const struct option_list *words, unsigned rank,
                             bool is_signed, int64_t *v, struct diag *dg)
{
    struct list_entries e = { .n = 0 };

    if (words->n == 0)
        return ST_OK;
    if (!list_split(words, &e))
        return refuse_list(option, words, rank, is_signed, dg);
    for (size_t i = 0; i < e.n; i++) {
        int64_t value = 0;
        enum number_result result = number_int_literal(e.v[i].s, e.v[i].n, &value);

        if (result == NUMBER_RANGE && (is_signed || e.v[i].s[0] != '-'))
            return diag_input(dg, NULL, "%s: %.*s is too large for any axis; use at most its size",
                              option, (int)e.v[i].n, e.v[i].s);
        if (result != NUMBER_OK || (!is_signed && value < 0))
            return refuse_list(option, words, rank, is_signed, dg);
        if (i < rank)
            v[i] = value;
    }
    if (e.n == rank)
        return ST_OK;
    return list_refuse(dg, ST_INPUT, option, words,
                       "has %zu number%s, but the input has %u %s; write one number for each axis, "
                       "such as 0,0,0,1 or \"{0, 0, 0, 1}\" with quotes",
                       e.n, e.n == 1 ? "" : "s", rank, rank == 1 ? "axis" : "axes");
}

enum status window_from_lists(const struct slice_args *a, unsigned rank, const uint64_t *sizes,
                              struct desc *d, struct diag *dg)
{
    uint64_t *output = d->tensor[SLOT_OUT].sizes;
    enum status st = read_list("--offsets", &a->offsets, rank, false, (int64_t *)d->offsets, dg);

    st = st ? st : read_list("--sizes", &a->sizes, rank, false, (int64_t *)d->sizes, dg);
    st = st ? st : read_list("--strides", &a->strides, rank, true, d->strides, dg);
    if (st == ST_OK)
        st = read_list("--output-sizes", &a->output_sizes, rank, false, (int64_t *)output, dg);
    for (unsigned i = 0; i < rank && st == ST_OK; i++) {
        uint64_t step;

        if (!a->sizes.n)
            d->sizes[i] = d->offsets[i] < sizes[i] ? sizes[i] - d->offsets[i] : 1;
        if (!a->strides.n)
            d->strides[i] = 1;
        step = i64_magnitude(d->strides[i]);
        if (!a->output_sizes.n)
            output[i] = d->sizes[i] > 0 && step > 0 ? 1 + (d->sizes[i] - 1) / step : 1;
    }
    return st;
}
