/* Model files: read, checked by all rules, and where they are valid and small run, with outputs
 * into a folder of their own. The last byte chooses the options.
 * Of src: model/ io/output.c io/target.c */
#include <sys/stat.h>

#include "folder.h"
#include "fuzz.h"
#include "io/npy.h"
#include "model/run.h"
#include "run_desc.h"

enum { MOST_BYTES = 1 << 14, MOST_COMMANDS = 24, MOST_ELEMENTS = 2048 };

/* TMPDIR/dmlop-fuzz-XXXXXX with in/ (the model's folder), out/ (its outputs; a link in it leads to
 * outside/), outside/. */
static struct {
    char base[FOLDER_PATH], model[FOLDER_PATH + 16], out[FOLDER_PATH + 16];
} place;

static void make_folder(const char *name)
{
    char path[FOLDER_PATH + 16];

    snprintf(path, sizeof path, "%s/%s", place.base, name);
    if (mkdir(path, 0700) != 0)
        fuzz_fail("cannot make %s", path);
}

/* Four values, raw or with a header. */
static void make_file(const char *name, bool npy)
{
    struct str b = { 0 };
    char path[FOLDER_PATH + 16];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", place.base, name);
    if (npy)
        npy_format_header(&b, DT_FLOAT32, false, 1, (const uint64_t[]){ 4 });
    str_add(&b, "abcdefghijklmnop", 16);
    f = fopen(path, "wb");
    if (!f || fwrite(b.s, 1, b.len, f) != b.len || fclose(f) != 0)
        fuzz_fail("cannot make %s", path);
    str_free(&b);
}

/* Removes the files of a folder; of `all` folders and links, too. Returns how many entries there
 * were. */
static size_t sweep(const char *path, bool all)
{
    DIR *folder = opendir(path);
    struct dirent *e;
    size_t n = 0;

    if (!folder)
        fuzz_fail("the folder %s is gone", path);
    while ((e = readdir(folder))) {
        char inside[FOLDER_PATH + 600];
        struct stat sb;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        if (lstat(inside, &sb) == 0 && S_ISDIR(sb.st_mode) && all) {
            sweep(inside, true);
            rmdir(inside);
        } else if (S_ISREG(sb.st_mode) || all)
            unlink(inside);
    }
    closedir(folder);
    return n;
}

static void leave(void)
{
    sweep(place.base, true);
    rmdir(place.base);
}

static void begin(void)
{
    char link[FOLDER_PATH + 32];

    if (!mkdtemp(folder_template(place.base, "fuzz")))
        fuzz_fail("no temporary folder");
    atexit(leave);
    snprintf(place.model, sizeof place.model, "%s/in/m.json", place.base);
    snprintf(place.out, sizeof place.out, "%s/out", place.base);
    make_folder("in");
    make_folder("out");
    make_folder("out/sub");
    make_folder("outside");
    make_file("in/x.npy", true);
    make_file("in/x.dat", false);
    snprintf(link, sizeof link, "%s/link", place.out);
    if (symlink("../outside", link) != 0)
        fuzz_fail("cannot make a link");
}

/* Nothing but out/ has new files. */
static void check_written(void)
{
    static const char *const closed[] = { "", "in", "outside" };
    static const size_t entries[] = { 3, 2, 0 };

    for (size_t i = 0; i < ARRAY_LEN(closed); i++) {
        char path[FOLDER_PATH + 16];
        DIR *folder;
        size_t n = 0;

        snprintf(path, sizeof path, "%s/%s", place.base, closed[i]);
        folder = opendir(path);
        while (folder && readdir(folder))
            n++;
        if (!folder || n != entries[i] + 2)
            fuzz_fail("%zu entries in '%s' of the folder", n, closed[i]);
        closedir(folder);
    }
    sweep(place.out, false);
}

/* A path that a valid model may write: below the folder by its words. */
static void check_path(const char *path)
{
    size_t n = strlen(path);

    if (*path == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../") ||
        strcmp(path, "..") == 0 || (n >= 3 && strcmp(path + n - 3, "/..") == 0))
        fuzz_fail("a model may write to %s", path);
}

/* Whether a valid model runs in no time. */
static bool is_small(const struct model *m)
{
    uint64_t bytes = 0;

    if (m->command_count > MOST_COMMANDS || m->dispatchable_count > MOST_COMMANDS)
        return false;
    for (size_t i = 0; i < m->resource_count; i++)
        if (m->resources[i].size > MOST_BYTES || (bytes += m->resources[i].size) > 4 * MOST_BYTES)
            return false;
    for (size_t i = 0; i < m->dispatchable_count; i++) {
        struct desc d;

        if (!m->dispatchables[i].good || m->dispatchables[i].values.schema->op == OP_NONE)
            fuzz_fail("a dispatchable of a valid model has errors");
        desc_of_values(&m->dispatchables[i].values, &d);
        if (!desc_is_small(&d, MOST_ELEMENTS, MOST_BYTES))
            return false;
    }
    return true;
}

static void run(const struct model *m, const struct json_doc *doc)
{
    struct run_options opt = { .path = place.model, .output_folder = place.out,
                               .writing.no_sync = true, .exec.threads = 1, .samples.repeat = 1 };
    struct run_times times = { .load = 0 };
    struct diag dg = fuzz_diag();
    bool writes = false;
    FILE *out = fuzz_stream();
    enum status st;

    for (size_t i = 0; i < m->command_count; i++)
        if (m->commands[i].type == COMMAND_WRITE_FILE) {
            check_path(m->commands[i].path);
            writes = true;
        }
    st = model_run(m, doc, &opt, out, &times, &dg);
    fflush(out);
    if (st != ST_OK && fuzz_said.lines == 0)
        fuzz_fail("a run is status %d without a message", (int)st);
    if (st == ST_USAGE)
        fuzz_fail("a valid model was run the wrong way");
    free(times.samples);
    if (writes)
        check_written();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_options opt = { .desc = { .level = LEVEL_NEWEST }, .path = place.model };
    struct document document = { .len = 0 };
    struct model model = { .resource_count = 0 };
    struct diag dg = fuzz_diag();
    unsigned choice;
    char *text;

    if (!place.base[0])
        begin();
    if (size == 0)
        return 0;
    choice = data[--size] ^ (unsigned)'\n';
    opt.desc.findings = (struct finding_options){ .relaxed = choice & 1,
                                                  .portable = choice >> 1 & 1 };
    text = fuzz_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (document_scan(&document, text, size, &opt.desc.findings, &dg) != ST_OK)
        fuzz_fail("a text cannot be read");
    if (document_is_json(&document))
        model_read(&model, &document.doc, &opt, &document.findings);
    if (document_finish(&document, &dg) != ST_OK)
        fuzz_fail("findings are incomplete");
    for (size_t i = 0; i < document.findings.n; i++)
        if (document.findings.v[i].range.end > size ||
            (i > 0 &&
             document.findings.v[i].range.offset < document.findings.v[i - 1].range.offset))
            fuzz_fail("a finding is out of place");
    if (document_is_json(&document) && document.findings.errors == 0 && choice == 0 &&
        model_can_run(&model, place.model, &dg) == ST_OK && is_small(&model))
        run(&model, &document.doc);
    model_free(&model);
    document_free(&document);
    return 0;
}
