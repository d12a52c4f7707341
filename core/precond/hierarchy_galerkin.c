/* --coarse=galerkin: from the finest grid's matrix A_0, whatever CG's format, down to the coarsest
 * grid
 *
 *     A_(l+1) = P_l' (A_l P_l),   P_l: the interpolation of kernels/grid.h as a matrix
 *
 * where the backend computes; each is fetched and becomes that grid's operator, in CRS, in the
 * cycle's numbers. Of grids that nest a row of A_l has 27 entries, as a rediscretised one has. Else
 * two coarse functions that only touch share a fine cell: up to 5^3 entries on the next grid, 7^3
 * below.
 *
 * Ranks share the same grids as rediscretised ones, and make their products on the host
 * (core/precond/shared.h).
 */
#include <stddef.h>

#include "base/clock.h"
#include "base/comm.h"
#include "core/precond/galerkin.h"
#include "core/precond/hierarchy_galerkin.h"
#include "core/precond/shared.h"
#include "core/precond/sharing.h"
#include "kernels/grid/prolongation.h"
#include "matrix/ranks/cut.h"
#include "solver/jacobi.h"

static struct cgs_prolongation between(const struct cgs_mesh *fine, const struct cgs_mesh *coarse)
{
    struct cgs_prolongation p;
    for (int k = 0; k < 3; k++) {
        p.n[k] = fine->n[k];
        p.m[k] = coarse->n[k];
        p.open[k] = fine->open[k];
    }
    return p;
}

/* Replaces the matrix *a of a grid by that of the next one. */
static enum cgs_status coarsen(const struct cgs_galerkin *galerkin,
                               const struct cgs_assembly_ops *box, const struct cgs_mesh *fine,
                               const struct cgs_mesh *next, struct cgs_sparse *a)
{
    const struct cgs_sparse_ops *sparse = galerkin->sparse;
    struct cgs_queue *queue = galerkin->machine->queue;
    const struct cgs_prolongation grids = between(fine, next);
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

/* The operator of a grid that is not shared, and its diagonal. */
static enum cgs_status take(const struct cgs_galerkin *galerkin, const struct cgs_crs *crs,
                            struct cgs_level *level)
{
    const struct cgs_row_source rows = cgs_crs_source(crs);
    CGS_TRY(cgs_galerkin_operator(galerkin, &rows, &level->op, &level->product));
    cgs_level_sum_by_planes(level);
    return cgs_jacobi_create(galerkin->machine->queue, &level->op, &rows, &level->jacobi);
}

/* Descends from grid l, whose matrix is *a, to the coarsest. */
static enum cgs_status descend(const struct cgs_galerkin *galerkin,
                               const struct cgs_assembly_ops *box, struct cgs_hierarchy *h, int l,
                               struct cgs_sparse *a)
{
    struct cgs_context *context = galerkin->machine->queue->context;
    for (l++; l < h->count; l++) {
        const double begin = cgs_now();
        CGS_TRY(coarsen(galerkin, box, &h->level[l - 1].mesh, &h->level[l].mesh, a));
        CGS_TRY(galerkin->sparse->fetch(galerkin->machine->queue, a, &h->coarsest));
        h->galerkin_seconds += cgs_now() - begin;
        CGS_TRY(take(galerkin, &h->coarsest, &h->level[l]));
        if (l < h->count - 1)
            cgs_crs_release(context, &h->coarsest);
    }
    return CGS_OK;
}

/* ---- several ranks ---- */

/* Rows `first` ... of P. */
struct rows_of_p {
    struct cgs_row_source all;
    int64_t first;
};

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *out)
{
    const struct rows_of_p *p = source->self;
    p->all.lengths(&p->all, p->first + first, p->first + last, out);
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct rows_of_p *p = source->self;
    p->all.fill(&p->all, p->first + first, p->first + last, columns, values);
}

/* Computes the rows of P'A P that this rank owns; the rows of P' are a by-product. */
static enum cgs_status multiply(const struct cgs_galerkin *host, const struct cgs_shared *a,
                                const struct cgs_mesh *fine, const struct cgs_mesh *next,
                                const int64_t *cuts, struct cgs_sparse *coarse)
{
    struct cgs_queue *queue = host->machine->queue;
    const struct cgs_prolongation grids = between(fine, next);
    const struct rows_of_p rows = {cgs_prolongation_source(&grids), a->portion->first};
    const struct cgs_row_source source = {.rows = a->portion->count,
                                          .columns = rows.all.columns,
                                          .self = &rows,
                                          .lengths = lengths,
                                          .fill = fill};
    struct cgs_sparse p = {0}, r = {0};
    enum cgs_status status =
        cgs_comm_agree(queue->context, cgs_galerkin_draw(host, NULL, &source, &p));
    if (status == CGS_OK)
        status = cgs_shared_project(host, a, &p, cuts, &r, coarse);
    host->sparse->release(queue, &p);
    host->sparse->release(queue, &r);
    return status;
}

/* Makes a shared grid's operator of its rows, which *a has then. */
static enum cgs_status take_shared(const struct cgs_galerkin *galerkin,
                                   const struct cgs_galerkin *host, const int64_t *cuts,
                                   struct cgs_sparse *rows, struct cgs_level *level,
                                   struct cgs_shared *a)
{
    struct cgs_context *context = host->machine->queue->context;
    CGS_TRY(cgs_shared_renumber(context, cuts, rows, &level->portion));
    cgs_portion_widen(&level->portion, cgs_transfer_room(1, cgs_mesh_plane(&level->mesh)));
    CGS_TRY(cgs_shared_operator(galerkin, &level->portion, rows, &level->op, &level->product));
    cgs_level_sum_by_planes(level);
    CGS_TRY(cgs_shared_jacobi(galerkin, &level->portion, rows, &level->op, &level->jacobi));
    return cgs_shared_take(host, &level->portion, rows, a);
}

/* Descends from grid l, whose rows are *a, to the next one, whose rows are *a then; or, if that
 * one is not shared, h->coarsest. */
static enum cgs_status descend_shared(const struct cgs_spec *spec,
                                      const struct cgs_galerkin *galerkin,
                                      const struct cgs_galerkin *host, struct cgs_hierarchy *h,
                                      int l, struct cgs_shared *a)
{
    struct cgs_context *context = host->machine->queue->context;
    struct cgs_level *coarser = &h->level[l + 1];
    struct cgs_sparse rows = {0};
    int64_t cuts[CGS_RANKS_MOST + 1];
    const double begin = cgs_now();
    const struct cgs_portion *above = &h->level[l].portion;
    const bool shares = l + 1 < h->count - 1 && cgs_sharing(spec, &coarser->mesh);
    cgs_transfer_cut(&h->level[l].mesh, above->cuts, &coarser->mesh, above->ranks, cuts);
    CGS_TRY(multiply(host, a, &h->level[l].mesh, &coarser->mesh, cuts, &rows));
    cgs_shared_release(host, a);
    enum cgs_status status =
        shares ? CGS_OK : cgs_shared_gather(context, cuts, &rows, &h->coarsest);
    h->galerkin_seconds += cgs_now() - begin;
    if (status == CGS_OK)
        status = shares ? take_shared(galerkin, host, cuts, &rows, coarser, a)
                        : cgs_comm_agree(context, take(galerkin, &h->coarsest, coarser));
    host->sparse->release(host->machine->queue, &rows);
    return status;
}

/* Makes the shared grids, and the first that each rank has as a whole: grid *l, whose rows are
 * h->coarsest. */
static enum cgs_status project_shared(const struct cgs_spec *spec,
                                      const struct cgs_galerkin *galerkin,
                                      const struct cgs_galerkin *host, struct cgs_hierarchy *h,
                                      int *l)
{
    struct cgs_shared a;
    const double begin = cgs_now();
    CGS_TRY(cgs_shared_draw(host, &h->level[0].owned, &a));
    h->galerkin_seconds = cgs_now() - begin;
    enum cgs_status status = CGS_OK;
    for (*l = 0; status == CGS_OK && h->coarsest.rows == 0; ++*l)
        status = descend_shared(spec, galerkin, host, h, *l, &a);
    cgs_shared_release(host, &a);
    return status;
}

/* Goes on from grid l, whose rows are h->coarsest, to the coarsest. */
static enum cgs_status go_on(const struct cgs_galerkin *galerkin,
                             const struct cgs_assembly_ops *box, struct cgs_hierarchy *h, int l)
{
    struct cgs_queue *queue = galerkin->machine->queue;
    const struct cgs_row_source rows = cgs_crs_source(&h->coarsest);
    struct cgs_sparse a = {0};
    if (l == h->count - 1)
        return CGS_OK;
    CGS_TRY(cgs_galerkin_draw(galerkin, NULL, &rows, &a));
    cgs_crs_release(queue->context, &h->coarsest);
    const enum cgs_status status = descend(galerkin, box, h, l, &a);
    galerkin->sparse->release(queue, &a);
    return status;
}

enum cgs_status cgs_hierarchy_project(const struct cgs_spec *spec,
                                      const struct cgs_machine *machine, enum cgs_number number,
                                      struct cgs_hierarchy *h)
{
    const double begin = cgs_now();
    struct cgs_galerkin galerkin, by_host;
    struct cgs_sparse a;
    int l;
    if (h->count == 1)
        return CGS_OK;
    CGS_TRY(cgs_galerkin_find(machine, number, &galerkin));
    if (h->level[0].cut) {
        const struct cgs_machine host = cgs_shared_machine(machine);
        CGS_TRY(cgs_galerkin_find(&host, number, &by_host));
        CGS_TRY(project_shared(spec, &galerkin, &by_host, h, &l));
        return cgs_comm_agree(host.queue->context, go_on(&galerkin, spec->box, h, l));
    }
    CGS_TRY(cgs_galerkin_draw(&galerkin, spec->box, &h->level[0].source, &a));
    h->galerkin_seconds = cgs_now() - begin;
    const enum cgs_status status = descend(&galerkin, spec->box, h, 0, &a);
    galerkin.sparse->release(machine->queue, &a);
    return status;
}
