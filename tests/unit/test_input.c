/* Inputs: files are mapped, all else is read; standard input once; what cannot be read is
 * refused. */
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "io/input.h"

enum { BIG = 5 * 1024 * 1024 + 77 }; /* more than what is reserved at first, twice doubled */

static char folder[FOLDER_PATH];
static char *message; /* of the last open_input */

static enum status open_input(struct input *in, const char *path)
{
    struct diag dg = message_begin(&message);
    enum status st = input_open(in, path, &dg);

    message_end(&dg);
    return st;
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 31 + i / 251);
}

/* Writes n bytes of the pattern, in pieces of at most `piece`. */
static void feed(int fd, size_t n, size_t piece)
{
    unsigned char buf[65536];

    for (size_t at = 0; at < n;) {
        size_t now = n - at < piece ? n - at : piece;
        ssize_t done;

        for (size_t i = 0; i < now; i++)
            buf[i] = pattern(at + i);
        done = write(fd, buf, now);
        if (done < 0 && errno != EINTR)
            _exit(9);
        at += done > 0 ? (size_t)done : 0;
    }
}

static void create(const char *name, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    feed(fd, n, 65536);
    close(fd);
}

static void expect(const struct input *in, size_t from, size_t n)
{
    assert_int_equal(in->len, n);
    for (size_t i = 0; i < n; i++)
        if (in->data[i] != pattern(from + i))
            fail_msg("byte %zu of %zu is wrong", i, n);
}

/* In a child: standard input is fd. It exits 0, or with what went wrong. */
static int child_reads(int fd, size_t from, size_t n, bool mapped)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct input in, again;

        dup2(fd, STDIN_FILENO);
        if (open_input(&in, "-") != ST_OK || in.len != n || in.mapped != mapped)
            _exit(1);
        for (size_t i = 0; i < n; i++)
            if (in.data[i] != pattern(from + i))
                _exit(2);
        if (open_input(&again, "-") != ST_USAGE || !strstr(message, "only once") || again.data)
            _exit(3);
        input_close(&in);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_files_are_mapped)
{
    struct input in;

    for (size_t n = 1; n <= BIG; n = n * 17 + 3) {
        create("f", n);
        assert_int_equal(open_input(&in, "f"), ST_OK);
        assert_true(in.mapped);
        expect(&in, 0, n);
        input_close(&in);
        assert_null(in.data);
        input_close(&in);
    }
}

TEST(test_empty)
{
    struct input in;

    create("empty", 0);
    assert_int_equal(open_input(&in, "empty"), ST_OK);
    assert_int_equal(in.len, 0);
    input_drop(&in, 0);
    input_close(&in);
    assert_int_equal(open_input(&in, "/dev/null"), ST_OK);
    assert_int_equal(in.len, 0);
    input_close(&in);
}

TEST(test_fifo)
{
    struct input in;
    pid_t pid;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    pid = fork();
    if (pid == 0) {
        feed(open("fifo", O_WRONLY), BIG, 4099);
        _exit(0);
    }
    assert_int_equal(open_input(&in, "fifo"), ST_OK);
    assert_false(in.mapped);
    expect(&in, 0, BIG);
    input_close(&in);
    waitpid(pid, NULL, 0);
}

/* Files whose size says nothing: of procfs (0), of sysfs (a page, but they cannot be mapped). */
TEST(test_files_of_the_system)
{
    static const char file[] = "/sys/kernel/profiling";
    struct input in;

    if (access("/proc/self/status", R_OK) != 0)
        skip();
    assert_int_equal(open_input(&in, "/proc/self/status"), ST_OK);
    assert_false(in.mapped);
    assert_true(in.len > 5 && memcmp(in.data, "Name:", 5) == 0);
    input_close(&in);
    if (access(file, R_OK) != 0)
        skip();
    assert_int_equal(open_input(&in, file), ST_OK);
    assert_between(in.len, 1, 10);
    input_close(&in);
}

TEST(test_standard_input)
{
    int fd, ends[2];
    pid_t pid;

    create("f", 10000);
    fd = open("f", O_RDONLY);
    assert_int_equal(child_reads(fd, 0, 10000, true), 0);
    lseek(fd, 4097, SEEK_SET); /* what somebody read before us is not ours */
    assert_int_equal(child_reads(fd, 4097, 10000 - 4097, true), 0);
    lseek(fd, 10000, SEEK_SET);
    assert_int_equal(child_reads(fd, 0, 0, false), 0);
    close(fd);

    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        assert_int_equal(pipe(ends), 0);
        if (nonblocking)
            fcntl(ends[0], F_SETFL, O_NONBLOCK);
        pid = fork();
        if (pid == 0) {
            usleep(20000); /* nothing is there when reading begins */
            feed(ends[1], BIG, 30000);
            _exit(0);
        }
        close(ends[1]);
        assert_int_equal(child_reads(ends[0], 0, BIG, false), 0);
        close(ends[0]);
        waitpid(pid, NULL, 0);
    }
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
    (void)sig;
    alarms++;
}

/* Signals that interrupt reads lose nothing. */
TEST(test_interrupted)
{
    struct sigaction act = { .sa_handler = on_alarm }, old; /* no SA_RESTART */
    struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
    struct input in;
    enum status st;
    pid_t pid;

    unlink("fifo");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open("fifo", O_WRONLY);

        for (int i = 0; i < 10; i++) {
            usleep(5000);
            if (write(fd, "0123456789", 10) != 10)
                _exit(1);
        }
        _exit(0);
    }
    sigaction(SIGALRM, &act, &old);
    setitimer(ITIMER_REAL, &often, NULL);
    st = open_input(&in, "fifo");
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_int_equal(st, ST_OK);
    assert_true(alarms > 0);
    assert_int_equal(in.len, 100);
    input_close(&in);
    waitpid(pid, NULL, 0);
}

/* How many of the first n bytes' pages are in memory. */
static size_t resident(const struct input *in, size_t n)
{
    unsigned char state[BIG / 4096 + 2];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = n / page, sum = 0;

    assert_int_equal(mincore(in->base, pages * page, state), 0);
    for (size_t i = 0; i < pages; i++)
        sum += state[i] & 1;
    return sum;
}

TEST(test_drop)
{
    size_t kept = BIG / 2;
    struct input in;
    pid_t pid;

    create("f", BIG);
    assert_int_equal(open_input(&in, "f"), ST_OK);
    expect(&in, 0, BIG);
    input_drop(&in, kept);
    input_drop(&in, 10); /* backwards: nothing to do */
    expect(&in, 0, BIG);
    input_close(&in);

    unlink("fifo");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    pid = fork();
    if (pid == 0) {
        feed(open("fifo", O_WRONLY), BIG, 65536);
        _exit(0);
    }
    assert_int_equal(open_input(&in, "fifo"), ST_OK);
    waitpid(pid, NULL, 0);
    assert_true(resident(&in, kept) > 0);
    input_drop(&in, kept);
    assert_int_equal(resident(&in, kept), 0);
    for (size_t i = kept; i < BIG; i++)
        if (in.data[i] != pattern(i))
            fail_msg("byte %zu changed", i);
    input_close(&in);
}

TEST(test_refusals)
{
    struct input in;

    assert_int_equal(open_input(&in, "."), ST_INPUT);
    assert_string_equal(message, "dmlop: .: is a directory; give a file that is in it\n");
    assert_int_equal(open_input(&in, "none"), ST_INPUT);
    assert_string_equal(message, "dmlop: none: cannot open: No such file or directory\n");
    assert_int_equal(open_input(&in, ""), ST_INPUT);
    assert_int_equal(open_input(&in, "empty/x"), ST_INPUT);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(open_input(&in, "loop"), ST_INPUT);
    assert_null(in.data);
    assert_int_equal(in.len, 0);
}

static int begin(void **state)
{
    return mkdtemp(folder_template(folder, "input")) && chdir(folder) == 0 ? 0 : -1;
}

static int end(void **state)
{
    free(message);
    unlink("f");
    unlink("empty");
    unlink("fifo");
    unlink("loop");
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

int main(void) { return RUN_TESTS(begin, end); }
