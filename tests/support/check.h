/* Check, whose asserts write nothing where they hold. By itself Check notes file and line of each
 * with a system call, for the message of a test that ends by a signal: millions of them where an
 * assert stands in an inner loop. */
#ifndef CGSOLVE_TESTS_SUPPORT_CHECK_H
#define CGSOLVE_TESTS_SUPPORT_CHECK_H

#include <check.h>

#include "base/plain.h"

#define _mark_point(file, line) ((void)0)

/* 1 in the emulator and under sanitizers, where all is some ten times as slow: cases are fewer and
 * small. (Clang, which watches for races, says so by __has_feature alone.) */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined CGS_TEST_EMULATED || defined __SANITIZE_ADDRESS__ || __has_feature(thread_sanitizer)
enum { CHECK_SMALL = 1 };
#else
enum { CHECK_SMALL = 0 };
#endif

/* A test of this program, which lists itself. TEST(name) { ... } runs once, LOOP_TEST(name, end)
 * { ... } for _i = 0 ... end - 1, SIGNAL_TEST(name, signal) { ... } must end by that signal. `end`
 * is an expression that main computes. Constructors make the list: they stand in the source of the
 * program itself, of which a linker drops nothing. */
struct test {
    TTest test;
    int (*end)(void);
    int signal;
    struct test *next;
};

/* The tests of this file, by lines. */
static struct test *first_test;

static inline void test_list(struct test *test)
{
    struct test **at = &first_test;
    while (*at && (*at)->test.line < test->test.line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

#define TEST_OF(name, end, signal)                                                                 \
    static void name##_test(int _i);                                                               \
    static int name##_end(void)                                                                    \
    {                                                                                              \
        return (int)(end);                                                                         \
    }                                                                                              \
    __attribute__((constructor)) static void name##_list(void)                                     \
    {                                                                                              \
        static struct test test = {                                                                \
            {#name, name##_test, __FILE__, __LINE__}, name##_end, signal, NULL};                   \
        test_list(&test);                                                                          \
    }                                                                                              \
    static void name##_test(int _i __attribute__((unused)))
#define TEST(name) TEST_OF(name, 1, 0)
#define LOOP_TEST(name, end) TEST_OF(name, end, 0)
#define SIGNAL_TEST(name, signal) TEST_OF(name, 1, signal)

/* A suite of the tests of this file. Each is a case (CK_RUN_CASE=its name runs it alone), has
 * `seconds`, and runs between `open` and `close` where these are not NULL. */
static inline Suite *suite_of(const char *name, double seconds, SFun open, SFun close)
{
    Suite *suite = suite_create(name);
    for (const struct test *test = first_test; test; test = test->next) {
        TCase *tcase = tcase_create(test->test.name);
        tcase_add_checked_fixture(tcase, open, close);
        tcase_set_timeout(tcase, seconds);
        _tcase_add_test(tcase, &test->test, test->signal, 0, 0, test->end());
        suite_add_tcase(suite, tcase);
    }
    return suite;
}

/* Runs a suite, which is released; returns the exit status of the program. */
static inline int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}

static inline int run_tests(const char *name, double seconds, SFun open, SFun close)
{
    cgs_name_options(); /* as the program does */
    return suite_run(suite_of(name, seconds, open, close));
}

#endif
