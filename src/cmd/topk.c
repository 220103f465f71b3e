#include <inttypes.h>
#include <string.h>

#include "cmd/bind.h"
#include "cmd/command.h"
#include "cmd/driver.h"
#include "cmd/many.h"
#include "json/number.h"

#define AT(member) offsetof(struct op_args, member)

static const struct option_row rows[] = {
    { "k", 'k', OPTION_STRING, AT(k), "K", "how many; 'all' sorts the axis" },
    { "axis", 0, OPTION_STRING, AT(axis), "A", "the axis, negative from the last (default: -1)" },
    { "largest", 0, OPTION_FLAG, AT(largest), NULL, "largest first (default)" },
    { "smallest", 0, OPTION_FLAG, AT(smallest), NULL, "smallest first" },
    { "indices", 0, OPTION_STRING, AT(indices), "FILE", "write the elements' places along the axis there" },
    { "index-type", 0, OPTION_STRING, AT(index_type), "TYPE", "uint32 or uint64 (default: uint32)" },
    { NULL, 0, OPTION_FLAG, 0, NULL, NULL },
};

static const struct option_row *const tables[] = { rows, many_options, common_options, NULL };

static const struct usage usage = {
    "topk", "[OPTIONS] -k K [--axis A] [--largest | --smallest] [--indices FILE] INPUT\n[OPTIONS] -d DESCRIPTOR [--indices FILE] INPUT\n"
            "[OPTIONS] -k K --output-dir DIR INPUT...",
    "First K elements along an axis in order, equal ones by ascending index (DML_OPERATOR_TOP_K1).", tables, NULL,
};

static const char *attribute(const struct op_args *a)
{
    return a->k ? "-k" : a->axis ? "--axis" : a->largest ? "--largest" : a->smallest ? "--smallest"
           : a->index_type ? "--index-type" : NULL;
}

static enum status read_k(const char *text, uint64_t n, uint64_t *k, struct diag *dg)
{
    enum number_result result;

    if (strcmp(text, "all") == 0) {
        *k = n;
        return ST_OK;
    }
    result = number_uint_literal(text, strlen(text), k);
    if (result == NUMBER_SYNTAX || result == NUMBER_FRACTION || (result == NUMBER_RANGE && text[0] == '-') ||
        (result == NUMBER_OK && *k == 0))
        return diag_error(dg, ST_USAGE, NULL, "-k: '%s' is no whole number of 1 or more, nor 'all'", text);
    if (result != NUMBER_OK || *k > n)
        return diag_error(dg, ST_INPUT, NULL, "-k: %s is more than the %" PRIu64 " elements of the axis; use 1 to %" PRIu64
                          " or 'all'", text, n, n);
    return ST_OK;
}

static enum status describe(const struct op_args *a, struct binding in[SLOT_COUNT], struct desc *d, struct diag *dg)
{
    static const char *const types[] = { "uint32", "uint64", NULL };
    const struct tensor *t = &in[SLOT_IN].view;
    uint64_t sizes[TENSOR_MAX_RANK];
    int64_t axis = -1;
    int type = 0;
    enum status st;

    if (!a->k) {
        diag_error(dg, ST_USAGE, NULL, "how many? give -k K, or -k all to sort");
        return usage_hint(dg);
    }
    if (a->largest && a->smallest)
        return diag_error(dg, ST_USAGE, NULL, "--largest and --smallest exclude each other");
    if (a->index_type && (st = option_choice("--index-type", a->index_type, types, &type, dg)))
        return st;
    if (a->axis && number_int_literal(a->axis, strlen(a->axis), &axis) != NUMBER_OK)
        return diag_error(dg, ST_USAGE, NULL, "--axis: '%s' is no whole number", a->axis);
    if (axis < -(int64_t)t->rank || axis >= (int64_t)t->rank)
        return diag_error(dg, ST_INPUT, NULL, "--axis: %" PRId64 " is outside an input of %u axes; use %d to %d", axis,
                          t->rank, -(int)t->rank, (int)t->rank - 1);
    d->axis = (uint64_t)(axis < 0 ? axis + (int64_t)t->rank : axis);
    st = read_k(a->k, t->sizes[d->axis], &d->k, dg);
    if (st)
        return st;
    d->direction = a->smallest ? AXIS_INCREASING : AXIS_DECREASING;
    memcpy(sizes, t->sizes, sizeof sizes);
    sizes[d->axis] = d->k;
    describe_tensor(d, SLOT_IN, t->type, t->rank, t->sizes);
    describe_tensor(d, SLOT_VALUES, t->type, t->rank, sizes);
    describe_tensor(d, SLOT_INDICES, type ? DT_UINT64 : DT_UINT32, t->rank, sizes);
    return ST_OK;
}

static const struct op_command command = { OP_TOP_K1, &usage, 1, { SLOT_IN }, attribute, describe };

enum status cmd_topk(int argc, char **argv, struct diag *dg)
{
    return op_command_run(&command, argc, argv, dg);
}
