/* --precond=fdm: the box's inverse by fast diagonalisation (kernels/fdm.h), that of A itself or of
 * the separable box that is nearest to it (fem/separable.h). */
#include "base/comm.h"
#include "base/memory.h"
#include "core/precond/modes.h"
#include "core/precond/preconditioner.h"
#include "kernels/fdm/turn.h"
#include "matrix/ranks/cut.h"

struct inverse {
    struct cgs_context *context;
    const struct cgs_fdm_ops *ops; /* of the device */
    void *transforms;
    struct cgs_space narrow; /* of floats around which x and y are doubles */
    void *work;              /* a vector of it; NULL: all numbers are of one type */
};

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct inverse *inverse = self;
    if (inverse->work)
        return inverse->ops->apply_narrow(inverse->transforms, queue, (struct cgs_cg_state *)state,
                                          x, inverse->work, y, CGS_SUM_NOWHERE);
    return inverse->ops->apply(inverse->transforms, queue, state, x, y);
}

static void release(void *self)
{
    struct inverse *inverse = self;
    if (!inverse)
        return;
    if (inverse->transforms)
        inverse->ops->release(inverse->transforms);
    if (inverse->work)
        inverse->narrow.ops->free(&inverse->narrow, inverse->work);
    cgs_free(inverse->context, inverse);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct inverse *inverse = self;
    if (inverse->work)
        return inverse->ops->apply_narrow(inverse->transforms, queue, state, x, inverse->work, y,
                                          sum);
    return inverse->ops->apply_dot(inverse->transforms, queue, state, x, y, sum);
}

static const struct cgs_steps steps = {.apply = apply, .release = release};
static const struct cgs_steps summing = {
    .apply = apply, .apply_dot = apply_dot, .release = release};
static const struct cgs_moves moves = {5, 5, 0}, turned = {7, 7, 0}; /* in vectors */
static const struct cgs_moves narrow_moves = {3, 3, 0}, narrow_turned = {4, 4, 0};

/* Finds the modes, on all ranks alike. *exact: they are A's, not those of the nearest box. */
static enum cgs_status make_modes(const struct cgs_precond_task *task, struct cgs_modes *modes,
                                  struct cgs_precond_facts *facts, bool *exact)
{
    struct cgs_separable separable;
    CGS_TRY(cgs_separable_create(task->context, task->mesh, &separable));
    const enum cgs_status status = cgs_modes_create(task->context, &separable, modes);
    *exact = separable.exact;
    facts->separable = separable.exact ? "exact" : "nearest";
    facts->separable_why = separable.why;
    facts->spread = separable.spread;
    cgs_separable_release(task->context, &separable);
    return status;
}

/* Returns the type of the transforms' numbers. */
static enum cgs_number number_of(const struct cgs_spec *spec, const struct cgs_operator *op)
{
    return op->domain.number == CGS_F32 ? CGS_F32 : spec->transform_number;
}

/* Makes room for floats within doubles. */
static enum cgs_status make_narrow(const struct cgs_precond_task *task, struct inverse *inverse)
{
    const struct cgs_space *outer = &task->op->domain;
    CGS_TRY(task->spec->backend->spaces[CGS_F32]->create(outer->queue, &outer->layout,
                                                         &inverse->narrow));
    return inverse->narrow.ops->alloc(&inverse->narrow, "vector of fdm", &inverse->work);
}

static enum cgs_status make(const struct cgs_precond_task *task, struct cgs_precond_made *made,
                            struct cgs_precond_facts *facts)
{
    struct cgs_context *context = task->context;
    const struct cgs_space *space = &task->op->domain;
    const enum cgs_number number = number_of(task->spec, task->op);
    struct cgs_modes modes = {.memory = NULL};
    struct inverse *inverse = NULL;
    bool exact = false;
    enum cgs_status status = cgs_alloc(context, 1, sizeof *inverse, "fdm", (void **)&inverse);
    if (status == CGS_OK) {
        *inverse = (struct inverse){.context = context, .ops = task->spec->backend->fdm[number]};
        status = make_modes(task, &modes, facts, &exact);
        facts->number = number;
    }
    if (status == CGS_OK && number != space->number)
        status = make_narrow(task, inverse);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = cgs_comm_agree(
            context, inverse->ops->create(inverse->work ? &inverse->narrow : space, modes.direction,
                                          &modes.line, &inverse->transforms));
    cgs_modes_release(context, &modes);
    if (status != CGS_OK) {
        release(inverse);
        return status;
    }
    /* on GPUs sums of modes depend on how ranks are cut; a dot of its own does not */
    const bool sums = inverse->ops->apply_dot && !space->queue->fixed;
    made->op = (struct cgs_operator){
        .steps = sums ? &summing : &steps,
        .self = inverse,
        .domain = task->op->domain,
        .range = task->op->domain,
        .capturable = true,
        .prefer_short_batches = true,
        .narrow = inverse->work != NULL,
        /* rounding of floats is most of what it leaves */
        .flexible = number == CGS_F32 && exact,
        .inverse = exact,
        .moves = inverse->work ? (space->layout.portion ? narrow_turned : narrow_moves)
                               : (space->layout.portion ? turned : moves)};
    return CGS_OK;
}

static void plan(const struct cgs_spec *spec, const struct cgs_operator *op, int64_t rows,
                 const int64_t before[CGS_PLACES], struct cgs_plan *plan)
{
    const enum cgs_number number = number_of(spec, op);
    const struct cgs_fdm_ops *ops = spec->backend->fdm[number];
    struct cgs_fdm_direction direction[2];
    struct cgs_fdm_line line;
    struct cgs_plan setup = {0};
    int64_t later[CGS_PLACES], cuts[CGS_RANKS_MOST + 1];
    (void)rows;
    for (int i = 0; i < CGS_PLACES; i++)
        later[i] = plan->total[i] - before[i];
    cgs_modes_foresee(&spec->mesh, direction, &line);
    cgs_separable_plan(&spec->mesh, &setup);
    cgs_modes_plan(&spec->mesh, &setup);
    cgs_plan_add(plan, CGS_HOST, "fdm", 1, sizeof(struct inverse));
    struct cgs_turn_shape shape = cgs_turn_shape_of(&op->domain, spec->mesh.n);
    shape.bytes = cgs_number_bytes(number);
    if (spec->ranks > 1) {
        const int64_t whole = cgs_mesh_rows(&spec->mesh);
        cgs_portion_cut(whole, cgs_spec_unit(spec, whole), spec->ranks, cuts);
        shape.rank = spec->rank;
        shape.ranks = spec->ranks;
        shape.cuts = cuts;
    }
    ops->plan(plan, direction, &line, number, spec->threads, &shape);
    if (number != op->domain.number)
        cgs_plan_add(plan, spec->backend->place, "vector of fdm", 1, op->domain.footprint / 2);
    cgs_plan_add_earlier(plan, &setup, later, "modes, more in set-up");
}

const struct cgs_preconditioner cgs_preconditioner_fdm = {
    .title = "Modes",
    .make = make,
    .plan = plan,
};
