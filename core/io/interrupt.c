#include "core/io/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The globals: a signal handler gets no pointer of ours, and the flag is all that it may touch. */
static volatile sig_atomic_t interrupted;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before_hold[SIGNALS];
static int holds;
static volatile sig_atomic_t held[SIGNALS]; /* which ones came while they were held */

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void note_held(int signal)
{
    interrupted = 1;
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == signal)
            held[i] = 1;
}

/* Handles all signals but those that are ignored (nohup); keeps what was, if wanted. Restart: no
 * write fails for a signal. */
static void handle(void (*handler)(int), int flags, struct sigaction *kept)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
        if (kept)
            kept[i] = before;
    }
}

void cgs_interrupt_catch(void)
{
    if (holds == 0)
        handle(note, (int)SA_RESETHAND, NULL); /* by the first: who asks twice is obeyed at once */
}

void cgs_interrupt_hold(void)
{
    if (holds++ == 0)
        handle(note_held, 0, before_hold);
}

void cgs_interrupt_let(void)
{
    if (--holds > 0)
        return;
    for (int i = 0; i < SIGNALS; i++) {
        if (held[i] && before_hold[i].sa_handler == note)
            before_hold[i].sa_handler = SIG_DFL; /* that was the first one of its kind */
        held[i] = 0;
        sigaction(signals[i], &before_hold[i], NULL);
    }
}

bool cgs_interrupted(void)
{
    return interrupted != 0;
}
