/* Memory of a multigrid and traffic of its cycle, from its settings alone.
 *
 * Traffic of a cycle on one grid, in vectors read + written (solver/smoother.c has the smoother's):
 *
 *     smooth from zero, then residual   2 + 1 and a product if the operator does it in one pass
 *     restriction, correction           as the transfer says, 1 + 0 and 1 + 1 between cubes; plus
 *                                       0 + 1 and 1 + 0 on the coarser grid
 *     smooth
 *     coarsest grid                     1 + 1 and its inverse, or once smoothed from zero
 *     another number type outside       r and z: 1 + 1 outside, 1 + 1 on the finest grid
 */
#include <stddef.h>

#include "matrix/names.h"
#include "matrix/ranks/portion.h"
#include "solver/multigrid_plan.h"
#include "solver/smoother.h"

void cgs_multigrid_plan(struct cgs_plan *plan, enum cgs_number outer,
                        const struct cgs_multigrid_settings *settings, int l)
{
    const struct cgs_grid *grid = &settings->grid[l];
    const struct cgs_space *space = &grid->op->domain;
    const bool last = l == settings->count - 1;
    const int own = l > 0 || space->number != outer ? 2 : 0;                           /* b, x */
    const int work = last && !settings->smoothed ? 0 : grid->op->steps->relax ? 1 : 2; /* y, A x */
    cgs_plan_add_blocks(plan, space->place, "vectors of multigrid", own + work, space->footprint);
    if (!last || settings->smoothed)
        return;
    /* columns padded like a vector */
    cgs_plan_add(plan, space->place, "inverse of the coarsest grid", space->size, space->footprint);
    if (space->place != CGS_HOST) { /* staging; on the host it is made before much else exists */
        cgs_plan_add(plan, CGS_HOST, "inverse of the coarsest grid", space->size * space->size,
                     sizeof(double));
        cgs_plan_add(plan, CGS_HOST, "the same on its way", space->size, space->footprint);
    }
}

struct bytes {
    double read, written;
};

static void add_moves(struct bytes *all, struct cgs_moves moves, double vector, double matrix)
{
    all->read += moves.read * vector + moves.products * matrix;
    all->written += moves.written * vector;
}

static struct bytes level_bytes(const struct cgs_multigrid_settings *settings, int l)
{
    const struct cgs_grid *grid = &settings->grid[l];
    const struct cgs_operator *op = grid->op;
    const bool diagonal = grid->inverse != NULL;
    const double number = (double)cgs_number_bytes(op->domain.number);
    const double n = (double)op->domain.size, matrix = (double)grid->product.matrix;
    struct bytes all = {0, 0};
    const bool last = l == settings->count - 1;
    if (last && !settings->smoothed) {
        /* ranks that share the grid have the inverse of all rows */
        const struct cgs_portion *portion = op->domain.layout.portion;
        const double rows = portion ? (double)portion->whole : n;
        add_moves(&all, (struct cgs_moves){2, 2, 1}, rows * number, rows * rows * number);
        return all;
    }
    if (l > 0)
        add_moves(&all, (struct cgs_moves){1, 1, 0}, n * number, 0.0);
    add_moves(&all, cgs_smoother_moves(op, diagonal, settings->degree, true), n * number, matrix);
    if (last)
        return all;
    add_moves(&all, op->steps->residual ? (struct cgs_moves){2, 1, 1} : (struct cgs_moves){3, 2, 1},
              n * number, matrix);
    add_moves(&all, grid->transfer->moves, n * number, (double)grid->transfer->matrix);
    add_moves(&all, cgs_smoother_moves(op, diagonal, settings->degree, false), n * number, matrix);
    return all;
}

double cgs_multigrid_bytes(const struct cgs_multigrid_settings *settings, int l)
{
    const struct bytes bytes = level_bytes(settings, l);
    return bytes.read + bytes.written;
}

struct cgs_moves cgs_multigrid_moves(const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings)
{
    const struct cgs_space *finest = &settings->grid[0].op->domain;
    const double n = (double)outer->size, vector = n * (double)cgs_number_bytes(outer->number);
    struct bytes all = {0, 0};
    for (int l = 0; l < settings->count; l++) {
        const struct bytes level = level_bytes(settings, l);
        all.read += level.read;
        all.written += level.written;
    }
    if (finest->number != outer->number)
        add_moves(&all, (struct cgs_moves){1, 1, 0},
                  vector + n * (double)cgs_number_bytes(finest->number), 0.0);
    return (struct cgs_moves){all.read / vector, all.written / vector, 0};
}
