#include "op/qmatmul_plan.h"
#include "tensor/element.h"

float qmatmul_scale_at(const struct vector *v, uint64_t i)
{
    return element_load_float((const char *)v->data + (int64_t)i * v->step * (int64_t)sizeof(float),
                              v->swapped);
}

int32_t qmatmul_zero_at(const struct vector *v, const struct operand *o, uint64_t i)
{
    const char *at;

    if (!v->data)
        return 0;
    at = (const char *)v->data + (int64_t)i * v->step;
    return o->is_signed ? *(const signed char *)at : *(const unsigned char *)at;
}
