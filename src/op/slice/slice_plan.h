#pragma once

#include "kernel/slice/slice.h"
#include "op/impl.h"

/* Private to op/slice/slice.c and op/slice/slice_run.c: how a view is copied to the output. */

/* An axis of the copy, or a loop over its blocks. */
struct slice_axis {
    uint64_t size;
    int64_t from, to; /* steps in source and destination, in bytes */
};

/* An axis that is cut into blocks. */
struct slice_side {
    struct slice_axis axis;
    uint64_t block; /* elements in a block */
    unsigned loop;  /* the loop over its blocks */
};

/* How a block is transposed: through a tile, whose rows are the output's. */
struct slice_tiles {
    bool used;
    bool gather;  /* the tile's columns are gathered before they are transposed */
    char *memory; /* owned: for each thread a tile, or a strip of one and its columns */
    size_t step;  /* elements from row to row of a tile */
    size_t strip; /* rows transposed at once: all, or if gathered, the elements of a line */
    size_t tile_bytes, thread_bytes; /* whole cache lines */
};

/* Loops over blocks, outer to inner. */
struct slice_loops {
    struct slice_axis axes[DML_MAX_RANK + 2];
    unsigned count;
    uint64_t blocks;    /* in all */
    uint64_t per_chunk; /* blocks that a thread copies at once */
};

/* Axes of size 1 are dropped and neighbours joined. The other axes are cut into blocks of two axes:
 * the row, contiguous in the output, and the second axis, the one with the shortest steps in the
 * source if those of the row are longer. A block is copied row by row, or transposed through a tile
 * in the caches: then every line of the source is read once, and lines of the output are written
 * whole. If the second axis is short and the source continues along a third one, tiles are deep:
 * they also span several steps of the third axis, as memory reads long runs faster than short ones.
 */
struct slice_plan {
    struct op_plan base;
    const struct slice_kernel *kernel;
    unsigned width_log2;
    size_t elem; /* bytes */
    bool swap;   /* elements have the other byte order */
    bool stream; /* the output is too large for the caches */
    enum prefetch_policy prefetch;
    const char *src; /* the view's first element */
    char *dst;       /* out.data; owned scratch if rows of the output are not contiguous */
    struct tensor out;
    struct slice_side row, second, third; /* third.block: 1 unless tiles are deep */
    struct slice_tiles tiles;
    struct slice_loops loops;
};

/* Computes the output. */
void slice_run(struct op_plan *plan);
