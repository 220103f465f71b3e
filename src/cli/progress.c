#include "cli/progress.h"

enum { SECOND = 1000000000, FIRST = SECOND, EVERY = SECOND / 5, WIDTH = 79 };

/* "2.5 GB". */
static void size_text(char *text, size_t size, double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    size_t unit = 0;

    for (; bytes >= 1000 && unit + 1 < ARRAY_LEN(units); unit++)
        bytes /= 1000;
    snprintf(text, size, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

/* "3 s", "2 min 5 s". */
static void time_text(char *text, size_t size, double seconds)
{
    unsigned long long s = (unsigned long long)(seconds + 0.5);

    if (s < 60)
        snprintf(text, size, "%llu s", s);
    else if (s < 3600)
        snprintf(text, size, "%llu min %llu s", s / 60, s % 60);
    else
        snprintf(text, size, "%llu h %llu min", s / 3600, s / 60 % 60);
}

static void draw(struct progress *p, double done, double seconds)
{
    char line[WIDTH + 1], have[32], all[32], rate[32], left[32];
    int n;

    size_text(have, sizeof have, done);
    size_text(all, sizeof all, (double)p->total);
    size_text(rate, sizeof rate, done / seconds);
    time_text(left, sizeof left, done > 0 ? ((double)p->total - done) * seconds / done : 0);
    n = snprintf(line, sizeof line, "dmlop: %s: %s of %s, %s/s, %s left", p->dg->command, have, all,
                 rate, left);
    n = n < WIDTH ? n : WIDTH;
    fprintf(p->dg->err, "\r%s%*s", line, p->width > n ? p->width - n : 0, "");
    (void)fflush(p->dg->err);
    p->width = n > p->width ? n : p->width;
}

static void show(struct progress *p, double done)
{
    uint64_t now = clock_ns();

    p->most = done > p->most ? done : p->most;
    if (now < p->next)
        return;
    p->next = now + EVERY;
    if (p->most > 0)
        draw(p, p->most, (double)(now - p->start) / (double)SECOND);
}

/* Called before each message. */
static void clear(void *context)
{
    struct progress *p = context;

    if (p->width == 0)
        return;
    fprintf(p->dg->err, "\r%*s\r", p->width, "");
    (void)fflush(p->dg->err);
    p->width = 0;
}

void progress_start(struct progress *p, struct diag *dg, uint64_t step, uint64_t steps)
{
    uint64_t now = clock_ns();

    *p = (struct progress){
        .dg = dg, .step = step, .total = step * steps, .start = now, .next = now + FIRST
    };
    dg->before_line = clear;
    dg->context = p;
}

void progress_add(struct progress *p, uint64_t bytes)
{
    p->done += bytes;
    show(p, (double)p->done);
}

void progress_tick(void *progress, size_t done, size_t chunks)
{
    struct progress *p = progress;

    show(p, (double)p->done + (double)p->step * ((double)done / (double)chunks));
}

void progress_stop(struct progress *p)
{
    clear(p);
    p->dg->before_line = NULL;
}
