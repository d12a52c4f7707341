#include "core/autotune/trial.h"

#include <string.h>

#include "base/contention.h"
#include "core/setup/measure.h"
#include "matrix/layout.h"

static struct cgs_context *context_of(const struct cgs_trial *trial)
{
    return trial->testbed->queue->context;
}

/* Sets the context's threads to the candidate's; returns the previous number. */
static int take_threads(const struct cgs_trial *trial)
{
    struct cgs_context *context = context_of(trial);
    const int all = context->threads;
    if (trial->candidate->threads > 0)
        context->threads = trial->candidate->threads;
    return all;
}

/* Returns true if the kernel needs vectors in padded lines, and their layouts; those of the testbed
 * are in natural order. */
static bool is_padded(const struct cgs_trial *trial, struct cgs_layout *domain,
                      struct cgs_layout *range)
{
    *domain = (struct cgs_layout){.size = trial->matrix.columns};
    *range = (struct cgs_layout){.size = trial->matrix.rows};
    if (trial->kernel->layout)
        trial->kernel->layout(&trial->matrix, domain, range);
    return domain->pitch != 0 || range->pitch != 0;
}

const struct cgs_testbed *cgs_trial_testbed(const struct cgs_trial *trial)
{
    return trial->padded.backend ? &trial->padded : trial->testbed;
}

enum cgs_status cgs_trial_end(struct cgs_trial *trial, enum cgs_trial_state state,
                              const char *reason)
{
    CGS_TRY(cgs_outcome_settle(context_of(trial), reason, trial->verdict.reason,
                               sizeof trial->verdict.reason));
    trial->state = state;
    trial->verdict.right = state == CGS_TRIAL_DROPPED;
    return CGS_OK;
}

enum cgs_status cgs_trial_open(const struct cgs_candidate *candidate,
                               const struct cgs_testbed *testbed,
                               const struct cgs_row_source *source, enum cgs_precision precision,
                               struct cgs_trial *trial)
{
    const enum cgs_format format = candidate->entry->format;
    *trial = (struct cgs_trial){.candidate = candidate,
                                .kernel = candidate->entry->tables[precision],
                                .testbed = testbed,
                                .verdict = {.wrong_row = -1}};
    if (candidate->reason[0])
        return cgs_trial_end(trial, CGS_TRIAL_SKIPPED, candidate->reason);
    const int threads = take_threads(trial);
    const double begin = cgs_now();
    const enum cgs_status status = cgs_matrix_create(
        context_of(trial), source, format, candidate->chunk, candidate->sigma, &trial->matrix);
    trial->convert_seconds = cgs_now() - begin;
    context_of(trial)->threads = threads;
    if (status == CGS_MEMORY)
        return cgs_trial_end(trial, CGS_TRIAL_SKIPPED, NULL);
    CGS_TRY(status);
    if (trial->kernel->accepts &&
        trial->kernel->accepts(context_of(trial), &trial->matrix) != CGS_OK)
        return cgs_trial_end(trial, CGS_TRIAL_SKIPPED, NULL);
    trial->traffic = trial->kernel->traffic(&trial->matrix);
    return CGS_OK;
}

void cgs_trial_plan(const struct cgs_trial *trial, struct cgs_plan *plan)
{
    const struct cgs_testbed *testbed = trial->testbed;
    struct cgs_layout domain, range;
    if (trial->state != CGS_TRIAL_OPEN)
        return;
    trial->kernel->plan(&trial->matrix, plan);
    if (is_padded(trial, &domain, &range))
        cgs_testbed_plan(plan, testbed->backend->place, testbed->domain.number,
                         range.pitch * range.rows, domain.pitch * domain.rows, testbed->inputs);
}

bool cgs_trial_take_room(const struct cgs_trial *trial, const struct cgs_room *room,
                         struct cgs_plan *held)
{
    struct cgs_plan with = *held;
    with.count = 0; /* totals matter, lines do not */
    cgs_trial_plan(trial, &with);
    for (int place = 0; place < CGS_PLACES; place++)
        if (with.total[place] > held->total[place] && with.total[place] > room->bytes[place])
            return false;
    *held = with;
    return true;
}

enum cgs_status cgs_trial_prepare(struct cgs_trial *trial, enum cgs_precision precision)
{
    struct cgs_context *context = context_of(trial);
    struct cgs_layout domain, range;
    if (trial->state != CGS_TRIAL_OPEN)
        return CGS_OK;
    if (is_padded(trial, &domain, &range) &&
        cgs_testbed_create_padded(trial->testbed, &domain, &range, &trial->padded) != CGS_OK)
        return cgs_trial_end(trial, CGS_TRIAL_SKIPPED, NULL);
    const int threads = take_threads(trial);
    const int64_t bytes = context->link_bytes;
    const double link = context->link_seconds, begin = cgs_now();
    const enum cgs_phase outer = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    const double waited = context->watch.seconds[CGS_PHASE_TRANSFER];
    enum cgs_status status =
        cgs_operator_create(trial->testbed->queue, trial->testbed->backend, trial->kernel,
                            precision, &trial->matrix, &trial->op);
    if (status == CGS_OK) /* pending transfers */
        status = trial->testbed->range.ops->wait(trial->testbed->queue);
    cgs_stopwatch_enter(&context->watch, outer);
    const double seconds = cgs_now() - begin;
    const double waiting = context->watch.seconds[CGS_PHASE_TRANSFER] - waited;
    trial->prepare_seconds = trial->convert_seconds + seconds;
    trial->convert_seconds += seconds > waiting ? seconds - waiting : 0.0;
    trial->transfer_seconds = context->link_seconds - link;
    trial->transfer_bytes = context->link_bytes - bytes;
    context->threads = threads;
    cgs_matrix_release(context, &(struct cgs_matrix){.pointers = trial->matrix.pointers,
                                                     .permutation = trial->matrix.permutation});
    trial->matrix.pointers = NULL;
    trial->matrix.permutation = NULL;
    if (status == CGS_OK) {
        trial->traffic = cgs_operator_traffic(&trial->op, trial->kernel, &trial->matrix);
        return CGS_OK;
    }
    return cgs_trial_end(trial, status == CGS_MEMORY ? CGS_TRIAL_SKIPPED : CGS_TRIAL_FAILED, NULL);
}

struct cgs_references cgs_trial_references(const struct cgs_trial *trial,
                                           const struct cgs_references *references)
{
    const struct cgs_mesh *mesh = trial->matrix.mesh;
    struct cgs_references own = *references;
    own.loose =
        trial->kernel->entryless || (trial->matrix.format == CGS_NONE && mesh && mesh->order > 1);
    return own;
}

enum cgs_status cgs_trial_verify(struct cgs_trial *trial, const struct cgs_references *references)
{
    if (trial->state != CGS_TRIAL_OPEN)
        return CGS_OK;
    const int threads = take_threads(trial);
    const struct cgs_references own = cgs_trial_references(trial, references);
    const enum cgs_status status = cgs_verify(
        cgs_trial_testbed(trial), &own, trial->op.steps->apply, trial->op.self, &trial->verdict);
    context_of(trial)->threads = threads;
    if (status != CGS_OK)
        return cgs_trial_end(trial, CGS_TRIAL_FAILED, NULL);
    if (!trial->verdict.right)
        trial->state = CGS_TRIAL_FAILED;
    return CGS_OK;
}

static enum cgs_status time_products(struct cgs_trial *trial, int input, int times, double *seconds)
{
    const struct cgs_testbed *testbed = cgs_trial_testbed(trial);
    const struct cgs_steps *steps = trial->op.steps;
    const void *x = cgs_testbed_x(testbed, input);
    void *y = cgs_testbed_y(testbed);
    double all;
    if (steps->time) {
        CGS_TRY(steps->time(trial->op.self, testbed->queue, x, y, times, &all));
    } else {
        if (testbed->backend->place == CGS_HOST) /* a user's kernel may have had the processors */
            cgs_contention_spread(context_of(trial));
        CGS_TRY(testbed->backend->mark(testbed->queue, 0));
        for (int i = 0; i < times; i++)
            CGS_TRY(steps->apply(trial->op.self, testbed->queue, NULL, x, y));
        CGS_TRY(testbed->backend->mark(testbed->queue, 1));
        CGS_TRY(testbed->backend->elapsed(testbed->queue, 0, 1, &all));
    }
    *seconds = all / times;
    return CGS_OK;
}

enum cgs_status cgs_trial_time(struct cgs_trial *trial, int input, int times, double *seconds)
{
    *seconds = 0.0;
    if (trial->state != CGS_TRIAL_OPEN)
        return CGS_OK;
    const int threads = take_threads(trial);
    trial->products += times;
    const enum cgs_status status = time_products(trial, input, times, seconds);
    context_of(trial)->threads = threads;
    return status == CGS_OK ? CGS_OK : cgs_trial_end(trial, CGS_TRIAL_FAILED, NULL);
}

void cgs_trial_release(struct cgs_trial *trial)
{
    cgs_operator_release(&trial->op);
    cgs_testbed_release(&trial->padded);
    if (trial->testbed)
        cgs_matrix_release(context_of(trial), &trial->matrix);
}

static double median(const double *values, int count, double *least, double *most)
{
    double sorted[CGS_BATCHES_MOST];
    *least = *most = 0.0;
    if (count == 0)
        return 0.0;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    const double middle = cgs_median(sorted, count);
    *least = sorted[0]; /* in ascending order now */
    *most = sorted[count - 1];
    return middle;
}

double cgs_trial_median(const struct cgs_trial *trial, double *least, double *most)
{
    return median(trial->seconds, trial->batches, least, most);
}

double cgs_trial_read_gbs(const struct cgs_trial *trial)
{
    double least, most;
    const double seconds = median(trial->reads, trial->batches, &least, &most);
    return trial->read_bytes > 0 && seconds > 0.0 ? 1e-9 * (double)trial->read_bytes / seconds
                                                  : 0.0;
}
