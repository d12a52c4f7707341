/* Steps that the sources of rows, box, file and caller, have in common. */
#pragma once

#include "core/run/run.h"

/* Begins a phase of the time that the report shows. */
void cgs_run_enter(struct cgs_run *run, enum cgs_phase phase);

/* Opens the source of the rows (run->input) and sets run->drawn. */
enum cgs_status cgs_run_open_input(struct cgs_run *run, const struct cgs_market_settings *settings);

/* Allocates run->host unless done before. */
enum cgs_status cgs_run_take_host(struct cgs_run *run);

/* Copy run->host to a vector of CG, and back; counted as transfer. */
enum cgs_status cgs_run_put(struct cgs_run *run, void *vector);
enum cgs_status cgs_run_get(struct cgs_run *run, const void *vector);

/* Computes b = A x with CG's vectors b and x. */
enum cgs_status cgs_run_multiply(struct cgs_run *run);

/* Computes once the least and the largest diagonal entry for the report. The largest bounds all
 * entries of an SPD matrix. */
enum cgs_status cgs_run_note_range(struct cgs_run *run);

/* CGS_BREAKDOWN: a vector is too small or too large for single precision, in which the run holds
 * it. */
enum cgs_status cgs_run_check_single(struct cgs_run *run, const char *name, const double *vector);

/* Adds the matrix file's name to the message of the failure. */
void cgs_run_name_file(struct cgs_run *run);

/* Writes the file of --save-matrix; on several ranks, of which each has a part of a file, before
 * the rows are renumbered. */
enum cgs_status cgs_run_save_matrix(struct cgs_run *run);

/* Returns the number of rows of the whole matrix. */
int64_t cgs_run_all_rows(const struct cgs_run *run);

/* Returns the number in the file, or of the box, of this rank's row i. */
int64_t cgs_run_row(const struct cgs_run *run, int64_t i);

/* Returns the number of this rank's first row. */
int64_t cgs_run_first_row(const struct cgs_run *run);

/* Returns true if bandwidths, products and memory are measured for the report: always in the
 * program, on request in the library. */
bool cgs_run_measures(const struct cgs_run *run);
