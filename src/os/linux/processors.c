#include "os/processors.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    GROUPS_BYTES = 4096, /* of /proc/self/cgroup */
    LINE_BYTES = 128,    /* more than the other files have; stacks may be small */
    PATH_BYTES = 1024,
    TASKS_SAFE = 16 << 10 /* Linux has 32768 process numbers at least */
};

#define NO_NUMBER UINT64_MAX

/* Reads the start of the file at root, folder and name, as a string of less than `most` bytes. */
static bool read_text(const char *root, const char *folder, const char *name, char *text,
                      size_t most)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name), fd;
    ssize_t n;

    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, most - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number that a file begins with; NO_NUMBER for "max", -1 and files that cannot be read. */
static uint64_t read_number(const char *root, const char *folder, const char *name)
{
    char text[LINE_BYTES];

    if (!read_text(root, folder, name, text, sizeof text) || text[0] < '0' || text[0] > '9')
        return NO_NUMBER;
    return strtoull(text, NULL, 10);
}

static int at_most_int(uint64_t n) { return n < INT_MAX ? (int)n : INT_MAX; }

/* Processors that quota / period microseconds pay for. */
static int pays_for(uint64_t quota, uint64_t period)
{
    return quota && period ? at_most_int(quota / period + (quota % period > 0)) : INT_MAX;
}

static int quota_2(const char *root, const char *folder)
{
    char text[LINE_BYTES];
    uint64_t quota, period;

    return read_text(root, folder, "cpu.max", text, sizeof text) &&
                   /* NOLINTNEXTLINE(cert-err34-c): the system does not write larger numbers */
                   sscanf(text, "%ju %ju", &quota, &period) == 2
               ? pays_for(quota, period)
               : INT_MAX;
}

static int quota_1(const char *root, const char *folder)
{
    uint64_t quota = read_number(root, folder, "cpu.cfs_quota_us");
    uint64_t period = read_number(root, folder, "cpu.cfs_period_us");

    return quota == NO_NUMBER || period == NO_NUMBER ? INT_MAX : pays_for(quota, period);
}

static int room_in(const char *root, const char *folder)
{
    uint64_t most = read_number(root, folder, "pids.max");
    uint64_t now = read_number(root, folder, "pids.current");

    if (most == NO_NUMBER || now == NO_NUMBER)
        return INT_MAX;
    return at_most_int(most > now ? most - now : 0);
}

typedef int limit_fn(const char *root, const char *folder);

/* The least limit of `group` and the groups above it, which are folders below `mount`. A container
 * does not see all of them. */
static int least(const char *root, const char *mount, const char *group, limit_fn *limit)
{
    char folder[PATH_BYTES];
    int found = INT_MAX,
        n = snprintf(folder, sizeof folder, "%s%s", mount, group[1] == '\0' ? "" : group);

    if (n < 0 || (size_t)n >= sizeof folder)
        return INT_MAX;
    for (;;) {
        int here = limit(root, folder);

        found = here < found ? here : found;
        if (strlen(folder) <= strlen(mount))
            return found;
        *strrchr(folder, '/') = '\0';
    }
}

/* True if a list like "cpu,cpuacct" names a controller. */
static bool names(char *list, const char *controller)
{
    for (char *name; (name = strsep(&list, ","));)
        if (strcmp(name, controller) == 0)
            return true;
    return false;
}

/* The least limit of the process's control groups: of version 2, whose line in /proc/self/cgroup is
 * "0::/group", or of 1, with lines like "4:cpu,cpuacct:/group". */
static int group_limit(const char *root, const char *controller, limit_fn *v1, limit_fn *v2)
{
    char text[GROUPS_BYTES], mount[LINE_BYTES], *rest = text;
    int found = INT_MAX;

    if (!read_text(root, "/proc/self", "cgroup", text, sizeof text))
        return INT_MAX;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *list, *group = line;
        int here = INT_MAX;

        strsep(&group, ":");
        list = strsep(&group, ":");
        if (!list || !group || *group != '/')
            continue;
        if (*list == '\0') {
            here = least(root, "/sys/fs/cgroup", group, v2);
        } else if (names(list, controller)) {
            snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
            here = least(root, mount, group, v1);
        }
        found = here < found ? here : found;
    }
    return found;
}

int processors_quota(const char *root) { return group_limit(root, "cpu", quota_1, quota_2); }

int processors_room(const char *root) { return group_limit(root, "pids", room_in, room_in); }

static int allowed(void)
{
    cpu_set_t set;
    long n;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n <= INT_MAX ? (int)n : 1;
}

int processors_usable(void)
{
    int n = allowed();

    /* reading the quota takes some 20 us, and cannot matter for one processor */
    if (n > 1) {
        int quota = processors_quota("");

        n = quota < n ? quota : n;
    }
    return n > 1 ? n : 1;
}

static bool memory_unlimited(void)
{
    struct rlimit space, data;

    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur == RLIM_INFINITY &&
           getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur == RLIM_INFINITY;
}

/* Of the whole system: tasks that run or could, among them the caller, and all that there are. */
static bool count_tasks(uint64_t *running, uint64_t *all)
{
    char text[LINE_BYTES]; /* "0.12 0.34 0.56 2/345 6789" */

    return read_text("", "/proc", "loadavg", text, sizeof text) &&
           /* NOLINTNEXTLINE(cert-err34-c): the system does not write larger numbers */
           sscanf(text, "%*s %*s %*s %ju/%ju", running, all) == 2 && *all > 0;
}

int processors_idle(void)
{
    int n = allowed();
    uint64_t running, all;

    if (n < sysconf(_SC_NPROCESSORS_ONLN) || !count_tasks(&running, &all))
        return n - 1;
    return running < 2 ? n - 1 : running < (uint64_t)n ? n - (int)running : 0;
}

bool processors_have_room(int more)
{
    uint64_t running, tasks, strict = read_number("", "/proc/sys/vm", "overcommit_memory");
    struct rlimit processes;

    return more < TASKS_SAFE && memory_unlimited() && getrlimit(RLIMIT_NPROC, &processes) == 0 &&
           count_tasks(&running, &tasks) && tasks + (uint64_t)more < processes.rlim_cur &&
           tasks + (uint64_t)more < TASKS_SAFE && strict != NO_NUMBER && strict != 2 &&
           processors_room("") > more;
}

void processors_caches(size_t *first, size_t *second)
{
    long l1 = 0, l2 = 0;

#ifdef _SC_LEVEL1_DCACHE_SIZE
    l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    *first = l1 > 0 ? (size_t)l1 : 0;
    *second = l2 > 0 ? (size_t)l2 : 0;
}

bool processors_grant_tiles(void)
{
#ifdef SYS_arch_prctl
    enum { REQUEST = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 /* XCR0's bit */ };

    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
#else
    return false;
#endif
}

void processors_words(unsigned long words[2])
{
    words[0] = getauxval(AT_HWCAP);
    words[1] = getauxval(AT_HWCAP2);
}
