/* Conjugate gradients: the iteration. M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49
 * (1952).
 *
 * Vectors: x r p q, and z with a preconditioner; without one z is r. alpha = r'z / p'q,
 * beta = r'z / old r'z and the stopping test are evaluated where the vectors are, from the sums in
 * cg->state (kernels/cg_state.h): no scalar comes to the host. Once the state has a reason to stop
 * every step is a no-op, so that a solve ends at the exact iteration however many were queued.
 * Iterations with one reduction over all ranks, instead of two or three: cg_merged.c.
 *
 * The comments of the steps give their traffic, vectors read + written: composed of single vector
 * operations | fused by operator or space (cg_steps.c).
 */
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_iterate.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_steps.h"

static enum cgs_status iterate(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_product(cg));       /* q = A p,  p'q                    A + 3+1 | A + 1+1 */
    CGS_TRY(cgs_step_update(cg));        /* x += alpha p, r -= alpha q, r'r      5+2 | 4+2     */
    CGS_TRY(cgs_step_precondition(cg));  /* z = M r,  r'z                    M + 2+0 | M       */
    CGS_TRY(cgs_step_direction(cg));     /* p = z + beta p                       2+1 | 0+1     */
    return cgs_step_conclude(cg);        /* record, count, stopping test           0 | 0       */
}

/* The same iteration for operators that make p inside the product (matrix-free). It begins with the
 * step that ends the iteration above. */
static enum cgs_status iterate_rotated(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_direction_product(cg)); /* p = z + beta p, q = A p, p'q         | 2+1     */
    CGS_TRY(cgs_step_update(cg));            /* x += alpha p, r -= alpha q, r'r  5+2 | 3+2     */
    CGS_TRY(cgs_step_precondition(cg));      /* z = M r,  r'z                M + 2+0 | M       */
    return cgs_step_conclude(cg);            /* record, count, stopping test       0 | 0       */
}

enum cgs_status cgs_cg_iterate_inverse(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_invert(cg));       /* x = M b, b'x                          M      */
    if (!cg->small)
        return cgs_cg_go_on_from_inverse(cg);
    CGS_TRY(cgs_step_norm(cg));         /* ||b - A x||^2                         A + 2+0 */
    return cgs_step_conclude(cg);
}

enum cgs_status cgs_cg_go_on_from_inverse(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_residual(cg));     /* r = b - A x (and r'r), p = x      A + 3+2 (1+0) */
    CGS_TRY(cgs_step_precondition(cg)); /* nothing, if r is small enough */
    if (!cgs_cg_direction_in_product(cg))
        CGS_TRY(cgs_step_direction(cg));
    return cgs_step_conclude(cg);
}

enum cgs_status cgs_cg_iterate(struct cgs_cg *cg)
{
    if (cg->settings.method == CGS_CG_SINGLE_REDUCTION)
        return cgs_cg_iterate_single(cg);
    return cgs_cg_direction_in_product(cg) ? iterate_rotated(cg) : iterate(cg);
}
