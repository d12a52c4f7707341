#include "core/precond/preconditioning.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "core/precond/grids.h"
#include "core/setup/measure.h"
#include "matrix/names.h"
#include "solver/multigrid_plan.h"

/* Returns the bytes of all ranks, each of which has some. */
static int64_t of_all_ranks(struct cgs_context *context, int64_t bytes)
{
    return (int64_t)cgs_comm_sum(context, (double)bytes);
}

void cgs_preconditioning_describe(const struct cgs_spec *spec,
                                  const struct cgs_hierarchy *hierarchy,
                                  struct cgs_precond_facts *facts)
{
    const struct cgs_operator cycle = cgs_multigrid_operator(hierarchy->multigrid);
    struct cgs_context *context = cycle.domain.queue->context;
    const int ranks = cgs_comm_size(context);
    const double vector = (double)cycle.domain.size * (double)cgs_number_bytes(cycle.domain.number);
    struct cgs_grids grids;
    cgs_grids_specify(spec, &grids);
    facts->count = hierarchy->count;
    facts->galerkin = hierarchy->galerkin;
    facts->galerkin_seconds = hierarchy->galerkin_seconds;
    facts->number = spec->cycle_number;
    facts->cycle_bytes =
        of_all_ranks(context, (int64_t)((cycle.moves.read + cycle.moves.written) * vector));
    int64_t coarser = 0;
    for (int l = hierarchy->count - 1; l >= 0; l--) {
        const struct cgs_level *level = &hierarchy->level[l];
        const bool shared = level->portion.cuts != NULL;
        const int whole = shared ? 1 : ranks; /* cycles on the whole grid */
        struct cgs_traffic product = level->product;
        if (shared)
            product.matrix = of_all_ranks(context, product.matrix);
        grids.settings.grid[l].product = product; /* a compressed matrix's was a guess */
        facts->grid[l] = (struct cgs_grid_facts){
            .n = {level->mesh.n[0], level->mesh.n[1], level->mesh.n[2]},
            .order = hierarchy->level[0].mesh.order > 1 ? level->mesh.order : 0,
            .unknowns = grids.level[l].matrix.rows,
            .nonzeros = grids.level[l].matrix.nonzeros,
            .matrix_bytes = product.matrix,
            .cycle_bytes = l > 0 ? whole * (int64_t)cgs_multigrid_bytes(&grids.settings, l)
                                 : facts->cycle_bytes - coarser,
            .bytes = cgs_grids_bytes(&grids, l, cgs_precision_real(spec->precision)),
            .high = level->high,
            .bound = level->bound,
            .ranks =
                shared ? (ranks < level->mesh.n[2] ? ranks : (int)level->mesh.n[2]) : ranks > 1,
        };
        coarser += facts->grid[l].cycle_bytes;
    }
}

/* Matrix, diagonal, transfer and vectors of this rank's part of grid l. */
static int64_t level_bytes(const struct cgs_amg *amg, const struct cgs_multigrid_settings *settings,
                           int l, enum cgs_number outer)
{
    const struct cgs_amg_level *level = &amg->level[l];
    const enum cgs_place place = level->op.domain.place;
    struct cgs_plan plan = {0};
    cgs_multigrid_plan(&plan, outer, settings, l);
    int64_t bytes = level->op.domain.footprint + (level->borrowed ? 0 : level->product.matrix);
    if (l < amg->count - 1) /* P c */
        bytes += level->transfer.matrix + level->op.domain.footprint;
    for (int i = 0; i < plan.count; i++)
        if (plan.lines[i].place == place)
            bytes += plan.lines[i].bytes;
    return bytes;
}

/* Returns the bytes that a cycle moves, of all ranks. */
static int64_t cycle_bytes_of(const struct cgs_space *outer,
                              const struct cgs_multigrid_settings *settings)
{
    const double vector = (double)outer->size * (double)cgs_number_bytes(outer->number);
    const struct cgs_moves moves = cgs_multigrid_moves(outer, settings);
    return of_all_ranks(outer->queue->context, (int64_t)((moves.read + moves.written) * vector));
}

void cgs_preconditioning_describe_amg(const struct cgs_amg *amg, int degree,
                                      const struct cgs_space *outer,
                                      struct cgs_precond_facts *facts)
{
    struct cgs_context *context = outer->queue->context;
    const int ranks = cgs_comm_size(context);
    struct cgs_multigrid_settings settings;
    cgs_amg_settings(amg, degree, &settings);
    facts->count = amg->count;
    facts->number = amg->level[0].op.domain.number;
    facts->algebraic = true;
    facts->theta = amg->theta;
    facts->reused = amg->reused ? CGS_REUSE_PATTERN : CGS_REUSE_NONE;
    facts->vectors = amg->vectors;
    facts->end = amg->end;
    facts->inverted = amg->inverted;
    memcpy(facts->part_seconds, amg->seconds, sizeof facts->part_seconds);
    facts->cycle_bytes = cycle_bytes_of(outer, &settings);
    int64_t coarser = 0;
    for (int l = amg->count - 1; l >= 0; l--) {
        const struct cgs_amg_level *level = &amg->level[l];
        const int64_t bytes = level_bytes(amg, &settings, l, outer->number);
        facts->grid[l] = (struct cgs_grid_facts){
            .unknowns = level->rows,
            .nonzeros = level->nonzeros,
            .aggregated = level->aggregated,
            .interpolating = level->interpolating,
            .nodes = level->nodes,
            .matrix_bytes = level->shared ? of_all_ranks(context, level->product.matrix)
                                          : level->product.matrix,
            .cycle_bytes = l > 0 ? of_all_ranks(context, (int64_t)cgs_multigrid_bytes(&settings, l))
                                 : facts->cycle_bytes - coarser,
            .bytes = level->shared ? of_all_ranks(context, bytes) : bytes,
            .high = settings.grid[l].high,
            .bound = CGS_BOUND_ESTIMATED,
            .ranks = level->shared ? ranks : ranks > 1,
        };
        coarser += facts->grid[l].cycle_bytes;
    }
}

/* ---- seconds ---- */

/* The cycle's part from a grid on, as an operator whose vectors are the hierarchy's own. */
struct part {
    const struct cgs_multigrid *multigrid;
    int l;
};

static enum cgs_status apply_part(const void *self, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct part *part = self;
    (void)state, (void)x, (void)y;
    return cgs_multigrid_part(part->multigrid, queue, part->l);
}

enum cgs_status cgs_preconditioning_time(const struct cgs_machine *machine,
                                         struct cgs_multigrid *multigrid, const void *x, void *y,
                                         struct cgs_precond_facts *facts)
{
    static const struct cgs_steps steps = {.apply = apply_part};
    double from[CGS_GRIDS + 1] = {0.0}; /* seconds from grid l on */
    for (int l = 0; l < facts->count; l++) {
        struct part part = {multigrid, l};
        const struct cgs_operator op = l > 0 ? (struct cgs_operator){.steps = &steps, .self = &part}
                                             : cgs_multigrid_operator(multigrid);
        struct cgs_product_time time;
        CGS_TRY(cgs_measure_product(machine->backend, machine->queue, &op, x, y, &time));
        from[l] = time.least; /* differences of medians would be noise */
    }
    for (int l = 0; l < facts->count; l++)
        facts->grid[l].seconds = fmax(from[l] - from[l + 1], 0.0);
    return CGS_OK;
}

double cgs_precond_predicted(const struct cgs_precond_facts *facts, double tolerance)
{
    return ceil(0.5 * sqrt(facts->spread) * log(2.0 / tolerance));
}

double cgs_grid_complexity(const struct cgs_precond_facts *facts)
{
    double sum = 0.0;
    for (int l = 0; l < facts->count; l++)
        sum += (double)facts->grid[l].unknowns;
    return sum / (double)facts->grid[0].unknowns;
}

double cgs_grid_entries(const struct cgs_precond_facts *facts)
{
    double sum = 0.0;
    for (int l = 0; l < facts->count; l++)
        sum += (double)(facts->grid[l].nonzeros + facts->grid[l].interpolating);
    return sum;
}

double cgs_operator_complexity(const struct cgs_precond_facts *facts)
{
    double sum = 0.0;
    for (int l = 0; l < facts->count; l++)
        sum += (double)facts->grid[l].nonzeros;
    return sum / (double)facts->grid[0].nonzeros;
}
