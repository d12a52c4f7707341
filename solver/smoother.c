#include "solver/smoother.h"

#include <assert.h>
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "matrix/ranks/portion.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/jacobi.h"

enum { OPTIMAL_MOST = 4 }; /* largest degree with optimal weights */

void cgs_smoother_coefficients(struct cgs_smoother *smoother, enum cgs_polynomial polynomial,
                               int degree, double low, double high)
{
    const double middle = 0.5 * (high + low), half = 0.5 * (high - low);
    double rho = half / middle;
    static const double optimal[OPTIMAL_MOST][OPTIMAL_MOST] = {
        {1.5},
        {1.1180339887499, 3.61803398874988},
        {1.05495813208737, 6.85085507532709, 1.69202147163011},
        {1.03208888623795, 11.1702446109533, 1.34729635533386, 2.53208888623797},
    };
    assert(degree >= 1 && degree <= CGS_DEGREE_MOST);
    smoother->degree = degree;
    for (int j = 0; j < degree; j++) {
        if (polynomial == CGS_SMOOTH_OPTIMAL && degree <= OPTIMAL_MOST) {
            smoother->a[j] = 0.0;
            smoother->c[j] = optimal[degree - 1][j] / high;
        } else if (polynomial != CGS_SOLVE) {
            smoother->a[j] = j == 0 ? 0.0 : (2.0 * j - 1.0) / (2.0 * j + 3.0);
            smoother->c[j] = (8.0 * j + 4.0) / ((2.0 * j + 3.0) * high);
        } else if (j == 0) {
            smoother->a[j] = 0.0;
            smoother->c[j] = 1.0 / middle;
        } else {
            const double before = rho;
            rho = 1.0 / (2.0 * middle / half - before);
            smoother->a[j] = rho * before;
            smoother->c[j] = 2.0 * rho / half;
        }
    }
}

static enum cgs_status relax(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    const struct cgs_operator *op = smoother->op;
    const struct cgs_space *space = &op->domain;
    if (step->x && op->steps->relax)
        return op->steps->relax(op->self, queue, state, step);
    if (step->x && op->steps->relax_with)
        return op->steps->relax_with(op->self, queue, state, step, smoother->product);
    if (step->x)
        CGS_TRY(cgs_operator_apply(op, queue, state, step->x, smoother->product));
    return space->ops->relax(space, queue, state, step, smoother->product);
}

/* Degree 2 from x = 0 with constant D: the first iterate is c_0 b, so the second follows from b
 * alone, and the first is never stored:
 *     y = (1 + a_1) c_0 b + c_1 (b - A c_0 b)
 *       = ((1 + a_1) c_0 + c_1 - c_1 c_0) b + c_1 c_0 (b - A b).
 * The terms c_1 c_0 b cancel, and are 1 / a_ii times as large as y: single precision bears that up
 * to FUSED_MOST, which boxes smaller than 1e-3 exceed. */
static const double FUSED_MOST = 4096.0;

static enum cgs_status both_steps(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, const void *b, void *y)
{
    const double c0 = smoother->c[0] * smoother->scale, c1 = smoother->c[1] * smoother->scale;
    const struct cgs_relaxation step = {
        .on_x = (1.0 + smoother->a[1]) * c0 + c1 - c1 * c0,
        .c = c1 * c0,
        .b = b,
        .x = b,
        .y = y,
    };
    return relax(smoother, queue, state, &step);
}

enum cgs_status cgs_smoother_apply(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *b, bool from_zero,
                                   void *const x[2])
{
    if (from_zero && smoother->degree == 2 && !smoother->inverse && smoother->scale <= FUSED_MOST)
        return both_steps(smoother, queue, state, b, x[0]);
    for (int j = 0; j < smoother->degree; j++) {
        const double a = smoother->a[j];
        const struct cgs_relaxation step = {
            .on_x = 1.0 + a,
            .on_y = from_zero && j == 1 ? 0.0 : -a, /* the iterate before x = 0 is zero */
            .c = smoother->c[j] * smoother->scale,
            .d = smoother->inverse,
            .b = b,
            .x = from_zero && j == 0 ? NULL : x[j % 2],
            .y = x[(j + 1) % 2],
        };
        CGS_TRY(relax(smoother, queue, state, &step));
    }
    return CGS_OK;
}

struct cgs_moves cgs_smoother_moves(const struct cgs_operator *op, bool diagonal, int degree,
                                    bool from_zero)
{
    struct cgs_moves all = {0, 0, 0};
    if (from_zero && degree == 2 && !diagonal) /* both steps in one: b; y */
        return op->steps->relax ? (struct cgs_moves){1, 1, 1} : (struct cgs_moves){3, 2, 1};
    for (int j = 0; j < degree; j++) {
        const bool none = from_zero && j == 0, before = j > (from_zero ? 1 : 0);
        all.read += 1 + !none + before + diagonal; /* b, x, y, d */
        all.written += 1;
        all.products += !none;
        if (!none && !op->steps->relax) { /* separate q = A x */
            all.read += 2;
            all.written += 1;
        }
    }
    return all;
}

/* ---- eigenvalues ---- */

/* Returns c for b_i = sqrt(d_i) random_i c: D^-1/2 A D^-1/2, which has the eigenvalues of D^-1 A,
 * then starts from random numbers, and sees rows of any diagonal alike. c: a power of two near
 * max(d)^-1/4, with which b'b and b'D^-1 b are equally far from the ends of the range of numbers.
 * least: of 1 / d_i that are here. */
static double scale_of(struct cgs_context *context, const struct cgs_portion *portion, double least)
{
    if (portion)
        least = -cgs_comm_most(context, -least);
    return isfinite(least) ? exp2(rint(0.25 * log2(least))) : 1.0;
}

static int64_t first_of(const struct cgs_portion *portion)
{
    return portion ? portion->first : 0;
}

/* Sets b given 1 / d_i in b. */
static void weigh(struct cgs_context *context, const struct cgs_portion *portion, int64_t n,
                  double *b)
{
    const int64_t first = first_of(portion);
    double least = INFINITY;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min : least)
    for (int64_t i = 0; i < n; i++)
        least = b[i] > 0.0 && b[i] < least ? b[i] : least;
    const double scale = scale_of(context, portion, least);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < n; i++)
        b[i] = (b[i] > 0.0 ? scale / sqrt(b[i]) : 0.0) * cgs_random((uint64_t)(first + i));
}

/* Sets the right-hand side where vectors are in the memory of a device. */
static enum cgs_status weigh_there(const struct cgs_space *space, const void *inverse, void *rhs)
{
    struct cgs_context *context = space->queue->context;
    const struct cgs_portion *portion = space->layout.portion;
    double least = INFINITY;
    enum cgs_status status = space->ops->least(space, inverse, &least);
    if (portion) /* before the ranks solve together */
        status = cgs_comm_agree(context, status);
    CGS_TRY(status);
    const double scale = scale_of(context, portion, least);
    return space->ops->weigh(space, inverse, scale, first_of(portion), rhs);
}

/* Sets it by numbers on the host. */
static enum cgs_status weigh_here(const struct cgs_space *space, const void *inverse, void *rhs)
{
    struct cgs_context *context = space->queue->context;
    const struct cgs_portion *portion = space->layout.portion;
    double *b = NULL;
    enum cgs_status status =
        cgs_alloc(context, space->size, sizeof *b, "random vector", (void **)&b);
    if (status == CGS_OK)
        status = space->ops->get(space, inverse, 0, space->size, b);
    if (portion) /* before the ranks solve together */
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        weigh(context, portion, space->size, b);
        status = space->ops->put(space, b, 0, space->size, rhs);
    }
    cgs_free(context, b);
    return status;
}

/* Runs CG on that right-hand side for its largest Ritz value. */
static enum cgs_status look_around(struct cgs_cg *cg, const struct cgs_operator *jacobi,
                                   double *largest)
{
    const struct cgs_space *space = cgs_cg_space(cg);
    struct cgs_cg_result result;
    CGS_TRY((space->ops->weigh ? weigh_there : weigh_here)(space, cgs_jacobi_inverse(jacobi),
                                                           cgs_cg_rhs(cg)));
    CGS_TRY(cgs_cg_solve(cg, &result));
    *largest = result.lambda_max;
    return CGS_OK;
}

enum cgs_status cgs_eigenvalue_bound(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int steps, double margin,
                                     double *high)
{
    /* Rows of large diagonal rule the residual's norm: all steps are taken for the others. */
    const struct cgs_cg_settings settings = {.tolerance = 1e-30, .max_iterations = steps};
    const struct cgs_stopwatch watch = queue->context->watch;
    struct cgs_cg *cg;
    double largest = 0.0;
    CGS_TRY(cgs_cg_create(queue, op, jacobi, &settings, &cg));
    const enum cgs_status status = look_around(cg, jacobi, &largest);
    cgs_cg_release(cg);
    queue->context->watch = watch; /* not timed as a solve but as the caller's phase */
    CGS_TRY(status);
    if (!(largest > 0.0))
        return cgs_fail(queue->context, CGS_BREAKDOWN,
                        "the eigenvalues of D^-1 A could not be estimated: p'A p is not positive");
    *high = margin * largest;
    return CGS_OK;
}

/* ---- as a preconditioner ---- */

struct chebyshev {
    struct cgs_smoother smoother;
    void *other;   /* second iterate; the first is the result's vector */
    void *product; /* A x; NULL if the operator has `relax` */
};

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct chebyshev *chebyshev = self;
    const int last = chebyshev->smoother.degree % 2;
    void *iterates[2];
    iterates[last] = y;
    iterates[!last] = chebyshev->other;
    return cgs_smoother_apply(&chebyshev->smoother, queue, state, x, true, iterates);
}

static void release(void *self)
{
    struct chebyshev *chebyshev = self;
    const struct cgs_space *space = &chebyshev->smoother.op->domain;
    space->ops->free(space, chebyshev->other);
    space->ops->free(space, chebyshev->product);
    cgs_free(space->queue->context, chebyshev);
}

static const struct cgs_steps chebyshev_steps = {.apply = apply, .release = release};

enum cgs_status cgs_chebyshev_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int degree, double low,
                                     double high, struct cgs_operator *made)
{
    const struct cgs_space *space = &op->domain;
    struct chebyshev *self;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *self, "Chebyshev", (void **)&self));
    *self = (struct chebyshev){
        .smoother = {.op = op, .inverse = cgs_jacobi_inverse(jacobi), .scale = 1.0}};
    cgs_smoother_coefficients(&self->smoother, CGS_SOLVE, degree, low, high);
    enum cgs_status status = space->ops->alloc(space, "vector of Chebyshev", &self->other);
    if (status == CGS_OK && !op->steps->relax)
        status = space->ops->alloc(space, "vector of Chebyshev", &self->product);
    if (status != CGS_OK) {
        release(self);
        return status;
    }
    self->smoother.product = self->product;
    *made = (struct cgs_operator){.steps = &chebyshev_steps,
                                  .self = self,
                                  .domain = *space,
                                  .range = *space,
                                  .capturable = op->capturable,
                                  .moves = cgs_smoother_moves(op, true, degree, true)};
    return CGS_OK;
}
