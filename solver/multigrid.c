#include "solver/multigrid.h"

#include <assert.h>

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/names.h"
#include "solver/halo.h"
#include "solver/multigrid_plan.h"
#include "solver/smoother.h"

/* A grid with its vectors. */
struct level {
    const struct cgs_operator *op;
    struct cgs_smoother smoother;
    void *b;       /* right-hand side; NULL on the finest grid unless numbers are converted */
    void *x, *y;   /* iterates */
    void *product; /* A x; NULL if the operator has `relax` */
    const struct cgs_transfer *transfer; /* to the next coarser grid; NULL on the coarsest */
};

/* Vectors of the coarsest grid that each rank has as a whole where ranks share it; halo NULL:
 * they do not. */
struct whole {
    struct cgs_space space;
    struct cgs_halo *halo; /* brings b of all ranks */
    int64_t offset;        /* bytes before this rank's numbers */
    void *b, *x;
};

struct cgs_multigrid {
    struct cgs_queue *queue;
    const struct cgs_multigrid_ops *ops;
    struct cgs_space outer;
    int count;
    struct level level[CGS_GRIDS];
    void *dense;            /* dense inverse of the coarsest grid; NULL: smoothed */
    struct whole whole;     /* for that */
    struct cgs_moves moves; /* of a cycle */
};

static const struct cgs_space *space_of(const struct level *level)
{
    return &level->op->domain;
}

static bool converts(const struct cgs_multigrid *mg)
{
    return mg->outer.number != space_of(&mg->level[0])->number;
}

/* ---- the cycle ---- */

static enum cgs_status restrict_to(const struct cgs_transfer *transfer, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    return transfer->steps->restrict_to(transfer->self, queue, state, f, c);
}

static enum cgs_status prolong(const struct cgs_transfer *transfer, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    return transfer->steps->prolong(transfer->self, queue, state, add, c, f);
}

/* x = inverse times b on a coarsest grid that ranks share: each has all of b, and takes its
 * numbers of x. */
static enum cgs_status solve_whole(const struct cgs_multigrid *mg, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *b, void *x)
{
    const struct whole *whole = &mg->whole;
    const struct cgs_space *own = space_of(&mg->level[mg->count - 1]);
    CGS_TRY(mg->ops->part_put(own, queue, state, b, (char *)whole->b + whole->offset));
    CGS_TRY(cgs_halo_exchange(whole->halo, queue, state, whole->b, NULL));
    CGS_TRY(mg->ops->dense_apply(mg->dense, queue, state, whole->b, whole->x));
    return mg->ops->part_get(own, queue, state, (char *)whole->x + whole->offset, x);
}

/* Solves or smooths from zero on the coarsest grid. */
static enum cgs_status end_cycle(const struct cgs_multigrid *mg, struct cgs_queue *queue,
                                 const struct cgs_cg_state *state, const void *b, void *x, void *y)
{
    const struct cgs_smoother *smoother = &mg->level[mg->count - 1].smoother;
    void *iterates[2];
    if (mg->whole.halo)
        return solve_whole(mg, queue, state, b, x);
    if (mg->dense)
        return mg->ops->dense_apply(mg->dense, queue, state, b, x);
    iterates[smoother->degree % 2] = x; /* the last step writes x */
    iterates[!(smoother->degree % 2)] = y;
    return cgs_smoother_apply(smoother, queue, state, b, true, iterates);
}

/* x = cycle(l, b, 0), or from the x given; y: work vector. */
static enum cgs_status cycle(const struct cgs_multigrid *mg, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, int l, const void *b, bool from_zero,
                             void *x, void *y)
{
    const struct level *level = &mg->level[l], *coarser = level + 1;
    void *const iterates[2] = {x, y};
    if (l == mg->count - 1)
        return end_cycle(mg, queue, state, b, x, y);

    const int odd = level->smoother.degree % 2;
    void *const turned[2] = {iterates[odd], iterates[!odd]}; /* iterate of the pre-smoother first */
    CGS_TRY(cgs_smoother_apply(&level->smoother, queue, state, b, from_zero, iterates));
    CGS_TRY(cgs_operator_residual(level->op, queue, state, b, turned[0], turned[1]));
    CGS_TRY(restrict_to(level->transfer, queue, state, turned[1], coarser->b));
    CGS_TRY(cycle(mg, queue, state, l + 1, coarser->b, true, coarser->x, coarser->y));
    CGS_TRY(prolong(level->transfer, queue, state, true, coarser->x, turned[0]));
    return cgs_smoother_apply(&level->smoother, queue, state, b, false, turned);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct cgs_multigrid *mg = self;
    const struct level *finest = &mg->level[0];
    const struct cgs_space *space = space_of(finest);
    if (!converts(mg))
        return cycle(mg, queue, state, 0, x, true, y, finest->y);
    CGS_TRY(mg->outer.ops->convert(&mg->outer, queue, state, x, space, finest->b));
    CGS_TRY(cycle(mg, queue, state, 0, finest->b, true, finest->x, finest->y));
    return space->ops->convert(space, queue, state, finest->x, &mg->outer, y);
}

enum cgs_status cgs_multigrid_part(const struct cgs_multigrid *mg, struct cgs_queue *queue, int l)
{
    const struct level *level = &mg->level[l];
    assert(l > 0 && l < mg->count);
    return cycle(mg, queue, NULL, l, level->b, true, level->x, level->y);
}

enum cgs_status cgs_multigrid_full(struct cgs_multigrid *mg, struct cgs_queue *queue, int cycles,
                                   const void *b, void *x)
{
    const int last = mg->count - 1;
    const void *right = b;
    for (int l = 0; l < last; l++) {
        CGS_TRY(restrict_to(mg->level[l].transfer, queue, NULL, right, mg->level[l + 1].b));
        right = mg->level[l + 1].b;
    }
    CGS_TRY(cycle(mg, queue, NULL, last, right, true, last == 0 ? x : mg->level[last].x,
                  mg->level[last].y));
    for (int l = last - 1; l >= 0; l--) {
        struct level *level = &mg->level[l];
        void *to = l == 0 ? x : level->x;
        CGS_TRY(prolong(level->transfer, queue, NULL, false, mg->level[l + 1].x, to));
        for (int k = 0; k < cycles; k++) {
            /* overwrites the coarser right-hand sides, no longer needed */
            CGS_TRY(cycle(mg, queue, NULL, l, l == 0 ? b : level->b, false, to, level->y));
        }
    }
    return CGS_OK;
}

/* ---- creation ---- */

static void keep(void *self)
{
    (void)self; /* owned by the creator of the multigrid */
}

static const struct cgs_steps multigrid_steps = {.apply = apply, .release = keep};

struct cgs_operator cgs_multigrid_operator(struct cgs_multigrid *mg)
{
    struct cgs_operator op = {.steps = &multigrid_steps,
                              .self = mg,
                              .domain = mg->outer,
                              .range = mg->outer,
                              .capturable = true,
                              .prefer_short_batches = true,
                              .narrow = converts(mg),
                              .flexible = converts(mg),
                              .moves = mg->moves};
    for (int l = 0; l < mg->count; l++) {
        const struct level *level = &mg->level[l];
        op.capturable = op.capturable && level->op->capturable &&
                        (!level->transfer || level->transfer->capturable);
    }
    return op;
}

static enum cgs_status alloc_level(struct cgs_multigrid *mg, int l, bool smoothed)
{
    struct level *level = &mg->level[l];
    const struct cgs_space *space = space_of(level);
    if (l > 0 || converts(mg)) {
        CGS_TRY(space->ops->alloc(space, "vectors of multigrid", &level->b));
        CGS_TRY(space->ops->alloc(space, "vectors of multigrid", &level->x));
    }
    if (!smoothed)
        return CGS_OK;
    CGS_TRY(space->ops->alloc(space, "vectors of multigrid", &level->y));
    if (!level->op->steps->relax)
        CGS_TRY(space->ops->alloc(space, "vectors of multigrid", &level->product));
    level->smoother.product = level->product;
    return CGS_OK;
}

/* Makes the inverse of the coarsest grid, and what it takes where ranks share that; these agree
 * on failure. */
static enum cgs_status make_dense(struct cgs_multigrid *mg, const double *inverse)
{
    struct whole *whole = &mg->whole;
    const struct cgs_space *own = space_of(&mg->level[mg->count - 1]);
    const struct cgs_portion *portion = own->layout.portion;
    struct cgs_window all[CGS_RANKS_MOST];
    if (!portion)
        return mg->ops->dense_create(own, inverse, &mg->dense);
    const struct cgs_layout layout = {.size = portion->whole};
    enum cgs_status status = own->ops->create(mg->queue, &layout, &whole->space);
    if (status == CGS_OK)
        status = own->ops->alloc(&whole->space, "vectors of multigrid", &whole->b);
    if (status == CGS_OK)
        status = own->ops->alloc(&whole->space, "vectors of multigrid", &whole->x);
    if (status == CGS_OK)
        status = mg->ops->dense_create(&whole->space, inverse, &mg->dense);
    CGS_TRY(cgs_comm_agree(mg->queue->context, status));
    for (int r = 0; r < portion->ranks; r++)
        all[r] = (struct cgs_window){0, portion->whole};
    whole->offset = portion->first * cgs_number_bytes(own->number);
    return cgs_halo_of_windows(&whole->space, portion->cuts, all, 0, &whole->halo);
}

static enum cgs_status make(struct cgs_multigrid *mg, const struct cgs_multigrid_settings *settings)
{
    for (int l = 0; l < mg->count; l++) {
        const struct cgs_grid *grid = &settings->grid[l];
        struct level *level = &mg->level[l];
        level->op = grid->op;
        level->transfer = l < mg->count - 1 ? grid->transfer : NULL;
        level->smoother = (struct cgs_smoother){
            .op = grid->op,
            .inverse = grid->inverse,
            .scale = grid->inverse ? 1.0 : 1.0 / grid->diagonal,
        };
        if (l < mg->count - 1 || settings->smoothed)
            cgs_smoother_coefficients(&level->smoother,
                                      grid->optimal ? CGS_SMOOTH_OPTIMAL : CGS_SMOOTH,
                                      settings->degree, 0.0, grid->high);
    }
    for (int l = 0; l < mg->count; l++)
        CGS_TRY(alloc_level(mg, l, l < mg->count - 1 || settings->smoothed));
    if (settings->smoothed)
        return CGS_OK;
    return make_dense(mg, settings->inverse);
}

enum cgs_status cgs_multigrid_create(struct cgs_queue *queue, const struct cgs_multigrid_ops *ops,
                                     const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings,
                                     struct cgs_multigrid **multigrid)
{
    struct cgs_multigrid *mg;
    assert(settings->count >= 1 && settings->count <= CGS_GRIDS);
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *mg, "multigrid", (void **)&mg));
    *mg = (struct cgs_multigrid){.queue = queue,
                                 .ops = ops,
                                 .outer = *outer,
                                 .count = settings->count,
                                 .moves = cgs_multigrid_moves(outer, settings)};
    const enum cgs_status status = make(mg, settings);
    if (status != CGS_OK) {
        cgs_multigrid_release(mg);
        return status;
    }
    *multigrid = mg;
    return CGS_OK;
}

void cgs_multigrid_release(struct cgs_multigrid *mg)
{
    if (!mg)
        return;
    for (int l = 0; l < mg->count; l++) {
        struct level *level = &mg->level[l];
        const struct cgs_space *space = space_of(level);
        space->ops->free(space, level->product);
        space->ops->free(space, level->y);
        space->ops->free(space, level->x);
        space->ops->free(space, level->b);
    }
    if (mg->whole.space.ops) {
        cgs_halo_release(mg->whole.halo);
        mg->whole.space.ops->free(&mg->whole.space, mg->whole.x);
        mg->whole.space.ops->free(&mg->whole.space, mg->whole.b);
    }
    mg->ops->dense_release(mg->dense);
    cgs_free(mg->queue->context, mg);
}
