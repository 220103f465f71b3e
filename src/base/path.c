#include "base/path.h"

#include "base/mem.h"
#include "base/str.h"
#include "os/file.h"

const char *path_base_name(const char *path)
{
    const char *name = path + os_path_root(path);

    for (size_t n; name[n = strcspn(name, os_separators)];)
        name += n + 1;
    return name;
}

char *path_folder(const char *path)
{
    size_t root = os_path_root(path), n = (size_t)(path_base_name(path) - path);

    if (n == 0)
        return mem_strdup(".");
    /* of C:x, which is in the current folder of the drive, C:. */
    return str_format("%.*s%s", (int)(n > root ? n - 1 : n), path, path[n - 1] == ':' ? "." : "");
}

char *path_beside(const char *file, const char *name)
{
    return os_path_root(name)
               ? mem_strdup(name)
               : str_format("%.*s%s", (int)(path_base_name(file) - file), file, name);
}

char *path_join(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    bool drive = n > 0 && folder[n - 1] == ':' && os_path_root(folder) == n;

    return os_path_root(name) ? mem_strdup(name)
                              : str_format("%s%s%s", folder, drive ? "" : "/", name);
}

char *path_last_colon(char *path) { return strrchr(path + os_path_root(path), ':'); }

const char *path_extension(const char *path)
{
    const char *name = path_base_name(path), *dot = strrchr(name, '.');

    return dot && dot > name && dot[1] ? dot : name + strlen(name);
}

bool path_has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path), e = strlen(extension);

    return n > e && strcasecmp(path + n - e, extension) == 0;
}

void path_add_word(struct str *b, const char *path, const char *extension)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+,:@%=-";
    const char *old, *quote, *p;
    struct str word = { 0 };

    for (p = path; *p && !iscntrl((unsigned char)*p); p++)
        ;
    if (*p)
        path = "FILE";
    old = path_extension(path);
    if (*path == '-')
        str_puts(&word, "./"); /* no option */
    str_add(&word, path, extension ? (size_t)(old - path) : strlen(path));
    if (extension && strcasecmp(old, extension) == 0)
        str_puts(&word, ".new"); /* the file itself stays */
    str_puts(&word, extension ? extension : "");
    p = word.s ? word.s : "";
    quote = strpbrk(p, os_separators[1] ? "$`!\"" : "$`!\"\\") ? "'" : "\"";
    if (p[strspn(p, plain)] == '\0')
        quote = "";
    str_puts(b, quote);
    for (; *p; p++)
        str_add(b, *p == *quote ? "'\\''" : p, *p == *quote ? 4 : 1);
    str_puts(b, quote);
    str_done(&word, &b->failed);
}
