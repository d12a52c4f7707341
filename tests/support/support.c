#include "tests/support/support.h"

#include "base/plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bed bed;

void *must_have(size_t bytes)
{
    void *block = calloc(bytes > 0 ? bytes : 1, 1);
    ck_assert_ptr_nonnull(block);
    return block;
}

void bed_open(void)
{
    cgs_context_init(&bed.context);
    bed.context.threads = 2;
    bed.backend = cgs_backend(CHECK_DEVICE);
    ck_assert_msg(bed.backend != NULL, "%s", cgs_backend_reason(CHECK_DEVICE));
    must(bed.backend->open(&bed.context, 0, &bed.queue));
}

void bed_close(void)
{
    bed.backend->close(bed.queue);
    ck_assert_msg(bed.context.status == CGS_OK, "left: %s", bed.context.message);
    ck_assert_int_eq(bed.context.host_bytes, 0);
}

void bed_forgive(void)
{
    bed.context.status = CGS_OK;
    bed.context.message[0] = '\0';
}

/* 0 when this build and machine have CHECK_DEVICE, else 77. */
static int find_device(void)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    if (!backend) {
        printf("skipped: %s\n", cgs_backend_reason(CHECK_DEVICE));
        return 77;
    }
    if (CHECK_DEVICE == CGS_CPU)
        return 0; /* nothing that might start threads before Check forks */
    struct cgs_context context;
    struct cgs_queue *queue = NULL;
    cgs_context_init(&context);
    if (backend->open(&context, 0, &queue) != CGS_OK) {
        printf("skipped: %s\n", context.message);
        return 77;
    }
    backend->close(queue);
    return 0;
}

int bed_run(Suite *suite)
{
    cgs_name_options(); /* as the program does */
    SRunner *runner = srunner_create(suite);
    const int missing = find_device();
    if (missing) {
        srunner_free(runner);
        return missing;
    }
    if (CHECK_DEVICE == CGS_CUDA)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}

struct cgs_space bed_space(enum cgs_number number, int64_t n)
{
    struct cgs_space space;
    const struct cgs_layout layout = {.size = n};
    must(bed.backend->spaces[number]->create(bed.queue, &layout, &space));
    ck_assert_int_eq(space.size, n);
    return space;
}

void *bed_vector(const struct cgs_space *space, const double *numbers)
{
    void *vector = NULL;
    double *poison = NULL;
    must(space->ops->alloc(space, "vector of a test", &vector));
    if (!numbers) {
        poison = must_have((size_t)space->size * sizeof *poison);
        for (int64_t i = 0; i < space->size; i++)
            poison[i] = NAN;
    }
    must(space->ops->put(space, numbers ? numbers : poison, 0, space->size, vector));
    free(poison);
    return vector;
}

void bed_get(const struct cgs_space *space, const void *vector, double *numbers)
{
    must(space->ops->get(space, vector, 0, space->size, numbers));
}

void *bed_fetch(const void *array, int64_t bytes)
{
    const int64_t numbers = (bytes + 7) / 8;
    const struct cgs_space space = bed_space(CGS_F64, numbers);
    double *got = must_have((size_t)numbers * sizeof *got);
    bed_get(&space, array, got);
    return got;
}

struct cgs_cg_state *bed_state(const struct cgs_space *space, int64_t max_iterations)
{
    struct cgs_cg_state initial = {.max_iterations = max_iterations,
                                   .stagnation_window = max_iterations + 1};
    struct cgs_cg_state *state = NULL;
    for (int i = 0; i < CGS_SUMS; i++)
        initial.sums[i] = NAN;
    must(space->ops->state_create(space, &initial, &state));
    return state;
}

struct cgs_cg_state bed_look(const struct cgs_space *space, const struct cgs_cg_state *state)
{
    struct cgs_cg_state out;
    must(space->ops->look_start(space, bed.queue, state, 0));
    must(space->ops->look_finish(space, bed.queue, 0, &out));
    return out;
}

void bed_reason(const struct cgs_space *space, struct cgs_cg_state *state, int32_t reason)
{
    struct cgs_cg_state changed = bed_look(space, state);
    changed.reason = reason;
    must(space->ops->state_set(space, bed.queue, state, &changed));
}

/* ---- two vectors of a space ---- */

static const int64_t sizes[PAIR_SIZES] = {1, 31, 4096, 4097, 300007};

struct cgs_space pair_space(int i)
{
    return bed_space((enum cgs_number)(i % CGS_NUMBERS), sizes[i / CGS_NUMBERS]);
}

struct pair pair_start(int i, enum plain_numbers numbers)
{
    struct pair p = {.space = pair_space(i)};
    p.n = p.space.size;
    p.x = must_have((size_t)p.n * sizeof *p.x);
    p.y = must_have((size_t)p.n * sizeof *p.y);
    p.got = must_have((size_t)p.n * sizeof *p.got);
    plain_vector(p.n, numbers, p.space.number, 1, p.x);
    plain_vector(p.n, numbers, p.space.number, 2, p.y);
    p.vx = bed_vector(&p.space, p.x);
    p.vy = bed_vector(&p.space, p.y);
    return p;
}

void pair_end(struct pair *p)
{
    p->space.ops->free(&p->space, p->vx);
    p->space.ops->free(&p->space, p->vy);
    free(p->x);
    free(p->y);
    free(p->got);
}

double pair_eps(const struct cgs_space *space)
{
    return space->number == CGS_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}
