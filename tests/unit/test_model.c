/* Files that change between the check of a model and its run; folders that are swapped for
 * links; links of all forms. */
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "io/file.h"
#include "io/output.h"
#include "model/memory.h"

static char folder[FOLDER_PATH];

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Fills a resource of four INT16 from a file that has changed since; the message is `said`. */
static void check_changed(char *path, const char *said)
{
    struct model_resource res = { .name = folder, .path = path, .form = INIT_FILE,
                                  .type = DT_INT16, .count = 4, .used = 8, .size = 8 };
    unsigned char *bytes = NULL;
    char *message = NULL;
    struct diag dg = message_begin(&message);

    assert_int_equal(memory_fill(&res, NULL, &bytes, &dg), ST_INPUT);
    message_end(&dg);
    assert_string_equal(message, said);
    free(message);
    free(bytes);
}

TEST(test_changed_files)
{
    static char npy[128] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<i2', 'fortran_order': False, "
                           "'shape': (3,), }";
    char *header_end = npy + 127;

    for (char *p = npy + strlen(npy + 10) + 10; p < header_end; p++)
        *p = ' ';
    npy[8] = 118;
    npy[9] = 0;
    *header_end = '\n';
    write_file("short.bin", "1234567", 7);
    check_changed("short.bin",
                  "dmlop: short.bin: the file has become shorter since the model was checked\n");
    write_file("empty.bin", "", 0);
    check_changed("empty.bin",
                  "dmlop: empty.bin: the file has become shorter since the model was checked\n");
    write_file("x.npy", npy, sizeof npy);
    assert_int_equal(truncate("x.npy", sizeof npy + 6), 0);
    check_changed("x.npy", "dmlop: x.npy: the file has changed since the model was checked\n");
}

/* The folder is a link when the file is created and when it is renamed. */
TEST(test_swapped_folder)
{
    struct outputs outs = { .no_sync = false };
    struct diag dg = { .err = stderr };
    char name[NAME_MAX + 1];
    int at;

    assert_int_equal(mkdir("elsewhere", 0700), 0);
    at = folder_open_beneath(".", "sub/folder/x.bin", name);
    assert_true(at >= 0);
    assert_string_equal(name, "x.bin");
    assert_int_equal(outputs_add_at(&outs, at, name, "sub/folder/x.bin", &dg), ST_OK);
    assert_int_equal(rename("sub", "moved"), 0);
    assert_int_equal(symlink("elsewhere", "sub"), 0);
    assert_int_equal(mkdir("elsewhere/folder", 0700), 0);
    assert_int_equal(output_write(outs.v[0], "abc", 3, &dg), ST_OK);
    assert_int_equal(outputs_commit(&outs, &dg), ST_OK);
    outputs_close(&outs);
    assert_int_equal(access("moved/folder/x.bin", F_OK), 0);
    assert_int_equal(rmdir("elsewhere/folder"), 0); /* it is empty */
    outs = (struct outputs){ .no_sync = true };
    at = folder_open_beneath(".", "moved/y.bin", name);
    assert_int_equal(outputs_add_at(&outs, at, name, "moved/y.bin", &dg), ST_OK);
    assert_int_equal(output_write(outs.v[0], "abc", 3, &dg), ST_OK);
    assert_int_equal(rename("moved", "again"), 0);
    outputs_close(&outs); /* removes the temporary file, wherever the folder is now */
    assert_int_equal(unlink("again/folder/x.bin"), 0);
    assert_int_equal(rmdir("again/folder"), 0);
    assert_int_equal(rmdir("again"), 0);
}

/* Opens the folder of links/in/k/l/z as link `text` at links/in/k/l leads; -1: out of links/in. */
static int follow(const char *text)
{
    char name[NAME_MAX + 1];
    int at;

    assert_int_equal(symlink(text, "links/in/k/l"), 0);
    at = folder_open_beneath("links/in", "k/l/z", name);
    assert_true(at >= 0 || errno == EXDEV);
    if (at >= 0)
        assert_string_equal(name, "z");
    return at;
}

static void assert_folder(int at, const char *text, const char *path)
{
    struct stat have, want;

    if (fstat(at, &have) != 0 || stat(path, &want) != 0 || have.st_dev != want.st_dev ||
        have.st_ino != want.st_ino)
        fail_msg("the link '%s' does not lead to %s", text, path);
    close(at);
}

/* Each link leads to the folder that the system finds, or is refused. */
TEST(test_links)
{
    static const struct {
        const char *text, *folder; /* NULL: it leads out */
    } links[] = {
        { "./../d", "d" },        { "././../d", "d" },       { ".//../d", "d" },
        { "../d", "d" },          { "../d/.", "d" },         { "../d/", "d" },
        { "..//d", "d" },         { ".././d", "d" },         { "./d/../../d", "d" },
        { "d/./..", "k" },        { "d/.//./..", "k" },      { "d", "k/d" },
        { "./d", "k/d" },         { "../k/./d", "k/d" },     { ".", "k" },
        { "..", "." },            { "./..", "." },           { ".d/../d", "k/d" },
        { "d./../../d", "d" },    { "...", "k/..." },        { ".../../d", "k/d" },
        { "../../d", NULL },      { "./.././../d", NULL },   { "../../in/d", NULL },
        { "../..", NULL },        { "d/../../../d", NULL },  { "/d", NULL },
    };

    for (const char *const *p = (const char *const[]){ "links", "links/d", "links/in", "links/in/k",
                                                       "links/in/d", "links/in/k/d", NULL };
         *p; p++)
        assert_int_equal(mkdir(*p, 0700), 0);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        char path[64];
        int at = follow(links[i].text);

        if ((at < 0) != !links[i].folder)
            fail_msg("the link '%s' is %s", links[i].text, at < 0 ? "refused" : "followed");
        snprintf(path, sizeof path, "links/in/%s", links[i].folder ? links[i].folder : "");
        if (at >= 0)
            assert_folder(at, links[i].text, path);
        assert_int_equal(unlink("links/in/k/l"), 0);
    }
}

/* Links of all texts of five of these words: one that is followed leads to the system's folder. */
TEST(test_all_links)
{
    static const char *const words[] = { "", ".", "..", "d", "k" };
    unsigned followed = 0;

    for (unsigned code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        char text[64] = ".";
        int at;

        for (unsigned c = code, i = 0; i < 5; i++, c /= 5) {
            strcat(text, "/");
            strcat(text, words[c % 5]);
        }
        at = follow(text);
        if (at >= 0) {
            assert_folder(at, text, "links/in/k/l");
            followed++;
        }
        assert_int_equal(unlink("links/in/k/l"), 0);
    }
    assert_between(followed, 1000, 3000);
}

static int enter(void **state)
{
    return mkdtemp(folder_template(folder, "model")) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[sizeof folder + 16];

    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

int main(void) { return RUN_TESTS(enter, leave); }
