/* A fuzz target without libFuzzer: runs each file given, and those in folders given, through it
 * once. */
#include <sys/stat.h>

#include "fuzz.h"

static unsigned long count;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data, *exact;
    struct stat sb;
    size_t n;

    if (!f || fstat(fileno(f), &sb) != 0) {
        perror(path);
        exit(2);
    }
    data = fuzz_alloc((size_t)sb.st_size);
    n = fread(data, 1, (size_t)sb.st_size, f);
    fclose(f);
    exact = fuzz_alloc(n);
    memcpy(exact, data, n);
    free(data);
    if (getenv("FUZZ_VERBOSE"))
        fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    count++;
}

static void replay(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *e;

    if (!folder) {
        replay_file(path);
        return;
    }
    while ((e = readdir(folder))) {
        char inside[4096];

        if (e->d_name[0] == '.')
            continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, e->d_name) >= (int)sizeof inside)
            continue;
        replay(inside);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%lu inputs\n", count);
    return count == 0;
}
