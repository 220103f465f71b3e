/* What selftest compares: products that are mostly within INT8, so that a sum that is wrong by a
 * little is not hidden by the ends of that range. */
#include "unit.h"

#include "cmd/selftest.c"

TEST(test_products)
{
    struct diag dg = { .err = stderr, .command = "selftest" };
    size_t within = 0, all = 0;
    struct trial t;
    bool made;

    for (unsigned i = 0; make_trial(OP_QMATMUL, i, &t, &made); i++) {
        const int8_t *out = (const int8_t *)t.data[SLOT_C];
        struct score score = { 0 };

        assert_true(made);
        assert_int_equal(run_kernel(&t, "reference", 1, &score, &dg), ST_OK);
        for (uint64_t j = 0; j < t.bytes[SLOT_C]; j++)
            within += out[j] > INT8_MIN && out[j] < INT8_MAX;
        all += (size_t)t.bytes[SLOT_C];
        for (unsigned s = 0; s < SLOT_COUNT; s++)
            free(t.data[s]);
    }
    assert_true(within > all / 2);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
