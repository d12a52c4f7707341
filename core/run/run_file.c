/* Steps of a run for a file's matrix: reads it within the memory available, checks it for CG, makes
 * the right-hand side, and measures the error if b = A u with a known u. All but the reading also
 * serve a matrix in the caller's memory. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/io/format.h"
#include "core/run/judge.h"
#include "core/run/run_choose.h"
#include "core/run/run_file.h"
#include "core/run/run_ranks.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "core/setup/machine_open.h"
#include "matrix/symmetry.h"
#include "solver/cg/cg_create.h"

enum { BLOCKS = 256 }; /* blocks of rows with a sum each: independent of the number of threads */

/* Checks shape, diagonal and the memory for reading from the size line, before anything is
 * allocated. */
static enum cgs_status accept(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct cgs_run *run = user;
    const char *name = run->settings->matrix;
    struct cgs_room room;
    cgs_text wanted, there;
    if (market->rows != market->columns)
        return cgs_fail(context, CGS_BREAKDOWN,
                        "'%s' has %" PRId64 " rows and %" PRId64 " columns: CG needs a square, "
                        "symmetric matrix",
                        name, market->rows, market->columns);
    if (market->symmetry == CGS_MARKET_SKEW)
        return cgs_fail(context, CGS_BREAKDOWN,
                        "'%s' is skew-symmetric: it is not symmetric, and CG needs that", name);
    if (market->stored < market->rows)
        return cgs_fail(
            context, CGS_BREAKDOWN,
            "'%s' announces %" PRId64 " rows and %" PRId64 " entr%s, so that at least %" PRId64
            " of its diagonal %s not there: the diagonal of a positive definite matrix is "
            "positive, and CG needs that",
            name, market->rows, market->stored, market->stored == 1 ? "y" : "ies",
            market->rows - market->stored, market->rows - market->stored == 1 ? "is" : "are");
    CGS_TRY(cgs_room_measure(&run->machine, cgs_settings_memory_limit(run->settings), &room));
    if (plan->total[CGS_HOST] > room.bytes[CGS_HOST])
        return cgs_fail(
            context, CGS_MEMORY,
            "'%s' announces %" PRId64 " rows and %" PRId64 " entries: to read them "
            "takes %s of host memory, but %s %s; %s",
            name, market->rows, market->stored, cgs_bytes_text(plan->total[CGS_HOST], wanted),
            room.limited[CGS_HOST] ? "\1memory-limit allows" : "what is free is",
            cgs_bytes_text(room.bytes[CGS_HOST], there),
            room.limited[CGS_HOST] ? "raise that limit"
                                   : "look at its size line, or take a machine with more memory");
    run->report->reading_bytes = plan->total[CGS_HOST];
    return CGS_OK;
}

static bool show_reading(void *user, int64_t done, int64_t all)
{
    struct cgs_run *run = user;
    return cgs_progress_reading(&run->view, run->settings->matrix, done, all);
}

/* Reads the file and lays out its rows. CGS_MEMORY: too large by its size line. CGS_BREAKDOWN: not
 * square, or as cgs_run_file_check. */
static enum cgs_status read_file(struct cgs_run *run)
{
    const struct cgs_market_settings settings = {
        .accept = accept, .progress = show_reading, .cut = cgs_run_ranks_cuts, .user = run};
    CGS_TRY(cgs_run_open_input(run, &settings));
    cgs_progress_end(&run->view);
    run->report->market = run->input.market;
    run->report->has_market = true;
    cgs_settle_iterations(run->settings, run->input.market.rows);
    CGS_TRY(cgs_run_file_check(run)); /* before kernels are timed, which may take long */
    CGS_TRY(cgs_run_choose_cycle(run));
    CGS_TRY(cgs_run_choose_kernel(run));
    CGS_TRY(cgs_run_ranks_partition(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return cgs_run_lay_out(run);
}

/* Makes a copy of rows in the caller's memory, of the host or of the device, which the run then
 * draws. */
static enum cgs_status copy_rows(struct cgs_run *run)
{
    struct cgs_input *input = &run->input;
    struct cgs_row_source rows =
        input->kind == CGS_INPUT_DEVICE ? cgs_there_source(&input->there) : input->source;
    rows.there = NULL;
    CGS_TRY(cgs_crs_generate(run->context, &rows, &input->crs));
    input->source = cgs_crs_source(&input->crs);
    CGS_TRY(cgs_inject_rows(run->context, &run->injection, &input->source, &run->drawn));
    if (run->laid_out) /* with the same rows in other memory */
        run->owned = run->drawn;
    return CGS_OK;
}

/* Symmetry and a positive diagonal; makes a matrix symmetric that is so but for rounding. */
static enum cgs_status check_rows(struct cgs_run *run)
{
    bool symmetric;
    run->report->asymmetry = (struct cgs_asymmetry){0};
    CGS_TRY(cgs_matrix_check_symmetry(run->context, &run->drawn, true, &symmetric));
    if (symmetric)
        return CGS_OK;
    if (!run->input.crs.pointers)
        CGS_TRY(copy_rows(run));
    CGS_TRY(cgs_symmetrise(run->context, &run->input.crs, &run->report->asymmetry));
    return cgs_matrix_check_symmetry(run->context, &run->drawn, true, NULL);
}

enum cgs_status cgs_run_file_check(struct cgs_run *run)
{
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    const enum cgs_status status = check_rows(run);
    if (status == CGS_BREAKDOWN)
        cgs_run_name_file(run);
    CGS_TRY(status);
    run->drawn.symmetric = true; /* for --save-matrix */
    if (run->context->comm)      /* now, by all: later the ranks may not come here together */
        CGS_TRY(cgs_run_note_range(run));
    if (cgs_precision_value(run->settings->precision) != CGS_F32)
        return CGS_OK;
    CGS_TRY(cgs_run_note_range(run)); /* bounds all entries of an SPD matrix */
    if (run->report->most_diagonal < (double)FLT_MIN)
        cgs_run_blame_range(run->context, run->report);
    return run->context->status;
}

/* Reads the file of --rhs, which may hold several vectors, *count of them, where the program
 * solves or the caller takes them in turn. */
static enum cgs_status read_columns(struct cgs_run *run, int64_t *count)
{
    const bool caller = run->report->external.caller != NULL;
    CGS_TRY(cgs_run_read_rhs(run, caller && run->turns == 0 ? NULL : count, &run->columns));
    if (!caller || *count == run->turns)
        return CGS_OK;
    return cgs_fail(run->context, CGS_USAGE,
                    "'%s' has %" PRId64 " right-hand side%s, and count is %" PRId64,
                    cgs_rhs_file(run->settings), *count, *count == 1 ? "" : "s", run->turns);
}

/* Takes a vector of the file of --rhs: the next, or the caller's. They are kept until the last. */
static enum cgs_status take_column(struct cgs_run *run)
{
    const bool caller = run->report->external.caller != NULL;
    struct cgs_columns *columns = &run->report->columns;
    const int64_t at = caller ? run->turn : columns->solved;
    int64_t count = caller ? run->turns : columns->count;
    if (at == 0) { /* perhaps of a solve that failed */
        cgs_free(run->context, run->columns);
        run->columns = NULL;
    }
    if (!run->columns)
        CGS_TRY(read_columns(run, &count));
    if (!caller)
        columns->count = count;
    memcpy(run->host, run->columns + at * run->rows, (size_t)run->rows * sizeof *run->host);
    if (at + 1 < count)
        return CGS_OK;
    cgs_free(run->context, run->columns);
    run->columns = NULL;
    return CGS_OK;
}

enum cgs_status cgs_run_rows_load(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    const bool random = strcmp(o->rhs, "random") == 0;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(cgs_run_take_host(run));
    if (cgs_rhs_file(o)) {
        CGS_TRY(take_column(run));
    } else {
#pragma omp parallel for num_threads(run->context->threads) schedule(static)
        for (int64_t i = 0; i < run->rows; i++)
            run->host[i] = random ? cgs_random((uint64_t)cgs_run_row(run, i)) : 1.0;
    }
    if (!random)
        return cgs_run_put(run, cgs_cg_rhs(run->cg)); /* x is zero at first */
    CGS_TRY(cgs_run_put(run, cgs_cg_solution(run->cg)));
    CGS_TRY(cgs_run_multiply(run));
    memset(run->host, 0, (size_t)run->rows * sizeof *run->host);
    return cgs_run_put(run, cgs_cg_solution(run->cg));
}

/* Blocks of rows whose errors are measured one by one: rank r measures blocks starts[r] ...
 * starts[r + 1] - 1, those whose first row it owns, and so needs the rows from its own first one
 * up to last[r]. */
struct error_blocks {
    int64_t starts[CGS_RANKS_MOST + 1], last[CGS_RANKS_MOST];
};

static int64_t block_begin(int64_t rows, int64_t block)
{
    return rows * block / BLOCKS;
}

static void cut_blocks(const struct cgs_run *run, struct error_blocks *blocks)
{
    const struct cgs_portion *portion = run->owned.portion;
    const int64_t rows = cgs_run_all_rows(run);
    const int ranks = portion ? portion->ranks : 1;
    int64_t block = 0;
    blocks->starts[0] = 0;
    for (int r = 1; r <= ranks; r++) {
        while (block < BLOCKS && (r == ranks || block_begin(rows, block) < portion->cuts[r]))
            block++;
        blocks->starts[r] = block;
        blocks->last[r - 1] = r == ranks ? rows : block_begin(rows, block);
    }
}

/* Sums of a block: |x - u|^2, |u|^2, max |x - u|. */
enum { DIFFERENCE, NORM, MOST, BLOCK_SUMS };

/* Measures the error of blocks first ... last - 1 of x, which begins with row `from`, against u_i =
 * cgs_random(i). */
static void compare_blocks(const struct cgs_run *run, int64_t first, int64_t last, const double *x,
                           int64_t from, double sums[][BLOCK_SUMS])
{
    const int64_t rows = cgs_run_all_rows(run);
#pragma omp parallel for num_threads(run->context->threads) schedule(static)
    for (int64_t b = first; b < last; b++) {
        double difference = 0.0, norm = 0.0, most = 0.0;
        for (int64_t i = block_begin(rows, b); i < block_begin(rows, b + 1); i++) {
            const double u = cgs_random((uint64_t)i), d = fabs(x[i - from] - u);
            difference += d * d;
            norm += u * u;
            most = d > most ? d : most;
        }
        sums[b][DIFFERENCE] = difference;
        sums[b][NORM] = norm;
        sums[b][MOST] = most;
    }
}

static struct cgs_known_error add_blocks(double sums[][BLOCK_SUMS])
{
    double difference = 0.0, norm = 0.0, most = 0.0;
    for (int b = 0; b < BLOCKS; b++) {
        difference += sums[b][DIFFERENCE];
        norm += sums[b][NORM];
        most = fmax(most, sums[b][MOST]);
    }
    return (struct cgs_known_error){.max = most, .relative = sqrt(difference / norm)};
}

/* Fills the sums of all blocks where each rank has those next to its rows. */
static enum cgs_status compare_in_order(struct cgs_run *run, double sums[][BLOCK_SUMS])
{
    struct error_blocks blocks;
    double *x;
    const struct cgs_portion *portion = run->owned.portion;
    const int rank = portion ? portion->rank : 0;
    cut_blocks(run, &blocks);
    CGS_TRY(cgs_run_ranks_fetch(run, cgs_cg_solution(run->cg), portion ? portion->cuts : NULL,
                                blocks.last, &x));
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    compare_blocks(run, blocks.starts[rank], blocks.starts[rank + 1], x, cgs_run_first_row(run),
                   sums);
    cgs_run_ranks_drop(run, x);
    return cgs_comm_complete(run->context, blocks.starts, BLOCK_SUMS, &sums[0][0]);
}

/* The same where rows are not in the file's order: rank 0 has them in that, and tells the
 * others. */
static enum cgs_status compare_renumbered(struct cgs_run *run, double sums[][BLOCK_SUMS])
{
    struct cgs_comm *comm = run->context->comm;
    double *all;
    CGS_TRY(cgs_run_ranks_collect(run, cgs_cg_solution(run->cg), &all));
    cgs_run_enter(run, CGS_PHASE_ERRORS);
    if (all)
        compare_blocks(run, 0, BLOCKS, all, 0, sums);
    cgs_run_ranks_drop(run, all);
    comm->ops->share(comm, 0, sums, BLOCKS * BLOCK_SUMS * (int64_t)sizeof(double));
    return CGS_OK;
}

enum cgs_status cgs_run_rows_errors(struct cgs_run *run)
{
    double sums[BLOCKS][BLOCK_SUMS];
    if (!run->settings->rhs || strcmp(run->settings->rhs, "random") != 0)
        return CGS_OK;
    CGS_TRY(run->renumbered.place ? compare_renumbered(run, sums) : compare_in_order(run, sums));
    run->report->known = add_blocks(sums);
    run->report->has_known = true;
    return CGS_OK;
}

const struct cgs_run_source cgs_source_file = {
    .read = read_file,
    .load = cgs_run_rows_load,
    .errors = cgs_run_rows_errors,
};
