/* wasi-libc has none, and nothing here needs it: cmocka.h beside this file. */
