#ifndef DMLOP_BASE_OPENMP_MESSAGES_H
#define DMLOP_BASE_OPENMP_MESSAGES_H

/*
 * The OpenMP library does not print what it thinks of its environment variables: GCC's does when it
 * is loaded, before main. A program that calls openmp_messages_end has standard error lead nowhere
 * until then, if there are such variables.
 */
void openmp_messages_end(void);

#endif
