/* What algebraic multigrid will hold and move, before it exists. Exact for the finest grid; of all others
 * only the matrix's rows and entries are known, so these are estimates, on the high side of what was
 * seen of boxes and of files from 10 000 rows on: with `entries` and `rows` those of the finest matrix,
 *
 *     P and P'              entries / 2 each       seen: a sixth (27 a row) to a half (5 a row)
 *     coarser grids         rows / 4, entries / 2  seen: rows / 50 to / 5, entries / 27 to / 2
 *     set-up, in double     A, P, P', A P, P'A P   A P: at most as many entries as A
 *     its products          entries x 1 ... 5      seen: A P 1.4 to 4.4, P'(A P) 0.5 to 3.2
 */
#include "src/amg_plan.h"

#include "kernels/spgemm.h"
#include "src/amg.h"

enum { TRANSFER_PART = 2, ROWS_PART = 4, ENTRIES_PART = 2, PRODUCTS = 5, STEPS = 4 };

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

static struct cgs_forecast finest_of(const struct cgs_forecast *forecast)
{
    struct cgs_forecast finest = *forecast;
    finest.kernel = forecast->cycle;
    finest.outer = NULL;
    finest.precision = forecast->cycle_number == CGS_F64 ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    return finest;
}

static void estimate(const struct cgs_forecast *forecast, struct two_grids *g)
{
    const struct cgs_forecast finest = finest_of(forecast);
    const enum cgs_number number = forecast->cycle_number;
    cgs_forecast_matrix(&finest, &g->matrix);
    const int64_t rows = g->matrix.rows, entries = g->matrix.nonzeros;
    g->op[0] = g->op[1] = cgs_forecast_operator(&finest, &g->matrix);
    struct cgs_space *coarse = &g->op[1].domain;
    coarse->size = rows / ROWS_PART + 1;
    coarse->footprint = cgs_bytes(coarse->size, cgs_number_bytes(number));
    g->transfer = (struct cgs_transfer){
        .moves = cgs_transfer_matrix_moves(),
        .matrix = 2 * crs_bytes(number, rows, entries / TRANSFER_PART),
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
    g->settings.grid[1].product.matrix = crs_bytes(number, coarse->size, entries / ENTRIES_PART);
}

/* Both products of the finest grid, as a kernel sees them: the larger of each of their sizes. */
static struct cgs_spgemm_size size_of(const struct cgs_matrix *matrix, int64_t products)
{
    return (struct cgs_spgemm_size){
        .rows = matrix->rows,
        .columns = matrix->rows / ROWS_PART + 1,
        .inner = matrix->rows,
        .a = matrix->nonzeros,
        .b = matrix->nonzeros,
        .products = products,
        .longest = matrix->statistics.longest,
        .entries = matrix->nonzeros,
    };
}

/* What the products' kernel takes at most. More products may take less: of few a kernel may keep all
 * rows (spgemm_bits), and so all numbers up to the estimate are tried, in steps of a part of the entries. */
static void plan_kernel(const struct cgs_forecast *forecast, const struct cgs_matrix *matrix,
                        struct cgs_plan *plan)
{
    const int64_t step = matrix->nonzeros / STEPS + 1;
    struct cgs_spgemm_size largest = size_of(matrix, matrix->nonzeros);
    int64_t most = 0;
    for (int i = STEPS; i <= PRODUCTS * STEPS; i++) {
        const struct cgs_spgemm_size size = size_of(matrix, cgs_bytes(step, i));
        struct cgs_plan one = {0};
        forecast->products->plan(&size, forecast->threads, &one);
        if (one.total[forecast->backend->place] <= most)
            continue;
        most = one.total[forecast->backend->place];
        largest = size;
    }
    forecast->products->plan(&largest, forecast->threads, plan);
}

/* Matrices in double where the backend computes, while P'(A P) is made, and what makes it. Before that
 * are A, S, P and their product's, or A and what makes aggregates: less. */
static void plan_setup(const struct cgs_forecast *forecast, const struct cgs_matrix *matrix,
                       struct cgs_plan *plan)
{
    const enum cgs_place place = forecast->backend->place;
    const int64_t rows = matrix->rows, entries = matrix->nonzeros, coarse = rows / ROWS_PART;
    const char *what = "set-up";
    cgs_sparse_plan(plan, place, what, rows, entries, CGS_F64);                   /* A */
    cgs_sparse_plan(plan, place, what, rows, entries, CGS_F64);                   /* A P */
    cgs_sparse_plan(plan, place, what, rows, entries / TRANSFER_PART, CGS_F64);   /* P */
    cgs_sparse_plan(plan, place, what, coarse, entries / TRANSFER_PART, CGS_F64); /* P' */
    cgs_sparse_plan(plan, place, what, coarse, entries / ENTRIES_PART, CGS_F64);  /* P'A P */
    if (forecast->products)
        plan_kernel(forecast, matrix, plan);
    if (place != CGS_HOST) /* a matrix on its way from the device, and back */
        cgs_sparse_plan(plan, CGS_HOST, what, rows, entries / TRANSFER_PART, CGS_F64);
}

void cgs_amg_plan(const struct cgs_forecast *forecast, struct cgs_plan *plan)
{
    const enum cgs_number outer = cgs_precision_real(forecast->precision);
    const enum cgs_place place = forecast->backend->place;
    struct two_grids g;
    estimate(forecast, &g);
    const struct cgs_space *finest = &g.op[0].domain;
    int first = plan->count;
    if (outer != forecast->cycle_number)
        forecast->cycle->plan(&g.matrix, plan);
    cgs_plan_add_blocks(plan, place, "1/d, P c", 2, finest->footprint);
    cgs_multigrid_plan(plan, outer, &g.settings, 0);
    cgs_plan_fold(plan, first, "multigrid, finest grid");
    first = plan->count;
    cgs_plan_add(plan, place, "transfers", 1, g.transfer.matrix);
    cgs_plan_add(plan, place, "grids", 1, g.settings.grid[1].product.matrix);
    cgs_plan_add_blocks(plan, place, "1/d, P c", 2, g.op[1].domain.footprint);
    cgs_multigrid_plan(plan, outer, &g.settings, 1);
    cgs_plan_add(plan, place, "inverse", CGS_AMG_INVERTED * CGS_AMG_INVERTED,
                 cgs_number_bytes(forecast->cycle_number));
    cgs_plan_add(plan, CGS_HOST, "inverse", CGS_AMG_INVERTED * CGS_AMG_INVERTED, sizeof(double));
    cgs_plan_fold(plan, first, "multigrid, coarser grids (estimate)");
    first = plan->count;
    plan_setup(forecast, &g.matrix, plan);
    cgs_plan_fold(plan, first, "multigrid, set-up (estimate)");
}

struct cgs_moves cgs_amg_moves(const struct cgs_forecast *forecast, const struct cgs_space *outer)
{
    struct two_grids g;
    estimate(forecast, &g);
    return cgs_multigrid_moves(outer, &g.settings);
}
