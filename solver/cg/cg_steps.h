/* The steps of an iteration; one that an earlier fused step has covered does nothing. */
#pragma once

#include "solver/cg/cg.h"

enum cgs_status cgs_step_invert(struct cgs_cg *cg);
enum cgs_status cgs_step_norm(struct cgs_cg *cg);
enum cgs_status cgs_step_residual(struct cgs_cg *cg);
enum cgs_status cgs_step_product(struct cgs_cg *cg);
enum cgs_status cgs_step_direction_product(struct cgs_cg *cg);
enum cgs_status cgs_step_update(struct cgs_cg *cg);
enum cgs_status cgs_step_precondition(struct cgs_cg *cg);
enum cgs_status cgs_step_direction(struct cgs_cg *cg);
enum cgs_status cgs_step_conclude(struct cgs_cg *cg);

/* Queues a step by calling `queue`, and announces it to the observer; or appends it to the list. */
enum cgs_status cgs_cg_step(struct cgs_cg *cg, const char *name, const char *formula,
                            struct cgs_moves moves, enum cgs_status (*queue)(struct cgs_cg *));

/* Returns true if fused steps of the operator that do not store q are allowed. The flexible beta
 * needs q, and so does CG of one reduction. */
bool cgs_cg_fused(const struct cgs_cg *cg);

/* Returns true if the direction is made together with the product that follows. */
bool cgs_cg_direction_in_product(const struct cgs_cg *cg);

/* Returns `moves`, or `usual` if `moves` is all zeros. */
struct cgs_moves cgs_moves_or(struct cgs_moves moves, struct cgs_moves usual);

/* Traffic of z = M r and r'z. */
struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner);
