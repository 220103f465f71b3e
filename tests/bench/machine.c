#include "machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#include "base/parallel.h"
#include "json/write.h"
#include "kernel/qmatmul/qmatmul.h"
#include "kernel/slice/slice.h"
#include "kernel/topk/topk.h"
#include "op/impl.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* What stands after a key on the first line of a file that begins with it, without blanks and
 * quotes. */
static bool find_line(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    bool found = false;
    FILE *f = fopen(path, "r");

    while (f && !found && fgets(line, sizeof line, f)) {
        size_t n = strlen(key);

        if (strncmp(line, key, n) == 0 && strchr(" \t:=", line[n])) {
            n += strspn(line + n, " \t:=\"");
            line[n + strcspn(line + n, "\"\n")] = '\0';
            snprintf(value, size, "%s", line + n);
            found = true;
        }
    }
    if (f)
        fclose(f);
    return found;
}

static char *processor(void)
{
    static const char path[] = "/proc/cpuinfo";
    char name[128], family[32], model[32], stepping[32];
    struct utsname system;

    if (find_line(path, "cpu family", family, sizeof family) &&
        find_line(path, "model", model, sizeof model) &&
        find_line(path, "stepping", stepping, sizeof stepping) &&
        find_line(path, "model name", name, sizeof name))
        return str_format("%s (family %s, model %s, stepping %s)", name, family, model, stepping);
    if (find_line(path, "CPU implementer", name, sizeof name) &&
        find_line(path, "CPU part", model, sizeof model))
        return str_format("implementer %s, part %s", name, model);
    return str_format("%s", uname(&system) == 0 ? system.machine : "unknown");
}

static char *operating_system(void)
{
    char name[128] = "";
    struct utsname u;

    if (uname(&u) != 0)
        return str_format("unknown");
    find_line("/etc/os-release", "PRETTY_NAME", name, sizeof name);
    return str_format("%s %s%s%s", u.sysname, u.release, name[0] ? ", " : "", name);
}

static const char *kernel_of(enum kernel_list list)
{
    struct diag dg = { .err = stderr, .command = "bench" };
    unsigned i;

    bench_must(op_select_kernel(list, NULL, &i, &dg));
    return kernel_list_row(list, i)->name;
}

int machine_processors(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int processors_allowed(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : machine_processors();
}

static void print_json(const char *cpu, const char *system, const char *date, const double load[3])
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };
    struct cpu_caches caches = cpu_caches();

    json_open(&w, NULL, "{}");
    json_open(&w, "machine", "{}");
    json_string(&w, "processor", cpu);
    json_int(&w, "processors", machine_processors());
    json_int(&w, "processors_allowed", processors_allowed());
    json_int(&w, "threads_by_default", parallel_default_threads());
    json_uint(&w, "first_cache", caches.first);
    json_uint(&w, "second_cache", caches.second);
    json_string(&w, "system", system);
    json_string(&w, "compiler", COMPILER);
    json_open(&w, "kernels", "{}");
    for (enum kernel_list i = 0; i < KERNEL_LISTS; i++)
        json_string(&w, kernel_list_command(i), kernel_of(i));
    json_close(&w);
    json_string(&w, "date", date);
    json_stringf(&w, "load", "%.2f %.2f %.2f", load[0], load[1], load[2]);
    json_close_to(&w, 0);
    if (!b.failed)
        puts(b.s);
    str_free(&b);
}

void machine_print(bool json)
{
    char *cpu = processor(), *system = operating_system(), date[32];
    double load[3] = { 0 };
    time_t now = time(NULL);

    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    if (getloadavg(load, 3) != 3)
        load[0] = load[1] = load[2] = -1;
    if (json) {
        print_json(cpu, system, date, load);
    } else {
        printf("%s, %d of %d processors, %d threads by default\n%s; %s\nkernels:", cpu,
               processors_allowed(), machine_processors(), parallel_default_threads(), system,
               COMPILER);
        for (enum kernel_list i = 0; i < KERNEL_LISTS; i++)
            printf(" %s %s,", kernel_list_command(i), kernel_of(i));
        printf(" load %.2f %.2f %.2f\n", load[0], load[1], load[2]);
    }
    free(cpu);
    free(system);
    fflush(stdout);
}

uint64_t machine_waited_ns(void)
{
    DIR *tasks = opendir("/proc/self/task");
    uint64_t sum = 0;

    for (struct dirent *e; tasks && (e = readdir(tasks));) {
        char name[300], text[96] = "";
        unsigned long long waited;
        int fd;

        snprintf(name, sizeof name, "%s/schedstat", e->d_name);
        fd = e->d_name[0] == '.' ? -1 : openat(dirfd(tasks), name, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 &&
            sscanf(text, "%*u %llu", &waited) == 1)
            sum += waited;
        if (fd >= 0)
            close(fd);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

double machine_others_s(void)
{
    unsigned long long t[8] = { 0 };
    struct rusage own;
    char text[256] = "";
    FILE *f = fopen("/proc/stat", "r");
    bool known = f && fgets(text, sizeof text, f) &&
                 sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
                        &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;

    if (f)
        fclose(f);
    if (!known || getrusage(RUSAGE_SELF, &own) != 0)
        return 0;
    /* user, nice, system, irq, softirq, steal; not idle, iowait */
    return (double)(t[0] + t[1] + t[2] + t[5] + t[6] + t[7]) / (double)sysconf(_SC_CLK_TCK) -
           seconds(own.ru_utime) - seconds(own.ru_stime);
}
