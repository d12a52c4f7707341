/* SIGINT and SIGTERM: the first asks the run to end soon, with the report so far; the second one of
 * a kind ends the process at once. */
#ifndef CGS_SRC_INTERRUPT_H
#define CGS_SRC_INTERRUPT_H

#include <stdbool.h>

/* From here on. A signal that was ignored, as nohup and shells do, stays ignored. */
void cgs_interrupt_catch(void);

/* Whether one has come. */
bool cgs_interrupted(void);

#endif
