#include "base/hash_set.h"

#include "base/mem.h"

/* The entry of a hash in a table, or a free one. */
static uint64_t *find(uint64_t *table, size_t room, uint64_t hash)
{
    size_t i = hash % room;

    while (table[i] && table[i] != hash)
        i = (i + 1) % room;
    return &table[i];
}

bool hash_set_has(const struct hash_set *s, uint64_t hash)
{
    return s->room > 0 && *find(s->table, s->room, hash);
}

void hash_set_add(struct hash_set *s, uint64_t hash)
{
    size_t room = 2 * s->room + 64;

    if (hash_set_has(s, hash))
        return;
    if (2 * s->count >= s->room) {
        uint64_t *table = mem_zalloc(room, sizeof *table);

        s->failed = s->failed || !table;
        if (!table)
            return;
        for (size_t i = 0; i < s->room; i++)
            *find(table, room, s->table[i]) = s->table[i];
        free(s->table);
        s->table = table;
        s->room = room;
    }
    *find(s->table, s->room, hash) = hash;
    s->count++;
}

void hash_set_free(struct hash_set *s)
{
    free(s->table);
    *s = (struct hash_set){ .table = NULL };
}

uint64_t hash_text(uint64_t hash, const char *s)
{
    for (; *s; s++)
        hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return hash;
}
