/* Right, but its process is never to end: a handler of exit() and a destructor that go on for
 * ever, and no signal that could be caught ends it. */
#include "user_kernel.h"
#include <signal.h>
#include <unistd.h>

static void stay(void)
{
    for (;;)
        pause();
}

__attribute__((constructor)) static void begin(void)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    atexit(stay);
}

__attribute__((destructor)) static void end(void)
{
    stay();
}

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    return 0;
}

USER_KERNEL("stays")
