#include "core/precond/grids.h"

#include <math.h>
#include <stdio.h>

#include "core/io/format.h"
#include "core/precond/hierarchy.h"
#include "core/precond/sharing.h"
#include "core/setup/assemble.h"
#include "fem/coarsen.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/multigrid_plan.h"

static struct cgs_spec forecast_level(const struct cgs_spec *forecast, const struct cgs_mesh *grid)
{
    struct cgs_spec level = *forecast;
    level.outer = NULL;
    level.precision = forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    level.kernel = forecast->low && grid->order == 1 ? forecast->low->tables[level.precision]
                                                     : forecast->cycle;
    level.mesh = *grid;
    return level;
}

/* A coarser grid's Galerkin product instead: CRS, as `made` says. */
static void forecast_product(const struct cgs_galerkin_sizes *made, struct cgs_grid_spec *level)
{
    struct cgs_spec *f = &level->forecast;
    f->format = CGS_CRS;
    f->chunk = f->sigma = 1;
    f->kernel = f->coarse->tables[f->precision];
    cgs_spec_matrix(f, &level->matrix);
    level->matrix.mesh = NULL;
    level->matrix.nonzeros = level->matrix.stored = level->matrix.unsorted = made->coarse.entries;
    level->matrix.diagonals = 0;
    level->matrix.constant = false;
    level->matrix.statistics = made->statistics;
}

void cgs_grids_specify(const struct cgs_spec *forecast, struct cgs_grids *grids)
{
    struct cgs_mesh grid[CGS_GRIDS];
    const int count = cgs_hierarchy_sizes(forecast->backend->place, &forecast->mesh, grid);
    grids->settings = (struct cgs_multigrid_settings){.degree = forecast->degree, .count = count};
    if (forecast->coarse)
        cgs_galerkin_sizes(count, grid, grids->products);
    for (int l = 0; l < count; l++) {
        struct cgs_grid_spec *level = &grids->level[l];
        level->forecast = forecast_level(forecast, &grid[l]);
        level->product = l > 0 && forecast->coarse;
        if (level->product)
            forecast_product(&grids->products[l - 1], level);
        else
            cgs_spec_matrix(&level->forecast, &level->matrix);
        level->op = cgs_spec_operator(&level->forecast, &level->matrix);
        level->borrowed =
            l == 0 && cgs_precision_real(forecast->precision) == forecast->cycle_number;
        level->transfer = (struct cgs_transfer){.moves = cgs_transfer_box_moves()};
        grids->settings.grid[l] = (struct cgs_grid){
            .op = &level->op,
            .inverse = level->matrix.constant ? NULL : level, /* only whether there is one */
            .product = level->forecast.kernel->traffic(&level->matrix),
            .transfer = &level->transfer,
        };
    }
}

/* Operator, diagonal and vectors of grid l. */
static void plan_level(const struct cgs_grids *grids, int l, enum cgs_number outer,
                       struct cgs_plan *plan)
{
    const struct cgs_grid_spec *level = &grids->level[l];
    const struct cgs_spec *f = &level->forecast;
    if (l > 0 && !cgs_kappa_shared(&f->mesh))
        cgs_spec_plan_kappa(&f->mesh, CGS_HOST, plan);
    if (!level->borrowed) {
        if (!level->product) /* whose layout is given back */
            cgs_matrix_plan(plan, f->format, level->matrix.rows, f->chunk, f->sigma);
        f->kernel->plan(&level->matrix, plan);
    }
    if (!level->matrix.constant)
        cgs_plan_add(plan, f->backend->place, "1/d", 1, level->op.domain.footprint);
    cgs_multigrid_plan(plan, outer, &grids->settings, l);
    if (l < grids->settings.count - 1)
        cgs_transfer_box_plan(plan, &level->op.domain, &f->mesh, &level[1].forecast.mesh,
                              f->threads);
}

/* A P of a pair of grids, beside A, P and P', or P'(A P), beside A P as well; and what makes it. */
static void plan_product(const struct cgs_spec *forecast, const struct cgs_galerkin_sizes *pair,
                         bool coarse, struct cgs_plan *plan)
{
    const struct cgs_spgemm_size *ap = &pair->ap, *c = &pair->coarse;
    const enum cgs_place place = forecast->backend->place;
    const char *what = "Galerkin products";
    cgs_sparse_plan(plan, place, what, ap->rows, ap->a, CGS_F64);
    cgs_sparse_plan(plan, place, what, ap->rows, ap->b, CGS_F64);
    cgs_sparse_plan(plan, place, what, c->rows, c->a, CGS_F64);
    cgs_sparse_plan(plan, place, what, ap->rows, ap->entries, CGS_F64);
    if (coarse)
        cgs_sparse_plan(plan, place, what, c->rows, c->entries, CGS_F64);
    if (forecast->products)
        forecast->products->plan(coarse ? c : ap, forecast->threads, plan);
}

/* Returns true if several ranks share grid l; else each has all of it. */
static bool is_shared(const struct cgs_spec *forecast, const struct cgs_grids *grids, int l)
{
    if (forecast->ranks <= 1 || l == 0)
        return forecast->ranks > 1;
    return l < grids->settings.count - 1 && is_shared(forecast, grids, l - 1) &&
           cgs_sharing(forecast, &grids->level[l].forecast.mesh);
}

/* Several ranks: moments of a product of a grid that they share, one rank's part of it:
 *
 *     A P        A, P, P with rows of others, A P
 *     exchange   A, P, A P, both with rows of others, and these on their way
 *     P'(A P)    A, P, both with rows of others, P', P'A P
 */
enum moment { A_P, EXCHANGE, R_AP, MOMENTS };

/* Returns the share of a count that so many of n planes have. */
static int64_t share(int64_t count, int64_t planes, int64_t n)
{
    return planes < n ? (int64_t)ceil((double)count * (double)planes / (double)n) : count;
}

static struct cgs_spgemm_size share_of(const struct cgs_spgemm_size *size, int64_t planes,
                                       int64_t n)
{
    struct cgs_spgemm_size part = *size;
    part.rows = share(size->rows, planes, n);
    part.columns = share(size->columns, planes, n);
    part.inner = share(size->inner, planes, n);
    part.a = share(size->a, planes, n);
    part.b = share(size->b, planes, n);
    part.products = share(size->products, planes, n);
    part.entries = share(size->entries, planes, n);
    return part;
}

static void plan_shared_product(const struct cgs_spec *forecast,
                                const struct cgs_galerkin_sizes *pair, int64_t n,
                                enum moment moment, struct cgs_plan *plan)
{
    /* planes of others; words of an entry, at both ends */
    enum { OTHERS = 2 * 3, WORDS = 2, ENDS = 2 };
    const int64_t planes = (n + forecast->ranks - 1) / forecast->ranks;
    const struct cgs_spgemm_size ap = share_of(&pair->ap, planes, n),
                                 more = share_of(&pair->ap, planes + OTHERS, n),
                                 c = share_of(&pair->coarse, planes + OTHERS, n);
    const char *what = "Galerkin products";
    cgs_sparse_plan(plan, CGS_HOST, what, ap.rows, ap.a, CGS_F64);
    cgs_sparse_plan(plan, CGS_HOST, what, ap.rows, ap.b, CGS_F64);
    cgs_sparse_plan(plan, CGS_HOST, what, more.rows, more.b, CGS_F64);
    if (moment != R_AP)
        cgs_sparse_plan(plan, CGS_HOST, what, ap.rows, ap.entries, CGS_F64);
    if (moment != A_P)
        cgs_sparse_plan(plan, CGS_HOST, what, more.rows, more.entries, CGS_F64);
    if (moment == EXCHANGE)
        cgs_plan_add(plan, CGS_HOST, what,
                     ENDS * WORDS * (more.b - ap.b + more.entries - ap.entries), sizeof(int64_t));
    if (moment == R_AP) {
        cgs_sparse_plan(plan, CGS_HOST, what, c.rows, more.b, CGS_F64);
        cgs_sparse_plan(plan, CGS_HOST, what, c.rows, c.entries, CGS_F64);
    }
    if (moment != EXCHANGE && forecast->products)
        forecast->products->plan(moment == A_P ? &more : &c, forecast->threads, plan);
}

/* The moment of a product that takes most. Returns its bytes, and adds them unless plan is NULL. */
static int64_t plan_step(const struct cgs_spec *forecast, const struct cgs_grids *grids, int l,
                         struct cgs_plan *plan)
{
    const struct cgs_mesh *mesh = &grids->level[l].forecast.mesh;
    const int64_t n = mesh->n[2];
    const bool shared = is_shared(forecast, grids, l);
    const enum cgs_place place = shared ? CGS_HOST : forecast->backend->place;
    struct cgs_plan most = {0};
    for (int moment = 0; moment < (shared ? MOMENTS : EXCHANGE + 1); moment++) {
        struct cgs_plan one = {0};
        if (shared)
            plan_shared_product(forecast, &grids->products[l], n, (enum moment)moment, &one);
        else
            plan_product(forecast, &grids->products[l], moment != A_P, &one);
        if (one.total[place] > most.total[place])
            most = one;
    }
    for (int i = 0; plan && i < most.count; i++)
        cgs_plan_add(plan, most.lines[i].place, most.lines[i].what, 1, most.lines[i].bytes);
    return most.total[place];
}

/* The product that takes most, which need not be the finest grid's: what a kernel holds goes by
 * columns, too. Transposing P takes less than A P, which is made after it. */
static void plan_products(const struct cgs_spec *forecast, const struct cgs_grids *grids,
                          struct cgs_plan *plan)
{
    const struct cgs_galerkin_sizes *finest = &grids->products[0];
    const enum cgs_place place = forecast->backend->place;
    int most = 0;
    for (int l = 1; l < grids->settings.count - 1; l++)
        if (plan_step(forecast, grids, l, NULL) > plan_step(forecast, grids, most, NULL))
            most = l;
    plan_step(forecast, grids, most, plan);
    if (place == CGS_HOST)
        return;
    /* A or P on its way, and the coarse matrix on its way back */
    cgs_plan_add(plan, CGS_HOST, "Galerkin products", finest->ap.rows + 1, sizeof(int64_t));
    cgs_crs_plan(plan, finest->coarse.rows, finest->coarse.entries);
}

/* Several ranks: reduces the lines of grid l, from `first` on, to those of a rank where they
 * share it, with room for what transfers read of other ranks. */
static void take_share(const struct cgs_spec *forecast, const struct cgs_grids *grids, int l,
                       int first, struct cgs_plan *plan)
{
    const struct cgs_operator *op = &grids->level[l].op;
    const struct cgs_mesh *mesh = &grids->level[l].forecast.mesh;
    const int64_t n = mesh->n[2];
    enum { VECTORS = 4, SIDES = 2 };
    const int64_t ranks = forecast->ranks, planes = (n + ranks - 1) / ranks;
    if (!is_shared(forecast, grids, l))
        return;
    for (int i = first; i < plan->count; i++) {
        struct cgs_plan_line *line = &plan->lines[i];
        const int64_t share = line->bytes / n * planes;
        plan->total[line->place] -= line->bytes - share;
        line->bytes = share;
    }
    cgs_plan_add(plan, op->domain.place, "room",
                 VECTORS * SIDES * cgs_transfer_room(mesh->order, cgs_mesh_plane(mesh)),
                 cgs_number_bytes(op->domain.number));
}

void cgs_grids_plan(const struct cgs_spec *forecast, struct cgs_plan *plan)
{
    struct cgs_grids grids;
    cgs_grids_specify(forecast, &grids);
    for (int l = 0; l < grids.settings.count; l++) {
        const int first = plan->count;
        char what[sizeof plan->lines->what];
        cgs_text grid;
        plan_level(&grids, l, cgs_precision_real(forecast->precision), plan);
        take_share(forecast, &grids, l, first, plan);
        cgs_plan_pass(plan, first);
        const struct cgs_mesh *mesh = &grids.level[l].forecast.mesh;
        snprintf(what, sizeof what, "multigrid, grid of %s",
                 cgs_grid_order_text(mesh->n, forecast->mesh.order > 1 ? mesh->order : 0, grid));
        cgs_plan_fold(plan, first, what);
    }
    const int rows = plan->count; /* what makes them, whole on each rank */
    for (int l = 0; l < (forecast->coarse ? 1 : grids.settings.count); l++) {
        cgs_assemble_rows_plan(&grids.level[l].forecast.mesh, plan);
        cgs_plan_fold(plan, rows, "multigrid, rows of the grids");
    }
    if (forecast->coarse && grids.settings.count > 1) {
        const int first = plan->count;
        plan_products(forecast, &grids, plan);
        cgs_plan_fold(plan, first, "multigrid, Galerkin products");
    }
}

int64_t cgs_grids_bytes(const struct cgs_grids *grids, int l, enum cgs_number outer)
{
    struct cgs_plan plan = {0};
    int64_t bytes = 0;
    plan_level(grids, l, outer, &plan);
    for (int i = 0; i < plan.count; i++)
        if (plan.lines[i].place == grids->level[l].op.domain.place && !plan.lines[i].passing)
            bytes += plan.lines[i].bytes;
    return bytes;
}

enum cgs_status cgs_grids_accept(struct cgs_context *context, const struct cgs_spec *forecast)
{
    struct cgs_grids grids;
    cgs_grids_specify(forecast, &grids);
    for (int l = 0; l < grids.settings.count; l++) {
        const struct cgs_kernel *kernel = grids.level[l].forecast.kernel;
        if (kernel->accepts)
            CGS_TRY(kernel->accepts(context, &grids.level[l].matrix));
    }
    return CGS_OK;
}
