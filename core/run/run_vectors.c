/* Vectors of files, --rhs=FILE and --guess=FILE:
 *
 *     .npy, .raw        an array (core/io/array_file.h): of the box a number for each unknown, in the shape (n_z, n_y,
 *                       n_x); a start vector in .npy may have all nodes, as --output writes it
 *     any other ending  Matrix Market, one column, or numbers alone, one a line, in the order of
 *                       the rows
 *
 * Each of several ranks reads the file and keeps its rows.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/comm.h"
#include "core/io/array_file.h"
#include "core/run/run_ranks.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "matrix/market/market_vector.h"
#include "solver/cg/cg_create.h"

static bool show_reading(void *user, int64_t done, int64_t all)
{
    struct cgs_run *run = user;
    return cgs_progress_reading(&run->view, run->reading, done, all);
}

static enum cgs_status read_market(struct cgs_run *run, const char *option, int64_t rows,
                                   int64_t *columns, double **vectors)
{
    const bool here = rows == cgs_run_all_rows(run);
    const struct cgs_market_settings settings = {
        .progress = show_reading, .cut = here ? cgs_run_ranks_cuts : NULL, .user = run};
    const enum cgs_status status =
        cgs_market_read_vectors(run->context, run->reading, &settings, rows, columns, vectors);
    const bool box = run->input.kind == CGS_INPUT_BOX;
    const char *words = strcmp(option, "\1rhs") == 0         ? (box ? NULL : "ones and random")
                        : strcmp(option, "\1guess") == 0     ? "zero and fmg"
                        : strcmp(option, "\1nullspace") == 0 ? "constant and none"
                                                             : NULL;
    if (status == CGS_FILE && access(run->reading, F_OK) != 0 && words)
        cgs_fail_add(run->context, "; %s takes a file, or the words %s", option, words);
    return status;
}

static enum cgs_status read_array(struct cgs_run *run, const char *option, int64_t rows,
                                  int64_t *columns, double **vectors)
{
    const bool box = run->input.kind == CGS_INPUT_BOX, nodes = strcmp(option, "\1guess") == 0;
    const struct cgs_mesh *mesh = &run->input.mesh;
    const bool all = rows == cgs_run_all_rows(run);
    struct cgs_array array = {.what = all ? "unknown" : "node",
                              .n = {rows, 1, 1},
                              .vector = !box,
                              .first = all ? cgs_run_first_row(run) : 0};
    array.last = all ? array.first + run->rows : rows;
    for (int k = 0; k < 3 && box; k++) {
        array.n[k] = mesh->n[k];
        array.low[k] = nodes && !(mesh->open[k] & 1);
        array.high[k] = nodes && !(mesh->open[k] & 2);
    }
    return cgs_array_read(run->context, option, run->reading, &array, columns, vectors);
}

/* Fails if a number would overflow in single precision; mixed holds b and x in double. */
static enum cgs_status check_range(struct cgs_run *run, const char *name, const double *vector)
{
    const int64_t first = cgs_run_first_row(run);
    for (int64_t i = 0; i < run->rows && run->settings->precision == CGS_PRECISION_F32; i++)
        if (!(fabs(vector[i]) <= FLT_MAX))
            return cgs_fail(run->context, CGS_FILE,
                            "'%s': %s(%" PRId64 ") = %.6g does not fit single precision (at most "
                            "%.6g); use \1precision=mixed, or double",
                            run->reading, name, first + i + 1, vector[i], (double)FLT_MAX);
    return CGS_OK;
}

enum cgs_status cgs_run_read_vectors(struct cgs_run *run, const char *option, const char *file,
                                     int64_t rows, int64_t *columns, double **vectors)
{
    run->reading = file;
    const enum cgs_status status = cgs_array_file(file)
                                       ? read_array(run, option, rows, columns, vectors)
                                       : read_market(run, option, rows, columns, vectors);
    CGS_TRY(cgs_comm_agree(run->context, status));
    cgs_progress_end(&run->view);
    return CGS_OK;
}

/* Makes a vector of a file, `name` "b" or "x", this run's. */
static enum cgs_status take_in(struct cgs_run *run, const char *name, double *vector)
{
    CGS_TRY(cgs_comm_agree(run->context, check_range(run, name, vector)));
    return run->renumbered.place
               ? cgs_renumber_vector(run->context, run->portion.cuts, &run->renumbered, vector)
               : CGS_OK;
}

enum cgs_status cgs_run_read_rhs(struct cgs_run *run, int64_t *columns, double **b)
{
    int64_t count = 1;
    CGS_TRY(cgs_run_read_vectors(run, "\1rhs", cgs_rhs_file(run->settings), cgs_run_all_rows(run),
                                 columns ? &count : NULL, b));
    for (int64_t c = 0; c < count; c++) {
        CGS_TRY(take_in(run, "b", *b + c * run->rows));
        CGS_TRY(cgs_run_check_single(run, "the right-hand side", *b + c * run->rows));
    }
    if (columns)
        *columns = count;
    return CGS_OK;
}

enum cgs_status cgs_run_read_nullspace(struct cgs_run *run, int64_t *columns, double **vectors)
{
    CGS_TRY(cgs_run_read_vectors(run, "\1nullspace", cgs_nullspace_file(run->settings),
                                 cgs_run_all_rows(run), columns, vectors));
    for (int64_t c = 0; c < *columns; c++)
        CGS_TRY(take_in(run, "v", *vectors + c * run->rows));
    return CGS_OK;
}

/* settings: as cgs_market_head_vectors takes them. */
static enum cgs_status read_head(struct cgs_context *context, const char *file,
                                 const struct cgs_market_settings *settings, int64_t rows,
                                 struct cgs_rhs_size *size)
{
    const struct cgs_array array = {.what = "unknown", .n = {rows, 1, 1}, .vector = true};
    struct stat facts;
    *size = (struct cgs_rhs_size){.vectors = 1};
    if (stat(file, &facts) == 0 && !S_ISREG(facts.st_mode))
        return CGS_OK;
    return cgs_array_file(file)
               ? cgs_array_read(context, "\1rhs", file, &array, &size->vectors, NULL)
               : cgs_market_head_vectors(context, file, settings, rows, &size->vectors,
                                         &size->reading);
}

enum cgs_status cgs_run_head_rhs(struct cgs_context *context, const char *file, int64_t rows,
                                 struct cgs_rhs_size *size)
{
    return read_head(context, file, NULL, rows, size);
}

struct cgs_rhs_size cgs_run_foresee_rhs(struct cgs_run *run)
{
    const char *file = cgs_rhs_file(run->settings);
    struct cgs_rhs_size size;
    const struct cgs_market_settings settings = {.cut = cgs_run_ranks_cuts, .user = run};
    struct cgs_context quiet;
    cgs_context_init(&quiet);
    quiet.comm = run->context->comm;
    if (!run->laid_out || !file ||
        read_head(&quiet, file, quiet.comm ? &settings : NULL, cgs_run_all_rows(run), &size) !=
            CGS_OK)
        return (struct cgs_rhs_size){0};
    return size;
}

enum cgs_status cgs_run_read_start(struct cgs_run *run)
{
    const char *file = run->settings->guess_file;
    if (!file)
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(cgs_run_read_vectors(run, "\1guess", file, cgs_run_all_rows(run), NULL, &run->start));
    return take_in(run, "x", run->start);
}

enum cgs_status cgs_run_put_start(struct cgs_run *run)
{
    const struct cgs_space *space = &run->op.domain;
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    CGS_TRY(space->ops->put(space, run->start, 0, run->rows, cgs_cg_solution(run->cg)));
    cgs_run_enter(run, CGS_PHASE_SETUP);
    return CGS_OK;
}
