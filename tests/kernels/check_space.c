/* Spaces: vectors and their steps, by the functions of kernels/space.h alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "matrix/names.h"
#include "tests/support/support.h"

LOOP_TEST(facts_and_zeros, PAIRS)
{
    const struct cgs_space space = pair_space(_i);
    double *got = must_have((size_t)space.size * sizeof *got);
    void *vector = NULL;
    int wrong = 0;
    ck_assert_int_eq(space.number, _i % CGS_NUMBERS);
    ck_assert_int_eq(space.place, bed.backend->place);
    ck_assert_int_ge(space.footprint, space.size * cgs_number_bytes(space.number));
    must(space.ops->alloc(&space, "vector of a test", &vector));
    bed_get(&space, vector, got);
    for (int64_t i = 0; i < space.size; i++)
        wrong += got[i] != 0.0;
    ck_assert_int_eq(wrong, 0);
    space.ops->free(&space, vector);
    space.ops->free(&space, NULL);
    free(got);
}

LOOP_TEST(put_and_get_ranges, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    check_all(&p, p.vx, x, 0.0);
    /* y's second third into x, and back in pieces */
    const int64_t first = p.n / 3, count = p.n / 3;
    must(p.space.ops->put(&p.space, p.y + first, first, count, p.vx));
    check_all(&p, p.vx, (i >= first && i < first + count ? y : x), 0.0);
    for (int64_t at = 0, step = 1; at < p.n; at += step, step = 2 * step + 1) {
        double piece[2] = {7, 7};
        must(p.space.ops->get(&p.space, p.vy, at, 1, piece));
        ck_assert(piece[0] == p.y[at] && piece[1] == 7);
        must(p.space.ops->get(&p.space, p.vy, at, 0, piece));
    }
    pair_end(&p);
}

LOOP_TEST(simple_steps, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    const struct cgs_space_ops *ops = p.space.ops;
    const double eps = pair_eps(&p.space), a = p.space.number == CGS_F32 ? (double)0.7f : 0.7;
    void *z = bed_vector(&p.space, NULL), *d = bed_vector(&p.space, NULL);
    must(ops->set(&p.space, bed.queue, NULL, 0.25, z));
    check_all(&p, z, 0.25, 0.0);
    must(ops->copy(&p.space, bed.queue, NULL, p.vy, z));
    check_all(&p, z, y, 0.0);
    must(ops->axpy(&p.space, bed.queue, NULL, cgs_constant(a), p.vx, z));
    check_all(&p, z, y + a * x, eps * (fabs(y) + 2 * fabs(a * x)));
    must(ops->copy(&p.space, bed.queue, NULL, p.vy, z));
    must(ops->xpby(&p.space, bed.queue, NULL, p.vx, cgs_constant(a), z));
    check_all(&p, z, x + a * y, eps * (fabs(x) + 2 * fabs(a * y)));
    must(ops->copy(&p.space, bed.queue, NULL, p.vy, d));
    must(ops->multiply(&p.space, bed.queue, NULL, d, p.vx, z, CGS_SUM_NOWHERE));
    check_all(&p, z, x * y, eps * fabs(x * y));
    check_all(&p, p.vx, x, 0.0);
    check_all(&p, p.vy, y, 0.0);
    ops->free(&p.space, z);
    ops->free(&p.space, d);
    pair_end(&p);
}

/* ---- sums ---- */

static double dot_of(const struct pair *p, struct cgs_cg_state *state, const void *a, const void *b)
{
    must(p->space.ops->dot(&p->space, bed.queue, state, a, b, CGS_SUM_SCRATCH));
    must(p->space.ops->reduce(&p->space, bed.queue, state, CGS_SUM_SCRATCH, 1));
    return bed_look(&p->space, state).sums[CGS_SUM_SCRATCH];
}

/* Into a space of each number and back: what float can hold comes back as it was. */
LOOP_TEST(convert_between_numbers, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_INTEGERS);
    for (int number = 0; number < CGS_NUMBERS; number++) {
        const struct cgs_space_ops *ops = bed.backend->spaces[number];
        struct cgs_space other;
        must(ops->create(bed.queue, &p.space.layout, &other));
        void *there = bed_vector(&other, NULL), *back = bed_vector(&p.space, NULL);
        must(p.space.ops->convert(&p.space, bed.queue, NULL, p.vx, &other, there));
        must(other.ops->convert(&other, bed.queue, NULL, there, &p.space, back));
        check_all(&p, back, x, 0.0);
        double *seen = must_have((size_t)p.n * sizeof *seen);
        bed_get(&other, there, seen);
        ck_assert_mem_eq(seen, p.x, (size_t)p.n * sizeof *seen);
        free(seen);
        other.ops->free(&other, there);
        p.space.ops->free(&p.space, back);
    }
    pair_end(&p);
}

/* The second half of the cases has sums over fixed blocks, which are a device's own choice
 * (kernels/queue.h). */
static struct pair pair_start_fixed(int which, enum plain_numbers kind)
{
    bed.queue->fixed = which >= PAIRS && bed.backend->place != CGS_HOST;
    return pair_start(which % PAIRS, kind);
}

LOOP_TEST(dot_of_whole_numbers, 2 * PAIRS)
{
    struct pair p = pair_start_fixed(_i, PLAIN_INTEGERS);
    struct cgs_cg_state *state = bed_state(&p.space, 1);
    double right = 0.0, square = 0.0;
    for (int64_t i = 0; i < p.n; i++) {
        right += p.x[i] * p.y[i];
        square += p.x[i] * p.x[i];
    }
    ck_assert_double_eq(dot_of(&p, state, p.vx, p.vy), right);
    ck_assert_double_eq(dot_of(&p, state, p.vx, p.vx), square);
    void *z = bed_vector(&p.space, NULL);
    must(p.space.ops->multiply(&p.space, bed.queue, state, p.vy, p.vx, z, CGS_SUM_RZ));
    check_all(&p, z, x * y, 0.0);
    double weighted = 0.0;
    for (int64_t i = 0; i < p.n; i++)
        weighted += p.x[i] * p.x[i] * p.y[i];
    const struct cgs_cg_state seen = bed_look(&p.space, state);
    ck_assert_double_eq(seen.sums[CGS_SUM_RZ], weighted);
    ck_assert(isnan(seen.sums[CGS_SUM_PQ]) && isnan(seen.sums[CGS_SUM_RR]));
    p.space.ops->free(&p.space, z);
    p.space.ops->state_free(&p.space, state);
    p.space.ops->state_free(&p.space, NULL);
    pair_end(&p);
}

LOOP_TEST(dot_keeps_its_bits, 2 * PAIRS)
{
    struct pair p = pair_start_fixed(_i, PLAIN_RANDOM);
    struct cgs_cg_state *state = bed_state(&p.space, 1);
    long double right = 0.0L, bound = 0.0L;
    for (int64_t i = 0; i < p.n; i++) {
        right += (long double)p.x[i] * p.y[i];
        bound += fabsl((long double)p.x[i] * p.y[i]);
    }
    const double first = dot_of(&p, state, p.vx, p.vy);
    ck_assert(fabsl(first - right) <= ((double)p.n + 2) * DBL_EPSILON * bound);
    for (int threads = 1; threads <= 5; threads++) {
        bed.context.threads = threads;
        ck_assert(dot_of(&p, state, p.vx, p.vy) == first);
    }
    bed.context.threads = 2;
    for (int64_t at = 0; at < p.n; at += p.n / 2 + 1) {
        const double bad = at == 0 ? NAN : INFINITY;
        must(p.space.ops->put(&p.space, &bad, at, 1, p.vx));
        ck_assert(!cgs_finite(dot_of(&p, state, p.vx, p.vx)));
    }
    p.space.ops->state_free(&p.space, state);
    pair_end(&p);
}

int main(void)
{
    return bed_tests("space", 120);
}
