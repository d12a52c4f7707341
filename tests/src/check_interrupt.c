/* core/io/interrupt: the first signal of a kind is noted, the second one ends the process, also
 * where the first came while signals were held. Check runs each test in a process of its own. */
#include <signal.h>
#include <stdlib.h>

#include "core/io/interrupt.h"
#include "tests/support/support.h"

START_TEST(first_is_noted)
{
    cgs_interrupt_catch();
    ck_assert(!cgs_interrupted());
    raise(SIGINT);
    ck_assert(cgs_interrupted());
}
END_TEST

START_TEST(second_ends)
{
    cgs_interrupt_catch();
    raise(SIGTERM);
    raise(SIGTERM);
}
END_TEST

/* However many come, and whatever the nesting. */
START_TEST(held_are_noted)
{
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    cgs_interrupt_hold();
    raise(SIGINT);
    raise(SIGINT);
    cgs_interrupt_let();
    raise(SIGINT);
    cgs_interrupt_let();
    ck_assert(cgs_interrupted());
}
END_TEST

START_TEST(held_counts_as_first)
{
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGINT);
    cgs_interrupt_let();
    raise(SIGINT);
}
END_TEST

/* One of another kind is still a first one. */
START_TEST(other_kind)
{
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGINT);
    cgs_interrupt_let();
    raise(SIGTERM);
    ck_assert(cgs_interrupted());
}
END_TEST

START_TEST(ignored_stays_ignored)
{
    signal(SIGHUP, SIG_IGN);
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGHUP);
    cgs_interrupt_let();
    raise(SIGHUP);
    ck_assert(!cgs_interrupted());
}
END_TEST

int main(void)
{
    if (getenv("CK_FORK") && getenv("CK_FORK")[0] == 'n')
        exit(77); /* the process would end with the first signal */
    Suite *suite = suite_create("interrupt");
    TCase *tcase = bed_case(suite, "signals", 10.0);
    tcase_add_test(tcase, first_is_noted);
    tcase_add_test_raise_signal(tcase, second_ends, SIGTERM);
    tcase_add_test(tcase, held_are_noted);
    tcase_add_test_raise_signal(tcase, held_counts_as_first, SIGINT);
    tcase_add_test(tcase, other_kind);
    tcase_add_test(tcase, ignored_stays_ignored);
    return bed_run(suite);
}
