/* Command lines: --index against Python's rules, the lists of slice, and whole commands by their
 * words, which stand one a line; the first byte chooses, the second and third the input's sizes.
 * Paths with a '/' are left out.
 * Of src: run/plan.c run/shared_options.c run/window.c cli/number_text.c cli/options.c
 * cli/option_groups.c run/request.c run/inputs.c run/judge.c run/results.c driver/driver.c
 * cmd/slice.c cmd/topk.c cmd/qmatmul.c cmd/compare.c cmd/convert.c cmd/info.c */
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/print.h"
#include "cmd/commands.h"
#include "folder.h"
#include "fuzz.h"
#include "run/operator.h"

/* What an entry of an index says, read by the C library: parts that are there, and their values cut
 * to 64 bits. */
struct slice {
    bool colon, has[3];
    long long v[3];
};

static const char *skip(const char *p) { return p + strspn(p, " \t"); }

/* One entry at *p; false where it is no basic slicing. */
static bool read_slice(const char **p, struct slice *s)
{
    *s = (struct slice){ .colon = false };
    for (int i = 0;; i++) {
        const char *start = skip(*p);
        size_t sign = strspn(start, "+-"), digits = strspn(start + sign, "0123456789");

        s->has[i] = digits > 0;
        if (sign > 1 || (sign > 0 && digits == 0) || (digits > 1 && start[sign] == '0'))
            return false;
        s->v[i] = strtoll(start, NULL, 10);
        *p = skip(start + sign + digits);
        if (**p != ':')
            return (s->colon || s->has[0]) && (**p == ',' || **p == '\0') &&
                   !(s->has[2] && s->v[2] == 0);
        if (i == 2)
            return false;
        s->colon = true;
        ++*p;
    }
}

/* Python's slice.indices: the first position taken, how many, and the step. */
static bool indices(const struct slice *s, long long n, long long *first, long long *count,
                    long long *step)
{
    __extension__ typedef __int128 wide;
    long long lo, hi, bounds[2];

    if (!s->colon) {
        *first = s->v[0] < 0 && s->v[0] >= -n ? s->v[0] + n : s->v[0];
        *count = *step = 1;
        return *first >= 0 && *first < n;
    }
    *step = s->has[2] ? s->v[2] : 1;
    lo = *step < 0 ? -1 : 0;
    hi = *step < 0 ? n - 1 : n;
    for (int i = 0; i < 2; i++) {
        wide v = s->v[i];

        if (v < 0)
            v += n;
        bounds[i] = (long long)(v < lo ? lo : v > hi ? hi : v);
        if (!s->has[i])
            bounds[i] = (i == 0) == (*step > 0) ? lo : hi;
    }
    if (*step > 0 ? bounds[0] >= bounds[1] : bounds[0] <= bounds[1])
        return false;
    *first = bounds[0];
    *count = (long long)(((wide)bounds[1] - bounds[0] - (*step > 0 ? 1 : -1)) / *step + 1);
    return true;
}

/* The whole of an index against `rank` sizes; false where it is not to be taken. */
static bool oracle(const char *whole, unsigned rank, const uint64_t *sizes, long long at[][3])
{
    char spec[1 << 16];
    size_t len = strlen(whole);
    struct slice entries[DML_MAX_RANK], all = { .colon = true };
    unsigned n = 0, dots = UINT_MAX;
    const char *p = spec;

    if (len >= sizeof spec)
        fuzz_fail("an index of %zu bytes", len);
    strcpy(spec, whole);
    if (len >= 2 && whole[0] == '[' && whole[len - 1] == ']' && strpbrk(whole, ":.")) { /* x[...] */
        spec[len - 1] = '\0';
        p++;
    }
    p = skip(p);
    if (!*p)
        return false;
    while (*p) {
        if (strncmp(p, "...", 3) == 0) {
            if (dots != UINT_MAX)
                return false;
            dots = n;
            p = skip(p + 3);
        } else if (n == rank || !read_slice(&p, &entries[n++]))
            return false;
        if (*p != ',' && *p)
            return false;
        p = skip(p + (*p == ','));
    }
    for (unsigned i = 0; i < rank; i++) {
        unsigned before = dots == UINT_MAX ? n : dots;
        const struct slice *s = i < before              ? &entries[i]
                                : i < before + rank - n ? &all
                                                        : &entries[i - (rank - n)];

        if (!indices(s, (long long)sizes[i], &at[i][0], &at[i][1], &at[i][2]))
            return false;
    }
    return true;
}

/* The window lies within the input and takes what SLICE1 would. */
static void check_window(const struct desc *w, unsigned rank, const uint64_t *sizes)
{
    const uint64_t *output = w->tensor[SLOT_OUT].sizes;

    for (unsigned i = 0; i < rank; i++) {
        uint64_t step = w->strides[i] < 0 ? -(uint64_t)w->strides[i] : (uint64_t)w->strides[i];

        if (w->offsets[i] >= sizes[i] || w->sizes[i] == 0 ||
            w->sizes[i] > sizes[i] - w->offsets[i] || step == 0 || output[i] == 0 ||
            output[i] > 1 + (w->sizes[i] - 1) / step)
            fuzz_fail("a window of %llu+%llu by %lld along %llu", (unsigned long long)w->offsets[i],
                      (unsigned long long)w->sizes[i], (long long)w->strides[i],
                      (unsigned long long)sizes[i]);
    }
}

static void check_index(const char *spec, unsigned rank, const uint64_t *sizes)
{
    struct diag dg = fuzz_diag();
    long long want[DML_MAX_RANK][3];
    struct desc w = { .op = OP_SLICE1 };
    enum status st = window_from_index(spec, rank, sizes, &w, &dg);

    fuzz_check_said(st);
    if ((st == ST_OK) != oracle(spec, rank, sizes, want))
        fuzz_fail("--index '%s' is status %d", spec, (int)st);
    if (st != ST_OK)
        return;
    check_window(&w, rank, sizes);
    for (unsigned i = 0; i < rank; i++) {
        uint64_t first = w.offsets[i] + (w.strides[i] < 0 ? w.sizes[i] - 1 : 0);

        if (first != (uint64_t)want[i][0] || w.tensor[SLOT_OUT].sizes[i] != (uint64_t)want[i][1] ||
            (want[i][1] > 1 && w.strides[i] != want[i][2]))
            fuzz_fail("--index '%s' takes others along axis %u", spec, i);
    }
}

/* Words of a text, one a line, "" for an empty line. */
static size_t split(char *text, char **words, size_t most)
{
    size_t n = 0;

    for (char *p = text; p && n < most; n++) {
        words[n] = p;
        p = strchr(p, '\n');
        if (p)
            *p++ = '\0';
    }
    return n;
}

/* The list of one word; none where the word is not there. */
static struct option_list one_word(const char *word)
{
    return (struct option_list){ .v = { word }, .n = word != NULL };
}

static void check_lists(char *text, unsigned rank, const uint64_t *sizes)
{
    char *words[4] = { NULL };
    struct diag dg = fuzz_diag();
    struct desc w = { .op = OP_SLICE1 };
    enum status st;

    split(text, words, ARRAY_LEN(words));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i] && !*words[i])
            words[i] = NULL;
    st = window_from_lists(&(struct slice_args){ .offsets = one_word(words[0]),
                                                 .sizes = one_word(words[1]),
                                                 .strides = one_word(words[2]),
                                                 .output_sizes = one_word(words[3]) },
                           rank, sizes, &w, &dg);
    fuzz_check_said(st);
    for (unsigned i = 0; i < rank && st == ST_OK; i++) /* what lies outside is found by the rules */
        if (words[3] || w.strides[i] == 0 || w.sizes[i] == 0 || w.offsets[i] >= sizes[i] ||
            w.sizes[i] > sizes[i] - w.offsets[i])
            return;
    if (st == ST_OK)
        check_window(&w, rank, sizes);
}

/* The folder that commands run in, and the one that the target does. */
static struct {
    char name[FOLDER_PATH];
    int folder, home;
} place;

static void go_to(int folder)
{
    if (fchdir(folder) != 0)
        fuzz_fail("cannot change the folder");
}

/* What commands find there; INT8 and FLOAT32. */
static struct {
    const char *name;
    enum dtype type;
    unsigned rank;
    uint64_t sizes[DML_MAX_RANK];
    ino_t number;
} inputs[] = {
    { "a.npy", DT_INT8, 2, { 4, 6 }, 0 }, { "b.npy", DT_INT8, 2, { 6, 4 }, 0 },
    { "s.npy", DT_FLOAT32, 1, { 4 }, 0 }, { "t.npy", DT_FLOAT32, 3, { 1, 2, 3 }, 0 },
};

/* Writes the inputs that are gone, or were replaced by outputs. */
static void restore(void)
{
    static const unsigned char values[24] = { 3, 1, 2,   200, 5, 0, 7, 255, 64, 65, 66, 67,
                                              0, 0, 128, 63,  0, 0, 0, 64,  1,  1,  1,  1 };
    struct stat sb;

    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct tensor t = { .type = inputs[i].type,
                            .rank = inputs[i].rank,
                            .data = (void *)(uintptr_t)values };
        struct outputs outs = { .no_sync = true };
        struct diag dg = fuzz_diag();

        if (stat(inputs[i].name, &sb) == 0 && sb.st_ino == inputs[i].number)
            continue;
        memcpy(t.sizes, inputs[i].sizes, sizeof inputs[i].sizes);
        tensor_pack_strides(t.rank, t.sizes, t.strides);
        if (outputs_add(&outs, inputs[i].name, &dg) != ST_OK ||
            tensor_file_write(outs.v[0], &t, FORMAT_NPY, 1, &dg) != ST_OK ||
            outputs_commit(&outs, &dg) != ST_OK || stat(inputs[i].name, &sb) != 0)
            fuzz_fail("cannot write an input");
        outputs_close(&outs);
        inputs[i].number = sb.st_ino;
    }
}

/* Removes all but the inputs. */
static void sweep(bool inputs_too)
{
    DIR *entries = opendir(".");
    struct dirent *e;

    while (entries && (e = readdir(entries))) {
        const char *name = e->d_name;
        bool keep = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;

        for (size_t i = 0; i < ARRAY_LEN(inputs) && !inputs_too; i++)
            keep = keep || strcmp(name, inputs[i].name) == 0;
        if (!keep && unlink(name) != 0 && chdir(name) == 0) { /* a folder that --output-dir made */
            sweep(true);
            if (chdir("..") != 0 || rmdir(name) != 0)
                fuzz_fail("cannot remove %s", name);
        }
    }
    closedir(entries);
}

static void leave(void)
{
    go_to(place.folder);
    sweep(true);
    go_to(place.home);
    rmdir(place.name);
}

/* Standard output goes nowhere, nothing comes in. */
static void begin(void)
{
    int null = open("/dev/null", O_RDWR);

    setenv("OMP_NUM_THREADS", "1", 1);
    if (!mkdtemp(folder_template(place.name, "fuzz")) || null < 0 ||
        dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        fuzz_fail("no temporary folder");
    close(null);
    place.home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place.folder = open(place.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    go_to(place.folder);
    restore();
    go_to(place.home);
    atexit(leave);
}

/* Words that reach files elsewhere, wait for standard input, which is read once a process, or take
 * long. */
static bool is_left_out(const char *word)
{
    static const char *const parts[] = { "/", "..", "threads", "repeat", "min-time", "warmup" };

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (strstr(word, parts[i]) && strcmp(word, "...") != 0)
            return true;
    return strcmp(word, "-") == 0 || strstr(word, "=-") != NULL;
}

static void check_command(char *text)
{
    static const char *const names[] = { "slice", "topk", "qmatmul", "compare", "convert", "info" };
    static char no_sync[] = "--no-sync";
    char *words[40] = { NULL };
    size_t n = split(text, words + 1, ARRAY_LEN(words) - 4);
    struct diag dg = fuzz_diag();
    const struct command *c = NULL;
    enum status st;
    bool writes;

    for (size_t i = 1; i <= n; i++)
        if (is_left_out(words[i]))
            return;
    for (size_t i = 0; i < ARRAY_LEN(names) && n > 0; i++)
        if (strcmp(words[1], names[i]) == 0)
            c = command_find(words[1], &dg);
    if (!c)
        return;
    /* an option that keeps it from waiting for the disk takes a place, where the command has it */
    words[0] = words[1];
    words[1] = no_sync;
    writes = strcmp(c->name, "compare") != 0 && strcmp(c->name, "info") != 0;
    if (!writes)
        words[1] = words[0];
    go_to(place.folder);
    st = print_end(c->run((int)n + writes, words + !writes, &dg), &dg);
    fflush(fuzz_stream());
    if ((unsigned)st > ST_SYSTEM || (st != ST_OK && st != ST_INVALID && fuzz_said.lines == 0))
        fuzz_fail("%s is status %d with %zu lines", c->name, (int)st, fuzz_said.lines);
    sweep(false);
    restore();
    go_to(place.home);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = { data, data + size };
    unsigned choice = fuzz_byte(&b), shape = fuzz_byte(&b), large = fuzz_byte(&b),
             rank = 1 + shape % 3;
    uint64_t sizes[DML_MAX_RANK];
    size_t n = fuzz_left(&b);
    char *text = fuzz_alloc(n + 1);

    if (!place.name[0])
        begin();
    memcpy(text, b.at, n);
    text[n] = '\0';
    n = strlen(text);
    for (unsigned i = 0; i < rank; i++)
        sizes[i] = 1 + (shape >> 2) % 11 + i + (large == 'L' && i == 0 ? UINT64_C(1) << 40 : 0);
    if (choice == 'i')
        check_index(text, rank, sizes);
    else if (choice == 'l')
        check_lists(text, rank, sizes);
    else
        check_command(text);
    free(text);
    return 0;
}
