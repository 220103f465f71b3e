#include "desc/read/document.h"
#include "desc/schema.h"

static bool is_one_of(const struct json_lexer *lx, const char *words)
{
    return str_is_word(lx->text + lx->start, lx->end - lx->start, words, false);
}

/* True for a word that begins a declaration in C or C++ on DirectML's pages or in its samples. */
static bool begins_c(const struct json_lexer *lx)
{
    static const char words[] = "UINT INT FLOAT UINT32 UINT64 INT32 INT64 const constexpr static "
                                "struct typedef auto std unsigned int uint32_t int32_t uint64_t "
                                "int64_t size_t";

    return (lx->end - lx->start > 4 && memcmp(lx->text + lx->start, "DML_", 4) == 0) ||
           is_one_of(lx, words);
}

/* True if a token can follow such a word in a declaration. */
static bool goes_on_c(const struct json_lexer *lx, enum json_token token)
{
    return token == JSON_TOKEN_WORD || token == JSON_TOKEN_OPEN_OBJECT ||
           token == JSON_TOKEN_OPEN_ARRAY ||
           (token == JSON_TOKEN_OTHER && strchr("*&=;(<", lx->text[lx->start])) ||
           (token == JSON_TOKEN_COLON && lx->end < lx->len && lx->text[lx->end] == ':');
}

/* True if the text begins as C does: with a declaration, a statement, #include or an
 * initializer. */
static bool is_c(const struct document *d)
{
    struct json_lexer lx = { .text = d->text, .len = d->len };
    enum json_token token = json_lex(&lx);
    bool begins = begins_c(&lx);

    if (token == JSON_TOKEN_OTHER && lx.text[lx.start] == '#')
        return json_lex(&lx) == JSON_TOKEN_WORD && is_one_of(&lx, "include define pragma if ifdef");
    if (token == JSON_TOKEN_OPEN_OBJECT)
        return json_lex(&lx) == JSON_TOKEN_OTHER && strchr(".&", lx.text[lx.start]);
    if (token != JSON_TOKEN_WORD)
        return false;
    token = json_lex(&lx);
    return (begins && goes_on_c(&lx, token)) || /* or "desc.Sizes = sizes;" */
           (token == JSON_TOKEN_OTHER && strchr("=.", lx.text[lx.start]) &&
            memchr(d->text, ';', d->len));
}

/* True if the scanner stopped at the type of a C struct. */
static bool is_struct_type(const struct document *d, size_t offset)
{
    struct json_lexer lx = { .text = d->text, .len = d->len, .start = offset, .end = offset };
    size_t n;

    if (offset == 0 || offset >= d->len || json_lex(&lx) != JSON_TOKEN_WORD)
        return false;
    n = lx.end - lx.start;
    return n > 9 && memcmp(lx.text + lx.start, "DML_", 4) == 0 &&
           memcmp(lx.text + lx.end - 5, "_DESC", 5) == 0;
}

/* True if the text begins with a field of an operator in the notation of DirectML's pages, outside
 * of an object: "InputTensor: (Sizes:{1,1,4,4}, DataType:FLOAT32)". */
static bool is_page(const struct document *d)
{
    struct json_lexer lx = { .text = d->text, .len = d->len }, next;
    bool word = json_lex(&lx) == JSON_TOKEN_WORD;

    next = lx;
    if (!word || json_lex(&next) != JSON_TOKEN_COLON)
        return false;
    for (size_t i = 0; i < schema_count(); i++)
        for (const struct field *f = schema_at(i)->fields; f->name; f++)
            if (json_lex_is(&lx, f->name))
                return true;
    return false;
}

/* True if the text has the word, not as a part of a longer name. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += n)
        if ((at == text || !json_is_word(at[-1])) && !json_is_word(at[n]))
            return true;
    return false;
}

/* The first operator that the text names by its struct or its type, or NULL. */
static const struct op_schema *named_operator(const struct document *d)
{
    const char *at = d->text;

    while ((at = strstr(at, "DML_"))) {
        const struct op_schema *op;
        char name[96], *end;
        size_t n = 0;

        while (n < sizeof name - 1 && json_is_word(at[n]))
            n++;
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        end = strstr(name, "_OPERATOR_DESC");
        if (end)
            *end = '\0';
        op = schema_find(name + (end ? 4 : 0));
        if (op)
            return op;
        at += n;
    }
    return NULL;
}

/* The operator that the text names, or else the one that dmlop runs with the most fields in the
 * text, at least two; NULL if there is none. */
static const struct op_schema *guess_operator(const struct document *d)
{
    const struct op_schema *named = named_operator(d), *best = NULL;
    unsigned best_count = 1;

    for (int i = OP_NONE + 1; i < OP_COUNT && !named; i++) {
        const struct op_schema *op = op_schema((enum op)i);
        unsigned found = 0;

        for (const struct field *f = op->fields; f->name; f++)
            found += strcmp(f->name, "Sizes") != 0 && strcmp(f->name, "Strides") != 0 &&
                     strcmp(f->name, "DimensionCount") != 0 && has_word(d->text, f->name);
        if (found > best_count) {
            best_count = found;
            best = op;
        }
    }
    return named ? named : best;
}

/* Writes the first list of numbers in braces as JSON, "[1, 1, 3, 4]". False if there is none or it
 * is long. */
static bool first_list(const struct document *d, struct str *list)
{
    struct json_lexer lx = { .text = d->text, .len = d->len };
    enum json_token token;

    while ((token = json_lex(&lx)) != JSON_TOKEN_OPEN_OBJECT)
        if (token == JSON_TOKEN_END || token == JSON_TOKEN_ERROR)
            return false;
    str_puts(list, "[");
    while ((token = json_lex(&lx)) == JSON_TOKEN_NUMBER && list->len < 60) {
        str_add(list, lx.text + lx.start, lx.end - lx.start);
        token = json_lex(&lx);
        if (token != JSON_TOKEN_COMMA)
            break;
        str_puts(list, ", ");
    }
    str_puts(list, "]");
    return token == JSON_TOKEN_CLOSE_OBJECT && list->len > 2 && list->s[list->len - 2] != ' ';
}

bool foreign_report(struct document *d, size_t offset)
{
    bool type = is_struct_type(d, offset), c = type || is_c(d);
    struct json_lexer lx = { .text = d->text, .len = d->len };
    const struct op_schema *op;
    struct finding *f;
    struct str list = { 0 };

    if (!c && !is_page(d))
        return false;
    f = findings_add(&d->findings, RULE_JSON_SYNTAX, "", AT_VALUE,
                     "this is %s, and a descriptor must be JSON%s",
                     c ? "C" : "an example as DirectML's pages show it",
                     c ? "; a program can write it, see dmlop-dump(7)" : "");
    op = guess_operator(d);
    lx.start = lx.end = type ? offset : 0;
    (void)json_lex(&lx);
    if (op)
        finding_hint(f, "'dmlop validate --template=%s' prints a descriptor to start from",
                     op->op == OP_NONE ? op->name : op_short_name(op->op));
    else if (first_list(d, &list) && !list.failed)
        finding_hint(f,
                     "a list is written %s; 'dmlop validate --template=slice1' prints a "
                     "descriptor that has some",
                     list.s);
    else
        finding_hint(f, "'dmlop validate --template=NAME' prints a descriptor to start from; NAME "
                        "is an operator, such as slice1 or gemm");
    str_done(&list, &d->findings.failed);
    finding_set_range(f, lx.start, lx.end > lx.start ? lx.end : lx.start + 1);
    return true;
}
