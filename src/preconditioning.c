#include "src/preconditioning.h"

#include "src/grids.h"

void cgs_preconditioning_describe(const struct cgs_options *options,
                                  const struct cgs_machine *machine,
                                  const struct cgs_hierarchy *hierarchy,
                                  struct cgs_precond_facts *facts)
{
    const struct cgs_forecast forecast = cgs_forecast_of(options, machine, NULL);
    const struct cgs_operator cycle = cgs_multigrid_operator(hierarchy->multigrid);
    const double vector =
        (double)cycle.domain.size * (double)cgs_number_bytes(cycle.domain.number);
    struct cgs_grids grids;
    cgs_grids_forecast(&forecast, &grids);
    facts->count = hierarchy->count;
    facts->number = forecast.cycle_number;
    facts->cycle_bytes = (int64_t)((cycle.moves.read + cycle.moves.written) * vector);
    for (int l = 0; l < hierarchy->count; l++) {
        const struct cgs_level *level = &hierarchy->level[l];
        facts->grid[l] = (struct cgs_grid_facts){
            .n = level->mesh.n,
            .unknowns = grids.level[l].matrix.rows,
            .nonzeros = grids.level[l].matrix.nonzeros,
            .matrix_bytes = level->product.matrix,
            .bytes = cgs_grids_bytes(&grids, l, cgs_precision_real(forecast.precision)),
            .high = level->high,
            .bound = level->bound,
        };
    }
}

double cgs_grid_complexity(const struct cgs_precond_facts *facts)
{
    double sum = 0.0;
    for (int l = 0; l < facts->count; l++)
        sum += (double)facts->grid[l].unknowns;
    return sum / (double)facts->grid[0].unknowns;
}

double cgs_operator_complexity(const struct cgs_precond_facts *facts)
{
    double sum = 0.0;
    for (int l = 0; l < facts->count; l++)
        sum += (double)facts->grid[l].nonzeros;
    return sum / (double)facts->grid[0].nonzeros;
}
