/* Iterations of CG, in the launch mode of the settings: the steps that cg_steps.c lists, queued one
 * after the other, or recorded once and replayed, or as the operator does several in one go. The
 * observer, where there is one, is told what comes next.
 */
#include "solver/cg_iterate.h"

#include <stddef.h>

static enum cgs_status tell(const struct cgs_cg_observer *observer, const struct cgs_cg_step *step,
                            int64_t iterations)
{
    return observer ? observer->next(observer->self, step, iterations) : CGS_OK;
}

/* k iterations, one step after the other, or as the operator does them. */
static enum cgs_status advance(struct cgs_cg *cg, int64_t k, const struct cgs_cg_observer *observer)
{
    struct cgs_cg_step steps[CGS_CG_STEPS];
    if (cg->settings.launch == CGS_LAUNCH_PERSISTENT) {
        const struct cgs_cg_step whole =
            cgs_cg_iteration(cg->op, cg->preconditioner, cg->settings.launch);
        CGS_TRY(tell(observer, &whole, k));
        CGS_TRY(cg->op->steps->advance(cg->op->self, cg->queue, cg->state, &cg->vectors, k));
        return tell(observer, NULL, 0);
    }
    const int count = cgs_cg_steps(cg->op, cg->preconditioner, steps);
    for (int64_t i = 0; i < k; i++)
        for (int s = 0; s < count; s++) {
            CGS_TRY(tell(observer, &steps[s], 1));
            CGS_TRY(steps[s].queue(cg));
        }
    return tell(observer, NULL, 0);
}

enum cgs_status cgs_cg_advance_plain(struct cgs_cg *cg, int64_t k)
{
    return advance(cg, k, cg->settings.observer);
}

enum cgs_status cgs_cg_record(struct cgs_cg *cg)
{
    const struct cgs_space_ops *ops = cg->op->domain.ops;
    CGS_TRY(ops->record_begin(cg->queue));
    const enum cgs_status status = advance(cg, cg->recorded, NULL);
    const enum cgs_status ended =
        cg->settings.launch == CGS_LAUNCH_WHILE
            ? ops->record_end_while(cg->queue, cg->state, cg->recorded, cg->batch, &cg->recording)
            : ops->record_end(cg->queue, &cg->recording);
    return status != CGS_OK ? status : ended;
}

enum cgs_status cgs_cg_advance(struct cgs_cg *cg, int64_t k)
{
    const struct cgs_cg_observer *observer = cg->settings.observer;
    if (!cg->recording)
        return cgs_cg_advance_plain(cg, k);
    const struct cgs_cg_step whole =
        cgs_cg_iteration(cg->op, cg->preconditioner, cg->settings.launch);
    for (int64_t done = 0; done < k; done += cg->batch) {
        CGS_TRY(tell(observer, &whole, cg->batch));
        CGS_TRY(cg->op->domain.ops->replay(cg->queue, cg->recording));
    }
    return tell(observer, NULL, 0);
}
