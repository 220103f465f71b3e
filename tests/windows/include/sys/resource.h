/* Nothing of it works here; tests that need it are skipped. */
struct rusage {
    long ru_maxrss;
};
