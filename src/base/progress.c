#include "base/progress.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

enum { SECOND = 1000000000, FIRST = SECOND, EVERY = SECOND / 5, WIDTH = 79 };

static struct {
    FILE *out; /* NULL: nothing is shown */
    const char *command;
    uint64_t total, done, start, next;
    double most; /* bytes done that were told of */
    bool known_terminal;
    int width; /* characters on the terminal now */
} progress;

void progress_start(FILE *out, const char *command, uint64_t total)
{
    progress.out = out;
    progress.command = command;
    progress.total = total;
    progress.done = 0;
    progress.most = 0;
    progress.start = clock_ns();
    progress.next = progress.start + FIRST;
    progress.known_terminal = false;
    progress.width = 0;
}

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

static void draw(double done, double seconds)
{
    char line[WIDTH + 1], have[32], all[32], rate[32], left[32];
    int n;

    size_text(have, sizeof have, done);
    size_text(all, sizeof all, (double)progress.total);
    size_text(rate, sizeof rate, done / seconds);
    time_text(left, sizeof left, done > 0 ? ((double)progress.total - done) * seconds / done : 0);
    n = snprintf(line, sizeof line, "dmlop: %s: %s of %s, %s/s, %s left", progress.command, have, all, rate, left);
    n = n < WIDTH ? n : WIDTH;
    fprintf(progress.out, "\r%s%*s", line, progress.width > n ? progress.width - n : 0, "");
    (void)fflush(progress.out);
    progress.width = n > progress.width ? n : progress.width;
}

static void show(double done)
{
    uint64_t now;

    if (!progress.out)
        return;
    progress.most = done > progress.most ? done : progress.most;
    now = clock_ns();
    if (now < progress.next)
        return;
    if (!progress.known_terminal && !isatty(fileno(progress.out))) {
        progress.out = NULL;
        return;
    }
    progress.known_terminal = true;
    progress.next = now + EVERY;
    if (progress.most > 0)
        draw(progress.most, (double)(now - progress.start) / SECOND);
}

void progress_add(uint64_t bytes)
{
    progress.done += bytes;
    show((double)progress.done);
}

void progress_tick(uint64_t bytes, size_t part, size_t parts)
{
    show((double)progress.done + (double)bytes * ((double)part / (double)parts));
}

void progress_clear(void)
{
    if (progress.width == 0)
        return;
    fprintf(progress.out, "\r%*s\r", progress.width, "");
    (void)fflush(progress.out);
    progress.width = 0;
}

void progress_stop(void)
{
    progress_clear();
    progress.out = NULL;
}
