/* Memory and traffic of algebraic multigrid before it exists. Exact for the finest grid; of all others
 * only the matrix's rows and entries are known, so these are estimates, on the high side of what was
 * seen (bench/amg_files, boxes with and without --deform and --kappa):
 *
 *                     parts of the finest matrix's rows and entries           products for each of its
 *                     aggregates   P           A P         P'A P              entries: S T, A P, P'(A P)
 *     box, 0.02       .02 - .05    .13 - .18   .31 - .47   .02 - .07          .6 - 1, 2.8 - 4.3, 1 - 1.8
 *     box, any        .01 - .18    .00 - .18   .02 - .85   .00 - .35          .0 - 1, .0 - 4.5, .0 - 2.7
 *     files           .00 - .36    .00 - .54   .00 - 1.3   .00 - 1            .0 - 1, .0 - 5.0, .0 - 4.5
 *
 * and of two files with few entries A P 1.2 and 2.6, products 9 and 13 (Trefethen_2000, bcsstk08), which
 * `few` allows for.
 *
 * Set-up is over before the cycle's vectors, coarser grids and CG's vectors come: at the peak there
 * is one or the other; on a device, whose pool gives back at the end of set-up, CG's vectors alone.
 *
 * A rank's plan has the same shares of its own rows and entries, besides those of other ranks that products
 * need, and a grid that each rank has as a whole.
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

enum { HUNDRED = 100 };

/* On a device: an entry whose place in P' is looked for; what a pool takes more than it was asked for;
 * on the host, the runtime's copy of the code that set-up alone needs (seen: 30 MB beyond that of other
 * solves). */
enum { ORDERING_BYTES = 44, POOL_BYTES = 16 << 20, CODE_BYTES = 48 << 20 };

/* Products of set-up: while one is made, most is held (see plan_moment). */
enum moment { S_T, A_P, R_AP, EXCHANGE, MOMENTS };

/* Factors for several ranks: P'(A P) reaches so many times as far as A; an entry that is sent has so many words, and
 * they are held at both ends. */
enum { P_REACH = 3, WORDS = 2, ENDS = 2 };

/* The finest grid of this rank, or of a process alone. */
struct part {
    struct cgs_matrix matrix;
    int64_t whole;  /* rows of all ranks */
    int64_t ghosts; /* numbers of others that A reads; 0 of a process alone */
    int64_t reach;  /* rows of others that P'(A P) reads */
    int ranks;
};

/* Estimates, in hundredths of the finest matrix's rows and entries. */
struct shares {
    int rows, p, ap, coarse;
    int products[MOMENTS];
    int64_t few; /* products that there may be beside these; entries of A P and P'A P: an eighth */
};

/* With all entries of the stencil strong, as they are by default. */
static const struct shares of_stencil = {7, 20, 55, 9, {[S_T] = 100, [A_P] = 450, [R_AP] = 200}, 0};
static const double STENCIL_STRENGTH = 0.02;
static const struct shares of_box = {20, 20, 100, 40, {[S_T] = 100, [A_P] = 475, [R_AP] = 300}, 0};
static const struct shares of_file = {36,     55, 125, 60, {[S_T] = 100, [A_P] = 500, [R_AP] = 500},
                                      1 << 17};

static const struct shares *shares_of(const struct cgs_spec *forecast)
{
    if (forecast->laid)
        return &of_file;
    return forecast->strength <= STENCIL_STRENGTH ? &of_stencil : &of_box;
}

static int64_t part_of(int64_t count, int hundredths)
{
    return cgs_bytes(count / HUNDRED + 1, hundredths);
}

static struct part part_of_rank(const struct cgs_spec *forecast)
{
    struct part part = {.ranks = forecast->ranks > 1 ? forecast->ranks : 1};
    cgs_spec_matrix(forecast, &part.matrix);
    const struct cgs_portion *portion =
        forecast->laid && forecast->laid->source ? forecast->laid->source->portion : NULL;
    part.whole = portion ? portion->whole : part.matrix.rows;
    part.ghosts = cgs_spec_take_part(forecast, &part.matrix);
    const int64_t others = part.whole - part.matrix.rows;
    if (part.ranks > 1) /* cuts of coarser grids are moved by half a block at either end */
        part.reach = cgs_least(P_REACH * part.ghosts + cgs_blocks_unit(part.whole, 1, 1), others);
    return part;
}

/* Returns a count of this rank's rows with that of `rows` rows of others. */
static int64_t with_others(const struct part *part, int64_t count, int64_t rows)
{
    const double own = (double)(part->matrix.rows > 0 ? part->matrix.rows : 1);
    return count + (int64_t)ceil((double)count * (double)rows / own);
}

/* Returns the bytes at most that a product of a grid moves which each of several ranks has as a whole; of a shared
 * one each has half of its part and more (amg_shared.c). */
static int64_t whole_bytes(const struct cgs_spec *forecast, const struct part *part)
{
    const double least = 0.5 / part->ranks;
    return part->ranks == 1
               ? 0
               : (int64_t)ceil(cgs_sharing_most(forecast, 1.0 - (part->ranks - 1) * least));
}

/* Returns the share for this matrix: no more than A A A has, so that a diagonal has hardly any. */
static int64_t few_of(const struct shares *shares, const struct cgs_matrix *matrix)
{
    const struct cgs_row_statistics *s = &matrix->statistics;
    const double squares = s->mean * s->mean + s->deviation * s->deviation;
    const double products = ceil((double)matrix->rows * squares * s->longest);
    return products < (double)shares->few ? (int64_t)products : shares->few;
}

/* Rows of the coarsest grid that may get an inverse: those of a matrix that has no other grid, else no
 * more than half of the finer ones, since an aggregate has two rows or more. */
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
    const struct shares *shares = shares_of(forecast);
    enum { ROW = 32 }; /* bytes that a product moves for a row of an entry, at least */
    const int64_t rows = part.matrix.rows, p = part_of(part.matrix.nonzeros, shares->p),
                  coarse_entries = part_of(part.matrix.nonzeros, shares->coarse),
                  whole = whole_bytes(forecast, &part);
    g->matrix = part.matrix;
    g->op[0] = g->op[1] = cgs_spec_operator(&finest, &g->matrix);
    g->op[0].domain.footprint += cgs_bytes(part.reach, cgs_number_bytes(number));
    struct cgs_space *coarse = &g->op[1].domain;
    coarse->size = part_of(rows, shares->rows) + whole / ROW;
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

/* Matrices in double where the backend computes, while a product of the finest grid is made:
 *
 *     S T       A, aggregates, T, S, P
 *     A P       A, P, P', A P                        several ranks: instead of P' P with rows of others
 *     P'(A P)   the same, P'A P                      with rows of others, and the rows of P that P' is made of
 *     exchange                                       A, P, A P, both with rows of others, and these on their way
 *
 * and what makes it. Before, between and after these is less: A and the vectors that estimate the
 * eigenvalues, or what makes aggregates; A, P, P' and what transposes; P, P', P'A P on the host and as
 * operators. So is set-up of a coarser grid, beside those above it. */
static void plan_moment(const struct cgs_spec *forecast, const struct part *part,
                        enum moment moment, int64_t products, struct cgs_plan *plan)
{
    const struct shares *shares = shares_of(forecast);
    const struct cgs_matrix *matrix = &part->matrix;
    const enum cgs_place place = forecast->backend->place;
    const int64_t rows = matrix->rows, entries = matrix->nonzeros, few = few_of(shares, matrix) / 8;
    const int64_t coarse = part_of(rows, shares->rows), p = part_of(entries, shares->p),
                  ap = part_of(entries, shares->ap) + few, all = rows + part->ghosts;
    const int64_t reached = rows + part->reach, p_reached = with_others(part, p, part->reach),
                  ap_reached = with_others(part, ap, part->reach);
    const bool several = part->ranks > 1;
    struct cgs_spgemm_size size = {.rows = rows,
                                   .columns = coarse,
                                   .inner = all,
                                   .a = entries,
                                   .b = with_others(part, p, part->ghosts),
                                   .products = products,
                                   .longest = matrix->statistics.longest,
                                   .entries = ap};
    const char *what = "set-up";
    cgs_sparse_plan(plan, place, what, rows, entries, CGS_F64); /* A */
    cgs_sparse_plan(plan, place, what, rows, p, CGS_F64);       /* P */
    if (moment == S_T) {
        cgs_plan_add(plan, place, what, all, sizeof(int32_t));
        cgs_sparse_plan(plan, place, what, all, all, CGS_F64); /* T: an entry a row, at most */
        cgs_sparse_plan(plan, place, what, rows, products, CGS_F64); /* S: the same a product */
        size.a = products;
        size.b = all;
        size.entries = p;
    } else if (moment == A_P) {
        cgs_sparse_plan(plan, place, what, several ? all : coarse, size.b, CGS_F64);
        cgs_sparse_plan(plan, place, what, rows, ap, CGS_F64);
    } else {
        cgs_sparse_plan(plan, place, what, several ? reached : coarse, p_reached, CGS_F64);
        cgs_sparse_plan(plan, place, what, reached, ap_reached, CGS_F64);
    }
    if (moment == EXCHANGE) {
        cgs_sparse_plan(plan, place, what, rows, ap, CGS_F64);
        cgs_plan_add(plan, place, what, ENDS * WORDS * (p_reached - p + ap_reached - ap),
                     sizeof(int64_t));
        return;
    }
    if (moment == R_AP) {
        size.rows = coarse;
        size.inner = reached;
        size.a = p_reached;
        size.b = ap_reached;
        size.entries = part_of(entries, shares->coarse) + few;
        cgs_sparse_plan(plan, place, what, coarse, size.entries, CGS_F64);
        if (several)
            cgs_sparse_plan(plan, place, what, coarse, p_reached, CGS_F64);
    }
    if (forecast->products)
        forecast->products->plan(&size, forecast->threads, plan);
}

/* The moment that takes most. */
static void plan_setup(const struct cgs_spec *forecast, const struct part *part,
                       struct cgs_plan *plan)
{
    const struct shares *shares = shares_of(forecast);
    const struct cgs_matrix *matrix = &part->matrix;
    const enum cgs_place place = forecast->backend->place;
    for (int moment = 0; moment < (part->ranks > 1 ? MOMENTS : EXCHANGE); moment++) {
        const int64_t products = part_of(matrix->nonzeros, shares->products[moment]) +
                                 (moment == S_T ? 0 : few_of(shares, matrix));
        struct cgs_plan one = {0};
        plan_moment(forecast, part, (enum moment)moment,
                    with_others(part, products, moment == R_AP ? part->reach : 0), &one);
        if (one.total[place] > plan->total[place])
            *plan = one;
    }
    if (place == CGS_HOST)
        return;
    /* a device's pool keeps what was given back, and seldom has it in the pieces that come next:
     * strong connections, what puts P's entries in the order of P' */
    cgs_plan_add(plan, place, "set-up", matrix->nonzeros, sizeof(int32_t));
    cgs_plan_add(plan, place, "set-up", part_of(matrix->nonzeros, shares->p), ORDERING_BYTES);
    cgs_plan_add(plan, place, "set-up", 1, POOL_BYTES);
    cgs_plan_add(plan, CGS_HOST, "set-up", 1, CODE_BYTES);
    /* a matrix on its way from the device, and back as an operator */
    cgs_sparse_plan(plan, CGS_HOST, "set-up", matrix->rows, part_of(matrix->nonzeros, shares->p),
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
