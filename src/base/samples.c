#include "base/samples.h"

#include <math.h>

#include "base/mem.h"

bool samples_add(struct samples *s, uint64_t ns)
{
    if (!mem_reserve(&s->v, s->n, &s->cap, sizeof *s->v))
        return false;
    s->v[s->n++] = ns;
    s->total += ns;
    return true;
}

int samples_ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The quantile `quarters` / 4 of the sorted samples. */
static uint64_t quantile(const uint64_t *sorted, size_t n, size_t quarters)
{
    size_t at = (n - 1) * quarters, low = at / 4;
    uint64_t step = at % 4 ? sorted[low + 1] - sorted[low] : 0;

    return sorted[low] + step * (at % 4) / 4;
}

bool samples_summarize(const uint64_t *v, size_t n, struct samples_summary *s)
{
    uint64_t *sorted, reach, sum = 0;
    double mean, squares = 0;

    *s = (struct samples_summary){ 0 };
    if (n == 0)
        return true;
    sorted = mem_alloc(n, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, samples_ascending);
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    mean = (double)sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
    s->min = sorted[0];
    s->max = sorted[n - 1];
    s->mean = sum / n;
    s->median = quantile(sorted, n, 2);
    s->quartile_1 = quantile(sorted, n, 1);
    s->quartile_3 = quantile(sorted, n, 3);
    s->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    reach = (s->quartile_3 - s->quartile_1) * 3 / 2;
    for (size_t i = 0; i < n; i++)
        s->outliers += sorted[i] > s->quartile_3 + reach || sorted[i] + reach < s->quartile_1;
    free(sorted);
    return true;
}
