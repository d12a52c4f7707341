#include "core/run/steps.h"

#include <float.h>
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/io/version.h"
#include "core/options/user_problem.h"
#include "matrix/market/market_write.h"
#include "matrix/walk.h"
#include "solver/cg/cg_create.h"

void cgs_run_enter(struct cgs_run *run, enum cgs_phase phase)
{
    cgs_stopwatch_enter(&run->context->watch, phase);
}

bool cgs_run_measures(const struct cgs_run *run)
{
    return !run->report->external.caller || run->report->external.caller->measure;
}

enum cgs_status cgs_run_open_input(struct cgs_run *run, const struct cgs_market_settings *settings)
{
    CGS_TRY(cgs_comm_agree(run->context, cgs_settle_user_problem(run->context, run->settings)));
    struct cgs_input_settings asked = cgs_input_asked(run->settings, &run->report->external);
    asked.machine = &run->machine;
    CGS_TRY(cgs_input_open(run->context, &asked, settings, &run->input));
    CGS_TRY(cgs_inject_rows(run->context, &run->injection, &run->input.source, &run->drawn));
    run->rows = run->drawn.rows;
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return CGS_OK;
}

int64_t cgs_run_all_rows(const struct cgs_run *run)
{
    return run->drawn.whole ? run->drawn.whole : run->drawn.rows;
}

int64_t cgs_run_first_row(const struct cgs_run *run)
{
    return run->owned.portion ? run->portion.first : 0;
}

int64_t cgs_run_row(const struct cgs_run *run, int64_t i)
{
    return run->renumbered.row ? run->renumbered.row[i] : cgs_run_first_row(run) + i;
}

enum cgs_status cgs_run_take_host(struct cgs_run *run)
{
    if (run->host)
        return CGS_OK;
    /* The ranks agree, since their next steps may be taken together. */
    return cgs_comm_agree(run->context, cgs_alloc(run->context, run->rows, sizeof *run->host,
                                                  "load vector", (void **)&run->host));
}

enum cgs_status cgs_run_put(struct cgs_run *run, void *vector)
{
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->put(&run->op.domain, run->host, 0, run->rows, vector);
}

enum cgs_status cgs_run_get(struct cgs_run *run, const void *vector)
{
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return run->op.domain.ops->get(&run->op.domain, vector, 0, run->rows, run->host);
}

enum cgs_status cgs_run_multiply(struct cgs_run *run)
{
    void *b = cgs_cg_rhs(run->cg), *x = cgs_cg_solution(run->cg);
    cgs_run_enter(run, CGS_PHASE_SETUP);
    CGS_TRY(cgs_operator_apply(&run->op, run->machine.queue, NULL, x, b));
    return run->op.domain.ops->wait(run->machine.queue);
}

enum cgs_status cgs_run_check_single(struct cgs_run *run, const char *name, const double *vector)
{
    double most = 0.0;
    if (run->settings->precision != CGS_PRECISION_F32)
        return CGS_OK; /* where b is held in double, CG takes a power of two out of it */
    for (int64_t i = 0; i < run->rows; i++)
        most = fmax(most, fabs(vector[i]));
    most = cgs_comm_most(run->context, most);
    if (most == 0.0 || (most >= (double)FLT_MIN && most <= (double)FLT_MAX))
        return CGS_OK;
    return cgs_fail(
        run->context, CGS_BREAKDOWN,
        "%s is so %s (its largest number is %.3g) that %s in single precision, which holds "
        "b and x in floats: take \1precision=mixed, or double, or multiply it by a "
        "power of ten, and divide the solution by the same",
        name, most < 1.0 ? "small" : "large", most,
        most < 1.0 ? "nothing is left of it" : "it overflows");
}

enum cgs_status cgs_run_note_range(struct cgs_run *run)
{
    struct cgs_report *report = run->report;
    double *diagonal = NULL, least = INFINITY, most = 0.0;
    if (run->input.kind == CGS_INPUT_CALLBACK || report->has_range)
        return CGS_OK;
    const int64_t rows = run->drawn.rows;
    enum cgs_status status =
        cgs_alloc(run->context, rows, sizeof *diagonal, "diagonal", (void **)&diagonal);
    if (status == CGS_OK)
        status = cgs_matrix_diagonal(run->context, &run->drawn, diagonal);
    for (int64_t i = 0; i < rows && status == CGS_OK; i++) {
        least = fmin(least, diagonal[i]);
        most = fmax(most, diagonal[i]);
    }
    cgs_free(run->context, diagonal);
    CGS_TRY(cgs_comm_agree(run->context, status));
    report->least_diagonal = -cgs_comm_most(run->context, -least);
    report->most_diagonal = cgs_comm_most(run->context, most);
    report->has_range = true;
    return CGS_OK;
}

void cgs_run_name_file(struct cgs_run *run)
{
    if (run->settings->matrix)
        cgs_fail_add(run->context, " (matrix '%s')", run->settings->matrix);
}

enum cgs_status cgs_run_save_matrix(struct cgs_run *run)
{
    char comment[128];
    const bool writes = run->save && run->save->target; /* of several ranks the first */
    const bool shared = run->drawn.whole > 0 && run->settings->save_matrix;
    enum cgs_status status = CGS_OK;
    if (run->saved || !(writes || shared))
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_OUTPUT);
    snprintf(comment, sizeof comment, "written by cgsolve %s (%s), %s", cgs_version(), cgs_commit(),
             run->report->date);
    if (writes)
        status = cgs_output_begin(run->context, run->save);
    CGS_TRY(shared ? cgs_comm_agree(run->context, status) : status);
    run->saved = true;
    CGS_TRY(cgs_market_write(run->context, writes ? run->save->file : NULL, comment, &run->drawn));
    return writes ? cgs_output_commit(run->context, run->save) : CGS_OK;
}
