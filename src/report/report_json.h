/* Parts of a solve's JSON report that have a file of their own. */
#ifndef CGS_SRC_REPORT_REPORT_JSON_H
#define CGS_SRC_REPORT_REPORT_JSON_H

#include "src/io/json.h"
#include "src/run/report.h"

/* The object `plan` of --plan:
 *     lines[]     what, place ("host" or "device"), bytes
 *     host, device (where there is one)   bytes, free: planned, and what may be taken
 *     fits        whether it does
 *     largest_N   the largest N that fits, all else as asked; 0: none (the box only)
 *     variants[]  other ways to run: options, fits (the N asked for, the file's matrix), largest_N */
json_t *cgs_json_plan(const struct cgs_report *report);

/* Adds the keys of algebraic multigrid (report_amg.c). */
void cgs_json_amg(json_t *object, const struct cgs_precond_facts *facts);

/* Adds host, device (where there is one), backend, backend_reason (report_machine.c). */
void cgs_put_machine(json_t *root, const struct cgs_report *report);

/* The object `choice` of --kernel=auto: chosen, measured, products, candidates[], explanation[]. */
json_t *cgs_json_choice(const struct cgs_selection *choice);
/* The object `problem` of a matrix from a file (report_file.c). */
json_t *cgs_json_file(const struct cgs_report *report);

/* The array `profile` of --profile (report_profile.c): an object for each step of an iteration, in
 * order, then what is left over. The seconds of all add up to seconds.solve.
 *     step       product_dot, update, direction, ... (solver/cg/cg_steps.c); of several iterations that
 *                went to the device as one: iteration
 *     formula    what it computes
 *     bytes      that one call must move, on average
 *     calls      as many as solver.iterations
 *     seconds    of all calls
 *     gbs, attainable_gbs, attainable_kind, roofline    as in throughput; where bytes are moved
 * Left over are, with seconds and
 *     step = past_the_end   calls: iterations queued before it was known that CG was done, and one
 *                           that broke down; where there are any
 *     step = start          the pass of --guess=fmg
 *     step = rest           looks of the host, waits between steps that nobody had queued */
json_t *cgs_json_profile(const struct cgs_report *report);

/* The array `pictures` (report_pictures.c), of those that have been written: file, kind, and
 *     kind = vtkhdf    fields[], nodes, file_bytes
 *     kind = slice     axis, position, field, least, most */
json_t *cgs_json_pictures(const struct cgs_report *report);

/* Adds l2, nodal_l2, max, h1, energy, as far as they are there. */
void cgs_put_errors(json_t *object, const struct cgs_errors *errors, const struct cgs_mesh *mesh);

/* The object `start` of --guess=fmg (report_start.c): guess, cycles (on each grid), setup_seconds (of
 * grids that the preconditioner does not share), seconds (of the pass), relative_residual, and the
 * error norms as in `error`, of what CG starts from. */
json_t *cgs_json_start(const struct cgs_report *report);

/* The object `preconditioning` (report_precond.c): setup_seconds; degree of Chebyshev and mg;
 * eigenvalue_low, eigenvalue_high of Chebyshev's polynomial; of mg cycle_precision, cycle_bytes (that a
 * cycle moves), coarsest_rows, grid_complexity and operator_complexity (unknowns and entries of all
 * grids / those of the finest), and
 *     levels[]   n, grid_unknowns, grid_nonzeros, matrix_bytes (read by a product), grid_bytes (taken
 *                beside CG's own), grid_cycle_bytes (that a cycle moves on it), grid_cycle_seconds
 *                (--profile: timed after the solve, cycles from this grid on less those from the
 *                next), eigenvalue_bound (of D^-1 A), bound: proven (from the cell's matrix),
 *                estimated (steps of CG), coarser (that of coarser grids) */
json_t *cgs_json_preconditioning(const struct cgs_report *report);

/* The object `solves` (report_cost.c): count (--solves), median_seconds, min_seconds, max_seconds of a
 * solve, once_seconds (matrix, operators, preconditioner, CG's vectors), amortized_seconds (median, and
 * what is made once spread over the solves). */
json_t *cgs_json_solves(const struct cgs_report *report);

/* Adds, where they are known: mesh_accuracy, with energy_error_of_mesh (of the discretisation),
 * after_iterations, after_seconds (preconditioner's set-up, and so many iterations), as soon as the
 * algebraic error was below it; error_history[], the algebraic error of every iteration, estimated,
 * over that of the mesh. */
void cgs_put_accuracy(json_t *root, const struct cgs_report *report);

/* shortest, mean, longest, deviation, empty. */
json_t *cgs_json_row_lengths(const struct cgs_row_statistics *statistics);

#endif
