/* The machine that a benchmark runs on, and who else uses it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Prints processor, processors that may be used, system, compiler, kernels, load; json: as one line
 * of JSON. */
void machine_print(bool json);

/* Nanoseconds that threads of this process were ready to run and waited for a processor; 0 where
 * the system does not say. */
uint64_t machine_waited_ns(void);

/* Seconds that other processes, and a virtual machine's host, have used processors; 0 where the
 * system does not say. In ticks of a hundredth or so. */
double machine_others_s(void);

/* Processors that are there. */
int machine_processors(void);
