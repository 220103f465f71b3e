/* Sets of hashes, and hashes. */
#include "unit.h"

#include "base/hash_set.h"

static uint64_t nth(int i)
{
    char text[16];

    snprintf(text, sizeof text, "/%d", i);
    return hash_text(HASH_START, text);
}

TEST(test_grows)
{
    enum { COUNT = 5000 };
    struct hash_set s = { .count = 0 };

    assert_false(hash_set_has(&s, nth(0)));
    for (int i = 0; i < COUNT; i++) {
        hash_set_add(&s, nth(i));
        hash_set_add(&s, nth(i / 2)); /* it is there */
    }
    assert_int_equal(s.count, COUNT);
    for (int i = 0; i < 2 * COUNT; i++)
        assert_int_equal(hash_set_has(&s, nth(i)), i < COUNT);
    assert_false(s.failed);
    hash_set_free(&s);
    assert_false(hash_set_has(&s, nth(0)));
}

/* FNV-1a's own test values; a text goes on where another ends. */
TEST(test_hash)
{
    assert_true(hash_text(HASH_START, "") == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_text(HASH_START, "foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(hash_text(hash_text(HASH_START, "foo"), "bar") == hash_text(HASH_START, "foobar"));
}

int main(void) { return RUN_TESTS(NULL, NULL); }
