/* Outputs: whole or not at all, modes, links, things written in place, one file twice, failures,
 * signals. */
#include "seed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "io/cleanup.h"
#include "io/output.h"

static char folder[FOLDER_PATH];
static char *message; /* all that was said since the last say_nothing */
static size_t message_len;
static struct diag dg;

static void say_nothing(void)
{
    if (dg.err)
        fclose(dg.err);
    free(message);
    dg.err = open_memstream(&message, &message_len);
    assert_non_null(dg.err);
}

/* The child ends with status 0. */
static void assert_ends_well(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void assert_said(const char *text)
{
    fflush(dg.err);
    if (!strstr(message, text))
        fail_msg("'%s' is not in '%s'", text, message);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *name, const char *text)
{
    char buf[256] = "";
    FILE *f = fopen(name, "r");

    if (!f)
        fail_msg("%s is not there", name);
    buf[fread(buf, 1, sizeof buf - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(buf, text);
}

/* Names in the current folder, without "." and "..". */
static unsigned files_here(void)
{
    DIR *d = opendir(".");
    unsigned n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static unsigned mode_of(const char *name)
{
    struct stat st;

    assert_int_equal(stat(name, &st), 0);
    return st.st_mode & 07777;
}

/* Writes text to path in a set of its own. */
static enum status write_file(const char *path, const char *text)
{
    struct outputs o = { .no_sync = true };
    enum status st = outputs_add(&o, path, &dg);

    if (st == ST_OK)
        st = output_write(o.v[0], text, strlen(text), &dg);
    if (st == ST_OK)
        st = outputs_commit(&o, &dg);
    outputs_close(&o);
    return st;
}

/* Signals first, while this process has no handlers that a child would inherit and then take away.
 */

/* Starts a child that has a temporary for "a" and then does this; returns how it ended. */
static int child(void (*act)(struct outputs *o, int what), int what)
{
    struct rlimit none = { 0, 0 };
    int status;
    pid_t pid;

    put("a", "old");
    pid = fork();
    if (pid == 0) {
        struct outputs o = { 0 };

        setrlimit(RLIMIT_CORE, &none);
        if (outputs_add(&o, "a", &dg) != ST_OK)
            _exit(99);
        act(&o, what);
        _exit(98);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void die_by(struct outputs *o, int sig)
{
    signal(sig, SIG_DFL); /* cmocka and sanitizers have handlers for some */
    cleanup_begin(NULL);
    output_write(o->v[0], "new", 3, &dg);
    if (files_here() != 2)
        _exit(97);
    raise(sig);
}

TEST(test_signals_leave_nothing)
{
    static const int signals[] = {
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
        SIGPROF, SIGVTALRM, SIGSYS, SIGTRAP, SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT,
    };

    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        int status = child(die_by, signals[i]);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_holds("a", "old");
        assert_int_equal(files_here(), 1);
    }
}

static void ignore(struct outputs *o, int sig)
{
    signal(sig, SIG_IGN); /* as nohup does */
    cleanup_begin(NULL);
    output_write(o->v[0], "new", 3, &dg);
    raise(sig);
    _exit((int)outputs_commit(o, &dg));
}

TEST(test_ignored_signals_stay_ignored)
{
    assert_int_equal(child(ignore, SIGHUP), 0);
    assert_holds("a", "new");
    assert_int_equal(child(ignore, SIGINT), 0);
    assert_int_equal(files_here(), 1);
}

/* A limit on file sizes, with and without its signal. */
static void fill(struct outputs *o, int ignored)
{
    static const char block[100000];
    struct rlimit small = { 150000, 150000 };
    enum status st = ST_OK;

    setrlimit(RLIMIT_FSIZE, &small);
    signal(SIGXFSZ, ignored ? SIG_IGN : SIG_DFL);
    cleanup_begin(NULL);
    for (int i = 0; i < 4 && st == ST_OK; i++)
        st = output_write(o->v[0], block, sizeof block, &dg);
    outputs_close(o);
    fflush(dg.err);
    _exit(strstr(message, "a: cannot write: File too large") ? (int)st : 96);
}

TEST(test_file_too_large)
{
    int status = child(fill, 1);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ST_SYSTEM);
    assert_holds("a", "old");
    assert_int_equal(files_here(), 1);
    status = child(fill, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGXFSZ);
    assert_holds("a", "old");
    assert_int_equal(files_here(), 1);
}

TEST(test_old_file_stays_until_commit)
{
    struct outputs o = { 0 };

    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(files_here(), 1);
    assert_int_equal(output_write(o.v[0], "new", 3, &dg), ST_OK);
    assert_holds("a", "old");
    assert_int_equal(files_here(), 2);
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    assert_holds("a", "new");
    assert_int_equal(files_here(), 1);
    outputs_close(&o);
    outputs_close(&o);
    assert_holds("a", "new");
}

TEST(test_abandoned)
{
    struct outputs o = { 0 };

    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "new", 3, &dg), ST_OK);
    assert_int_equal(output_write(o.v[1], "new", 3, &dg), ST_OK);
    outputs_close(&o);
    assert_holds("a", "old");
    assert_int_equal(files_here(), 1);
}

TEST(test_nothing_written_is_an_empty_file)
{
    assert_int_equal(write_file("a", ""), ST_OK);
    assert_holds("a", "");
}

/* Pieces of all sizes around that of the buffer arrive in order. */
TEST(test_pieces)
{
    enum { TOTAL = 3 << 20 };
    static unsigned char bytes[TOTAL], back[TOTAL + 1];
    struct outputs o = { .no_sync = true };
    uint64_t first = seed;
    size_t at = 0;
    FILE *f;

    for (size_t i = 0; i < TOTAL; i++)
        bytes[i] = (unsigned char)random64();
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    while (at < TOTAL) {
        /* of the buffer's size */
        uint64_t near = 65534 + random64() % 5, any = random64() % 200000;
        size_t n = (size_t)(random64() % 3 ? random64() % 100 : random64() % 3 ? near : any);

        n = n > TOTAL - at ? TOTAL - at : n;
        assert_int_equal(output_write(o.v[0], bytes + at, n, &dg), ST_OK);
        at += n;
    }
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
    f = fopen("a", "r");
    assert_int_equal(fread(back, 1, sizeof back, f), TOTAL);
    fclose(f);
    if (memcmp(bytes, back, TOTAL) != 0)
        fail_msg("other bytes with SEED=%" PRIu64, first);
}

TEST(test_modes)
{
    mode_t mask = umask(027);
    struct outputs o = { 0 };
    struct stat st;
    DIR *d;

    assert_int_equal(write_file("new", "x"), ST_OK);
    assert_int_equal(mode_of("new"), 0640);
    chmod("new", 0604);
    assert_int_equal(write_file("new", "y"), ST_OK);
    assert_int_equal(mode_of("new"), 0604);
    chmod("new", 04755); /* not for bytes of ours */
    assert_int_equal(write_file("new", "z"), ST_OK);
    assert_int_equal(mode_of("new"), 0755);
    if (geteuid() == 0) {
        assert_int_equal(chown("new", 1234, 4321), 0);
        assert_int_equal(write_file("new", "z"), ST_OK);
        assert_int_equal(stat("new", &st), 0);
        assert_int_equal(st.st_uid, 1234);
        assert_int_equal(st.st_gid, 4321);
    }

    /* While it is not complete nobody else may look into it. */
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "x", 1, &dg), ST_OK);
    d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, "dmlop")) {
            assert_true(strncmp(e->d_name, ".b.dmlop-", 9) == 0);
            assert_int_equal(mode_of(e->d_name), 0600);
        }
    closedir(d);
    outputs_close(&o);
    umask(mask);
}

TEST(test_long_names)
{
    char name[257];

    memset(name, 'n', sizeof name);
    name[255] = '\0';
    assert_int_equal(write_file(name, "x"), ST_OK);
    assert_holds(name, "x");
    name[255] = 'n';
    name[256] = '\0';
    assert_int_equal(write_file(name, "x"), ST_SYSTEM);
    assert_said("File name too long");
}

TEST(test_links_are_followed)
{
    struct stat st;

    mkdir("d", 0700);
    put("d/a", "old");
    assert_int_equal(symlink("a", "d/l1"), 0); /* relative to its own folder */
    assert_int_equal(symlink("d/l1", "l2"), 0);
    assert_int_equal(write_file("l2", "new"), ST_OK);
    assert_holds("d/a", "new");
    assert_int_equal(lstat("l2", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("d/l1", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink("d/a"); /* now both lead to a file that is not there yet */
    assert_int_equal(write_file("l2", "again"), ST_OK);
    assert_holds("d/a", "again");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(write_file("loop", "x"), ST_SYSTEM);
    assert_said("loop: cannot write: Too many levels of symbolic links");
}

TEST(test_places_that_cannot_be_written)
{
    static const char *const rows[][2] = {
        { "", "the name of an output is empty" }, { ".", "is a directory" },
        { "d", "is a directory" }, { "d/", "is a directory" },
        { "none/", "a file name is missing" },
        { "none/a", "folder 'none': No such file or directory" }, { "file/a", "Not a directory" },
        { "/dev/fd/987", "Bad file descriptor" }, { "/proc/1/none", "cannot" },
    };

    mkdir("d", 0700);
    put("file", "x");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        say_nothing();
        assert_int_equal(write_file(rows[i][0], "x"), ST_SYSTEM);
        assert_said(rows[i][1]);
    }
    assert_int_equal(files_here(), 2);
}

static enum status add_two(const char *a, const char *b)
{
    struct outputs o = { 0 };
    enum status st = outputs_add(&o, a, &dg);

    assert_int_equal(st, ST_OK);
    st = outputs_add(&o, b, &dg);
    outputs_close(&o);
    return st;
}

TEST(test_one_file_twice)
{
    char absolute[sizeof folder + 8], name[16];
    int fd;

    snprintf(absolute, sizeof absolute, "%s/a", folder);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(symlink(".", "here"), 0);
    mkdir("d", 0700);
    for (int there = 0; there < 2; there++) {
        static const char *const others[] = { "a", "./a", "here/a", "d/../a", "link" };

        for (size_t i = 0; i < ARRAY_LEN(others); i++)
            assert_int_equal(add_two("a", others[i]), ST_USAGE);
        assert_int_equal(add_two(absolute, "a"), ST_USAGE);
        assert_int_equal(add_two("a", "b"), ST_OK);
        put("a", "");
    }
    assert_said("two outputs would be written to the same file: a and here/a");
    put("b", "");
    assert_int_equal(add_two("a", "b"), ST_OK);
    assert_int_equal(link("a", "hard"), 0);
    assert_int_equal(add_two("hard", "a"), ST_USAGE);
    fd = open("a", O_WRONLY);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(add_two("a", name), ST_USAGE);
    assert_int_equal(add_two(name, name), ST_USAGE);
    close(fd);
    assert_int_equal(add_two("-", "-"), ST_USAGE);
    assert_int_equal(add_two("-", "/dev/stdout"), ST_USAGE);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(add_two("fifo", "./fifo"), ST_USAGE);
    assert_int_equal(add_two("/dev/null", "/dev/null"), ST_OK);
    assert_int_equal(add_two("/dev/full", "/dev/full"), ST_USAGE);
}

TEST(test_two_sets_on_one_file)
{
    struct outputs o = { 0 }, p = { 0 };

    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(outputs_add(&p, "c", &dg), ST_OK);
    assert_int_equal(outputs_check_apart(&o, &p, &dg), ST_OK);
    assert_int_equal(outputs_add(&p, "./b", &dg), ST_OK);
    assert_int_equal(outputs_check_apart(&o, &p, &dg), ST_USAGE);
    outputs_close(&o);
    outputs_close(&p);
}

/* Writes through the descriptor, by a name made from `form` and its number, which may be a link to
 * that. */
static enum status write_through(int fd, const char *form, bool by_link, const char *text)
{
    char name[40];

    snprintf(name, sizeof name, "%s/%d", form, fd);
    unlink("link");
    if (by_link)
        assert_int_equal(symlink(name, "link"), 0);
    return write_file(by_link ? "link" : name, text);
}

/* A descriptor is written where it stands, however it is named: what others wrote there stays. */
TEST(test_descriptors)
{
    static const char *const forms[] = { "/dev/fd", "/proc/self/fd", "//dev/./fd",
                                         "/proc/thread-self/fd" };
    int fd;

    for (size_t i = 0; i < 2 * ARRAY_LEN(forms); i++) {
        if (access(forms[i / 2], X_OK) != 0)
            continue;
        put("a", "before ");
        fd = open("a", O_WRONLY | O_APPEND);
        assert_int_equal(write_through(fd, forms[i / 2], i % 2, "ours "), ST_OK);
        assert_int_equal(write(fd, "after", 5), 5); /* it is open still */
        close(fd);
        assert_holds("a", "before ours after");
        assert_int_equal(files_here(), 1 + i % 2);
    }
    put("a", "0123456789");
    fd = open("a", O_RDWR);
    lseek(fd, 4, SEEK_SET);
    assert_int_equal(write_through(fd, "/dev/fd", false, "xy"), ST_OK);
    close(fd);
    assert_holds("a", "0123xy6789");
    fd = open("a", O_RDONLY);
    assert_int_equal(write_through(fd, "/dev/fd", false, "xy"), ST_SYSTEM);
    assert_said("cannot write: Bad file descriptor");
    close(fd);
}

/* "-" and its other names, in a child whose standard output is a file. */
TEST(test_standard_output)
{
    static const char *const names[] = { "-", "/dev/stdout", "link" };

    assert_int_equal(symlink("/dev/stdout", "link"), 0);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        pid_t pid;

        put("a", "before ");
        pid = fork();
        if (pid == 0) {
            dup2(open("a", O_WRONLY | O_APPEND), STDOUT_FILENO);
            if (add_two(names[i], "a") != ST_USAGE)
                _exit(1);
            _exit(write_file(names[i], "ours") == ST_OK ? 0 : 2);
        }
        assert_ends_well(pid);
        assert_holds("a", "before ours");
    }
}

enum { MANY = 1 << 20 };

/* In a child: reads to the end, slowly at first; exits 0 where it was MANY times 'x'. */
static pid_t start_reader(int fd, const char *name)
{
    pid_t pid = fork();

    if (pid == 0) {
        size_t sum = 0;
        char buf[5000];
        ssize_t n;

        fd = name ? open(name, O_RDONLY) : fd;
        usleep(20000); /* the pipe is full by now */
        while ((n = read(fd, buf, sizeof buf)) > 0)
            for (ssize_t i = 0; i < n; i++)
                sum += buf[i] == 'x' ? 1 : (size_t)MANY;
        _exit(sum != MANY);
    }
    return pid;
}

TEST(test_pipes)
{
    char *bytes = malloc(MANY + 1);
    pid_t pid;

    assert_non_null(bytes);
    memset(bytes, 'x', MANY);
    bytes[MANY] = '\0';
    assert_int_equal(mkfifo("fifo", 0600), 0);
    pid = start_reader(-1, "fifo");
    assert_int_equal(write_file("fifo", bytes), ST_OK);
    assert_ends_well(pid);
    assert_int_equal(files_here(), 1);
    for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
        int ends[2];

        assert_int_equal(pipe(ends), 0);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFL, flags);
        pid = fork();
        if (pid == 0) {
            close(ends[0]);
            _exit((int)write_through(ends[1], "/dev/fd", false, bytes));
        }
        close(ends[1]);
        assert_ends_well(start_reader(ends[0], NULL));
        assert_ends_well(pid);
        close(ends[0]);
    }
    free(bytes);
}

TEST(test_no_clobber)
{
    struct outputs o = { .no_clobber = true };

    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_SYSTEM);
    assert_said("a: already exists");
    assert_int_equal(outputs_add(&o, "/dev/null", &dg), ST_OK); /* nothing to lose there */
    assert_int_equal(outputs_add(&o, "b", &dg), ST_OK);
    assert_int_equal(output_write(o.v[1], "ours", 4, &dg), ST_OK);
    put("b", "theirs"); /* somebody was faster */
    assert_int_equal(outputs_commit(&o, &dg), ST_SYSTEM);
    outputs_close(&o);
    assert_said("b: cannot write (--no-clobber): File exists");
    assert_holds("b", "theirs");
    assert_int_equal(files_here(), 2);

    o = (struct outputs){ .no_clobber = true };
    assert_int_equal(outputs_add(&o, "c", &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "ours", 4, &dg), ST_OK);
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
    assert_holds("c", "ours");
    assert_int_equal(files_here(), 3);
}

/* Nothing is renamed where any output fails to be complete. */
TEST(test_one_of_two_fails)
{
    struct outputs o = { 0 };

    put("a", "old");
    assert_int_equal(outputs_add(&o, "a", &dg), ST_OK);
    assert_int_equal(outputs_add(&o, "/dev/full", &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "new", 3, &dg), ST_OK);
    assert_int_equal(output_write(o.v[1], "new", 3, &dg), ST_OK); /* it lies in the buffer */
    assert_int_equal(outputs_commit(&o, &dg), ST_SYSTEM);
    outputs_close(&o);
    assert_said("/dev/full: cannot write: No space left on device");
    assert_holds("a", "old");
    assert_int_equal(files_here(), 1);
}

/* When a later rename fails, the message names each file that was replaced before. */
TEST(test_a_later_rename_fails)
{
    static const char *const names[] = { "a", "b", "c" };
    struct outputs o = { 0 };

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(outputs_add(&o, names[i], &dg), ST_OK);
        assert_int_equal(output_write(o.v[i], "new", 3, &dg), ST_OK);
    }
    mkdir("c", 0700);
    assert_int_equal(outputs_commit(&o, &dg), ST_SYSTEM);
    outputs_close(&o);
    assert_said("dmlop: c: cannot replace: Is a directory\n"
                "dmlop: a: was written before this error\n"
                "dmlop: b: was written before this error\n");
    assert_holds("a", "new");
    assert_holds("b", "new");
    assert_int_equal(files_here(), 3);
}

/* Bytes that a file has, behind bytes that it has not, to a file, whose room is made first, and to
 * a pipe. */
TEST(test_copy)
{
    enum { BYTES = 3 << 20, FROM = 12345, PART = BYTES - FROM - 1 };
    unsigned char *bytes = malloc(BYTES), *back = malloc(BYTES);
    struct outputs o = { .no_sync = true };
    struct stat st;
    FILE *f;
    int fd;

    assert_non_null(bytes);
    assert_non_null(back);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)random64();
    f = fopen("source", "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, BYTES, f), BYTES);
    assert_int_equal(fclose(f), 0);
    fd = open("source", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(outputs_add(&o, "copy", &dg), ST_OK);
    assert_int_equal(output_begin(o.v[0], PART + 5, &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "head", 4, &dg), ST_OK);
    assert_int_equal(output_copy(o.v[0], bytes + FROM, PART, fd, FROM, &dg), ST_OK);
    assert_int_equal(output_write(o.v[0], "!", 1, &dg), ST_OK);
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
    assert_int_equal(stat("copy", &st), 0);
    assert_int_equal(st.st_size, PART + 5);
    f = fopen("copy", "r");
    assert_non_null(f);
    assert_int_equal(fread(back, 1, BYTES, f), PART + 5);
    fclose(f);
    assert_memory_equal(back, "head", 4);
    assert_memory_equal(back + 4, bytes + FROM, PART);
    assert_int_equal(back[PART + 4], '!');
    close(fd);

    fd = open("source", O_WRONLY); /* the system cannot read it: the bytes in memory count */
    assert_true(fd >= 0);
    assert_int_equal(outputs_add(&o, "copy2", &dg), ST_OK);
    assert_int_equal(output_copy(o.v[0], "in memory", 9, fd, 0, &dg), ST_OK);
    assert_int_equal(outputs_commit(&o, &dg), ST_OK);
    outputs_close(&o);
    close(fd);
    assert_holds("copy2", "in memory");
    free(bytes);
    free(back);
}

/* More room than any disk has is refused at once, and nothing stays. */
TEST(test_no_room)
{
    struct outputs o = { .no_sync = true };
    enum status st;

    put("old", "old");
    assert_int_equal(outputs_add(&o, "old", &dg), ST_OK);
    st = output_begin(o.v[0], (uint64_t)1 << 60, &dg);
    if (st == ST_OK)
        print_message("this file system makes no room in advance\n");
    else
        assert_said("cannot write");
    outputs_close(&o);
    assert_holds("old", "old");
    assert_int_equal(files_here(), 1);
}

/* A reader that has gone is no news; where SIGPIPE is not ignored it ends the program. */
TEST(test_closed_pipe)
{
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write_through(ends[1], "/dev/fd", false, "x"), ST_SYSTEM);
    close(ends[1]);
    signal(SIGPIPE, old);
    fflush(dg.err);
    assert_int_equal(message_len, 0);
}

static int before_each(void **state)
{
    say_nothing();
    return 0;
}

static int after_each(void **state) { return system("rm -rf -- * .[!.]*"); }

static int begin(void **state)
{
    return mkdtemp(folder_template(folder, "output")) && chdir(folder) == 0 ? 0 : -1;
}

static int end(void **state)
{
    fclose(dg.err);
    free(message);
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

int main(void)
{
    for (size_t i = 0; i < unit_count; i++) {
        unit_tests[i].setup_func = before_each;
        unit_tests[i].teardown_func = after_each;
    }
    seed_start();
    return RUN_TESTS(begin, end);
}
