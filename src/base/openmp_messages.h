#pragma once

/* Silences the OpenMP library's start-up warnings about its environment variables: GCC's library
 * prints them when it is loaded, before main. If such variables are set, standard error of a
 * program that calls openmp_messages_end is redirected to /dev/null until that call. */
void openmp_messages_end(void);
