#include "base/mem.h"
#include "cli/usage.h"
#include "cmd/commands.h"
#include "driver/driver.h"
#include "io/npz.h"
#include "io/kind.h"
#include "part/set.h"

/* What a browser has no use for, in place of the program's files that the build for WebAssembly
 * leaves out: each of these commands says that it is absent. */

const char *const completion_shells[] = { "bash", "zsh", "fish", "powershell", NULL };

static enum status absent(struct diag *dg)
{
    return diag_error(dg, ST_SYSTEM, NULL, "this is not possible in a browser; use dmlop on Linux");
}

static enum status no_archives(const char *path, struct diag *dg)
{
    return diag_error(dg, ST_SYSTEM, path,
                      ".npz archives cannot be read in a browser; give the .npy files in it");
}

enum status npz_open(struct input *in, const char *path, const struct member *m, struct diag *dg)
{
    return no_archives(path, dg);
}

enum status members_each(const char *archive, members_visit *each, void *context, struct diag *dg)
{
    return no_archives(archive, dg);
}

const struct option_row join_options[1], lsp_options[1], selftest_options[1];

enum status cmd_join(int argc, char **argv, struct diag *dg) { return absent(dg); }

enum status cmd_selftest(int argc, char **argv, struct diag *dg) { return absent(dg); }

enum status cmd_lsp(int argc, char **argv, struct diag *dg) { return absent(dg); }

void completion_add(struct str *words, const char *word) {}

void completion_add_lower(struct str *words, const char *word) { completion_add(words, word); }

enum status completion_print(const char *shell, const struct command *list, struct diag *dg)
{
    return absent(dg);
}

/* Parts: there are no folders that several tasks share. */

bool parts_folder_is(const char *path) { return false; }

void parts_folder_add_join(struct str *b, const char *path) {}

enum status parts_folder_refuse(const char *path, struct diag *dg) { return ST_OK; }

enum status part_set_read(struct part_set *s, struct diag *dg) { return absent(dg); }

enum status part_check_output(const char *path, const char *output, struct diag *dg)
{
    return ST_OK;
}

uint64_t part_set_ranges(const struct part_set *s, struct str *ranges) { return 0; }

void part_set_close(struct part_set *s) {}

enum status part_request(struct request *rq, struct diag *dg) { return absent(dg); }

enum status part_run(struct job *j, struct diag *dg) { return absent(dg); }
