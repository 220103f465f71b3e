#include "base/mem.h"
#include "cli/completion.h"
#include "cmd/commands.h"
#include "io/npz.h"
#include "part/tensor.h"
#include "run/part.h"

/*
 * What a browser has no use for, in place of the program's files that the build for WebAssembly
 * leaves out: each of these commands says that it is absent.
 */

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

enum status cmd_join(int argc, char **argv, struct diag *dg) { return absent(dg); }

enum status cmd_selftest(int argc, char **argv, struct diag *dg) { return absent(dg); }

enum status cmd_lsp(int argc, char **argv, struct diag *dg) { return absent(dg); }

void completion_add(struct str *words, const char *word) {}

void completion_add_lower(struct str *words, const char *word) { completion_add(words, word); }

enum status completion_print(const char *shell, const struct command *list, struct diag *dg)
{
    return absent(dg);
}

bool completion_answer(const struct usage *usage, int argc, char **argv, enum status *st,
                       struct diag *dg)
{
    return false;
}

/* Parts: without folders that several tasks share, no path names any. */

bool part_tensor_is(const char *path) { return false; }

char *part_tensor_file(const char *path) { return mem_strdup(path); }

enum status part_tensor_check_output(const char *path, const char *output, struct diag *dg)
{
    return ST_OK;
}

enum status part_tensor_check_other(const char *path, const char *output, struct diag *dg)
{
    return part_tensor_check_output(path, output, dg);
}

enum status part_tensor_begin(struct tensor_file *f, const char *path, enum dtype json_type,
                              int threads, struct diag *dg)
{
    return tensor_file_begin(f, path, json_type, threads, dg);
}

enum status part_make(struct part_task *p, const struct request *rq, const struct inputs *in,
                      struct diag *dg)
{
    return rq->args->part.part ? absent(dg) : ST_OK;
}

enum status part_begin(struct part_task *p, const struct request *rq, struct diag *dg)
{
    return ST_OK;
}

enum status part_before_store(const struct part_task *p, struct diag *dg) { return ST_OK; }

void part_finish_indices(const struct part_task *p, struct results *r) {}

enum status part_commit(struct part_task *p, const struct results *r, const struct desc *whole,
                        const struct timings *times, struct diag *dg)
{
    return ST_OK;
}

void part_close(struct part_task *p) {}
