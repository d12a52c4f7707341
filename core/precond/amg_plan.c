/* Memory and traffic of algebraic multigrid before it exists. Exact for the finest grid. Coarser
 * ones are bounded by the largest values seen, rounded up, relative to rows and entries of the
 * finest matrix: on boxes with any --deform and --kappa, with --strength=0.02 and any other, and on
 * files (doc/amg.md).
 *
 *               parts of the finest matrix's rows and entries     products for an entry
 *               aggregates   P       A P     P'A P                A P     P'(A P)
 *     box, 0.02 .05          .18     .47     .07                  4.3     1.8
 *     box, any  .18          .18     .85     .35                  4.5     2.7
 *     files     .36          .54     1.3     1                    5.0     4.5
 *
 * Two small files exceed this (Trefethen_2000 and bcsstk08: A P 1.2 and 2.6, products 9 and 13);
 * FEW allows for them.
 *
 * At its peak set-up holds A, P, P', A P, P'A P of the finest grid, or A, room for as many entries
 * (S, or the CPU's for P), P, or on a device A, P, P' and what sorts P', in double on the run's
 * backend, and the work space of a product; on several ranks also messages to others, for
 * which of_box has room. Coarser grids need less. Set-up ends before the vectors of the cycle and
 * of CG are allocated, so the peak is the larger of the two phases. On a device the pool returns
 * set-up's memory at its end only: all but CG's vectors coincide with it.
 *
 * The plan of a rank takes these shares of its own rows and entries and of the halo that products
 * read, and adds the replicated grids.
 */
#include "core/precond/amg_plan.h"

#include <math.h>
#include <string.h>

#include "base/integers.h"
#include "core/precond/amg.h"
#include "core/precond/sharing.h"
#include "fem/element/order_cells.h"
#include "kernels/spgemm.h"
#include "kernels/vector/blocks.h"
#include "matrix/dense.h"
#include "matrix/layout.h"
#include "matrix/names.h"
#include "solver/multigrid_plan.h"
#include "solver/transfer_matrix.h"

/* On a device: work space for an entry of P while P' is sorted; overhead of the pool; and on the
 * host the runtime's copy of the kernels of set-up (30 MB were seen). */
enum { ORDERING_BYTES = 44, POOL_BYTES = 16 << 20, CODE_BYTES = 48 << 20 };

enum { P_REACH = 3 }; /* halo width of P'AP in halo widths of A */

/* The finest grid of this rank, or of a process alone. */
struct part {
    struct cgs_matrix matrix;
    int64_t whole; /* rows of all ranks */
    int64_t reach; /* rows of other ranks that P'(A P) reads */
    int ranks;
};

/* Bounds relative to rows (aggregates) and entries of the finest matrix; all: matrices of
 * set-up. */
struct bounds {
    double rows, p, coarse, all;
    double products; /* for an entry */
};

/* of_stencil: a box whose entries are all strong, the default; S T is the largest product. */
static const struct bounds of_stencil = {0.07, 0.2, 0.09, 2.3, 4.5};
static const double STENCIL_STRENGTH = 0.02;
static const double STENCIL_ALL_ON_DEVICE = 2.15; /* A, P, P' and what sorts P' */
static const struct bounds of_box = {0.2, 0.2, 0.4, 2.8, 4.75};
/* Boxes of order p: N = 31 to 95, orders 2 to 8, took 0.42 to 0.98 of a plan by 3.1. */
static const struct bounds of_order = {0.2, 0.25, 0.4, 3.2, 6.0};
static const struct bounds of_file = {0.36, 0.55, 0.6, 3.95, 5.0};

enum { FEW = 1 << 17 }; /* allowance for small matrices, in products */

static const struct bounds *plain_bounds(const struct cgs_spec *forecast)
{
    if (forecast->laid)
        return &of_file;
    if (forecast->mesh.order > 1)
        return &of_order;
    return forecast->strength <= STENCIL_STRENGTH && forecast->ranks <= 1 ? &of_stencil : &of_box;
}

/* Returns the bounds with k near-null vectors: a row of P has some 4 k entries more, one of A P
 * 12 k, and coarse rows together k^2 for each node of the finer grid, which is counted up to three
 * times, as for the stars and full stencils of boxes in 2 and 3 dimensions with 3 and 6 vectors and
 * nodes of 1 and 2 rows. A node whose rows the pattern tells counts as one row. */
static struct bounds bounds_of(const struct cgs_spec *forecast, const struct cgs_matrix *matrix)
{
    struct bounds bounds = *plain_bounds(forecast);
    const double k = forecast->near.count, block = fmax(1.0, forecast->near.block),
                 mean = fmax(1.0, (double)matrix->nonzeros / (double)cgs_most(matrix->rows, 1)),
                 coarse = k * k / (block * mean);
    if (k == 0.0)
        return bounds;
    bounds.rows = fmin(1.0, bounds.rows * fmax(1.0, k / block));
    bounds.p += 4.0 * k / mean;
    bounds.coarse = fmin(CGS_AMG_GROWTH, bounds.coarse + 2.0 * coarse);
    bounds.all += 20.0 * k / mean + 3.0 * coarse;
    bounds.products += 4.0 * k;
    return bounds;
}

/* Returns the bound of all matrices of set-up. Rows of order p that are no star are long, and what
 * is beside A has some numbers a row. */
static double all_of(const struct cgs_spec *forecast, const struct cgs_matrix *matrix)
{
    const double most = plain_bounds(forecast)->all, fixed = 1.15, of_row = 28.0;
    if (forecast->near.count > 0)
        return bounds_of(forecast, matrix).all;
    if (plain_bounds(forecast) == &of_stencil && forecast->backend->place != CGS_HOST)
        return STENCIL_ALL_ON_DEVICE;
    if (plain_bounds(forecast) != &of_order || cgs_order_star(&forecast->mesh))
        return most;
    return fmin(most, fixed + of_row * (double)matrix->rows / (double)matrix->nonzeros);
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

/* Returns `count`, a number of entries of this rank's rows, scaled up to `rows` more rows. */
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

/* Returns a bound of the rows of a coarsest grid with an inverse: an aggregate has at least two
 * rows of the finer grid. */
static int64_t inverted_of(int64_t rows)
{
    if (rows <= CGS_AMG_INVERTED)
        return rows;
    return rows / 2 < CGS_AMG_INVERTED ? rows / 2 : CGS_AMG_INVERTED;
}

/* ---- afterwards ---- */

/* The finest grid, and one that stands for all coarser ones; points into itself. */
struct two_grids {
    struct cgs_matrix matrix;
    struct cgs_operator op[2];
    struct cgs_transfer transfer;
    struct cgs_multigrid_settings settings;
};

/* Bytes of a CRS matrix with values of that type. */
static int64_t crs_bytes(enum cgs_number number, int64_t rows, int64_t entries)
{
    return cgs_bytes(entries, cgs_number_bytes(number) + (int64_t)sizeof(int32_t)) +
           cgs_bytes(rows + 1, sizeof(int64_t));
}

/* Adds what --reuse=pattern keeps: aggregates, and on the host, but for near-null vectors,
 * patterns and steps (kernels/amg/known.h), which have four numbers a row in pointers. A step has
 * up to eight products: those of both together are fewer than the products of the largest one. */
static void plan_kept(const struct cgs_spec *forecast, const struct cgs_matrix *matrix,
                      struct cgs_plan *plan)
{
    const struct bounds bounds = bounds_of(forecast, matrix);
    const enum cgs_place place = forecast->backend->place;
    const int64_t few = few_of(forecast, matrix), rows = part_of(matrix->rows, 1.0 + bounds.rows),
                  entries = part_of(matrix->nonzeros, 1.0 + bounds.coarse),
                  steps = part_of(entries, bounds.products) + few;
    cgs_plan_add(plan, place, "aggregates", rows, sizeof(int32_t));
    if (place != CGS_HOST || forecast->near.count > 0)
        return;
    cgs_plan_add(plan, place, "patterns", 4 * rows, sizeof(int64_t));
    cgs_plan_add(plan, place, "patterns",
                 3 * part_of(entries, bounds.p) + part_of(matrix->nonzeros, bounds.coarse),
                 sizeof(int32_t));
    cgs_plan_add(plan, place, "patterns", entries + steps, sizeof(uint16_t));
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
    const struct bounds bounds = bounds_of(forecast, &part.matrix);
    enum { ROW = 32 }; /* least traffic of a row in a product, in bytes */
    const int64_t rows = part.matrix.rows, p = part_of(part.matrix.nonzeros, bounds.p),
                  coarse_entries = part_of(part.matrix.nonzeros, bounds.coarse),
                  whole = whole_bytes(forecast, &part);
    g->matrix = part.matrix;
    g->op[0] = g->op[1] = cgs_spec_operator(&finest, &g->matrix);
    g->op[0].domain.footprint += cgs_bytes(part.reach, cgs_number_bytes(number));
    struct cgs_space *coarse = &g->op[1].domain;
    coarse->size = part_of(rows, bounds.rows) + whole / ROW;
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
            .inverse = g, /* not NULL: there is one */
            .product = forecast->cycle->traffic(&g->matrix),
            .transfer = &g->transfer,
        };
    g->settings.grid[1].product.matrix = crs_bytes(number, coarse->size, coarse_entries) + whole;
}

/* ---- set-up ---- */

/* Returns the bytes of A where set-up borrows it. */
static int64_t lent_bytes(const struct cgs_spec *forecast, const struct cgs_matrix *matrix)
{
    const struct cgs_row_source *source = forecast->laid ? forecast->laid->source : NULL;
    const bool lent =
        source && !source->portion && cgs_galerkin_lends(forecast->backend->place, source);
    return lent ? crs_bytes(CGS_F64, matrix->rows, matrix->nonzeros) : 0;
}

/* Adds the matrices of set-up, five row pointers among them, and the work space of the largest
 * product. */
static void plan_setup(const struct cgs_spec *forecast, const struct part *part,
                       struct cgs_plan *plan)
{
    const struct cgs_matrix *matrix = &part->matrix;
    const struct bounds bounds = bounds_of(forecast, matrix);
    const enum cgs_place place = forecast->backend->place;
    const int64_t few = few_of(forecast, matrix), rows = matrix->rows + part->reach,
                  entries = with_others(part, matrix->nonzeros, part->reach),
                  all = part_of(entries, all_of(forecast, matrix)) + few;
    const struct cgs_spgemm_size size = {.rows = rows,
                                         .columns = rows,
                                         .inner = rows,
                                         .a = entries,
                                         .b = entries,
                                         .products = part_of(entries, bounds.products) + few,
                                         .longest = matrix->statistics.longest,
                                         .entries = entries + few};
    cgs_plan_add(plan, place, "set-up",
                 crs_bytes(CGS_F64, 5 * rows, all) - lent_bytes(forecast, matrix), 1);
    cgs_plan_add(plan, place, "set-up", 2 * rows * forecast->near.count, sizeof(double)); /* B, Q */
    if (forecast->products)
        forecast->products->plan(&size, forecast->threads, plan);
    if (place == CGS_HOST)
        return;
    if (plain_bounds(forecast) != &of_stencil) { /* small boxes of order 2 took as much */
        cgs_plan_add(plan, place, "set-up", matrix->nonzeros, sizeof(int32_t));
        cgs_plan_add(plan, place, "set-up", part_of(matrix->nonzeros, bounds.p), ORDERING_BYTES);
    }
    cgs_plan_add(plan, place, "set-up", 1, POOL_BYTES);
    cgs_plan_add(plan, CGS_HOST, "set-up", 1, CODE_BYTES);
    if (!forecast->on_device) /* else the finest grid's matrix is made there */
        cgs_matrix_plan(plan, CGS_CRS, matrix->rows, 1, 1);
}

/* Adds the copy of the finest matrix in the cycle's numbers. Returns the host's bytes that pass
 * before set-up, as what compresses the copy: those that a product does not read. */
static int64_t plan_copy(const struct cgs_spec *forecast, const struct two_grids *g,
                         struct cgs_plan *plan)
{
    const struct cgs_traffic *product = &g->settings.grid[0].product;
    struct cgs_plan copy = {0};
    int64_t passing = 0;
    if (cgs_precision_real(forecast->precision) != forecast->cycle_number ||
        forecast->reuse == CGS_REUSE_ALL) /* that of the old values */
        forecast->cycle->plan(&g->matrix, &copy);
    if (forecast->backend->place == CGS_HOST)
        passing = copy.total[CGS_HOST] - product->matrix - product->padding;
    passing = passing > 0 ? passing : 0;
    cgs_plan_add(plan, CGS_HOST, "copy", copy.total[CGS_HOST] - passing, 1);
    if (copy.total[CGS_DEVICE_MEMORY] > 0)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "copy", copy.total[CGS_DEVICE_MEMORY], 1);
    return passing;
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
    const int64_t passing = plan_copy(forecast, &g, plan);
    cgs_plan_add_blocks(plan, place, "1/d", 1, finest->footprint);
    if (forecast->reuse == CGS_REUSE_PATTERN)
        plan_kept(forecast, &part.matrix, plan);
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
    if (forecast->near.count > 0)
        cgs_plan_add(plan, CGS_HOST, "near-null vectors", part.matrix.rows * forecast->near.count,
                     sizeof(double));
    plan_setup(forecast, &part, &setup);
    if (passing > setup.total[CGS_HOST])
        cgs_plan_add(&setup, CGS_HOST, "set-up", passing - setup.total[CGS_HOST], 1);
    for (int i = 0; i < CGS_PLACES; i++) { /* what comes after set-up */
        later[i] -= before[i];
        if (i == CGS_HOST) /* on a device the pool still holds set-up's memory then */
            later[i] += plan->total[i] - there[i];
    }
    cgs_plan_add_earlier(plan, &setup, later, "multigrid, more in set-up (estimate)");
}
