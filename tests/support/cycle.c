#include "tests/support/cycle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "core/options/options.h"
#include "core/options/user_problem.h"
#include "core/setup/assemble.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"

void cycled_set_up(struct cycled *s, const char *words, const struct cgs_crs *crs)
{
    *s = (struct cycled){.assembled = !crs};
    ask(&s->asked, words);
    struct cgs_context *own = &s->asked.context;
    const struct cgs_options *o = &s->asked.options;
    const struct cgs_machine *m = &s->asked.machine;
    well(s, cgs_settle_user_problem(own, &o->settings));
    s->mesh = cgs_mesh_asked(&o->settings);
    if (crs)
        s->source = cgs_crs_source(crs);
    else
        well(s, cgs_assemble_rows(own, &s->mesh, &s->source));
    well(s, cgs_matrix_create(own, &s->source, o->settings.format, cgs_settings_chunk(&o->settings),
                              cgs_settings_sigma(&o->settings), &s->matrix));
    well(s, cgs_operator_create(m->queue, m->backend, m->kernel, CGS_PRECISION_F64, &s->matrix,
                                &s->op));
}

void cycled_take_down(struct cycled *s)
{
    struct cgs_context *own = &s->asked.context;
    cgs_operator_release(&s->op);
    cgs_matrix_release(own, &s->matrix);
    if (s->assembled)
        cgs_assemble_rows_release(own, &s->source);
    dismiss(&s->asked);
}

double *random_numbers(int64_t n, int64_t seed)
{
    double *x = must_have((size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        x[i] = cgs_random((uint64_t)(i + seed * n));
    return x;
}

double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void cycled_check_symmetry(const struct cycled *s, const char *words, double tolerance)
{
    const struct cgs_space *space = &s->op.domain;
    const int64_t n = space->size;
    double *x[2], *mx[2];
    for (int k = 0; k < 2; k++) {
        x[k] = random_numbers(n, k);
        mx[k] = must_have((size_t)n * sizeof(double));
        void *in = bed_vector(space, x[k]), *out = bed_vector(space, NULL);
        well(s, cgs_operator_apply(&s->cycle, s->asked.machine.queue, NULL, in, out));
        well(s, space->ops->get(space, out, 0, n, mx[k]));
        space->ops->free(space, out);
        space->ops->free(space, in);
    }
    const double energy = dot(n, x[0], mx[0]), other = dot(n, x[1], mx[1]);
    const double apart = fabs(dot(n, x[0], mx[1]) - dot(n, x[1], mx[0]));
    printf("%s: x'Mx %.3e, |x'My - y'Mx| %.1e of it\n", words, energy, apart / energy);
    ck_assert_double_gt(energy, 0.0);
    ck_assert_double_gt(other, 0.0);
    ck_assert_double_le(apart, tolerance * sqrt(energy * other));
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(mx[k]);
    }
}

int64_t cycled_iterations(struct cycled *s, const char *words, const double *b, int64_t most)
{
    struct cgs_cg *cg;
    struct cgs_cg_result result;
    const struct cgs_space *space = &s->op.domain;
    const struct cgs_cg_settings settings = {.tolerance = 1e-8, .max_iterations = most};
    well(s, cgs_cg_create(s->asked.machine.queue, &s->op, &s->cycle, &settings, &cg));
    well(s, space->ops->put(space, b, 0, space->size, cgs_cg_rhs(cg)));
    well(s, cgs_cg_solve(cg, &result));
    ck_assert_int_eq(result.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_double_le(result.true_relative_residual, 2e-8);
    printf("%s: %lld iterations\n", words, (long long)result.iterations);
    cgs_cg_release(cg);
    return result.iterations;
}
