/* Calls of a user's function, which works in a process of its own (kernels/plugin): y = f(x), as
 * the macros of include/cgsolve/exercise.h hand it x and y. For judges of exercises, which see
 * kernels/plugin through this header alone. */
#pragma once

#include <stdio.h>

#include "kernels/plugin/note.h"
#include "kernels/registry.h"
#include "matrix/crs.h"

/* Threads of each judged function: points do not depend on the number that the machine has. */
enum { CGS_CALL_THREADS = 2 };

/* ---- containment of what is judged (kernels/plugin/contain.h) ---- */

/* Forbids sources, from now on, to include headers beside them: cgs_contain_alone. */
void cgs_callee_alone(void);
/* Returns true if judged code cannot read the user's files. */
bool cgs_callee_is_blind(void);
/* Runs a program that judges the file, contained: cgs_compile_judge. */
enum cgs_status cgs_callee_judge(struct cgs_context *context, const char *file, char *const *words,
                                 double seconds, FILE *printed, FILE *said, int *status);

/* ---- a function ---- */

/* Fails with CGS_DEVICE, and the reason, where there is no GPU. */
enum cgs_status cgs_callee_gpu(struct cgs_context *context);

/* The compiled file, or a kernel of ours, which works in this process. */
struct cgs_callee {
    struct cgs_context *context;
    struct cgs_queue *queue;
    struct cgs_plugin *plugin; /* private; NULL: of ours */
    const struct cgs_kernel *kernel;
    const struct cgs_mesh *mesh; /* of a kernel of ours without entries; else NULL */
};

/* Compiles the file. CGS_FILE: it does not compile, or is no function of the CPU in double
 * precision. */
enum cgs_status cgs_callee_open(struct cgs_context *context, const char *file,
                                struct cgs_callee *callee);
void cgs_callee_close(struct cgs_callee *callee);

/* Return and set what kernels/plugin/plugin.h has of a compiled file: cgs_plugin_calls,
 * cgs_plugin_check_by, cgs_plugin_note. */
const char *cgs_callee_calls(const struct cgs_callee *callee);
void cgs_callee_check_by(const struct cgs_callee *callee, const struct cgs_plugin_check *check);
void cgs_callee_note(const struct cgs_callee *callee, struct cgs_plugin_note *note);

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
