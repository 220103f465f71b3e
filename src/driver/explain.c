#include "driver/driver.h"

#include "cli/number_text.h"
#include "cli/print.h"

enum status explain_run(const struct inputs *in, const struct option_list *at, struct diag *dg)
{
    enum op op = in->desc.op;
    const struct tensor_desc *full = &in->desc.tensor[op_output(op, ROLE_DATA)->slot],
                             result = desc_result(&in->desc, op_output(op, ROLE_DATA)->slot),
                             *out = result.rank > 0 ? &result : full; /* a number is at 0,0 */
    unsigned least = op == OP_QMATMUL && out->rank == full->rank ? 2 : out->rank; /* row, column */
    uint64_t c[DML_MAX_RANK] = { 0 };
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
