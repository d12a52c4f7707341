/* The null space of a matrix by rows, vectors v with A v = 0: constants on parts of the rows, or
 * vectors of a file (--nullspace). A x = b has a solution where b is orthogonal to them, and then
 * many: the run's is orthogonal to them, too; with --rhs=random it has u's part along them. */
#pragma once

#include "core/run/run.h"

/* Finds the null space: where the rows of a matrix add up to 0 each, or as --nullspace says, whose
 * file it reads. Alone, constants are those of parts that no entry joins; on several ranks, and of
 * rows that the host does not have, those of all rows. Collective. CGS_USAGE: constants were asked
 * for, and no part of the rows adds up to 0. CGS_FILE: --nullspace's file is wrong. */
enum cgs_status cgs_run_find_nullspace(struct cgs_run *run);
void cgs_run_release_nullspace(struct cgs_run *run);

/* Tests by products that A takes vectors to 0 which entries have not proved. Overwrites CG's x, 0
 * then, and b. CGS_USAGE: it does not. */
enum cgs_status cgs_run_test_nullspace(struct cgs_run *run);

/* Takes b's part along the null space off CG's b, and reports it. One above the tolerance that
 * nobody asked to take off stays, and CG finds that there is no solution. */
enum cgs_status cgs_run_fit_rhs(struct cgs_run *run);

/* Has CG take the mean off its residual where b has none along constants that solve A x = 0, and a
 * preconditioner asks for that. */
enum cgs_status cgs_run_switch_centre(struct cgs_run *run);

/* Makes x orthogonal to the null space, or gives it u's part along it. */
enum cgs_status cgs_run_fit_solution(struct cgs_run *run);
