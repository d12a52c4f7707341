/* Vectors of a run that come from files. */
#pragma once

#include "core/report/planning.h"
#include "core/run/run.h"

/* Reads the vector of the file of an option, as "\1rhs", which has `rows` rows, or with `columns`
 * several, one after the other. If the matrix has as many rows, those of this rank are kept. The
 * block of cgs_alloc is owned by the caller. CGS_FILE: the file cannot be read, or does not fit. */
enum cgs_status cgs_run_read_vectors(struct cgs_run *run, const char *option, const char *file,
                                     int64_t rows, int64_t *columns, double **vectors);

/* Reads this rank's rows of the file of --rhs into *b, a block of cgs_alloc, to be freed after
 * errors, too, unless it is NULL. *columns: the number of vectors, one after the other; NULL: only
 * one is taken. CGS_FILE: the file cannot be read, or does not fit. CGS_BREAKDOWN: its numbers
 * underflow in single precision. */
enum cgs_status cgs_run_read_rhs(struct cgs_run *run, int64_t *columns, double **b);

/* Reads the head of a file of --rhs for a matrix of so many rows. A pipe is left alone and taken to
 * have one vector. CGS_FILE: the file cannot be read, or does not fit. */
enum cgs_status cgs_run_head_rhs(struct cgs_context *context, const char *file, int64_t rows,
                                 struct cgs_rhs_size *size);

/* Returns the size of this run's; all 0 if a matrix by rows has none. An error is left to the
 * reading of the file. */
struct cgs_rhs_size cgs_run_foresee_rhs(struct cgs_run *run);

/* Reads the file of --nullspace, a column a vector; owned by the caller. */
enum cgs_status cgs_run_read_nullspace(struct cgs_run *run, int64_t *columns, double **vectors);

/* Reads the file of --guess, if there is one, into run->start. */
enum cgs_status cgs_run_read_start(struct cgs_run *run);

/* Copies run->start to CG's solution vector. */
enum cgs_status cgs_run_put_start(struct cgs_run *run);
