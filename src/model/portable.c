#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/read.h"
#include "model/values.h"

/* What DxDispatch accepts as values that have no effect here. */

/* Names that DxDispatch reads with or without their prefix, each between blanks. */
struct names {
    const char *prefix, *all;
};

static const struct names flags = { "DML_EXECUTION_FLAG_",
                                    " NONE ALLOW_HALF_PRECISION_COMPUTATION DISABLE_META_COMMANDS "
                                    "DESCRIPTORS_VOLATILE " };
static const struct names compile_types = { "", " DmlCompileOp DmlCompileGraph " };
static const struct names formats = {
    "DXGI_FORMAT_",
    " UNKNOWN R32G32B32A32_TYPELESS R32G32B32A32_FLOAT R32G32B32A32_UINT R32G32B32A32_SINT "
    "R32G32B32_TYPELESS R32G32B32_FLOAT R32G32B32_UINT R32G32B32_SINT R16G16B16A16_TYPELESS "
    "R16G16B16A16_FLOAT R16G16B16A16_UNORM R16G16B16A16_UINT R16G16B16A16_SNORM "
    "R16G16B16A16_SINT R32G32_TYPELESS R32G32_FLOAT R32G32_UINT R32G32_SINT R32G8X24_TYPELESS "
    "D32_FLOAT_S8X24_UINT R32_FLOAT_X8X24_TYPELESS X32_TYPELESS_G8X24_UINT "
    "R10G10B10A2_TYPELESS R10G10B10A2_UNORM R10G10B10A2_UINT R11G11B10_FLOAT "
    "R8G8B8A8_TYPELESS R8G8B8A8_UNORM R8G8B8A8_UNORM_SRGB R8G8B8A8_UINT R8G8B8A8_SNORM "
    "R8G8B8A8_SINT R16G16_TYPELESS R16G16_FLOAT R16G16_UNORM R16G16_UINT R16G16_SNORM "
    "R16G16_SINT R32_TYPELESS D32_FLOAT R32_FLOAT R32_UINT R32_SINT R24G8_TYPELESS "
    "D24_UNORM_S8_UINT R24_UNORM_X8_TYPELESS X24_TYPELESS_G8_UINT R8G8_TYPELESS R8G8_UNORM "
    "R8G8_UINT R8G8_SNORM R8G8_SINT R16_TYPELESS R16_FLOAT D16_UNORM R16_UNORM R16_UINT "
    "R16_SNORM R16_SINT R8_TYPELESS R8_UNORM R8_UINT R8_SNORM R8_SINT A8_UNORM R1_UNORM "
    "R9G9B9E5_SHAREDEXP R8G8_B8G8_UNORM G8R8_G8B8_UNORM BC1_TYPELESS BC1_UNORM BC1_UNORM_SRGB "
    "BC2_TYPELESS BC2_UNORM BC2_UNORM_SRGB BC3_TYPELESS BC3_UNORM BC3_UNORM_SRGB BC4_TYPELESS "
    "BC4_UNORM BC4_SNORM BC5_TYPELESS BC5_UNORM BC5_SNORM B5G6R5_UNORM B5G5R5A1_UNORM "
    "B8G8R8A8_UNORM B8G8R8X8_UNORM R10G10B10_XR_BIAS_A2_UNORM B8G8R8A8_TYPELESS "
    "B8G8R8A8_UNORM_SRGB B8G8R8X8_TYPELESS B8G8R8X8_UNORM_SRGB BC6H_TYPELESS BC6H_UF16 "
    "BC6H_SF16 BC7_TYPELESS BC7_UNORM BC7_UNORM_SRGB AYUV Y410 Y416 NV12 P010 P016 420_OPAQUE "
    "YUY2 Y210 Y216 NV11 AI44 IA44 P8 A8P8 B4G4R4A4_UNORM ",
};

bool is_plain_integer(const struct json_doc *doc, size_t node)
{
    const struct json_node *n = &doc->nodes[node];

    return n->type == JSON_NUMBER && !memchr(doc->clean + n->start, '.', n->end - n->start) &&
           !memchr(doc->clean + n->start, 'e', n->end - n->start) &&
           !memchr(doc->clean + n->start, 'E', n->end - n->start);
}

static bool is_name(struct model_reader *m, size_t node, const struct names *names)
{
    char *text = m->r.doc->nodes[node].type == JSON_STRING ? read_string(&m->r, node, "") : NULL;
    size_t prefix = strlen(names->prefix);
    char *word = NULL;
    bool found = false;

    if (text && !strchr(text, ' '))
        word = str_format(" %s ", strncmp(text, names->prefix, prefix) == 0 ? text + prefix : text);
    if (word)
        found = strstr(names->all, word) != NULL;
    free(word);
    free(text);
    return found;
}

static bool is_flags(struct model_reader *m, size_t node)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = node + 1;
    bool good = true;

    if (nodes[node].type != JSON_ARRAY)
        return is_name(m, node, &flags);
    for (uint32_t i = 0; i < nodes[node].count; i++, at = nodes[at].next)
        good = good && is_name(m, at, &flags);
    return good;
}

static bool is_integer(struct model_reader *m, size_t node, enum dtype type)
{
    unsigned char at[8];

    return is_plain_integer(m->r.doc, node) && value_store(m->r.doc, node, type, at);
}

static bool is_integers(struct model_reader *m, size_t node, enum dtype type)
{
    const struct json_node *nodes = m->r.doc->nodes;
    size_t at = node + 1;
    bool good = nodes[node].type == JSON_ARRAY;

    for (uint32_t i = 0; good && i < nodes[node].count; i++, at = nodes[at].next)
        good = is_integer(m, at, type);
    return good;
}

static bool is_compile_type(struct model_reader *m, size_t node)
{
    return is_name(m, node, &compile_types);
}

static bool is_format(struct model_reader *m, size_t node) { return is_name(m, node, &formats); }

static bool is_offset(struct model_reader *m, size_t node)
{
    return is_integer(m, node, DT_UINT64);
}

static bool is_shape(struct model_reader *m, size_t node) { return is_integers(m, node, DT_INT64); }

static bool is_group_count(struct model_reader *m, size_t node)
{
    return m->r.doc->nodes[node].count == 3 && is_integers(m, node, DT_UINT32);
}

static const struct {
    const char *key;
    bool (*accepts)(struct model_reader *m, size_t node);
    const char *hint;
} ignored[] = {
    { "executionFlags", is_flags,
      "use NONE, ALLOW_HALF_PRECISION_COMPUTATION, DISABLE_META_COMMANDS or DESCRIPTORS_VOLATILE, "
      "or an array of them" },
    { "dmlCompileType", is_compile_type, "use DmlCompileOp or DmlCompileGraph" },
    { "threadGroupCount", is_group_count, "use an array of three integers" },
    { "format", is_format, "use the name of a DXGI_FORMAT, such as R32_FLOAT" },
    { "counterOffsetBytes", is_offset, "use a number of bytes" },
    { "shape", is_shape, "use an array of integers" },
};

void check_ignored(struct model_reader *m, size_t node, const char *key)
{
    for (size_t i = 0; node && m->r.fs->opt.portable && i < ARRAY_LEN(ignored); i++) {
        if (strcmp(key, ignored[i].key) != 0 || ignored[i].accepts(m, node))
            continue;
        path_push(&m->r, key);
        finding_hint(report(&m->r, RULE_PORTABLE_IGNORED_KEY,
                            "DxDispatch does not accept this %s, which dmlop ignores", key),
                     "%s", ignored[i].hint);
        path_pop(&m->r);
    }
}
