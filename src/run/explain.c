#include "run/explain.h"

#include "cli/print.h"

enum status explain_element(const struct inputs *in, const struct option_list *at, struct diag *dg)
{
    enum op op = in->desc.op;
    const struct tensor_desc *out = &in->desc.tensor[op_output(op, ROLE_DATA)->slot];
    unsigned least = op == OP_QMATMUL ? 2 : out->rank; /* row and column of the first product */
    uint64_t c[DML_MAX_RANK];
    struct str text = { 0 };
    enum status st = coordinates_read("--explain", at, out->rank, out->sizes, least, c, dg);

    if (st)
        return st;
    if (op == OP_QMATMUL)
        explain_qmatmul(&text, in, c);
    else if (op_output(op, ROLE_INDEX))
        explain_topk(&text, in, c);
    else
        explain_slice(&text, in, c);
    st = inputs_intact(in, dg);
    if (st == ST_OK)
        return print_str(&text, dg);
    str_free(&text);
    return st;
}
