/* Pointers with keys that are meant. */
#include "unit.h"

#include "json/alias.h"

static const char text[] = "{ \"a\": { \"x/y\": [1, 2], \"Sises\": 3 }, \"b\": { \"Sizes\": 4, "
                           "\"Sises\": 5, \"d~\": 6 } }";

/* A pointer with the keys of the text; "-": the same. */
static void leads(const struct json_aliases *a, const struct json_doc *doc, const char *pointer,
                  const char *want)
{
    struct str b = { 0 };

    if (json_alias_pointer(a, doc, pointer, &b))
        assert_string_equal(b.s, want);
    else
        assert_string_equal(want, "-");
    str_free(&b);
}

TEST(test_pointers)
{
    static const char *const members[][2] = {
        { "/b/d~0", "D" }, { "/a/Sises", "Sizes" }, { "/b", "B" }, { "/a/x~1y", "X" }
    };
    struct json_doc doc = { 0 };
    struct json_aliases a = { 0 };
    struct json_error err;

    assert_int_equal(json_doc_scan(&doc, text, strlen(text), &err), JSON_OK);
    for (size_t i = 0; i < 4; i++) {
        size_t node = (size_t)json_doc_find(&doc, members[i][0]);

        assert_true(json_alias_add(&a, &doc, node, members[i][1]));
        assert_string_equal(json_alias_key(&a, &doc, node), members[i][1]);
    }
    leads(&a, &doc, "", "-");
    leads(&a, &doc, "/a/Sises", "-");
    leads(&a, &doc, "/a/Sizes", "/a/Sises");
    leads(&a, &doc, "/a/X/1", "/a/x~1y/1");
    leads(&a, &doc, "/b/Sizes", "-"); /* which is there */
    leads(&a, &doc, "/b/D", "/b/d~0");
    leads(&a, &doc, "/B/D/none", "/b/d~0/none");
    leads(&a, &doc, "/none/Sizes", "-");
    assert_string_equal(json_alias_key(&a, &doc, (size_t)json_doc_find(&doc, "/b/Sises")), "Sises");
    free(a.v);
    json_doc_free(&doc);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
