/* SIGINT, SIGTERM and SIGHUP: the first asks the run to end soon, with the report so far; the
 * second one of a kind ends the process at once. */
#pragma once

#include <stdbool.h>

/* Notes interrupts from here on; does nothing while they are held. A signal that was ignored, as
 * by nohup and shells, stays ignored. */
void cgs_interrupt_catch(void);

/* Begin and end a stretch, which may be nested, in which an interrupt is only noted, be it the
 * second: while a file is there that would be left behind. */
void cgs_interrupt_hold(void);
void cgs_interrupt_let(void);

/* Returns true if an interrupt has come. */
bool cgs_interrupted(void);
