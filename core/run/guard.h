/* Isolation of a solve with a user's kernel: a child process solves while its parent watches, so
 * that a kernel that crashes or hangs cannot take the report with it. */
#pragma once

#include "base/context.h"
#include "kernels/plugin/pulse.h"

struct cgs_plugin; /* kernels/plugin/plugin.h */

/* Work that is left to this process. CGS_GUARD_GO_ON: the solve. CGS_GUARD_DONE: nothing, the
 * child ended by itself, having written its report, with its exit status in *status.
 * CGS_GUARD_LOST: to report the failure CGS_NOT_CONVERGED in the context: the kernel crashed,
 * hung or exited. */
enum cgs_guard { CGS_GUARD_GO_ON, CGS_GUARD_DONE, CGS_GUARD_LOST };

/* If `kernel` names a file: opens it as *plugin, creates *pulse, the shared memory that shows the
 * kernel's progress to the parent, and forks. Call it before the process has a second thread or an
 * open device.
 *
 *   child    returns CGS_GUARD_GO_ON, goes on with the solve and calls cgs_guard_end at its end
 *   parent   forwards signals and waits for the child's end
 *
 * On several ranks each is such a pair, of which the child opens MPI. Without a fork it returns
 * CGS_GUARD_GO_ON if `kernel` is no file, or on a failure, which is in the context. */
enum cgs_guard cgs_guard(struct cgs_context *context, const char *kernel, int device,
                         struct cgs_plugin **plugin, struct cgs_pulse **pulse, int *status);

/* The functions below do nothing if `pulse` is NULL: there is no user's kernel. */

/* Turns a device error after the kernel's first product into a failure of the kernel
 * (CGS_NOT_CONVERGED). */
void cgs_guard_judge(struct cgs_context *context, const char *kernel,
                     const struct cgs_pulse *pulse);

/* Marks the child's end as regular; its last call. */
void cgs_guard_end(struct cgs_pulse *pulse);

/* Tells the parent that the run makes progress, so that the kernel is not taken for hanging. rest:
 * no work of the kernel is pending. */
void cgs_guard_beat(struct cgs_pulse *pulse, bool rest);

/* Save and restore, in the child, the state of the process that a user's kernel may change: working
 * directory, umask, locale, floating-point environment, standard output, signal handlers. Call
 * cgs_guard_lend before the kernel is loaded and cgs_guard_take_back after its last use. */
void cgs_guard_lend(const struct cgs_pulse *pulse);
void cgs_guard_take_back(const struct cgs_pulse *pulse);
