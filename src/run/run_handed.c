/* Steps of a run for a caller of the library, with the caller's rows and vectors. Nothing is timed
 * unless asked for, so that --kernel=auto depends on the row lengths alone and picks the same
 * kernel in every run. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "src/run/run.h"
#include "src/settle/machine_open.h"
#include "src/tune/candidates.h"

enum cgs_status cgs_run_choose_by_lengths(struct cgs_run *run)
{
    struct cgs_options *o = run->options;
    struct cgs_machine *m = &run->machine;
    const struct cgs_kernel_entry *entry = m->entry;
    struct cgs_padding padding;
    if (!m->automatic || o->given[CGS_OPTION_format])
        return CGS_OK;
    CGS_TRY(cgs_padding_measure(run->context, o, m->backend, &run->drawn, &padding));
    if (cgs_padding_format(o, &padding) == CGS_CRS)
        CGS_TRY(cgs_kernel_find(run->context, "auto", m->device, CGS_CRS, &entry));
    CGS_TRY(cgs_machine_take(run->context, o, entry, padding.chunk, padding.sigma, m));
    run->report->machine = *m;
    return CGS_OK;
}

bool cgs_run_measures(const struct cgs_run *run)
{
    return !run->options->handed || run->options->handed->measure;
}

/* Lays out the rows in the caller's memory. */
static enum cgs_status read_rows(struct cgs_run *run)
{
    CGS_TRY(cgs_run_open_input(run, NULL));
    if (!run->options->known[CGS_OPTION_max_iterations])
        CGS_DECIDE(run->options, max_iterations, cgs_default_iterations_of_rows(run->rows));
    CGS_TRY(cgs_run_file_check(run));
    CGS_TRY(cgs_run_choose_cycle(run));
    CGS_TRY(cgs_run_choose_kernel(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return cgs_run_lay_out(run);
}

/* Fails if a number of the vector is NaN or infinite, or would overflow in single precision. */
static enum cgs_status check_numbers(struct cgs_run *run, const char *name, const double *vector)
{
    const bool single = run->options->precision != CGS_PRECISION_F64;
    const double most = single ? FLT_MAX : DBL_MAX;
    int64_t first = run->rows;
#pragma omp parallel for num_threads(run->context->threads) schedule(static) reduction(min : first)
    for (int64_t i = 0; i < run->rows; i++)
        if (!(fabs(vector[i]) <= most) && i < first)
            first = i;
    if (first == run->rows)
        return CGS_OK;
    if (single && isfinite(vector[first]))
        return cgs_fail(run->context, CGS_FILE,
                        "%s[%" PRId64 "] = %.6g does not fit single precision (at most %.6g): set "
                        "precision to double",
                        name, first, vector[first], (double)FLT_MAX);
    return cgs_fail(run->context, CGS_FILE, "%s[%" PRId64 "] is %g: expected finite numbers", name,
                    first, vector[first]);
}

enum cgs_status cgs_run_handed_load(struct cgs_run *run)
{
    const struct cgs_handed *handed = run->options->handed;
    const struct cgs_space *space = &run->op.domain;
    CGS_TRY(check_numbers(run, "b", handed->rhs));
    CGS_TRY(cgs_run_check_small(run, "b", handed->rhs));
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->put(space, handed->rhs, 0, run->rows, cgs_cg_rhs(run->cg));
}

enum cgs_status cgs_run_handed_clear(struct cgs_run *run)
{
    const struct cgs_space *space = &run->op.domain;
    const bool used = run->answered;
    run->answered = true;
    return used ? space->ops->set(space, run->machine.queue, NULL, 0.0, cgs_cg_solution(run->cg))
                : CGS_OK;
}

enum cgs_status cgs_run_handed_start(struct cgs_run *run)
{
    const struct cgs_handed *handed = run->options->handed;
    const struct cgs_space *space = &run->op.domain;
    if (!handed || !handed->start)
        return CGS_OK;
    CGS_TRY(check_numbers(run, "x", handed->start));
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->put(space, handed->start, 0, run->rows, cgs_cg_solution(run->cg));
}

enum cgs_status cgs_run_handed_over(struct cgs_run *run)
{
    const struct cgs_handed *handed = run->options->handed;
    const struct cgs_space *space = &run->op.domain;
    const enum cgs_status status = cgs_outcome_status(run->report->result.outcome);
    if (!handed->solution || status == CGS_BREAKDOWN)
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_TRANSFER);
    return space->ops->get(space, cgs_cg_solution(run->cg), 0, run->rows, handed->solution);
}

const struct cgs_run_source cgs_source_memory = {
    .read = read_rows,
    .load = cgs_run_rows_load,
    .errors = cgs_run_rows_errors,
};
