#include "run/explain_element.h"

#include "cli/coordinates.h"
#include "cli/print.h"
#include "desc/schema.h"
#include "run/explain_steps.h"

/* All inputs are as long as when they were opened. */
static enum status check_inputs(const struct inputs *in, struct diag *dg)
{
    enum status st = ST_OK;

    for (unsigned s = 0; s < SLOT_COUNT && st == ST_OK; s++)
        st = tensor_file_intact(&in->v[s].file, dg);
    return st;
}

enum status explain_element(const struct inputs *in, const struct option_list *at, struct diag *dg)
{
    enum op op = in->desc.op;
    const struct tensor_desc *out = &in->desc.tensor[op_output(op, ROLE_DATA)->slot];
    unsigned least = op == OP_QMATMUL ? 2 : out->rank; /* row and column, of the first product */
    uint64_t c[DML_MAX_RANK];
    struct str text = { 0 };
    enum status st =
        coordinates_read("--explain", at, out->rank, out->sizes, least, c, dg);

    if (st)
        return st;
    if (op == OP_QMATMUL)
        explain_qmatmul(&text, in, c);
    else if (op == OP_TOP_K || op == OP_TOP_K1)
        explain_topk(&text, in, c);
    else
        explain_slice(&text, in, c);
    st = check_inputs(in, dg);
    if (st == ST_OK)
        return print_str(&text, dg);
    str_free(&text);
    return st;
}
