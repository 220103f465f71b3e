#include "os/processors.h"

#include "os/windows/handle.h"

/* The processors of the groups that the process runs on: one of up to 64 of them before Windows 11
 * and Server 2022, all of them since. */
static DWORD processors_of_groups(void)
{
    USHORT groups[32], count = sizeof groups / sizeof *groups;
    DWORD n = 0;

    if (!GetProcessGroupAffinity(GetCurrentProcess(), &count, groups))
        return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    for (USHORT i = 0; i < count; i++)
        n += GetActiveProcessorCount(groups[i]);
    return n;
}

int processors_usable(void)
{
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate;
    DWORD_PTR allowed = 0, all = 0;
    DWORD n = processors_of_groups();
    enum { HARD = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP };

    /* without a mask the process runs on several groups */
    if (GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all) && allowed && allowed != all)
        n = (DWORD)__builtin_popcountll(allowed);
    if (QueryInformationJobObject(NULL, JobObjectCpuRateControlInformation, &rate, sizeof rate,
                                  NULL) &&
        (rate.ControlFlags & HARD) == HARD && rate.CpuRate > 0 && rate.CpuRate < 10000)
        n = (n * rate.CpuRate + 9999) / 10000; /* hundredths of a percent of all processors */
    return n > 1 ? (int)n : 1;
}

int processors_idle(void) { return processors_usable() - 1; }

bool processors_have_room(int more) { return true; /* no limit on threads */ }

void processors_caches(size_t *first, size_t *second)
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION v[1024];
    DWORD bytes = sizeof v;

    *first = *second = 0;
    if (!GetLogicalProcessorInformation(v, &bytes))
        return;
    for (size_t i = 0; i < bytes / sizeof *v; i++)
        if (v[i].Relationship == RelationCache && v[i].Cache.Type != CacheInstruction) {
            if (v[i].Cache.Level == 1)
                *first = v[i].Cache.Size;
            else if (v[i].Cache.Level == 2)
                *second = v[i].Cache.Size;
        }
}

bool processors_grant_tiles(void)
{
    enum { TILE_DATA = 18 /* XCR0's bit */ };
    BOOL(WINAPI * enable)(DWORD64);
    FARPROC p =
        GetProcAddress(GetModuleHandleW(L"kernel32"), "EnableProcessOptionalXStateFeatures");

    if (!p)
        return false;
    memcpy(&enable, &p, sizeof enable);
    return enable(1ull << TILE_DATA);
}
