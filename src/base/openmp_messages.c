#include "base/parallel.h"

#ifdef _OPENMP

#include <fcntl.h>
#include <unistd.h>

#include "base/process.h"
#include "os/file.h"
#include "os/process.h"

static bool has_variables(void)
{
    static const char *const prefixes[] = { "OMP_", "GOMP_", "KMP_" };

    for (char **e = environ; e && *e; e++)
        for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0)
                return true;
    return false;
}

/* Runs before GCC's library is initialized if it is linked statically, and before parallel.c sets a
 * variable. LLVM's library reads its variables at its first use. */
__attribute__((constructor(101))) static void openmp_messages_begin(void)
{
    static const char *const reports[] = { "OMP_DISPLAY_ENV", "OMP_DISPLAY_AFFINITY",
                                           "KMP_SETTINGS", "KMP_VERSION" };
    int nowhere;

    if (!has_variables())
        return;
    for (size_t i = 0; i < ARRAY_LEN(reports); i++)
        unsetenv(reports[i]);
    setenv("KMP_WARNINGS", "0", 1);
    nowhere = os_open(AT_FDCWD, "/dev/null", OS_WRITE);
    process.standard_error = os_duplicate(STDERR_FILENO);
    if (nowhere >= 0 && process.standard_error >= 0)
        dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0)
        close(nowhere);
}

void openmp_messages_end(void)
{
    if (process.standard_error <= 0)
        return;
    dup2(process.standard_error, STDERR_FILENO);
    close(process.standard_error);
    process.standard_error = 0;
}

#else

void openmp_messages_end(void) {}

#endif
