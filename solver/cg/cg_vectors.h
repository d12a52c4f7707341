/* Vectors of CG: all of them, or those of a first iteration that may be the only one. */
#pragma once

#include "solver/cg/cg.h"

/* Returns true if CG begins with b and x alone: x = M b with A's inverse M, and the operator
 * computes ||b - A x|| without writing a vector. */
bool cgs_cg_begins_small(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                         const struct cgs_cg_settings *settings);

/* Makes what CG goes without until it needs a second iteration: allocates the other vectors, where
 * they are not there yet, and computes r = b - A x. Nothing to do where all is there. On all ranks
 * at once. CGS_MEMORY: also if it is more than settings.spare. */
enum cgs_status cgs_cg_complete(struct cgs_cg *cg);

/* Returns true if cgs_cg_complete has failed, so that memory beyond the plan was missing. */
bool cgs_cg_wanted_more(const struct cgs_cg *cg);

/* ---- for the files of CG ---- */

/* Allocates b and x, or all vectors. */
enum cgs_status cgs_cg_alloc_first(struct cgs_cg *cg);
/* Allocates the others, where they are not there yet. */
enum cgs_status cgs_cg_alloc_rest(struct cgs_cg *cg);
void cgs_cg_free_vectors(struct cgs_cg *cg);

/* Bytes of the vectors that a second iteration takes beside those of the first. */
int64_t cgs_cg_later_bytes(int64_t vector_bytes, int work_vectors);
