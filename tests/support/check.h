/* Check, whose asserts write nothing where they hold. By itself Check notes file and line of each
 * with a system call, for the message of a test that ends by a signal: millions of them where an
 * assert stands in an inner loop. */
#ifndef CGSOLVE_TESTS_SUPPORT_CHECK_H
#define CGSOLVE_TESTS_SUPPORT_CHECK_H

#include <check.h>

#define _mark_point(file, line) ((void)0)

/* Runs a suite, which is released; returns the exit status of the program. */
static inline int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}

#endif
