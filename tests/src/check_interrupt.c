/* core/io/interrupt: the first signal of a kind is noted, the second one ends the process, also
 * where the first came while signals were held. Check runs each test in a process of its own. */
#include <signal.h>
#include <stdlib.h>

#include "core/io/interrupt.h"
#include "tests/support/support.h"

TEST(first_is_noted)
{
    cgs_interrupt_catch();
    ck_assert(!cgs_interrupted());
    raise(SIGINT);
    ck_assert(cgs_interrupted());
}

SIGNAL_TEST(second_ends, SIGTERM)
{
    cgs_interrupt_catch();
    raise(SIGTERM);
    raise(SIGTERM);
}

/* However many come, and whatever the nesting. */
TEST(held_are_noted)
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

SIGNAL_TEST(held_counts_as_first, SIGINT)
{
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGINT);
    cgs_interrupt_let();
    raise(SIGINT);
}

/* One of another kind is still a first one. */
TEST(other_kind)
{
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGINT);
    cgs_interrupt_let();
    raise(SIGTERM);
    ck_assert(cgs_interrupted());
}

TEST(ignored_stays_ignored)
{
    signal(SIGHUP, SIG_IGN);
    cgs_interrupt_catch();
    cgs_interrupt_hold();
    raise(SIGHUP);
    cgs_interrupt_let();
    raise(SIGHUP);
    ck_assert(!cgs_interrupted());
}

int main(void)
{
    if (getenv("CK_FORK") && getenv("CK_FORK")[0] == 'n')
        exit(77); /* the process would end with the first signal */
    return bed_tests("interrupt", 10);
}
