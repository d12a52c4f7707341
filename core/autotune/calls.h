/* Calls of a user's function, which works in a process of its own (kernels/user): y = f(x), as
 * the macros of include/cgsolve/exercise.h hand it x and y. For judges of exercises, who contain
 * what they judge (kernels/plugin/contain.h); a judge that is a program is run by
 * kernels/plugin/compile.h. */
#ifndef CGS_CORE_AUTOTUNE_CALLS_H
#define CGS_CORE_AUTOTUNE_CALLS_H

#include "kernels/plugin/compile.h"
#include "kernels/plugin/contain.h"
#include "kernels/plugin/plugin.h"
#include "kernels/plugin/pulse.h"
#include "matrix/crs.h"

enum {
    CGS_CALL_THREADS = 2
}; /* of each judged function, so that points do not depend on the machine's number */

/* Fails with CGS_DEVICE, and the reason, where there is no GPU. */
enum cgs_status cgs_callee_gpu(struct cgs_context *context);

/* The compiled file, or a kernel of ours, which works in this process. */
struct cgs_callee {
    struct cgs_context *context;
    struct cgs_queue *queue;
    struct cgs_plugin *plugin; /* NULL: of ours */
    const struct cgs_kernel *kernel;
    const struct cgs_mesh *mesh; /* of a kernel of ours without entries; else NULL */
};

/* Compiles the file. CGS_FILE: it does not compile, or is no function of the CPU in double
 * precision. */
enum cgs_status cgs_callee_open(struct cgs_context *context, const char *file,
                                struct cgs_callee *callee);
void cgs_callee_close(struct cgs_callee *callee);

/* A process in which the function is called, for one matrix. */
struct cgs_calls;

/* Starts a process for a matrix, borrowed: that of callee->mesh, if it is not NULL. To be ended
 * also after a failure. CGS_NOT_CONVERGED: the function fails, or declines it. */
enum cgs_status cgs_calls_begin(const struct cgs_callee *callee, const struct cgs_crs *crs,
                                struct cgs_calls **calls);
/* The same for `inputs` numbers x and `outputs` numbers y, without a matrix. */
enum cgs_status cgs_calls_begin_plain(const struct cgs_callee *callee, int64_t outputs,
                                      int64_t inputs, struct cgs_calls **calls);
/* NULL is allowed. */
void cgs_calls_end(struct cgs_calls *calls);

/* y = f(x). CGS_NOT_CONVERGED: it crashes, hangs, or does what it must not. */
enum cgs_status cgs_call(const struct cgs_calls *calls, const double *x, double *y);

/* Sets *seconds to those of `count` calls of a compiled file, measured in their process. Statuses
 * as of cgs_call. */
enum cgs_status cgs_calls_time(const struct cgs_calls *calls, const double *x, double *y, int count,
                               double *seconds);

/* Returns what a call of a kernel of ours moves. */
struct cgs_traffic cgs_calls_traffic(const struct cgs_calls *calls);

#endif
