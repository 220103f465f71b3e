/* Nothing of it works here; tests that need it are skipped. */
#define wait4(id, status, options, usage) \
    (memset(usage, 0, sizeof *(usage)), (void)(options), *(status) = -1)
#define WIFEXITED(status)   0
#define WEXITSTATUS(status) (status)
