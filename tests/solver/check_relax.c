/* Steps of a smoother (struct cgs_relaxation) and residuals: those of the space against the
 * formula, those of kernels without entries, which make A x on the way, against the space's; and
 * the diagonal that a device computes. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fem/assembly.h"
#include "fem/element/stencil.h"
#include "matrix/layout.h"
#include "matrix/walk.h"
#include "solver/centre.h"
#include "tests/support/support.h"

/* ---- the space's ---- */

/* Operands of a step. */
enum { HAS_X = 1, HAS_Y = 2, HAS_D = 4, STEPS = 8 };

static struct cgs_relaxation step_of(int which)
{
    return (struct cgs_relaxation){.on_x = 1.25, .on_y = which & HAS_Y ? -0.375 : 0.0, .c = 0.625};
}

LOOP_TEST(relaxation_of_the_space, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    const struct cgs_space *space = &p.space;
    const double eps = pair_eps(space);
    struct cgs_cg_state *state = bed_state(space, 1);
    double *more[3]; /* d, q, what y held */
    void *vector[3];
    for (int k = 0; k < 3; k++) {
        more[k] = must_have((size_t)p.n * sizeof **more);
        plain_vector(p.n, PLAIN_RANDOM, space->number, (uint64_t)(k + 3), more[k]);
        vector[k] = bed_vector(space, more[k]);
    }
    const double *d = more[0], *q = more[1], *was = more[2];
    for (int which = 0; which < STEPS; which++) {
        if ((which & HAS_Y) && !(which & HAS_X))
            continue;
        struct cgs_relaxation step = step_of(which);
        void *result = bed_vector(space, which & HAS_Y ? was : NULL);
        step.b = p.vy;
        step.d = which & HAS_D ? vector[0] : NULL;
        step.x = which & HAS_X ? p.vx : NULL;
        step.y = result;
        bed_reason(space, state, CGS_CONVERGED);
        must(space->ops->relax(space, bed.queue, state, &step, vector[1]));
        if (which & HAS_Y)
            check_all(&p, result, was[i], 0.0);
        must(space->ops->relax(space, bed.queue, NULL, &step, vector[1]));
        check_all(&p, result,
                  (which & HAS_X ? step.on_x * x : 0.0) +
                      (which & HAS_Y ? step.on_y * was[i] : 0.0) +
                      step.c * (which & HAS_D ? d[i] : 1.0) * (y - (which & HAS_X ? q[i] : 0.0)),
                  8 * eps * (fabs(x) + fabs(y) + fabs(was[i]) + fabs(q[i])));
        check_all(&p, p.vx, x, 0.0);
        check_all(&p, p.vy, y, 0.0);
        space->ops->free(space, result);
    }
    for (int k = 0; k < 3; k++) {
        space->ops->free(space, vector[k]);
        free(more[k]);
    }
    space->ops->state_free(space, state);
    pair_end(&p);
}

/* A mean is taken off, and stays while the centre is switched off. */
LOOP_TEST(means, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    const double bound = 4 * pair_eps(&p.space);
    struct cgs_centre *centre;
    double mean = 0.0, most = 1.0;
    for (int64_t i = 0; i < p.n; i++) {
        mean += p.x[i] / (double)p.n;
        most = fmax(most, fabs(p.x[i]));
    }
    must(cgs_centre_create(&p.space, &centre));
    must(cgs_centre_switch(centre, false));
    must(cgs_centre_apply(centre, bed.queue, p.vx));
    check_all(&p, p.vx, x, 0.0);
    must(cgs_centre_switch(centre, true));
    must(cgs_centre_apply(centre, bed.queue, p.vx));
    check_all(&p, p.vx, x - mean, bound * sqrt((double)p.n) * most);
    must(cgs_centre_apply(NULL, bed.queue, p.vy));
    check_all(&p, p.vy, y, 0.0);
    cgs_centre_release(centre);
    pair_end(&p);
}

/* To the other number type and back: exact where the numbers are floats. */
LOOP_TEST(conversions, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    const struct cgs_space other =
        bed_space(p.space.number == CGS_F64 ? CGS_F32 : CGS_F64, p.space.size);
    void *there = bed_vector(&other, NULL), *back = bed_vector(&p.space, NULL);
    must(p.space.ops->convert(&p.space, bed.queue, NULL, p.vx, &other, there));
    bed_get(&other, there, p.got);
    for (int64_t i = 0; i < p.n; i++)
        ck_assert(p.got[i] == (double)(float)p.x[i]);
    must(other.ops->convert(&other, bed.queue, NULL, there, &p.space, back));
    check_all(&p, back, (double)(float)x, 0.0);
    other.ops->free(&other, there);
    p.space.ops->free(&p.space, back);
    pair_end(&p);
}

/* ---- those of kernels without entries ---- */

static const int64_t sizes[] = {1, 2, 3, 9, 16, 33, 67, 131};
enum {
    SIZES = sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 4 : 0),
    MESHES = 4,
    BIG = CHECK_SMALL ? 17 : 67
};

/* Plain; scaled as in the course; a coefficient; deformed, too. */
static struct cgs_mesh mesh_of(int which, int64_t n)
{
    struct cgs_mesh mesh = cgs_mesh_cube(n, which == 3 ? CGS_BLENDED : CGS_GAUSS,
                                         which == 1 ? pow((double)(n + 1), 3.0) : 1.0);
    if (which >= 2)
        mesh.kappa = (struct cgs_kappa){.kind = CGS_KAPPA_SMOOTH, .ratio = 1.0};
    if (which == 3)
        mesh.deform = 0.1;
    return mesh;
}

/* Those of this device and of order 1 that have steps of their own (of order p:
 * tests/kernels/check_order.c). */
static int kernels(const struct cgs_kernel_entry **found)
{
    int all, count = 0;
    const struct cgs_kernel_entry *entries = cgs_kernels(&all);
    for (int i = 0; i < all; i++)
        if (of_order_1(&entries[i]) && entries[i].tables[0] && entries[i].tables[0]->steps.relax) {
            if (found)
                found[count] = &entries[i];
            count++;
        }
    return count * CGS_PRECISIONS;
}

/* An operator on a mesh, vectors of its space, A x as `apply` makes it. */
struct work {
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    const struct cgs_space *space;
    int64_t count;
    double diagonal; /* of the matrix, about */
    double *x, *b, *d, *y, *q, *got;
    void *vx, *vb, *vd;
    char words[100];
};

static bool start(struct work *w, int which_kernel, const struct cgs_mesh *mesh)
{
    const struct cgs_kernel_entry *found[32];
    double stencil[8];
    ck_assert_int_lt(which_kernel, kernels(found));
    const enum cgs_precision precision = (enum cgs_precision)(which_kernel % CGS_PRECISIONS);
    const struct cgs_kernel_entry *entry = found[which_kernel / CGS_PRECISIONS];
    *w = (struct work){.count = cgs_mesh_rows(mesh)};
    snprintf(w->words, sizeof w->words, "%s %s, N = %lld", entry->name,
             cgs_precision_name(precision), (long long)mesh->n[0]);
    must(cgs_assembler_create(&bed.context, mesh, cgs_gather_of(mesh), &w->source));
    must(cgs_matrix_create(&bed.context, &w->source, CGS_NONE, 1, 1, &w->matrix));
    cgs_mesh_stencil(mesh, stencil);
    w->diagonal = stencil[0];
    if (cgs_operator_create(bed.queue, bed.backend, entry->tables[precision], precision, &w->matrix,
                            &w->op) == CGS_OK)
        return true;
    bed_forgive();
    cgs_matrix_release(&bed.context, &w->matrix);
    cgs_assembler_release(&bed.context, &w->source);
    return false;
}

static void *make_vector(struct work *w, uint64_t seed, double factor, double **numbers)
{
    *numbers = must_have((size_t)w->count * sizeof **numbers);
    plain_vector(w->count, PLAIN_RANDOM, w->space->number, seed, *numbers);
    for (int64_t i = 0; i < w->count; i++) {
        (*numbers)[i] *= factor;
        if (w->space->number == CGS_F32)
            (*numbers)[i] = (double)(float)(*numbers)[i];
    }
    return bed_vector(w->space, *numbers);
}

static void fill(struct work *w)
{
    double *was;
    w->space = &w->op.domain;
    void *product = make_vector(w, 9, 1.0, &w->q);
    w->vx = make_vector(w, 1, 1.0, &w->x);
    w->vb = make_vector(w, 2, w->diagonal, &w->b);
    w->vd = make_vector(w, 3, 1.0, &w->d);
    w->space->ops->free(w->space, make_vector(w, 4, 1.0, &was));
    w->y = was;
    w->got = must_have((size_t)w->count * sizeof *w->got);
    must(cgs_operator_apply(&w->op, bed.queue, NULL, w->vx, product));
    bed_get(w->space, product, w->q);
    w->space->ops->free(w->space, product);
}

static void finish(struct work *w)
{
    double *numbers[] = {w->x, w->b, w->d, w->y, w->q, w->got};
    w->space->ops->free(w->space, w->vx);
    w->space->ops->free(w->space, w->vb);
    w->space->ops->free(w->space, w->vd);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        free(numbers[i]);
    cgs_operator_release(&w->op);
    cgs_matrix_release(&bed.context, &w->matrix);
    cgs_assembler_release(&bed.context, &w->source);
}

/* got = on_x x + on_y y + c d (b - q), to the rounding of a product with rows of up to some ten
 * diagonals' weight; and nothing in what pads a line. */
static void compare(struct work *w, const char *what, const struct cgs_relaxation *s,
                    const void *vector)
{
    const double eps = pair_eps(w->space), row = 30.0 * 4.0 * w->diagonal;
    double sum = 0.0;
    bed_get(w->space, vector, w->got);
    for (int64_t i = 0; i < w->count; i++) {
        const double c = s->c * (s->d ? w->d[i] : 1.0);
        const double right = s->on_x * w->x[i] + (s->on_y != 0.0 ? s->on_y * w->y[i] : 0.0) +
                             c * (w->b[i] - w->q[i]);
        if (!(fabs(w->got[i] - right) <= 8 * eps * (4.0 + fabs(s->c) * row)))
            ck_abort_msg("%s: %s: number %lld is %.17g, should be %.17g", w->words, what,
                         (long long)i, w->got[i], right);
        sum += w->got[i] * w->got[i];
    }
    struct cgs_cg_state *state = bed_state(w->space, 1);
    must(w->space->ops->dot(w->space, bed.queue, state, vector, vector, CGS_SUM_SCRATCH));
    must(w->space->ops->reduce(w->space, bed.queue, state, CGS_SUM_SCRATCH, 1));
    ck_assert(fabs(bed_look(w->space, state).sums[CGS_SUM_SCRATCH] - sum) <= 1e-10 * sum);
    w->space->ops->state_free(w->space, state);
}

static void check_residual(struct work *w, struct cgs_cg_state *stopped)
{
    const struct cgs_relaxation as = {.c = 1.0};
    void *r = bed_vector(w->space, w->y);
    must(w->op.steps->residual(w->op.self, bed.queue, stopped, w->vb, w->vx, r));
    bed_get(w->space, r, w->got);
    for (int64_t i = 0; i < w->count; i++)
        ck_assert(w->got[i] == w->y[i]);
    must(w->op.steps->residual(w->op.self, bed.queue, NULL, w->vb, w->vx, r));
    compare(w, "residual", &as, r);
    w->space->ops->free(w->space, r);
}

/* HAS_X: x is another vector than b. */
static void check_relaxation(struct work *w, struct cgs_cg_state *stopped, int which)
{
    struct cgs_relaxation step = step_of(which);
    void *result = bed_vector(w->space, w->y);
    step.c /= w->diagonal;
    step.d = which & HAS_D ? w->vd : NULL;
    step.b = w->vb;
    step.x = w->vx;
    step.y = result;
    must(w->op.steps->relax(w->op.self, bed.queue, stopped, &step));
    bed_get(w->space, result, w->got);
    for (int64_t i = 0; i < w->count; i++)
        ck_assert(w->got[i] == w->y[i]);
    if (!(which & HAS_Y)) {
        w->space->ops->free(w->space, result);
        step.y = result = bed_vector(w->space, NULL);
    }
    must(w->op.steps->relax(w->op.self, bed.queue, NULL, &step));
    compare(w, "relaxation", &step, result);
    w->space->ops->free(w->space, result);
}

/* x and b one vector: a smoother's first two steps are one of these. */
static void check_shared(struct work *w)
{
    double *b = w->b;
    void *vb = w->vb, *result = bed_vector(w->space, NULL);
    struct cgs_relaxation step = step_of(0);
    w->b = w->x;
    step.b = step.x = w->vx;
    step.y = result;
    step.c /= w->diagonal;
    must(w->op.steps->relax(w->op.self, bed.queue, NULL, &step));
    compare(w, "relaxation of b", &step, result);
    w->b = b;
    w->vb = vb;
    w->space->ops->free(w->space, result);
}

LOOP_TEST(kernels_relax_as_composed, kernels(NULL))
{
    int ran = 0;
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; s < SIZES; s++) {
            const struct cgs_mesh mesh = mesh_of(which, sizes[s]);
            struct work w;
            if (sizes[s] > BIG && which > 0)
                continue;
            if (!start(&w, _i, &mesh))
                continue;
            fill(&w);
            struct cgs_cg_state *stopped = bed_state(w.space, 1);
            bed_reason(w.space, stopped, CGS_CONVERGED);
            check_residual(&w, stopped);
            for (int step = 0; step < STEPS; step++)
                if (!(step & HAS_X))
                    check_relaxation(&w, stopped, step);
            check_shared(&w);
            w.space->ops->state_free(w.space, stopped);
            finish(&w);
            ran++;
        }
    ck_assert_int_ge(ran, SIZES);
}

/* ---- the diagonal that a device computes ---- */

LOOP_TEST(diagonal_of_the_device,
          cgs_backend(CHECK_DEVICE) && cgs_backend(CHECK_DEVICE)->box ? kernels(NULL) : 0)
{
    const struct cgs_assembly_ops *box = bed.backend->box;
    int ran = 0;
    for (int which = 0; which < MESHES; which++)
        for (int s = 0; sizes[s] < BIG; s++) {
            const struct cgs_mesh mesh = mesh_of(which, sizes[s]);
            struct work w;
            int64_t bad = 7;
            if (!start(&w, _i, &mesh))
                continue;
            fill(&w);
            void *inverse = bed_vector(w.space, NULL);
            must(cgs_matrix_diagonal(&bed.context, &w.source, w.d));
            must(box->inverse_diagonal(w.space, &mesh, inverse, &bad));
            ck_assert_int_eq(bad, -1);
            bed_get(w.space, inverse, w.got);
            for (int64_t i = 0; i < w.count; i++)
                ck_assert(fabs(w.got[i] * w.d[i] - 1.0) <= 100 * pair_eps(w.space));
            struct cgs_mesh turned = mesh;
            turned.scale = -1.0;
            must(box->inverse_diagonal(w.space, &turned, inverse, &bad));
            ck_assert_int_eq(bad, 0);
            w.space->ops->free(w.space, inverse);
            finish(&w);
            ran++;
        }
    ck_assert_int_gt(ran, 0);
}

int main(void)
{
    return bed_tests("relaxation", 300);
}
