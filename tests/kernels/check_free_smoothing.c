/* Steps of smoothers by kernels without entries (tests/kernels/free.h) are those that their
 * product and the space compose, with the same bits by any number of threads. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/rows.h"
#include "tests/kernels/free.h"

/* The kernels that have such steps. */
static int able(const struct cgs_kernel_entry **found)
{
    const struct cgs_kernel_entry *all[32];
    const int kernels = pairs(all) / CGS_PRECISIONS;
    int count = 0;
    for (int i = 0; i < kernels; i++)
        if (all[i]->tables[0] && all[i]->tables[0]->steps.relax)
            found[count++] = all[i];
    return count * CGS_PRECISIONS;
}

static bool begin_able(struct work *work, int pair, int which, struct cgs_mesh mesh)
{
    const struct cgs_kernel_entry *found[32];
    ck_assert_int_lt(pair, able(found));
    return begin_with(work, found[pair / CGS_PRECISIONS],
                      (enum cgs_precision)(pair % CGS_PRECISIONS), which, mesh);
}

/* A step's vectors, and what it makes of y. */
struct smoothing {
    double *x, *y, *d, *b, *made;
};

static struct smoothing begin_smoothing(const struct work *work)
{
    const size_t bytes = (size_t)work->count * sizeof(double);
    struct smoothing s = {must_have(bytes), must_have(bytes), must_have(bytes), must_have(bytes),
                          must_have(bytes)};
    double *vectors[4] = {s.x, s.y, s.d, s.b};
    for (int k = 0; k < 4; k++)
        plain_vector(work->count, PLAIN_RANDOM, work->op.domain.number, 11 + (unsigned)k,
                     vectors[k]);
    return s;
}

static void end_smoothing(struct smoothing *s)
{
    free(s->x);
    free(s->y);
    free(s->d);
    free(s->b);
    free(s->made);
}

/* y = on_x x + on_y y + c d (b - A x) by the operator's own step, or by product and space. Bit 0 of
 * `how`: with y, which else is NaN; bit 1: with d; bit 2: b is x, the same vector. */
static void relax_by(const struct work *work, bool fused, int how, int threads,
                     const struct cgs_cg_state *state, struct smoothing *s)
{
    const struct cgs_space *space = &work->op.domain;
    void *x = bed_vector(space, s->x), *y = bed_vector(space, how & 1 ? s->y : NULL);
    void *d = bed_vector(space, s->d), *b = bed_vector(space, s->b), *q = bed_vector(space, NULL);
    const struct cgs_relaxation step = {.on_x = 1.25,
                                        .on_y = how & 1 ? -0.25 : 0.0,
                                        .c = 0.75,
                                        .d = how & 2 ? d : NULL,
                                        .b = how & 4 ? x : b,
                                        .x = x,
                                        .y = y};
    bed.context.threads = threads;
    if (fused) {
        must(work->op.steps->relax(work->op.self, bed.queue, state, &step));
    } else {
        must(cgs_operator_apply(&work->op, bed.queue, state, x, q));
        must(space->ops->relax(space, bed.queue, state, &step, q));
    }
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, y, s->made);
    void *all[] = {x, y, d, b, q};
    for (int k = 0; k < 5; k++)
        space->ops->free(space, all[k]);
}

static void residual_by(const struct work *work, bool fused, int threads, struct smoothing *s)
{
    const struct cgs_space *space = &work->op.domain;
    void *x = bed_vector(space, s->x), *b = bed_vector(space, s->b), *r = bed_vector(space, NULL);
    bed.context.threads = threads;
    if (fused) {
        must(work->op.steps->residual(work->op.self, bed.queue, NULL, b, x, r));
    } else {
        must(cgs_operator_apply(&work->op, bed.queue, NULL, x, r));
        must(space->ops->xpby(space, bed.queue, NULL, b, cgs_constant(-1.0), r));
    }
    must(space->ops->wait(bed.queue));
    bed.context.threads = 2;
    bed_get(space, r, s->made);
    space->ops->free(space, x);
    space->ops->free(space, b);
    space->ops->free(space, r);
}

/* Returns ||b - A x||^2 as one step; a state that has stopped keeps what it has. */
static double norm_by(const struct work *work, int threads, struct smoothing *s)
{
    const struct cgs_space *space = &work->op.domain;
    const struct cgs_cg_state initial = {.max_iterations = 1};
    void *x = bed_vector(space, s->x), *b = bed_vector(space, s->b),
         *zero = bed_vector(space, NULL);
    struct cgs_cg_state *state, now;
    double sum = 0.0;
    must(space->ops->state_create(space, &initial, &state));
    bed.context.threads = threads;
    for (int stopped = 0; stopped <= 1; stopped++) {
        now = initial;
        now.reason = stopped ? CGS_CONVERGED : CGS_GOING_ON;
        must(space->ops->state_set(space, bed.queue, state, &now));
        must(work->op.steps->residual_norm(work->op.self, bed.queue, state, b, stopped ? zero : x,
                                           CGS_SUM_RR));
        must(space->ops->look_start(space, bed.queue, state, 0));
        must(space->ops->look_finish(space, bed.queue, 0, &now));
        ck_assert(stopped == 0 || now.sums[CGS_SUM_RR] == sum);
        sum = now.sums[CGS_SUM_RR];
    }
    bed.context.threads = 2;
    space->ops->state_free(space, state);
    space->ops->free(space, x);
    space->ops->free(space, b);
    space->ops->free(space, zero);
    return sum;
}

/* Numbers up to 1 in all vectors, rows of magnitude `norm`: both ways are right to some roundings
 * of the largest term. */
static double bound_of(const struct work *work)
{
    const double eps = work->op.domain.number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return 32.0 * eps *
           (4.0 +
            (work->mesh.order > 1 ? work->source.norm(&work->source) : cgs_mesh_norm(&work->mesh)));
}

static void alike(const struct work *work, const char *what, const double *right,
                  const double *made)
{
    const double bound = bound_of(work);
    for (int64_t i = 0; i < work->count; i++)
        if (!(fabs(made[i] - right[i]) <= bound))
            ck_abort_msg("%s: %s: number %lld is %.17g, composed %.17g", work->words, what,
                         (long long)i, made[i], right[i]);
}

/* The norm is that of the residual, and has the same bits on any number of threads. */
static void check_norm(const struct work *work, struct smoothing *s, const double *residual)
{
    const double count = (double)work->count, made = norm_by(work, 2, s);
    double right = 0.0;
    for (int64_t i = 0; i < work->count; i++)
        right += residual[i] * residual[i];
    if (!(fabs(sqrt(made) - sqrt(right)) <= bound_of(work) * sqrt(count)))
        ck_abort_msg("%s: norm %.17g of a residual of %.17g", work->words, sqrt(made), sqrt(right));
    ck_assert(norm_by(work, 1, s) == made);
}

static void check_smoothing(const struct work *work)
{
    const size_t bytes = (size_t)work->count * sizeof(double);
    struct smoothing composed = begin_smoothing(work), fused = begin_smoothing(work);
    struct smoothing other = begin_smoothing(work);
    for (int how = 0; how < 8; how++) {
        relax_by(work, false, how, 2, NULL, &composed);
        relax_by(work, true, how, 2, NULL, &fused);
        alike(work, "relax", composed.made, fused.made);
        relax_by(work, true, how, 3, NULL, &other);
        ck_assert(memcmp(fused.made, other.made, bytes) == 0);
    }
    residual_by(work, false, 2, &composed);
    residual_by(work, true, 2, &fused);
    alike(work, "residual", composed.made, fused.made);
    residual_by(work, true, 1, &other);
    ck_assert(memcmp(fused.made, other.made, bytes) == 0);
    if (work->op.steps->residual_norm)
        check_norm(work, &fused, composed.made);
    end_smoothing(&composed);
    end_smoothing(&fused);
    end_smoothing(&other);
}

LOOP_TEST(smoothing_is_composed, able((const struct cgs_kernel_entry *[32]){0}))
{
    int ran = 0;
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < (which < MESHES_OF_BOXES ? PLACES : SIZES); s++) {
            struct work work;
            if (!begin_able(&work, _i, which, mesh_at(which, s)))
                continue;
            check_smoothing(&work);
            end(&work);
            ran++;
        }
    ck_assert_int_ge(ran, 3 * PLACES);
}

/* Under the emulator one order, whose cells have batches of several lengths (order.cuh). */
LOOP_TEST(smoothing_is_composed_by_order, CHECK_SMALL ? 1 : ORDERS)
{
    static const int places[] = {0, PLACES_OF_ORDER + ENDS - 1, TILES};
    double nodes[LONGEST];
    struct work work;
    for (int i = 0; i < (CHECK_SMALL ? 2 : 3); i++)
        for (int single = 0; single < (CHECK_SMALL ? 1 : 2); single++)
            if (begin_order(&work, single ? CGS_PRECISION_F32 : CGS_PRECISION_F64,
                            CHECK_SMALL ? 3 : _i + 2, places[i], nodes)) {
                if (work.kernel->steps.relax)
                    check_smoothing(&work);
                end(&work);
            }
}

/* Once there is a reason to stop, y stays. */
LOOP_TEST(smoothing_stops, able((const struct cgs_kernel_entry *[32]){0}))
{
    struct work work;
    ck_assert(begin_able(&work, _i, 0, mesh_of(0, 5)));
    struct smoothing s = begin_smoothing(&work);
    const struct cgs_space *space = &work.op.domain;
    const struct cgs_cg_state stopped = {.reason = CGS_CONVERGED};
    struct cgs_cg_state *state;
    must(space->ops->state_create(space, &stopped, &state));
    relax_by(&work, true, 3, 2, state, &s);
    ck_assert(memcmp(s.made, s.y, (size_t)work.count * sizeof(double)) == 0);
    space->ops->state_free(space, state);
    end_smoothing(&s);
    end(&work);
}

int main(void)
{
    return bed_tests("smoothing without entries", 300);
}
