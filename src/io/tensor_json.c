#include "io/json_reader.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "io/kind.h"

enum json_member { FIELD_DATA_TYPE, FIELD_SIZES, FIELD_VALUES, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = { "DataType", "Sizes", "Values" };
static const char all_fields[] = "a tensor object has DataType, Sizes and Values";

/* The members of the object form that were read. */
struct tensor_fields {
    bool seen[FIELD_COUNT];
    enum dtype type;
    unsigned rank;
    uint64_t sizes[TENSOR_MAX_RANK];
    struct json_lexer values;      /* the lexer after the values' first token */
    struct json_position position; /* of that token */
};

/* Reports that the last token is none of some names, but perhaps near one. */
static enum status fail_name(struct json_reader *r, const char *before, const char *after,
                             const char *name, const char *const *names, size_t n,
                             const char *otherwise)
{
    struct json_quote quote = json_lex_quote(&r->lx);
    size_t near = str_nearest(name, names, n);

    return json_reader_fail(r, "%s%s%s; %s%s%s", before, quote.text, after,
                            near < n ? "did you mean \"" : otherwise, near < n ? names[near] : "",
                            near < n ? "\"?" : "");
}

/* Sets *field to the field that the last token, a key, names. */
static enum status read_key(struct json_reader *r, struct tensor_fields *fields,
                            enum json_member *field)
{
    enum status st = ST_OK;
    char *key;

    *field = 0;
    if (r->lx.token != JSON_TOKEN_STRING)
        return json_reader_fail_token(r, "a key in double quotes, or '}'");
    key = json_unescaped(r->lx.text + r->lx.start, r->lx.end - r->lx.start);
    if (!key)
        return diag_nomem(r->dg);
    while (*field < FIELD_COUNT && strcmp(key, field_names[*field]) != 0)
        ++*field;
    if (*field == FIELD_COUNT)
        st = fail_name(r, "unknown key ", "", key, field_names, FIELD_COUNT, all_fields);
    else if (fields->seen[*field])
        st = json_reader_fail(r, "the key %s appears twice", json_lex_quote(&r->lx).text);
    else
        fields->seen[*field] = true;
    free(key);
    return st;
}

static enum status fail_data_type(struct json_reader *r, const char *name)
{
    char types[160];

    snprintf(types, sizeof types, "use one of %s", dtype_list);
    return fail_name(r, "DataType: ", " is unknown", name, dtype_names, DT_COUNT, types);
}

static enum status read_data_type(struct json_reader *r, struct tensor_fields *fields)
{
    enum status st = ST_OK;
    char *name;

    if (r->lx.token != JSON_TOKEN_STRING)
        return json_reader_fail_token(r, "the name of a data type, such as \"FLOAT32\"");
    name = json_unescaped(r->lx.text + r->lx.start, r->lx.end - r->lx.start);
    if (!name)
        return diag_nomem(r->dg);
    fields->type = dtype_from_name(name, false);
    if (fields->type == DT_NONE)
        st = fail_data_type(r, name);
    free(name);
    return st;
}

/* Adds the last token to the sizes. */
static enum status read_size(struct json_reader *r, struct tensor_fields *fields)
{
    uint64_t size;

    if (r->lx.token != JSON_TOKEN_NUMBER)
        return json_reader_fail_token(r, "a size or ']'");
    if (fields->rank == TENSOR_MAX_RANK)
        return json_reader_fail(r, "Sizes has more than %d entries", TENSOR_MAX_RANK);
    if (number_uint_literal(r->lx.text + r->lx.start, r->lx.end - r->lx.start, &size) != NUMBER_OK)
        return json_reader_fail(r, "Sizes[%u]: expected a whole number of 0 or more, found %s",
                                fields->rank, json_lex_quote(&r->lx).text);
    fields->sizes[fields->rank++] = size;
    return ST_OK;
}

/* Reads items up to a closing bracket with `item`. A comma may follow the last one. */
static enum status read_list(struct json_reader *r, struct tensor_fields *fields,
                             enum json_token close, const char *after,
                             enum status (*item)(struct json_reader *, struct tensor_fields *))
{
    for (;;) {
        enum status st;

        json_reader_next(r);
        if (r->lx.token == close)
            return ST_OK;
        st = item(r, fields);
        if (st)
            return st;
        json_reader_next(r);
        if (r->lx.token == close)
            return ST_OK;
        if (r->lx.token != JSON_TOKEN_COMMA)
            return json_reader_fail_token(r, after);
    }
}

/* Reads the values whose first token is the last token, of a known type for good. */
static enum status read_values(struct json_reader *r, enum dtype type, const char *name)
{
    enum status st;

    r->type = type;
    r->name = name;
    st = json_reader_values(r);
    r->name = "";
    return st;
}

/* Reads a member whose key is the last token. Values before DataType are only checked, and read
 * again when the type is known. */
static enum status read_member(struct json_reader *r, struct tensor_fields *fields)
{
    enum json_member field;
    enum status st = read_key(r, fields, &field);

    if (st)
        return st;
    json_reader_next(r);
    if (r->lx.token != JSON_TOKEN_COLON)
        return json_reader_fail_token(r, "':' after a key");
    json_reader_next(r);
    if (field == FIELD_DATA_TYPE)
        return read_data_type(r, fields);
    if (field == FIELD_SIZES && r->lx.token != JSON_TOKEN_OPEN_ARRAY)
        return json_reader_fail_token(r, "an array of sizes");
    if (field == FIELD_SIZES)
        return read_list(r, fields, JSON_TOKEN_CLOSE_ARRAY, "',' or ']' after a size", read_size);
    fields->values = r->lx;
    fields->position = json_reader_position(r, r->lx.start);
    return read_values(r, fields->type, "Values");
}

/* True if the values, nested as r->sizes, are those that Sizes declares: flat, or with the same
 * nesting down to the first size of 0. */
static bool sizes_match(const struct json_reader *r, const struct tensor_fields *fields)
{
    unsigned rank = 0;
    uint64_t count;
    bool fits = tensor_count(fields->rank, fields->sizes, &count);

    if (r->rank == 1 && fits && count == r->sizes[0])
        return true;
    while (rank < fields->rank && (rank == 0 || fields->sizes[rank - 1] != 0))
        rank++;
    return rank == r->rank && memcmp(r->sizes, fields->sizes, rank * sizeof r->sizes[0]) == 0;
}

static enum status fail_sizes(struct json_reader *r, const struct tensor_fields *fields)
{
    const struct sizes_text declared = tensor_sizes_text(fields->rank, fields->sizes);
    char message[2 * TENSOR_SIZES_TEXT + 80], needed[24] = "more than 2^64";
    uint64_t count;

    if (tensor_count(fields->rank, fields->sizes, &count))
        snprintf(needed, sizeof needed, "%ju", count);
    if (r->rank != 1)
        snprintf(message, sizeof message, "Values is nested as %s, but Sizes is %s",
                 tensor_sizes_text(r->rank, r->sizes).text, declared.text);
    else
        snprintf(message, sizeof message, "Values has %ju element%s, but Sizes %s needs %s",
                 r->sizes[0], r->sizes[0] == 1 ? "" : "s", declared.text, needed);
    return json_reader_fail_at(r, fields->position, message);
}

/* Only blanks may follow the tensor. */
static enum status read_end(struct json_reader *r)
{
    json_reader_next(r);
    if (r->f->titled && r->lx.token != JSON_TOKEN_END)
        return json_reader_fail(r, "more text follows the tensor; each tensor needs a file of its "
                                   "own");
    if (r->lx.token == JSON_TOKEN_END)
        return ST_OK;
    return json_reader_fail_token(r, r->rank > 0 || r->lx.token == JSON_TOKEN_COMMA
                                         ? "nothing more after the tensor"
                                         : "',', ';', a tab or a blank after a number");
}

/* Sets the sizes of the tensor, which must be those of the values. */
static enum status set_sizes(struct json_reader *r, const struct tensor_fields *fields)
{
    if (!sizes_match(r, fields))
        return fail_sizes(r, fields);
    r->rank = fields->rank;
    memcpy(r->sizes, fields->sizes, sizeof r->sizes);
    r->f->typed = true;
    return ST_OK;
}

static enum status read_object(struct json_reader *r)
{
    struct tensor_fields fields = { 0 };
    enum status st =
        read_list(r, &fields, JSON_TOKEN_CLOSE_OBJECT, "',' or '}' after a member", read_member);

    for (int i = 0; i < FIELD_COUNT && st == ST_OK; i++)
        if (!fields.seen[i])
            st = json_reader_fail(r, "%s is missing; %s", field_names[i], all_fields);
    st = st ? st : read_end(r);
    if (st == ST_OK && r->type == DT_NONE) { /* Values came before DataType */
        r->lx = fields.values;
        st = read_values(r, fields.type, "Values");
    }
    return st ? st : set_sizes(r, &fields);
}

/* Reads the next tokens, which must be these words and characters. */
static enum status expect(struct json_reader *r, const char *const *texts, size_t n)
{
    char expected[24];

    for (size_t i = 0; i < n; i++) {
        json_reader_next(r);
        snprintf(expected, sizeof expected, "'%s'", texts[i]);
        if (!json_lex_is(&r->lx, texts[i]))
            return json_reader_fail_token(r, expected);
    }
    return ST_OK;
}

/* Reads "FLOAT32)", or "UINT8 (bool))". */
static enum status read_title_type(struct json_reader *r, struct tensor_fields *fields)
{
    static const char *const rest[] = { "bool", ")", ")" };
    char name[24];

    json_reader_next(r);
    snprintf(name, sizeof name, "%.*s", (int)u64_min(r->lx.end - r->lx.start, sizeof name),
             r->lx.text + r->lx.start);
    fields->type = dtype_from_name(name, false);
    if (fields->type == DT_NONE)
        return fail_data_type(r, name);
    json_reader_next(r);
    if (json_lex_is(&r->lx, ")"))
        return ST_OK;
    r->f->tensor.is_bool = fields->type == DT_UINT8 && json_lex_is(&r->lx, "(");
    return r->f->tensor.is_bool ? expect(r, rest, 3) : json_reader_fail_token(r, "')'");
}

/* Reads "(Sizes:{1,3}, DataType:FLOAT32)" and nested braces or brackets, as `dmlop show` and
 * DirectML's documentation print a tensor. */
static enum status read_titled(struct json_reader *r)
{
    static const char *const before[] = { "(", "Sizes", ":", "{" };
    static const char *const after[] = { ",", "DataType", ":" };
    struct tensor_fields fields = { 0 };
    enum status st = expect(r, before, 4);

    if (st == ST_OK)
        st = read_list(r, &fields, JSON_TOKEN_CLOSE_ARRAY, "',' or '}' after a size", read_size);
    st = st ? st : expect(r, after, 3);
    st = st ? st : read_title_type(r, &fields);
    if (st)
        return st;
    json_reader_next(r);
    fields.position = json_reader_position(r, r->lx.start);
    st = read_values(r, fields.type, "");
    st = st ? st : read_end(r);
    return st ? st : set_sizes(r, &fields);
}

/* Sets f->tensor. */
static enum status finish(struct json_reader *r)
{
    struct tensor_file *f = r->f;
    struct tensor *t = &f->tensor;
    uint64_t bytes;
    void *exact = mem_realloc(f->values, r->count, dtype_size(r->type));

    if (!exact)
        return diag_nomem(r->dg);
    f->values = exact;
    f->count = r->count;
    *t = (struct tensor){ .type = r->type, .is_bool = t->is_bool, .rank = r->rank, .data = exact };
    memcpy(t->sizes, r->sizes, r->rank * sizeof t->sizes[0]);
    if (!tensor_dense_bytes(t->type, t->rank, t->sizes, &bytes) ||
        !tensor_pack_strides(t->rank, t->sizes, t->strides))
        return diag_input(r->dg, f->input.path, "the tensor's sizes are too large");
    return ST_OK;
}

/* The work of a parallel_region. */
static void read_tensor(void *context)
{
    struct json_reader *r = context;
    size_t title = title_find(&r->f->input);
    struct csv form;

    r->f->titled = title > 0;
    if (title) {
        r->lx.end = title - 1;
        r->st = read_titled(r);
        return;
    }
    if (csv_look(&r->f->input, r->f->skip_lines, &form) != CSV_NO) {
        r->f->format = form.delimiter == '\t' ? FORMAT_TSV : FORMAT_CSV;
        r->st = csv_read(r, &form);
        return;
    }
    json_reader_next(r);
    if (r->lx.token == JSON_TOKEN_OPEN_OBJECT) {
        r->st = read_object(r);
        return;
    }
    r->untyped = r->type == DT_NONE;
    r->st = read_values(r, r->untyped ? DT_FLOAT32 : r->type, "");
    if (r->st == ST_OK)
        r->st = read_end(r);
}

enum status tensor_json_read(struct tensor_file *f, enum dtype json_type, int threads, size_t piece,
                             struct diag *dg)
{
    struct json_reader r = {
        .f = f,
        .dg = dg,
        .lx = { .text = f->input.len ? (const char *)f->input.data : "", .len = f->input.len },
        .threads = parallel_threads_for(threads, f->input.len),
        .piece = piece,
        .dropped = { 0, 1, 1 },
        .name = "",
        .type = json_type,
    };

    f->format = FORMAT_JSON;
    parallel_region(r.threads, read_tensor, &r);
    if (r.st == ST_OK)
        r.st = finish(&r);
    if (r.st == ST_OK)
        input_drop(&f->input, f->input.len);
    else {
        free(f->values);
        f->values = NULL;
    }
    return r.st;
}
