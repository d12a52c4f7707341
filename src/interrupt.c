#include "src/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The one global: a signal handler gets no pointer of ours, and this is all that it may touch. */
static volatile sig_atomic_t interrupted;

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}

void cgs_interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    /* Reset by the first: who asks twice is obeyed at once. Restart: no write fails for it. */
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

bool cgs_interrupted(void)
{
    return interrupted != 0;
}
