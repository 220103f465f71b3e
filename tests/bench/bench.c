#include "bench.h"

#include <unistd.h>

#include "base/parallel.h"
#include "json/write.h"
#include "machine.h"

enum { ROUNDS_MAX = 101, ROUNDS_LEAST = 3, SAMPLE_TRIES = 5, PASSES = 3 };

#define SAMPLE_NS 300e3   /* a sample repeats what takes less */
#define WAITED_SHARE \
    0.02 /* of a sample's time, and WAITED_NS: so long may its threads wait for a processor */
#define WAITED_NS 20e3
#define OTHERS_SHARE \
    0.1 /* of the processors' time, and OTHERS_S: so much may others use during a case */
#define OTHERS_S 0.03
#define AGAIN_S 20.0      /* so long all that is done again may take */

static struct bench_options options = { .kernel = "auto" };
static const char *name, *wanted = "";
static int rounds;
static double case_s = 2;
static bool json;

/* the program's start, and what it has done again */
static double began_s, others_began_s, again_s;
static int cases, disturbed_cases;

/* Samples in nanoseconds a run; those that nothing disturbed come first. */
struct series {
    double v[ROUNDS_MAX];
    int n, clean;
};

/* One pass over a case. */
struct pass {
    struct series times, yardsticks;
    double others; /* share of the processors' time that others used */
};

static double now_s(void)
{
    return (double)clock_ns() / 1e9;
}

static void usage(void)
{
    fprintf(stderr,
            "usage: bench_%s [-k KERNEL] [-p POLICY] [-r ROUNDS] [-s SECONDS] [-t THREADS] [-j] "
            "[-m] [TEXT]\n",
            name);
    exit(2);
}

const struct bench_options *bench_begin(int argc, char **argv, const char *program,
                                        int usual_rounds)
{
    bool machine_only = false;

    name = program;
    rounds = usual_rounds;
    options.threads = parallel_default_threads();
    for (int option; (option = getopt(argc, argv, "k:p:r:s:t:jm")) != -1;) {
        switch (option) {
        case 'k': options.kernel = optarg; break;
        case 'p': options.prefetch = prefetch_named(optarg); break;
        case 'r': rounds = atoi(optarg); break;
        case 's': case_s = atof(optarg); break;
        case 't': options.threads = atoi(optarg); break;
        case 'j': json = true; break;
        case 'm': machine_only = true; break;
        default: usage();
        }
    }
    if (argc - optind > 1 || rounds < 1 || rounds > ROUNDS_MAX || options.threads < 1 ||
        options.prefetch == PREFETCH_COUNT ||
        options.threads > PARALLEL_MOST)
        usage();
    if (optind < argc)
        wanted = argv[optind];
    machine_print(json);
    if (machine_only)
        exit(0);
    began_s = now_s();
    others_began_s = machine_others_s();
    return &options;
}

int bench_threads_next(int threads)
{
    return threads == 0 ? 1 : threads == 1 && options.threads > 1 ? options.threads : 0;
}

void bench_must(enum status st)
{
    if (st)
        exit((int)st);
}

void *bench_must_have(void *p)
{
    if (!p) {
        fprintf(stderr, "bench_%s: memory is short\n", name);
        exit(ST_SYSTEM);
    }
    return p;
}

static void print_line(const struct bench_case *c, char *line, size_t size)
{
    snprintf(line, size, "%-8s %-20s %-21s %2d", c->type, c->shape, c->what, c->threads);
}

bool bench_wants(const struct bench_case *c)
{
    char line[160];

    print_line(c, line, sizeof line);
    return strstr(line, wanted) != NULL;
}

static double run_ns(void (*run)(void *), void *context, int repeat)
{
    uint64_t start = clock_ns();

    for (int i = 0; i < repeat; i++)
        run(context);
    return (double)(clock_ns() - start);
}

/* Adds a sample, the shortest of several where its threads waited for a processor, until the time
 * is over. */
static void sample(struct series *s, void (*run)(void *), void *context, int repeat, double until_s)
{
    double least = 0;
    bool clean = false;

    for (int i = 0; i < SAMPLE_TRIES && !clean && (i == 0 || now_s() < until_s); i++) {
        uint64_t waited = machine_waited_ns();
        double ns = run_ns(run, context, repeat);

        waited = machine_waited_ns() - waited;
        clean = (double)waited <= WAITED_NS + WAITED_SHARE * ns;
        if (i == 0 || clean || ns < least)
            least = ns;
        if (i > 0)
            again_s += ns / 1e9;
    }
    s->v[s->n] = s->v[s->clean];
    s->v[clean ? s->clean++ : s->n] = least / repeat;
    s->n++;
}

static int repeats_of(void (*run)(void *), void *context)
{
    double ns = run_ns(run, context, 1); /* the first run, untimed otherwise, touches all memory */

    if (ns < SAMPLE_NS)
        ns = run_ns(run, context, 1);
    return ns < SAMPLE_NS ? 1 + (int)(SAMPLE_NS / (ns + 1)) : 1;
}

static void go_through(const struct bench_case *c, int repeat, int yardstick_repeat, struct pass *p)
{
    double start = now_s(), others = machine_others_s(),
           until = start + (again_s < AGAIN_S ? 2 * case_s : 0);

    p->times.n = p->times.clean = p->yardsticks.n = p->yardsticks.clean = 0;
    while (p->times.n < rounds && (p->times.n < ROUNDS_LEAST || now_s() < start + case_s)) {
        if (c->yardstick)
            sample(&p->yardsticks, c->yardstick_run, c->context, yardstick_repeat, until);
        sample(&p->times, c->run, c->context, repeat, until);
    }
    others = machine_others_s() - others;
    p->others = others > OTHERS_S ? others / ((now_s() - start) * machine_processors()) : 0;
}

/* Whether there are too few samples that nothing disturbed. */
static bool is_disturbed(const struct series *s)
{
    return s->clean < (s->n < ROUNDS_LEAST ? s->n : ROUNDS_LEAST);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median of the clean samples, of all where these are too few. */
static double median(struct series *s)
{
    int n = is_disturbed(s) ? s->n : s->clean;

    if (n == 0)
        return 0;
    qsort(s->v, (size_t)n, sizeof s->v[0], by_value);
    return n % 2 ? s->v[n / 2] : (s->v[n / 2 - 1] + s->v[n / 2]) / 2;
}

static void number(struct json_writer *w, const char *key, double v)
{
    char text[32];

    snprintf(text, sizeof text, "%.5g", v);
    json_raw(w, key, text);
}

static void print_json(const struct bench_case *c, const struct pass *p, double ns,
                       double yardstick_rate, bool disturbed)
{
    struct str b = { 0 };
    struct json_writer w = { .out = &b };

    json_open(&w, NULL, "{}");
    json_string(&w, "bench", name);
    json_string(&w, "type", c->type);
    json_string(&w, "shape", c->shape);
    json_string(&w, "what", c->what);
    json_int(&w, "threads", c->threads);
    if (c->kernel)
        json_string(&w, "kernel", c->kernel);
    number(&w, "ms", ns / 1e6);
    number(&w, "rate", c->work / ns);
    json_string(&w, "unit", c->unit);
    if (c->yardstick) {
        json_string(&w, "yardstick", c->yardstick);
        number(&w, "yardstick_rate", yardstick_rate);
        number(&w, "ratio", c->work / ns / yardstick_rate);
        if (c->moved > 0)
            number(&w, "ratio_moved", c->moved / 2 / ns / yardstick_rate);
    }
    json_int(&w, "rounds", p->times.n);
    json_bool(&w, "disturbed", disturbed);
    json_close(&w);
    puts(bench_must_have(b.s));
    str_free(&b);
}

static void print_text(const struct bench_case *c, double ns, double yardstick_rate, bool disturbed)
{
    char line[160];

    print_line(c, line, sizeof line);
    printf("%s  %-10s %9.3f ms %8.4g %s", line, c->kernel ? c->kernel : "", ns / 1e6, c->work / ns,
           c->unit);
    if (c->yardstick)
        printf("  %5.2f of %s's %.1f", c->work / ns / yardstick_rate, c->yardstick, yardstick_rate);
    if (c->yardstick && c->moved > 0)
        printf("  %5.2f by bytes moved", c->moved / 2 / ns / yardstick_rate);
    puts(disturbed ? "  ~" : "");
}

static void measure(void *context)
{
    const struct bench_case *c = context;
    int yardstick_repeat = c->yardstick ? repeats_of(c->yardstick_run, c->context) : 0;
    int repeat = repeats_of(c->run, c->context);
    double ns, yardstick_rate = 0;
    struct pass best, next;
    bool disturbed;

    go_through(c, repeat, yardstick_repeat, &best);
    for (int i = 1; i < PASSES && best.others > OTHERS_SHARE && again_s < AGAIN_S; i++) {
        double start = now_s();

        go_through(c, repeat, yardstick_repeat, &next);
        again_s += now_s() - start;
        if (next.others < best.others)
            best = next;
    }
    disturbed =
        is_disturbed(&best.times) || is_disturbed(&best.yardsticks) || best.others > OTHERS_SHARE;
    cases++;
    disturbed_cases += disturbed;
    ns = median(&best.times);
    if (c->yardstick)
        yardstick_rate = c->yardstick_work / median(&best.yardsticks);
    if (json)
        print_json(c, &best, ns, yardstick_rate, disturbed);
    else
        print_text(c, ns, yardstick_rate, disturbed);
    fflush(stdout);
}

/* In one region, as a command has it. */
void bench_measure(struct bench_case *c)
{
    parallel_region(c->threads, measure, c);
}

int bench_end(void)
{
    double wall = now_s() - began_s,
           others = (machine_others_s() - others_began_s) / (wall * machine_processors());

    if (!json && cases > 0)
        printf("%d cases in %.0f s; others used %.0f %% of the processors; %d cases stayed "
               "disturbed%s\n\n",
               cases, wall, others < 0 ? 0 : others * 100, disturbed_cases,
               disturbed_cases ? " (~)" : "");
    return 0;
}
