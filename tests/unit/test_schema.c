/* desc/: the table of operators, src/desc/operators/. Its reader checks nothing; these tests do. */
#include "unit.h"

#include "desc/schema.h"
#include "desc/shapes/shapes.h"

extern const char desc_operators[];

enum { OPERATORS = 177 };

/* The text of an operator's file. */
static const char *text_of(size_t i)
{
    const char *file = desc_operators;

    while (i-- > 0)
        file = embedded_next(file);
    return embedded_text(file);
}

/* How often a text has a part. */
static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + strlen(part), part))
        n++;
    return n;
}

/* How many strings the arrays of that key have together: "tensors", "types". */
static size_t strings_of(const char *text, const char *key)
{
    char part[32];
    size_t quotes = 0;

    snprintf(part, sizeof part, "\"%s\": [", key);
    for (const char *at = strstr(text, part); at; at = strstr(at, part))
        for (at += strlen(part); *at != ']'; at++)
            quotes += *at == '"';
    return quotes / 2;
}

static size_t bits(unsigned long set)
{
    size_t n = 0;

    for (; set; set &= set - 1)
        n++;
    return n;
}

static bool has_recipe(const char *name)
{
    for (const struct shape_row *row = shape_rows; row->name[0]; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

TEST(test_all_operators)
{
    static const char more[4096] = "more";

    assert_int_equal(schema_count(), OPERATORS);
    for (size_t i = 0; i < OPERATORS; i++) {
        const struct op_schema *s = schema_at(i);
        char quoted[80];

        assert_string_equal(s->name, schema_name(i));
        snprintf(quoted, sizeof quoted, "\"operator\": \"%s\"", s->name);
        assert_int_equal(occurrences(text_of(i), quoted), 1);
        assert_true(i == 0 || strcmp(schema_name(i - 1), schema_name(i)) < 0);
        assert_ptr_equal(schema_find(s->name), s);
        assert_true(s->about && *s->about);
        assert_true(s->level < LEVEL_COUNT);
        assert_true(s->run.command || (s->example && *s->example));
        assert_true(!s->shape || s->sizes.n > 0 || has_recipe(s->shape));
    }
    assert_int_equal(schema_index("NONE"), OPERATORS);
    assert_null(schema_find("gemm"));
    assert_int_equal(*schema_text(more, sizeof more), 'm'); /* no text was cut */
}

/* Rows beyond the room of a schema would be dropped. */
TEST(test_nothing_is_cut)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        const struct op_schema *s = schema_at(i);
        const char *text = text_of(i);
        size_t slots = 0, types = 0, fields = s->limits.n, over = 0;

        assert_true(s->field_count < SCHEMA_MAX_FIELDS);
        assert_int_equal(s->field_count, occurrences(text, "\"kind\": "));
        assert_int_equal(s->support.n + s->same.n, occurrences(text, "\"tensors\": "));
        assert_int_equal(s->same.n, occurrences(text, "\"of\": "));
        assert_true(s->support.n < SCHEMA_MAX_SUPPORT && s->same.n < SCHEMA_MAX_SAME);
        assert_int_equal(s->sizes.n, occurrences(text, "\"words\": "));
        assert_true(s->numbers.n < SCHEMA_MAX_NUMBERS && s->sizes.n < SCHEMA_MAX_SIZES);
        for (size_t j = 0; j < s->support.n; j++) {
            slots += bits(s->support.v[j].slots);
            types += bits(s->support.v[j].types);
        }
        for (size_t j = 0; j < s->same.n; j++)
            slots += bits(s->same.v[j].slots);
        for (size_t j = 0; j < s->limits.n; j++) {
            assert_non_null(schema_field(s, s->limits.v[j].field));
            types += bits(s->limits.v[j].types);
        }
        for (size_t j = 0; j < s->numbers.n; j++)
            fields += s->numbers.v[j].field != NULL;
        for (const struct field *f = s->fields; f->name; f++)
            over += bits(f->over);
        assert_true(s->limits.n < SCHEMA_MAX_LIMITS);
        assert_int_equal(fields, occurrences(text, "\"field\": "));
        assert_int_equal(over, strings_of(text, "over"));
        assert_int_equal(slots, strings_of(text, "tensors"));
        assert_int_equal(types, strings_of(text, "types"));
    }
}

TEST(test_fields)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        const struct op_schema *s = schema_at(i);
        const char *text = text_of(i);
        size_t data_types = 0, last_kind = 0;
        unsigned tensors = 0;

        for (const struct field *f = s->fields; f->name; f++) {
            const struct field *count = f->count ? schema_field(s, f->count) : NULL;

            assert_true(*f->name && f->about && *f->about);
            assert_ptr_equal(schema_field(s, f->name), f); /* once */
            assert_true(!f->count || (count && count->kind == FIELD_UINT));
            assert_true(!f->output || field_is_tensor(f));
            assert_true(f->kind != FIELD_SCALAR_UNION || schema_scalar_type(s));
            assert_true(!f->values || f->kind == FIELD_ENUM);
            assert_true(!f->values || (f->values->n > 0 && f->values->n <= ENUM_MAX_VALUES));
            data_types += f->kind == FIELD_ENUM && !f->values;
            last_kind += f->kind == FIELD_KINDS - 1; /* what an unknown kind is read as */
            if (field_is_tensor(f)) {
                assert_ptr_equal(schema_tensor(s, f->slot), f);
                tensors++;
            }
        }
        assert_between(tensors, 1, 32);
        assert_int_equal(data_types, occurrences(text, "\"enum\": \"DML_TENSOR_DATA_TYPE\""));
        assert_int_equal(last_kind, occurrences(text, "\"kind\": \"operator_array\""));
    }
}

/* Each tensor has a row of support at the operator's own level and at all later ones. */
TEST(test_support)
{
    for (size_t i = 0; i < OPERATORS; i++) {
        const struct op_schema *s = schema_at(i);

        for (size_t j = 0; j < s->support.n; j++) {
            const struct op_support *row = &s->support.v[j];

            assert_true(row->since < LEVEL_COUNT && row->slots);
            assert_true(j == 0 || s->support.v[j - 1].since <= row->since);
            assert_true(row->min_rank >= 1 && row->min_rank <= row->max_rank);
            assert_true(row->max_rank <= DML_MAX_RANK);
        }
        for (size_t j = 0; j < s->same.n; j++)
            assert_true(bits(s->same.v[j].slots) > 0 &&
                        (s->same.v[j].type || s->same.v[j].rank || s->same.v[j].sizes));
        for (const struct field *f = s->fields; f->name; f++)
            for (int l = (int)s->level; field_is_tensor(f) && s->support.n && l < LEVEL_COUNT; l++)
                assert_non_null(schema_support(s, f->slot, (enum feature_level)l));
        for (size_t j = 0; j < s->fused.n; j++)
            assert_true(s->fused.v[j].since < LEVEL_COUNT);
    }
}

/* The reader knows no escapes; the build has C read those of rules. */
TEST(test_escapes)
{
    const char *remedy = rule_table[RULE_DESC_NOT_OBJECT].remedy;

    assert_string_equal(remedy, "write { \"type\": ..., \"desc\": { ... } }");
    for (size_t i = 0; i < OPERATORS; i++)
        assert_null(strchr(text_of(i), '\\'));
}

int main(void) { return RUN_TESTS(NULL, NULL); }
