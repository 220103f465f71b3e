#pragma once

#include "base/util.h"

/* DirectML's data types, DML_TENSOR_DATA_TYPE_*; DT_NONE is an unknown one. */
enum dtype {
    DT_NONE,
    DT_FLOAT32,
    DT_FLOAT16,
    DT_UINT32,
    DT_UINT16,
    DT_UINT8,
    DT_INT32,
    DT_INT16,
    DT_INT8,
    DT_FLOAT64,
    DT_UINT64,
    DT_INT64,
    DT_COUNT
};

/* The types of 4 bits, which descriptors may name; no tensor has them. */
enum { DT_UINT4 = DT_COUNT, DT_INT4, DT_ALL };

/* A type of files only: read as FLOAT32, of which it is the upper half. */
#define DT_BFLOAT16 ((enum dtype)DT_ALL)

enum dtype_kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT };

struct dtype_info {
    const char *name;     /* DirectML's, without prefix: "FLOAT32"; "UNKNOWN" for DT_NONE */
    const char *npy;      /* .npy descr, little-endian: "<f4", "|u1" */
    uint8_t size;         /* bytes: 1, 2, 4, 8; 0 for DT_NONE and 4 bits */
    uint8_t width_log2;   /* log2(size) */
    enum dtype_kind kind;
};

extern const struct dtype_info dtype_table[DT_ALL + 1];

/* The same names for str_nearest; NULL for DT_NONE, which is never suggested. */
extern const char *const dtype_names[DT_COUNT];

/* All names for messages: "FLOAT32 FLOAT16 FLOAT64 INT8 ..." */
extern const char *const dtype_list;

static inline size_t dtype_size(enum dtype t) { return dtype_table[t].size; }
static inline const char *dtype_name(enum dtype t) { return dtype_table[t].name; }

/* A data type by name: FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT32, and if any_case, "float32", as in
 * options. DT_NONE for other names, also UNKNOWN. */
enum dtype dtype_from_name(const char *name, bool any_case);

/* Smallest and largest value of an integer type, for messages and checks. */
int64_t dtype_min(enum dtype t);
uint64_t dtype_max(enum dtype t);

/* IEEE 754 binary16 <-> binary32 / binary64. To half: nearest, ties to even, overflow to infinity;
 * the payload's upper bits of a NaN are kept. */
float half_to_float(uint16_t h);
uint16_t half_from_double(double d);
