#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "os/process.h"

/* All signals that end a program by default: on request, at a limit, or by a fault. SIGBUS: a
 * mapped file was cut short. */
static const int fatal[] = {
    SIGINT,  SIGTERM,   SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
    SIGPROF, SIGVTALRM, SIGSYS, SIGTRAP, SIGBUS,  SIGSEGV, SIGFPE,  SIGILL,  SIGABRT,
};

static void (*at_end)(bool aborted);
static void (*at_fault)(const void *address);
static bool in_fault;               /* a thread is in at_fault, or ends the program after it */
static struct sigaction bus_before; /* the action of SIGBUS before */

static void end_by_signal(int sig)
{
    at_end(sig == SIGABRT);
    /* SA_RESETHAND has restored the default action; delivered when the handler returns */
    (void)raise(sig);
}

/* Faults that at_fault does not know are handled as before. */
static void bus_error(int sig, siginfo_t *info, void *context)
{
    (void)context;
    at_end(false);
    while (__atomic_exchange_n(&in_fault, true, __ATOMIC_ACQ_REL))
        pause(); /* another thread ends the program */
    if (info->si_code > 0)
        at_fault(info->si_addr);
    sigaction(sig, &bus_before, NULL); /* the access is tried again */
    if (info->si_code <= 0)
        (void)raise(sig);
}

void os_on_end(void (*end)(bool aborted), void (*fault)(const void *address))
{
    enum { SIGNALS = sizeof fatal / sizeof *fatal };
    struct sigaction ends = { .sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND };
    struct sigaction bus = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO }, old;

    at_end = end;
    at_fault = fault;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&ends.sa_mask, fatal[i]);
    bus.sa_mask = ends.sa_mask;
    for (size_t i = 0; i < SIGNALS; i++)
        if (fatal[i] == SIGBUS) {
            if (sigaction(SIGBUS, NULL, &bus_before) == 0 && bus_before.sa_handler != SIG_IGN)
                sigaction(SIGBUS, &bus, NULL);
        } else if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(fatal[i], &ends, NULL);
}
