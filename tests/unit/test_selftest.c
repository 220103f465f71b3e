/* What selftest notices of a kernel: here every plan is a fake one, which writes the same byte
 * everywhere. Of each trial the first is the reference's. */
#include "unit.h"

#define op_plan_new fake_plan_new
#include "cmd/selftest.c"

struct fake_plan {
    struct op_plan base;
    struct tensor *views[SLOT_COUNT];
    enum op op;
    unsigned char byte;
};

static unsigned plans, wrong; /* so far; the number of the one that writes another byte */
static unsigned alike;        /* inputs whose bytes are all the same */
static struct fake_plan the_plan;

static size_t dense_bytes(const struct tensor *t)
{
    uint64_t bytes = 0;

    assert_true(tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes));
    return (size_t)bytes;
}

static void run(struct op_plan *base)
{
    const struct fake_plan *plan = (const struct fake_plan *)base;

    for (unsigned s = 0; s < SLOT_COUNT; s++) {
        struct tensor *t = plan->views[s];
        size_t n = t ? dense_bytes(t) : 0;

        if (!t)
            continue;
        if (schema_tensor(op_schema(plan->op), s)->output)
            memset(t->data, plan->byte, n);
        else
            alike += n > 100 && memcmp(t->data, (char *)t->data + 1, n - 1) == 0;
    }
}

static void end(struct op_plan *plan) { (void)plan; }

enum status fake_plan_new(struct op_plan **plan, const struct desc *d,
                          struct tensor *const views[SLOT_COUNT], const struct op_exec *exec,
                          struct diag *dg)
{
    (void)dg;
    assert_true(++plans > 1 || strcmp(exec->kernel, "reference") == 0);
    the_plan = (struct fake_plan){ .base = { .run = run, .free = end, .operations = 1 },
                                   .op = d->op,
                                   .byte = plans == wrong };
    memcpy(the_plan.views, views, sizeof the_plan.views);
    *plan = &the_plan.base;
    return ST_OK;
}

TEST(test_one_wrong_trial)
{
    char name[] = "selftest", quiet[] = "-q", *argv[] = { name, quiet, NULL };
    struct diag dg = { .err = stderr, .command = name };

    wrong = 2;
    assert_int_equal(cmd_selftest(2, argv, &dg), ST_INVALID);
    assert_true(plans > 100);
    assert_int_equal(alike, 0);
    for (enum kernel_list t = KERNELS_SLICE; t < KERNEL_LISTS; t++)
        assert_null(kernel_list_row(t, MOST_ROWS));
}

int main(void) { return RUN_TESTS(NULL, NULL); }
