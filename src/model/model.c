#include "model/model.h"

#include "base/mem.h"
#include "model/read.h"

static const char *const sections[] = { "resources", "dispatchables", "commands", "$schema" };

bool model_is(const struct json_doc *doc)
{
    enum { LOOKED_AT = 8 };
    bool found = false;

    if (doc->node_count == 0 || json_doc_member(doc, 0, "type") >= 0 ||
        json_doc_member(doc, 0, "Type") >= 0)
        return false;
    for (int i = 0; i < 3; i++)
        found = found || json_doc_member(doc, 0, sections[i]) >= 0;
    if (doc->nodes[0].type == JSON_OBJECT) /* among the first members also in the wrong case */
        for (size_t i = 0, at = 1; i < LOOKED_AT && i < doc->nodes[0].count; i++) {
            found = found || name_index(json_doc_key_text(doc, at), sections, 3, strcasecmp) < 3;
            at = doc->nodes[at].next;
        }
    return found;
}

/* Reads each member of an object, or element of an array. */
static void read_sections(struct model_reader *m, const size_t found[])
{
    static void (*const read[])(struct model_reader *, size_t) = { read_resource, read_dispatchable,
                                                                   read_command };

    const struct json_node *nodes = m->r.doc->nodes;

    for (int i = 0; i < 3; i++) {
        bool commands = i == 2;
        size_t at = found[i] + 1;

        if (!found[i]) {
            missing_key(&m->r, 0, "the model", sections[i], commands ? "[ ... ]" : "{ ... }");
            continue;
        }
        if (nodes[found[i]].type != (commands ? JSON_ARRAY : JSON_OBJECT))
            wrong_type(&m->r, found[i],
                       commands ? "an array of commands" : "an object with a member for each");
        else
            for (; at < nodes[found[i]].next && !m->r.fs->failed; at = nodes[at].next)
                if (!nodes[at].repeated) /* else json.duplicate-key reports it */
                    read[i](m, at);
    }
}

void model_read(struct model *model, const struct json_doc *doc, const struct model_options *opt,
                struct findings *fs)
{
    struct model_reader m = { .r = { .doc = doc, .opt = &opt->desc, .fs = fs },
                              .opt = opt,
                              .model = model };
    const struct json_node *nodes = doc->nodes;
    size_t found[ARRAY_LEN(sections)];

    *model = (struct model){ 0 };
    if (model_members(&m, 0, sections, ARRAY_LEN(sections), 7, "the model", found)) {
        /* a missing section, node 0, gets the count of the model */
        model->resources = mem_zalloc(nodes[found[0]].count, sizeof *model->resources);
        model->dispatchables = mem_zalloc(nodes[found[1]].count, sizeof *model->dispatchables);
        model->commands = mem_zalloc(nodes[found[2]].count, sizeof *model->commands);
        m.resources = (struct model_section){
            "resource",
            "the name of a resource",
            RULE_RUN_RESOURCE_UNKNOWN,
            nodes[found[0]].type == JSON_OBJECT ? found[0] : 0,
            model->resources,
            &model->resource_count,
            sizeof *model->resources,
        };
        m.dispatchables = (struct model_section){
            "dispatchable",
            "the name of a dispatchable",
            RULE_RUN_DISPATCHABLE_UNKNOWN,
            nodes[found[1]].type == JSON_OBJECT ? found[1] : 0,
            model->dispatchables,
            &model->dispatchable_count,
            sizeof *model->dispatchables,
        };
        fs->failed = !model->resources || !model->dispatchables || !model->commands || fs->failed;
        read_sections(&m, found);
    }
    fs->failed = fs->failed || m.r.pointer.failed;
    str_free(&m.r.pointer);
}

void model_free(struct model *m)
{
    for (size_t i = 0; i < m->resource_count; i++)
        free(m->resources[i].path);
    for (size_t i = 0; i < m->dispatchable_count; i++) {
        values_free(&m->dispatchables[i].values);
        free(m->dispatchables[i].init);
    }
    for (size_t i = 0; i < m->command_count; i++)
        free(m->commands[i].bindings);
    free(m->resources);
    free(m->dispatchables);
    free(m->commands);
    *m = (struct model){ 0 };
}
