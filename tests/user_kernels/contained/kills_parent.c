/* Ends the program, which is its parent; a signal to itself is allowed. */
#include "attempt.h"
#include <signal.h>

static const char *attempt(void)
{
    if (kill(getpid(), 0) != 0)
        return "it could not signal itself";
    if (kill(getppid(), SIGTERM) == 0)
        return "it sent a signal to its parent";
    return forbidden() ? NULL : "it could not signal its parent for another reason";
}

USER_ATTEMPT("kills_parent")
