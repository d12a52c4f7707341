/* --precond=fdm: the box's inverse by fast diagonalisation (kernels/fdm.h), that of A itself or of
 * the separable box that is nearest to it (fem/separable.h). */
#include "base/memory.h"
#include "core/precond/modes.h"
#include "core/precond/preconditioner.h"

struct inverse {
    struct cgs_context *context;
    const struct cgs_fdm_ops *ops; /* of the device */
    void *transforms;
};

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct inverse *inverse = self;
    return inverse->ops->apply(inverse->transforms, queue, state, x, y);
}

static void release(void *self)
{
    struct inverse *inverse = self;
    inverse->ops->release(inverse->transforms);
    cgs_free(inverse->context, inverse);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct inverse *inverse = self;
    return inverse->ops->apply_dot(inverse->transforms, queue, state, x, y, sum);
}

static const struct cgs_steps steps = {.apply = apply, .release = release};
static const struct cgs_steps summing = {
    .apply = apply, .apply_dot = apply_dot, .release = release};
static const struct cgs_moves moves = {5, 5, 0};

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_spec *spec)
{
    if (spec->ranks > 1)
        return cgs_fail(context, CGS_USAGE,
                        "\1precond=fdm runs in one process so far: take \1precond=mg, or one "
                        "rank");
    return CGS_OK;
}

static enum cgs_status make_inverse(const struct cgs_precond_task *task,
                                    const struct cgs_separable *separable, struct inverse *inverse)
{
    struct cgs_modes modes;
    CGS_TRY(cgs_modes_create(task->context, separable, &modes));
    const enum cgs_status status =
        inverse->ops->create(&task->op->domain, modes.direction, &inverse->transforms);
    cgs_modes_release(task->context, &modes);
    return status;
}

static enum cgs_status make(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                            struct cgs_precond_facts *facts)
{
    struct cgs_separable separable;
    struct inverse *inverse;
    CGS_TRY(accepts(task->context, task->spec));
    CGS_TRY(cgs_alloc(task->context, 1, sizeof *inverse, "fdm", (void **)&inverse));
    *inverse = (struct inverse){.context = task->context,
                                .ops = task->spec->backend->fdm[task->op->domain.number]};
    enum cgs_status status = cgs_separable_create(task->context, task->mesh, &separable);
    if (status == CGS_OK) {
        status = make_inverse(task, &separable, inverse);
        facts->separable = separable.exact ? "exact" : "nearest";
        facts->separable_why = separable.why;
        facts->spread = separable.spread;
        cgs_separable_release(task->context, &separable);
    }
    if (status != CGS_OK) {
        cgs_free(task->context, inverse);
        return status;
    }
    made->op = (struct cgs_operator){.steps = inverse->ops->apply_dot ? &summing : &steps,
                                     .self = inverse,
                                     .domain = task->op->domain,
                                     .range = task->op->domain,
                                     .capturable = true,
                                     .prefer_short_batches = true,
                                     /* rounding of floats is most of what it leaves */
                                     .flexible = task->op->domain.number == CGS_F32,
                                     .moves = moves};
    return CGS_OK;
}

static void plan(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                 const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    const struct cgs_fdm_ops *ops = spec->backend->fdm[op->domain.number];
    struct cgs_fdm_direction direction[3];
    struct cgs_plan setup = {0};
    int64_t later[CGS_PLACES];
    (void)rows;
    for (int i = 0; i < CGS_PLACES; i++)
        later[i] = plan->total[i] - before[i];
    cgs_modes_foresee(&spec->mesh, direction);
    cgs_separable_plan(&spec->mesh, &setup);
    cgs_modes_plan(&spec->mesh, &setup);
    cgs_plan_add(plan, CGS_HOST, "fdm", 1, sizeof(struct inverse));
    ops->plan(plan, direction, op->domain.number, spec->threads);
    cgs_plan_add_earlier(plan, &setup, later, "modes, more in set-up");
}

const struct cgs_preconditioner cgs_preconditioner_fdm = {
    .title = "Modes",
    .accepts = accepts,
    .make = make,
    .plan = plan,
};
