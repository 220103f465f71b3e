/* What every cmocka test includes, in the order that cmocka.h asks for. */
#ifndef DMLOP_TESTS_UNIT_H
#define DMLOP_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
