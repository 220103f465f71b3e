#include <string.h>

#include "op/qmatmul_plan.h"

float qmatmul_scale_at(const struct vector *v, uint64_t i)
{
    float f;

    memcpy(&f, (const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof f, sizeof f);
    if (v->swapped)
        tensor_swap_bytes(&f, sizeof f, 1);
    return f;
}

int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i)
{
    const char *at;

    if (!v->data)
        return 0;
    at = (const char *)v->data + (int64_t)i * v->step;
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}
