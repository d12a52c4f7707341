#include "src/grids.h"

#include <stdio.h>

#include "src/hierarchy.h"

static struct cgs_forecast forecast_level(const struct cgs_forecast *forecast, int64_t n)
{
    struct cgs_forecast level = *forecast;
    level.kernel = forecast->cycle;
    level.outer = NULL;
    level.precision = forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    cgs_forecast_resize(&level, n);
    return level;
}

void cgs_grids_forecast(const struct cgs_forecast *forecast, struct cgs_grids *grids)
{
    int64_t sizes[CGS_GRIDS];
    const int count = cgs_hierarchy_sizes(forecast->backend->place, forecast->mesh.n, sizes);
    grids->settings = (struct cgs_multigrid_settings){.degree = forecast->degree, .count = count};
    for (int l = 0; l < count; l++) {
        struct cgs_grid_forecast *level = &grids->level[l];
        level->forecast = forecast_level(forecast, sizes[l]);
        cgs_forecast_matrix(&level->forecast, &level->matrix);
        level->op = cgs_forecast_operator(&level->forecast, &level->matrix);
        level->borrowed =
            l == 0 && cgs_precision_real(forecast->precision) == forecast->cycle_number;
        grids->settings.grid[l] = (struct cgs_grid){
            .n = sizes[l],
            .op = &level->op,
            .inverse = level->matrix.constant ? NULL : level, /* only whether there is one */
            .product = forecast->cycle->traffic(&level->matrix),
        };
    }
}

/* Operator, diagonal and vectors of grid l. */
static void plan_level(const struct cgs_grids *grids, int l, enum cgs_number outer,
                       struct cgs_plan *plan)
{
    const struct cgs_grid_forecast *level = &grids->level[l];
    const struct cgs_forecast *f = &level->forecast;
    if (!level->borrowed) {
        cgs_matrix_plan(plan, f->format, level->matrix.rows, f->chunk, f->sigma);
        f->kernel->plan(&level->matrix, plan);
    }
    if (!level->matrix.constant)
        cgs_plan_add(plan, f->backend->place, "1/d", 1, level->op.domain.footprint);
    cgs_multigrid_plan(plan, outer, &grids->settings, l, f->threads);
}

void cgs_grids_plan(const struct cgs_forecast *forecast, struct cgs_plan *plan)
{
    struct cgs_grids grids;
    cgs_grids_forecast(forecast, &grids);
    for (int l = 0; l < grids.settings.count; l++) {
        const int first = plan->count;
        char what[sizeof plan->lines->what];
        plan_level(&grids, l, cgs_precision_real(forecast->precision), plan);
        snprintf(what, sizeof what, "multigrid, grid of %lld^3",
                 (long long)grids.settings.grid[l].n);
        cgs_plan_fold(plan, first, what);
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

enum cgs_status cgs_grids_accept(struct cgs_context *context, const struct cgs_forecast *forecast)
{
    struct cgs_grids grids;
    cgs_grids_forecast(forecast, &grids);
    for (int l = 0; l < grids.settings.count; l++)
        if (forecast->cycle->accepts)
            CGS_TRY(forecast->cycle->accepts(context, &grids.level[l].matrix));
    return CGS_OK;
}
