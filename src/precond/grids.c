#include "src/precond/grids.h"

#include <stdio.h>

#include "src/precond/hierarchy.h"
#include "src/precond/sharing.h"

static struct cgs_spec forecast_level(const struct cgs_spec *forecast, int64_t n)
{
    struct cgs_spec level = *forecast;
    level.kernel = forecast->cycle;
    level.outer = NULL;
    level.precision = forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    cgs_spec_resize(&level, n);
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
    int64_t sizes[CGS_GRIDS];
    const int count = cgs_hierarchy_sizes(forecast->backend->place, forecast->mesh.n, sizes);
    grids->settings = (struct cgs_multigrid_settings){.degree = forecast->degree, .count = count};
    if (forecast->coarse)
        cgs_galerkin_sizes(count, sizes, grids->products);
    for (int l = 0; l < count; l++) {
        struct cgs_grid_spec *level = &grids->level[l];
        level->forecast = forecast_level(forecast, sizes[l]);
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
    if (!level->borrowed) {
        if (!level->product) /* whose layout is given back */
            cgs_matrix_plan(plan, f->format, level->matrix.rows, f->chunk, f->sigma);
        f->kernel->plan(&level->matrix, plan);
    }
    if (!level->matrix.constant)
        cgs_plan_add(plan, f->backend->place, "1/d", 1, level->op.domain.footprint);
    cgs_multigrid_plan(plan, outer, &grids->settings, l);
    if (l < grids->settings.count - 1)
        cgs_transfer_box_plan(plan, &level->op.domain, f->mesh.n, level[1].forecast.mesh.n,
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

/* The product that takes most, which need not be the finest grid's: what a kernel holds goes by columns,
 * too. Transposing P takes less than A P, which is made after it. */
static void plan_products(const struct cgs_spec *forecast, const struct cgs_grids *grids,
                          struct cgs_plan *plan)
{
    const struct cgs_galerkin_sizes *finest = &grids->products[0], *pair = finest;
    const enum cgs_place place = forecast->backend->place;
    bool coarse = false;
    int64_t most = 0;
    for (int i = 0; i < 2 * (grids->settings.count - 1); i++) {
        struct cgs_plan one = {0};
        plan_product(forecast, &grids->products[i / 2], i % 2, &one);
        if (one.total[place] <= most)
            continue;
        most = one.total[place];
        pair = &grids->products[i / 2];
        coarse = i % 2;
    }
    plan_product(forecast, pair, coarse, plan);
    if (place == CGS_HOST)
        return;
    /* A or P on its way, and the coarse matrix on its way back */
    cgs_plan_add(plan, CGS_HOST, "Galerkin products", finest->ap.rows + 1, sizeof(int64_t));
    cgs_crs_plan(plan, finest->coarse.rows, finest->coarse.entries);
}

bool cgs_grids_shared(const struct cgs_spec *forecast, const struct cgs_grids *grids, int l)
{
    if (forecast->ranks <= 1 || l == 0)
        return forecast->ranks > 1;
    return l < grids->settings.count - 1 && cgs_grids_shared(forecast, grids, l - 1) &&
           cgs_sharing(forecast, grids->level[l].forecast.mesh.n);
}

/* Several ranks: reduces the lines of grid l, from `first` on, to those of a rank where they share it, with room
 * for what transfers read of other ranks. */
static void take_share(const struct cgs_spec *forecast, const struct cgs_grids *grids, int l,
                       int first, struct cgs_plan *plan)
{
    const struct cgs_operator *op = &grids->level[l].op;
    const int64_t n = grids->level[l].forecast.mesh.n;
    enum { VECTORS = 4, SIDES = 2 };
    const int64_t ranks = forecast->ranks, planes = (n + ranks - 1) / ranks;
    if (!cgs_grids_shared(forecast, grids, l))
        return;
    for (int i = first; i < plan->count; i++) {
        struct cgs_plan_line *line = &plan->lines[i];
        const int64_t share = line->bytes / n * planes;
        plan->total[line->place] -= line->bytes - share;
        line->bytes = share;
    }
    cgs_plan_add(plan, op->domain.place, "room", VECTORS * SIDES * cgs_transfer_room(n),
                 cgs_number_bytes(op->domain.number));
}

void cgs_grids_plan(const struct cgs_spec *forecast, struct cgs_plan *plan)
{
    struct cgs_grids grids;
    cgs_grids_specify(forecast, &grids);
    for (int l = 0; l < grids.settings.count; l++) {
        const int first = plan->count;
        char what[sizeof plan->lines->what];
        plan_level(&grids, l, cgs_precision_real(forecast->precision), plan);
        take_share(forecast, &grids, l, first, plan);
        snprintf(what, sizeof what, "multigrid, grid of %lld^3",
                 (long long)grids.level[l].forecast.mesh.n);
        cgs_plan_fold(plan, first, what);
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
        if (plan.lines[i].place == grids->level[l].op.domain.place)
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
