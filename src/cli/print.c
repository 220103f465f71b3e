#include "cli/print.h"

#include <errno.h>
#include <unistd.h>

#include "base/path.h"
#include "io/file.h"
#include "io/tensor_file.h"
#include "os/process.h"

/* The file that text goes to, and where standard output led before. */
static struct outputs text_file;
static enum status most_status;
static const char *text_path = "standard output";
static int before = -1;

static enum status print_failed(int error, struct diag *dg)
{
    if (error == EPIPE) /* the reader closed the pipe; no message */
        return ST_SYSTEM;
    return diag_errno(dg, ST_SYSTEM, text_path, error, "cannot write");
}

enum status print_to(const char *path, enum status most, int n, char *const *inputs,
                     struct diag *dg)
{
    enum status st = ST_OK;

    if (!path || strcmp(path, "-") == 0)
        return ST_OK;
    if (path_has_extension(path, ".npz") ||
        (tensor_format_of(path) < FORMAT_NONE && tensor_format_of(path) != FORMAT_JSON))
        return diag_usage(dg, "-o %s: this is text, and the name is that of a tensor; use %.*s.txt",
                          path, (int)(path_extension(path) - path), path);
    for (int i = 0; i < n && st == ST_OK; i++)
        st = file_check_apart(inputs[i], path, dg);
    st = st ? st : outputs_add(&text_file, path, dg);
    (void)fflush(stdout);
    most_status = most;
    text_path = path;
    before = st ? -1 : os_duplicate(STDOUT_FILENO);
    return st ? st : output_redirect(text_file.v[0], STDOUT_FILENO, dg);
}

enum status print_end(enum status st, struct diag *dg)
{
    enum status end = ST_OK;

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk, perhaps */
        clearerr(stdout);
        end = st == ST_SYSTEM ? st : print_failed(errno, dg);
    }
    if (text_file.n > 0 && before >= 0) {
        (void)os_redirect(before, STDOUT_FILENO);
        os_close(before);
        if (end == ST_OK && st <= most_status && st != ST_USAGE)
            end = outputs_commit(&text_file, dg);
    }
    outputs_close(&text_file);
    return end > st ? end : st;
}

enum status print_str(struct str *text, struct diag *dg)
{
    bool failed = text->failed;
    size_t n = failed ? 0 : text->len;
    int error;

    errno = 0;
    error = n > 0 && fwrite(text->s, 1, n, stdout) < n ? errno : 0;
    str_free(text);
    if (error)
        return print_failed(error, dg);
    return failed ? diag_nomem(dg) : ST_OK;
}

enum status print_json(struct json_writer *w, struct diag *dg)
{
    json_close_to(w, 0);
    str_puts(w->out, "\n");
    return print_str(w->out, dg);
}

const char *shown_path(const char *path) { return strcmp(path, "-") == 0 ? "<stdin>" : path; }

void print_path(const char *path, FILE *out)
{
    const char *end = shown_path(path) + strlen(shown_path(path));
    char text[STR_ESCAPE];
    size_t used;

    for (path = shown_path(path); path < end; path += used) {
        size_t n = str_escape(path, (size_t)(end - path), text, &used);

        fwrite(text, 1, n, out);
    }
}
