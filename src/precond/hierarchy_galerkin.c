/* --coarse=galerkin: from the finest grid's matrix A_0, whatever CG's format, down to the coarsest grid
 *
 *     A_(l+1) = P_l' (A_l P_l),   P_l: the interpolation of kernels/grid.h as a matrix
 *
 * where the backend computes; each is fetched and becomes that grid's operator, in CRS, in the cycle's
 * numbers. Of grids that nest a row of A_l has 27 entries, as a rediscretised one has. Else two coarse
 * functions that only touch share a fine cell: up to 5^3 entries on the next grid, 7^3 below.
 */
#include "base/clock.h"
#include "kernels/grid/prolongation.h"
#include "src/precond/galerkin.h"
#include "src/precond/hierarchy.h"

/* From the matrix *a of a grid of n unknowns in each direction to that of the next one, of m. */
static enum cgs_status coarsen(const struct cgs_galerkin *galerkin, const struct cgs_assembly_ops *box,
                               int64_t n, int64_t m, struct cgs_sparse *a)
{
    const struct cgs_sparse_ops *sparse = galerkin->sparse;
    struct cgs_queue *queue = galerkin->machine->queue;
    const struct cgs_prolongation grids = {.n = n, .m = m};
    const struct cgs_row_source rows = cgs_prolongation_source(&grids);
    struct cgs_sparse p, r, coarse;
    CGS_TRY(cgs_galerkin_draw(galerkin, box, &rows, &p));
    const enum cgs_status status = cgs_galerkin_project(galerkin, a, &p, &r, &coarse);
    sparse->release(queue, &p);
    CGS_TRY(status);
    sparse->release(queue, &r);
    sparse->release(queue, a);
    *a = coarse;
    return CGS_OK;
}

/* The operator of grid l, and its diagonal. */
static enum cgs_status take(const struct cgs_galerkin *galerkin, const struct cgs_crs *crs,
                            struct cgs_level *level)
{
    const struct cgs_row_source rows = cgs_crs_source(crs);
    CGS_TRY(cgs_galerkin_operator(galerkin, &rows, &level->op, &level->product));
    return cgs_jacobi_create(galerkin->machine->queue, &level->op, &rows, &level->jacobi);
}

static enum cgs_status descend(const struct cgs_galerkin *galerkin, const struct cgs_assembly_ops *box,
                               struct cgs_hierarchy *h, struct cgs_sparse *a)
{
    struct cgs_context *context = galerkin->machine->queue->context;
    for (int l = 1; l < h->count; l++) {
        const double begin = cgs_now();
        CGS_TRY(coarsen(galerkin, box, h->level[l - 1].mesh.n, h->level[l].mesh.n, a));
        CGS_TRY(galerkin->sparse->fetch(galerkin->machine->queue, a, &h->coarsest));
        h->galerkin_seconds += cgs_now() - begin;
        CGS_TRY(take(galerkin, &h->coarsest, &h->level[l]));
        if (l < h->count - 1)
            cgs_crs_release(context, &h->coarsest);
    }
    return CGS_OK;
}

enum cgs_status cgs_hierarchy_project(const struct cgs_spec *spec,
                                      const struct cgs_machine *machine, enum cgs_number number,
                                      struct cgs_hierarchy *h)
{
    const double begin = cgs_now();
    struct cgs_galerkin galerkin;
    struct cgs_sparse a;
    if (h->count == 1)
        return CGS_OK;
    CGS_TRY(cgs_galerkin_find(machine, number, &galerkin));
    CGS_TRY(cgs_galerkin_draw(&galerkin, spec->box, &h->level[0].source, &a));
    h->galerkin_seconds = cgs_now() - begin;
    const enum cgs_status status = descend(&galerkin, spec->box, h, &a);
    galerkin.sparse->release(machine->queue, &a);
    return status;
}
