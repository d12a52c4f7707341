/* A solve with a kernel of the user's own: it runs in a process that this one watches, so that what
 * the kernel does to its process, it does not do to the report. */
#ifndef CGS_SRC_RUN_GUARD_H
#define CGS_SRC_RUN_GUARD_H

#include "base/context.h"
#include "kernels/user/pulse.h"

struct cgs_foreign; /* kernels/user/foreign.h */

/* Where `kernel` names a file: opens it (*foreign; *pulse, by which its watcher sees what it does) and divides the process
 * in two, before there is a second thread or a device. The one that solves returns false, to go on
 * as if nothing had happened, and ends by cgs_guard_end. The other one waits for it, and passes
 * signals on. It returns true where the first has said all that is to be said, with its exit status
 * in *status; and false where the kernel crashed, hung or left, as a failure of the context
 * (CGS_NOT_CONVERGED), to be reported by a solve that has failed already. Without such a kernel, or
 * after a failure: false. */
bool cgs_guard(struct cgs_context *context, const char *kernel, int device,
               struct cgs_foreign **foreign, struct cgs_pulse **pulse, int *status);

/* Of the functions below, `pulse` is NULL where there is no such kernel: nothing is done. */

/* A device that fails after the kernel has been at work on it is the kernel's failure: makes it so.
 */
void cgs_guard_judge(struct cgs_context *context, const char *kernel,
                     const struct cgs_pulse *pulse);

/* The last thing that the process which solves does: from here on it comes to its own end. */
void cgs_guard_end(struct cgs_pulse *pulse);

/* The run goes on: the kernel, if there is one, is not what takes the time. `rest`: nothing of the
 * kernel's is under way any more. */
void cgs_guard_beat(struct cgs_pulse *pulse, bool rest);

/* In the process that solves with a user's kernel, before the kernel is loaded and when it is done with: folder,
 * umask, locale, rounding, standard streams and handlers of signals are what they were. Elsewhere nothing. */
void cgs_guard_lend(const struct cgs_pulse *pulse);
void cgs_guard_take_back(const struct cgs_pulse *pulse);

#endif
