/* How long a run would take, from what a moment of measuring tells: --plan's seconds. */
#ifndef CGS_SRC_PLAN_PREDICT_H
#define CGS_SRC_PLAN_PREDICT_H

#include "src/options/options.h"
#include "src/plan/forecast.h"
#include "src/setup/measure.h"

struct cgs_prediction {
    double link_gbs; /* from host to device, measured now; 0 where they are one */

    /* before the first iteration */
    bool on_device;          /* matrix and load vector are computed there: nothing to transfer */
    double assemble_seconds; /* layout, entries and load vector: what the
                                report of a run calls assemble and convert */
    double transfer_seconds; /* pinning, matrix and vectors over the link; vectors within a host */
    double prepare_seconds;  /* all of it: on the way to a device copies and assembly overlap */

    /* an iteration: its bytes at the attainable bandwidth of the nearest kind */
    double iteration_bytes, attainable_gbs;
    const char *attainable_kind;
    bool cached; /* matrix and vectors fit in the last-level cache */
    double iteration_seconds;

    /* at most so many iterations, --max-iterations counted */
    int64_t iterations_bound;
    double condition;  /* what the bound comes from: at least that of M A */
    int64_t iterations_expected; /* of multigrid, at its usual rate; 0: unknown */
    char no_bound[96]; /* why both are unknown, and 0; "" where they are known */
};

/* `laid`: a file's matrix, laid out; NULL: the box.
 * From the bandwidths of the host, and of the memory where the matrix will be (measured just now),
 * and from samples of assembly and link that take a few tenths of a second and a small part of
 * `room`. Meant for --plan alone. */
enum cgs_status cgs_predict(struct cgs_context *context, const struct cgs_options *options,
                            const struct cgs_machine *machine, const struct cgs_matrix *laid,
                            const struct cgs_room *room, const struct cgs_bandwidth *host,
                            const struct cgs_bandwidth *memory, struct cgs_prediction *prediction);

/* Fills in iterations, condition, no_bound (predict_iterations.c). */
void cgs_predict_iterations(const struct cgs_options *options, struct cgs_prediction *prediction);

/* Condition number of the Q1 matrix on the plain cube, in closed form. */
double cgs_cube_condition(int64_t n, enum cgs_quadrature quadrature);

/* Iterations after which CG in exact arithmetic has reduced the residual's 2-norm by `tolerance`.
 */
double cgs_cg_bound(double condition, double tolerance);

#endif
