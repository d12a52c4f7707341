/* Memory and traffic of algebraic multigrid before it exists. Exact for the finest grid; of all
 * others only the matrix's rows and entries are known, so these are upper bounds: the largest that
 * was seen on boxes with any --deform and --kappa, with --strength=0.02 and any, and on files
 * (bench/amg_files), rounded up.
 *
 *               parts of the finest matrix's rows and entries     products for an entry
 *               aggregates   P       A P     P'A P                A P     P'(A P)
 *     box, 0.02 .05          .18     .47     .07                  4.3     1.8
 *     box, any  .18          .18     .85     .35                  4.5     2.7
 *     files     .36          .54     1.3     1                    5.0     4.5
 *
 * and of two files with few entries A P 1.2 and 2.6, products 9 and 13 (Trefethen_2000, bcsstk08),
 * which FEW allows for.
 *
 * Set-up of the finest grid holds A, P, P', A P, P'A P together at most, or A, S, T, P, in double
 * where the backend computes, and what makes a product; of several ranks also what is on its way to
 * others, which of_box has room for. Set-up of a coarser grid holds less beside those above it. It
 * is over before the cycle's vectors, coarser grids and CG's vectors come: at the peak there is one
 * or the other; on a device, whose pool gives back at the end of set-up, CG's vectors alone.
 *
 * A rank's plan has the same parts of its own rows and entries with those of other ranks that
 * products need, and a grid that each rank has as a whole.
 */
#include "core/precond/amg_plan.h"

#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "core/precond/amg.h"
#include "core/precond/sharing.h"
#include "kernels/spgemm.h"
#include "kernels/vector/blocks.h"
#include "matrix/dense.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/multigrid_plan.h"
#include "solver/transfer_matrix.h"

/* On a device: an entry whose place in P' is looked for; what a pool takes more than it was
 * asked for; on the host, the runtime's copy of the code that set-up alone needs (seen: 30 MB
 * beyond that of other solves). */
enum { ORDERING_BYTES = 44, POOL_BYTES = 16 << 20, CODE_BYTES = 48 << 20 };

enum { P_REACH = 3 }; /* halo width of P'AP in halo widths of A */

/* The finest grid of this rank, or of a process alone. */
struct part {
    struct cgs_matrix matrix;
    int64_t whole; /* rows of all ranks */
    int64_t reach; /* rows of others that P'(A P) reads */
    int ranks;
};

/* Bounds, as parts of the finest matrix's rows (aggregates) and entries; all matrices of set-up. */
struct bounds {
    double rows, p, coarse, all;
    double products; /* for an entry */
};

/* Bounds for the stencil of a box with all entries strong, as they are by default: S T takes
 * most. */
static const struct bounds of_stencil = {0.07, 0.2, 0.09, 2.3, 4.5};
static const double STENCIL_STRENGTH = 0.02;
static const struct bounds of_box = {0.2, 0.2, 0.4, 2.8, 4.75};
static const struct bounds of_file = {0.36, 0.55, 0.6, 3.95, 5.0};

enum { FEW = 1 << 17 }; /* products of a matrix with few entries beside these */

static const struct bounds *bounds_of(const struct cgs_spec *forecast)
{
    if (forecast->laid)
        return &of_file;
    return forecast->strength <= STENCIL_STRENGTH && forecast->ranks <= 1 ? &of_stencil : &of_box;
}

static int64_t part_of(int64_t count, double part)
{
    return (int64_t)ceil((double)count * part) + 1;
}

static struct part part_of_rank(const struct cgs_spec *forecast)
{
    struct part part = {.ranks = forecast->ranks > 1 ? forecast->ranks : 1};
    cgs_spec_matrix(forecast, &part.matrix);
    const struct cgs_portion *portion =
        forecast->laid && forecast->laid->source ? forecast->laid->source->portion : NULL;
    part.whole = portion ? portion->whole : part.matrix.rows;
    const int64_t ghosts = cgs_spec_take_part(forecast, &part.matrix);
    const int64_t others = part.whole - part.matrix.rows;
    if (part.ranks > 1) /* cuts of coarser grids are moved by half a block at either end */
        part.reach = cgs_least(P_REACH * ghosts + cgs_blocks_unit(part.whole, 1, 1), others);
    return part;
}

/* Returns a count of this rank's rows with that of `rows` rows of others. */
static int64_t with_others(const struct part *part, int64_t count, int64_t rows)
{
    const double own = (double)(part->matrix.rows > 0 ? part->matrix.rows : 1);
    return count + (int64_t)ceil((double)count * (double)rows / own);
}

/* Returns an upper bound of the traffic of a product on a grid that each of several ranks has as a
 * whole; of a shared one each has half of its part and more (amg_shared.c). */
static int64_t whole_bytes(const struct cgs_spec *forecast, const struct part *part)
{
    const double least = 0.5 / part->ranks;
    return part->ranks == 1
               ? 0
               : (int64_t)ceil(cgs_sharing_most(forecast, 1.0 - (part->ranks - 1) * least));
}

/* Returns the allowance for few entries, capped at the number of products in A A A. */
static int64_t few_of(const struct cgs_spec *forecast, const struct cgs_matrix *matrix)
{
    const struct cgs_row_statistics *s = &matrix->statistics;
    const double squares = s->mean * s->mean + s->deviation * s->deviation;
    return forecast->laid ? (int64_t)fmin(FEW, (double)matrix->rows * squares * s->longest) : 0;
}

/* Rows of the coarsest grid that may get an inverse: those of a matrix that has no other grid,
 * else no more than half of the finer ones, since an aggregate has two rows or more. */
static int64_t inverted_of(int64_t rows)
{
    if (rows <= CGS_AMG_INVERTED)
        return rows;
    return rows / 2 < CGS_AMG_INVERTED ? rows / 2 : CGS_AMG_INVERTED;
}

/* ---- afterwards ---- */

/* Finest grid, and one for all coarser ones; points into itself. */
struct two_grids {
    struct cgs_matrix matrix;
    struct cgs_operator op[2];
    struct cgs_transfer transfer;
    struct cgs_multigrid_settings settings;
};

/* Bytes of CRS in the cycle's numbers. */
static int64_t crs_bytes(enum cgs_number number, int64_t rows, int64_t entries)
{
    return cgs_bytes(entries, cgs_number_bytes(number) + (int64_t)sizeof(int32_t)) +
           cgs_bytes(rows + 1, sizeof(int64_t));
}

static struct cgs_spec finest_of(const struct cgs_spec *forecast)
{
    struct cgs_spec finest = *forecast;
    finest.kernel = forecast->cycle;
    finest.outer = NULL;
    finest.precision = forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    return finest;
}

static void estimate(const struct cgs_spec *forecast, struct two_grids *g)
{
    const struct cgs_spec finest = finest_of(forecast);
    const enum cgs_number number = forecast->cycle_number;
    const struct part part = part_of_rank(&finest);
    const struct bounds *bounds = bounds_of(forecast);
    enum { ROW = 32 }; /* bytes that a product moves for a row of an entry, at least */
    const int64_t rows = part.matrix.rows, p = part_of(part.matrix.nonzeros, bounds->p),
                  coarse_entries = part_of(part.matrix.nonzeros, bounds->coarse),
                  whole = whole_bytes(forecast, &part);
    g->matrix = part.matrix;
    g->op[0] = g->op[1] = cgs_spec_operator(&finest, &g->matrix);
    g->op[0].domain.footprint += cgs_bytes(part.reach, cgs_number_bytes(number));
    struct cgs_space *coarse = &g->op[1].domain;
    coarse->size = part_of(rows, bounds->rows) + whole / ROW;
    coarse->footprint = cgs_bytes(coarse->size, cgs_number_bytes(number));
    g->transfer = (struct cgs_transfer){
        .moves = cgs_transfer_matrix_moves(part.ranks > 1),
        .matrix =
            crs_bytes(number, rows, p) + crs_bytes(number, rows, with_others(&part, p, part.reach)),
    };
    g->settings =
        (struct cgs_multigrid_settings){.degree = forecast->degree, .count = 2, .smoothed = true};
    for (int l = 0; l < 2; l++)
        g->settings.grid[l] = (struct cgs_grid){
            .op = &g->op[l],
            .inverse = g, /* there is one, no more */
            .product = forecast->cycle->traffic(&g->matrix),
            .transfer = &g->transfer,
        };
    g->settings.grid[1].product.matrix = crs_bytes(number, coarse->size, coarse_entries) + whole;
}

/* ---- set-up ---- */

/* Adds the matrices of set-up together, five of as many rows as products reach, and what makes the
 * larger product. */
static void plan_setup(const struct cgs_spec *forecast, const struct part *part,
                       struct cgs_plan *plan)
{
    const struct bounds *bounds = bounds_of(forecast);
    const struct cgs_matrix *matrix = &part->matrix;
    const enum cgs_place place = forecast->backend->place;
    const int64_t few = few_of(forecast, matrix), rows = matrix->rows + part->reach,
                  entries = with_others(part, matrix->nonzeros, part->reach),
                  all = part_of(entries, bounds->all) + few;
    const struct cgs_spgemm_size size = {.rows = rows,
                                         .columns = rows,
                                         .inner = rows,
                                         .a = entries,
                                         .b = entries,
                                         .products = part_of(entries, bounds->products) + few,
                                         .longest = matrix->statistics.longest,
                                         .entries = entries + few};
    cgs_plan_add(plan, place, "set-up", crs_bytes(CGS_F64, 5 * rows, all), 1);
    if (forecast->products)
        forecast->products->plan(&size, forecast->threads, plan);
    if (place == CGS_HOST)
        return;
    /* a device's pool keeps what was given back, and seldom has it in the pieces that come next:
     * strong connections, what puts P's entries in the order of P' */
    cgs_plan_add(plan, place, "set-up", matrix->nonzeros, sizeof(int32_t));
    cgs_plan_add(plan, place, "set-up", part_of(matrix->nonzeros, bounds->p), ORDERING_BYTES);
    cgs_plan_add(plan, place, "set-up", 1, POOL_BYTES);
    cgs_plan_add(plan, CGS_HOST, "set-up", 1, CODE_BYTES);
    /* a matrix on its way from the device, and back as an operator */
    cgs_sparse_plan(plan, CGS_HOST, "set-up", matrix->rows, part_of(matrix->nonzeros, bounds->p),
                    CGS_F64);
    cgs_matrix_plan(plan, CGS_CRS, matrix->rows, 1, 1);
}

void cgs_amg_plan(const struct cgs_spec *forecast, const int64_t before[CGS_PLACES],
                  struct cgs_plan *plan)
{
    const enum cgs_number outer = cgs_precision_real(forecast->precision);
    const enum cgs_place place = forecast->backend->place;
    struct cgs_plan setup = {0};
    const struct part part = part_of_rank(forecast);
    struct two_grids g;
    int64_t later[CGS_PLACES], there[CGS_PLACES];
    estimate(forecast, &g);
    const struct cgs_space *finest = &g.op[0].domain;
    const int64_t inverted = inverted_of(part.whole);
    int first = plan->count;
    memcpy(later, plan->total, sizeof later);
    if (outer != forecast->cycle_number)
        forecast->cycle->plan(&g.matrix, plan);
    cgs_plan_add_blocks(plan, place, "1/d", 1, finest->footprint);
    memcpy(there, plan->total, sizeof there);
    cgs_plan_add_blocks(plan, place, "P c", 1, finest->footprint);
    cgs_multigrid_plan(plan, outer, &g.settings, 0);
    cgs_plan_fold(plan, first, "multigrid, finest grid");
    first = plan->count;
    cgs_plan_add(plan, place, "transfers", 1, g.transfer.matrix);
    cgs_plan_add(plan, place, "grids", 1, g.settings.grid[1].product.matrix);
    cgs_plan_add_blocks(plan, place, "1/d, P c", 2, g.op[1].domain.footprint);
    cgs_multigrid_plan(plan, outer, &g.settings, 1);
    cgs_plan_add(plan, place, "inverse", inverted * inverted,
                 cgs_number_bytes(forecast->cycle_number));
    cgs_dense_plan(plan, inverted, forecast->threads);
    cgs_plan_fold(plan, first, "multigrid, coarser grids (estimate)");
    plan_setup(forecast, &part, &setup);
    for (int i = 0; i < CGS_PLACES; i++) { /* all but what is there at set-up */
        later[i] -= before[i];
        if (i == CGS_HOST) /* a pool still has set-up's memory when the grids come */
            later[i] += plan->total[i] - there[i];
    }
    cgs_plan_add_earlier(plan, &setup, later, "multigrid, more in set-up (estimate)");
}
