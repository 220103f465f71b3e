/* JSON tensors: GB of text a second, written and read by one thread. Values are random: of a normal
 * kind for floats, over the whole range for integers. Options: bench.h; there is no kernel to
 * choose. */
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#include "folder.h"
#include "kernel/random.h"
#include "read_tensor.h"

enum { ROWS = 2000, COLUMNS = 1000 };

struct job {
    struct tensor t;
    char path[FOLDER_PATH + 16];
    struct diag dg;
};

static void fill(enum dtype type, unsigned char *p)
{
    size_t size = dtype_size(type);
    uint64_t rng = 1; /* the same data in every run */

    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++, p += size) {
        uint64_t bits = random_next(&rng);
        double d = ((double)(bits >> 11) / 9007199254740992.0 - 0.5) * 6;
        float f = (float)d;
        uint16_t half = half_from_double(d);

        memcpy(p,
               type == DT_FLOAT64   ? (void *)&d
               : type == DT_FLOAT32 ? (void *)&f
               : type == DT_FLOAT16 ? (void *)&half
                                    : (void *)&bits,
               size);
    }
}

static void write_text(void *context)
{
    struct job *w = context;
    struct outputs outs = { .no_sync = true };

    bench_must(outputs_add(&outs, w->path, &w->dg));
    bench_must(tensor_file_write(outs.v[0], &w->t, FORMAT_JSON, 1, &w->dg));
    bench_must(outputs_commit(&outs, &w->dg));
    outputs_close(&outs);
}

static void read_text(void *context)
{
    struct job *w = context;
    struct tensor_file f;

    bench_must(tensor_file_read(&f, w->path, DT_NONE, 1, &w->dg));
    tensor_file_close(&f);
}

static void bench(struct job *w, enum dtype type, const char *what, void (*run)(void *))
{
    struct bench_case c = { .type = dtype_name(type),
                            .shape = "{2000,1000}",
                            .what = what,
                            .threads = 1,
                            .run = run,
                            .unit = "GB/s",
                            .context = w };
    struct stat st;

    if (!bench_wants(&c))
        return;
    w->t.type = type;
    fill(type, w->t.data);
    write_text(w);
    if (stat(w->path, &st) != 0)
        exit(ST_SYSTEM);
    c.work = (double)st.st_size;
    bench_measure(&c);
}

int main(int argc, char **argv)
{
    char folder[FOLDER_PATH];
    struct job w = { .t = { .rank = 2, .sizes = { ROWS, COLUMNS } },
                     .dg = { .err = stderr, .command = "bench_json" } };

    bench_begin(argc, argv, "json", 5);
    w.t.data = bench_must_have(malloc((size_t)ROWS * COLUMNS * 8));
    tensor_pack_strides(w.t.rank, w.t.sizes, w.t.strides);
    if (!mkdtemp(folder_template(folder, "bench")))
        return ST_SYSTEM;
    snprintf(w.path, sizeof w.path, "%s/x.json", folder);
    for (int type = DT_NONE + 1; type < DT_COUNT; type++) {
        bench(&w, (enum dtype)type, "write", write_text);
        bench(&w, (enum dtype)type, "read", read_text);
    }
    unlink(w.path);
    rmdir(folder);
    free(w.t.data);
    return bench_end();
}
