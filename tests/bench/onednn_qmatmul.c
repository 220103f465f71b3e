/* oneDNN's matmul, for peers_qmatmul.py: `onednn_qmatmul BATCH M K N A-SIGN B-SIGN SCALE A B OUT
 * [packed]` multiplies the matrices in the files A and B, of u or i for 8-bit types without or with
 * a sign, into OUT, of A's type. Answers each line of standard input, a number of runs, with their
 * milliseconds as a JSON array. packed: B is in the form that oneDNN likes best before the first
 * run. It exits with 3 where oneDNN does not take the types. Without arguments it prints oneDNN's
 * version. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dnnl.h>

#include "base/util.h"

static void need(bool good)
{
    if (!good)
        exit(3);
}

static void *file_bytes(const char *path, size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    FILE *f = fopen(path, "rb");

    need(p && f && fread(p, 1, bytes, f) == bytes);
    fclose(f);
    return p;
}

/* Of three dimensions where there are several matrices: oneDNN packs a B of two alone. any: in a
 * form of oneDNN's. */
static dnnl_memory_desc_t describe(long batch, long rows, long columns, dnnl_data_type_t type,
                                   bool any)
{
    dnnl_dims_t dims = { batch, rows, columns }, one = { rows, columns };
    dnnl_format_tag_t tag = any ? dnnl_format_tag_any : batch > 1 ? dnnl_abc : dnnl_ab;
    dnnl_memory_desc_t d;

    need(dnnl_memory_desc_init_by_tag(&d, batch > 1 ? 3 : 2, batch > 1 ? dims : one, type, tag) ==
         dnnl_success);
    return d;
}

static dnnl_memory_t memory(const dnnl_memory_desc_t *d, dnnl_engine_t engine, void *at)
{
    dnnl_memory_t m;

    need(dnnl_memory_create(&m, d, engine, at) == dnnl_success);
    return m;
}

static dnnl_primitive_desc_t matmul(dnnl_engine_t engine, const dnnl_memory_desc_t *a,
                                    const dnnl_memory_desc_t *b, const dnnl_memory_desc_t *c,
                                    float scale)
{
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_matmul_desc_t d;

    need(dnnl_primitive_attr_create(&attr) == dnnl_success);
    need(dnnl_primitive_attr_set_output_scales(attr, 1, 0, &scale) == dnnl_success);
    need(dnnl_matmul_desc_init(&d, a, b, NULL, c) == dnnl_success);
    need(dnnl_primitive_desc_create(&pd, &d, attr, engine, NULL) == dnnl_success);
    return pd;
}

/* What the matrix of memory m is in the form that the matmul takes for B. */
static dnnl_memory_t pack(dnnl_primitive_desc_t matmul, dnnl_engine_t engine, dnnl_stream_t stream,
                          const dnnl_memory_desc_t *d, dnnl_memory_t m)
{
    const dnnl_memory_desc_t *form = dnnl_primitive_desc_query_md(matmul, dnnl_query_weights_md, 0);
    dnnl_memory_t packed = memory(form, engine, DNNL_MEMORY_ALLOCATE);
    dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, m }, { DNNL_ARG_TO, packed } };
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t p;

    need(dnnl_reorder_primitive_desc_create(&pd, d, engine, form, engine, NULL) == dnnl_success);
    need(dnnl_primitive_create(&p, pd) == dnnl_success);
    need(dnnl_primitive_execute(p, stream, 2, args) == dnnl_success);
    need(dnnl_stream_wait(stream) == dnnl_success);
    return packed;
}

int main(int argc, char **argv)
{
    long s[4];
    dnnl_data_type_t types[2];
    dnnl_engine_t engine;
    dnnl_stream_t stream;

    if (argc == 1) {
        printf("%d.%d.%d\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch);
        return 0;
    }
    if (argc != 11 && (argc != 12 || strcmp(argv[11], "packed") != 0))
        return 2;
    for (int i = 0; i < 4; i++)
        s[i] = atol(argv[1 + i]);
    for (int i = 0; i < 2; i++)
        types[i] = argv[5 + i][0] == 'u' ? dnnl_u8 : dnnl_s8;
    need(dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success);
    need(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success);

    size_t out_bytes = (size_t)(s[0] * s[1] * s[3]);
    dnnl_memory_desc_t a = describe(s[0], s[1], s[2], types[0], false);
    dnnl_memory_desc_t b = describe(s[0], s[2], s[3], types[1], false);
    dnnl_memory_desc_t any = describe(s[0], s[2], s[3], types[1], true);
    dnnl_memory_desc_t c = describe(s[0], s[1], s[3], types[0], false);
    dnnl_primitive_desc_t pd =
        matmul(engine, &a, argc == 12 ? &any : &b, &c, strtof(argv[7], NULL));
    dnnl_memory_t weights = memory(&b, engine, file_bytes(argv[9], (size_t)(s[0] * s[2] * s[3])));
    dnnl_primitive_t p;
    void *out = aligned_alloc(4096, (out_bytes + 4095) / 4096 * 4096);
    dnnl_exec_arg_t args[] = {
        { DNNL_ARG_SRC, memory(&a, engine, file_bytes(argv[8], (size_t)(s[0] * s[1] * s[2]))) },
        { DNNL_ARG_WEIGHTS, argc == 12 ? pack(pd, engine, stream, &b, weights) : weights },
        { DNNL_ARG_DST, memory(&c, engine, out) },
    };

    need(dnnl_primitive_create(&p, pd) == dnnl_success);
    for (int runs; scanf("%d", &runs) == 1;) {
        FILE *f;

        for (int i = 0; i < runs; i++) {
            uint64_t start = clock_ns();

            need(dnnl_primitive_execute(p, stream, 3, args) == dnnl_success);
            need(dnnl_stream_wait(stream) == dnnl_success);
            printf("%c%.6f", i == 0 ? '[' : ',', (double)(clock_ns() - start) / 1e6);
        }
        puts("]");
        fflush(stdout);
        f = fopen(argv[10], "wb");
        need(f && fwrite(out, 1, out_bytes, f) == out_bytes && fclose(f) == 0);
    }
    return 0;
}
