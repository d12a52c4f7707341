/* y = A x on the plain cube: the 27-point stencil, line by line (stencil_lines.h).
 *
 * A product moves x and y, 16 bytes a row in double. Planes are divided among the threads; the
 * fused x'y is summed by planes, so that its bits are the same for any number of threads.
 */
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "kernels/free/free.h"
#include "kernels/free/stencil_lines.h"
#include "kernels/vector/sum_cpu.h"

struct stencil {
    struct cgs_context *context;
    int64_t n;
    real number[4];
    real *scratch; /* for each thread two lines of n + 2, the second one zero */
    int threads;   /* that scratch is for */
};

static CGS_CLONES double plane(const struct stencil *self, int64_t z, real *u, const real *zero,
                               bool dot, const real *x, real *y)
{
    const int64_t n = self->n;
    double sum = 0.0;
    for (int64_t iy = 0; iy < n; iy++) {
        struct cgs_nine nine;
        for (int k = 0; k < 9; k++) {
            const int64_t ky = iy + k % 3 - 1, kz = z + k / 3 - 1;
            const bool inside = ky >= 0 && ky < n && kz >= 0 && kz < n;
            nine.at[k] = inside ? x + (kz * n + ky) * n : zero;
        }
        real *line = y + (z * n + iy) * n;
        cgs_stencil_line(n, self->number, &nine, u, line);
        if (dot)
            sum += cgs_lanes_dot(n, nine.at[4], line);
    }
    return sum;
}

static enum cgs_status run(const struct stencil *self, struct cgs_queue *queue, double *partials,
                           const real *x, real *y)
{
    const int64_t n = self->n;
#pragma omp parallel num_threads(queue->context->threads)
    {
        real scratch[2 * 10002];
        for (int64_t i = 0; i < 2 * (n + 2); i++)
            scratch[i] = 0;
#pragma omp for schedule(static)
        for (int64_t z = 0; z < n; z++) {
            const double sum = plane(self, z, scratch, scratch + n + 2, partials != NULL, x, y);
            if (partials)
                partials[z] = sum;
        }
    }
    return CGS_OK;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (state && !cgs_cg_going_on(state))
        return CGS_OK;
    return run(self, queue, NULL, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct stencil *stencil = self;
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    CGS_TRY(run(self, queue, queue->partials, x, y));
    state->sums[sum] = cgs_pairwise(queue->partials, stencil->n);
    return CGS_OK;
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan_out)
{
    (void)matrix;
    cgs_plan_add(plan_out, CGS_HOST, "stencil", 1, sizeof(struct stencil));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct stencil *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "stencil", (void **)&made));
    *made = (struct stencil){.context = queue->context, .n = matrix->mesh->n};
    cgs_stencil_numbers(matrix->mesh, made->number);
    *self = made;
    return CGS_OK;
}

static void release(void *self)
{
    struct stencil *made = self;
    if (made)
        cgs_free(made->context, made);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_stencil) = {
    .reproducible = true,
    .accepts = cgs_stencil_accepts,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_free_traffic,
    .steps = {.apply = apply, .apply_dot = apply_dot, .release = release},
};
