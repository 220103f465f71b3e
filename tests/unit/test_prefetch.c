/* kernel/prefetch.c: which processor gets which policy, and how that is told. */
#include "unit.h"

#include "kernel/prefetch.h"

static void expect(const char *vendor, unsigned family, unsigned model, enum prefetch_policy policy,
                   const char *why)
{
    struct cpu_model cpu = { .family = family, .model = model };
    char text[PREFETCH_WHY];

    memcpy(cpu.vendor, vendor, strlen(vendor));
    prefetch_why(&cpu, text, sizeof text);
    assert_int_equal(prefetch_choose(&cpu).policy, policy);
    assert_memory_equal(text, why, strlen(why));
    assert_true(strlen(text) + 1 < sizeof text); /* whole */
}

TEST(test_processors)
{
    expect("GenuineIntel", 6, 143, PREFETCH_PAGES, "Intel family 6, model 143: it is faster with");
    expect("GenuineIntel", 6, 207, PREFETCH_PAGES,
           "Intel family 6, model 207: it has the same cores");
    expect("AuthenticAMD", 25, 1, PREFETCH_LINES, "AMD family 25, model 1: it reads ahead");
    expect("AuthenticAMD", 25, 17, PREFETCH_LINES, "AMD family 25, model 17: it reads ahead");
    expect("AuthenticAMD", 26, 2, PREFETCH_AHEAD,
           "AMD family 26, model 2: it reads ahead by itself, but");
}

TEST(test_others)
{
    expect("GenuineIntel", 6, 142, PREFETCH_LINES, "Intel family 6, model 142: the default");
    expect("GenuineIntel", 6, 144, PREFETCH_LINES, "Intel family 6, model 144: the default");
    expect("GenuineIntel", 19, 143, PREFETCH_LINES, "Intel family 19, model 143: the default");
    expect("AuthenticAMD", 6, 143, PREFETCH_LINES, "AMD family 6, model 143: the default");
    expect("AuthenticAMD", 27, 2, PREFETCH_LINES, "AMD family 27, model 2: the default");
    expect("CentaurHauls", 4294967295, 4294967295, PREFETCH_LINES,
           "CentaurHauls family 4294967295, model");
    expect("", 0, 0, PREFETCH_LINES, "the default");
}

TEST(test_names)
{
    for (enum prefetch_policy p = PREFETCH_AUTO; p < PREFETCH_COUNT; p++)
        assert_int_equal(prefetch_named(prefetch_name(p)), p);
    assert_int_equal(prefetch_named("line"), PREFETCH_COUNT);
    assert_int_equal(prefetch_resolve(PREFETCH_NONE), PREFETCH_NONE);
    assert_int_equal(prefetch_for_copy(PREFETCH_PAGES, 1), PREFETCH_PAGES);
    assert_int_equal(prefetch_for_copy(PREFETCH_AHEAD, UINT64_MAX), PREFETCH_LINES);
    assert_int_equal(prefetch_for_copy(PREFETCH_AUTO, UINT64_MAX),
                     prefetch_for_copy(prefetch_resolve(PREFETCH_AUTO), 1));
    assert_int_not_equal(prefetch_for_copy(PREFETCH_AUTO, 64 << 20), PREFETCH_PAGES);
    assert_int_equal(prefetch_resolve(PREFETCH_AUTO), prefetch_choose(cpu_model()).policy);
}

/* Rows of B that a product reads by turns: where no cache has them, or where several rows of A make
 * it wait less. */
TEST(test_product)
{
    assert_false(prefetch_for_product(PREFETCH_NONE, 4, UINT64_MAX));
    assert_true(prefetch_for_product(PREFETCH_LINES, 1, 1));
    assert_true(prefetch_for_product(PREFETCH_AHEAD, 1, 1));
    assert_false(prefetch_for_product(PREFETCH_PAGES, 4, UINT64_MAX));
    assert_false(prefetch_for_product(PREFETCH_AUTO, 1, (32 << 20) - 1));
    assert_int_equal(prefetch_for_product(PREFETCH_AUTO, 1, 32 << 20),
                     prefetch_for_product(prefetch_resolve(PREFETCH_AUTO), 1, 1));
    assert_int_equal(prefetch_for_product(PREFETCH_AUTO, 2, 1),
                     prefetch_for_product(PREFETCH_AUTO, 1, 32 << 20));
}

/* The processor at hand, as the kernel of the OS names it, where it does. */
TEST(test_this_processor)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256], vendor[64] = "";
    unsigned family = 0, model = 0;

    while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
        sscanf(line, "vendor_id : %63s", vendor);
        sscanf(line, "cpu family : %u", &family);
        sscanf(line, "model : %u", &model);
    }
    if (f)
        fclose(f);
    if (!vendor[0] || strcmp(vendor, cpu_model()->vendor) != 0)
        skip(); /* another kind of processor, or one that is emulated */
    assert_int_equal(cpu_model()->family, family);
    assert_int_equal(cpu_model()->model, model);
}

int main(void) { return RUN_TESTS(NULL, NULL); }
