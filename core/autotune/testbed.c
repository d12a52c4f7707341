#include "core/autotune/testbed.h"

#include <math.h>

#include "base/memory.h"
#include "matrix/names.h"

static const double CANARY = 0x1.8badcap+40; /* exact in 32 bits, too */

static int64_t longest(int64_t rows, int64_t columns)
{
    return (rows > columns ? rows : columns) + 2 * CGS_GUARD;
}

void cgs_testbed_plan(struct cgs_plan *plan, enum cgs_place place, enum cgs_number number,
                      int64_t rows, int64_t columns, int inputs)
{
    const int64_t bytes = cgs_bytes(longest(rows, columns), cgs_number_bytes(number));
    cgs_plan_add_blocks(plan, place, "test vectors", inputs + 1, bytes);
    cgs_plan_add(plan, CGS_HOST, "test vector", longest(rows, columns), sizeof(double));
}

static void *past_guard(const struct cgs_testbed *testbed, void *vector)
{
    return (char *)vector + testbed->guard * cgs_number_bytes(testbed->domain.number);
}

const void *cgs_testbed_x(const struct cgs_testbed *testbed, int input)
{
    return past_guard(testbed, testbed->inputs_at[input]);
}

void *cgs_testbed_y(const struct cgs_testbed *testbed)
{
    return past_guard(testbed, testbed->output_at);
}

static enum cgs_status put_input(const struct cgs_testbed *testbed, const double *x, void *vector)
{
    const struct cgs_space *space = &testbed->domain;
    for (int64_t i = 0; i < space->size; i++) {
        const int64_t k = i - testbed->guard;
        testbed->host[i] = k >= 0 && k < testbed->columns ? x[k] : NAN;
    }
    return space->ops->put(space, testbed->host, 0, space->size, vector);
}

static enum cgs_status make(struct cgs_testbed *testbed)
{
    CGS_TRY(cgs_alloc(testbed->queue->context, longest(testbed->rows, testbed->columns),
                      sizeof(double), "test vector", (void **)&testbed->host));
    for (int i = 0; i < testbed->inputs; i++)
        CGS_TRY(
            testbed->domain.ops->alloc(&testbed->domain, "test vector", &testbed->inputs_at[i]));
    return testbed->range.ops->alloc(&testbed->range, "test vector", &testbed->output_at);
}

/* Makes the vectors of *testbed, and fills the inputs with x, or with those of `other`. */
static enum cgs_status fill(const double *const *x, const struct cgs_testbed *other,
                            struct cgs_testbed *testbed)
{
    enum cgs_status status = make(testbed);
    for (int i = 0; i < testbed->inputs && status == CGS_OK; i++) {
        if (other)
            status = other->domain.ops->get(&other->domain, other->inputs_at[i], other->guard,
                                            other->columns, other->host);
        if (status == CGS_OK)
            status = put_input(testbed, other ? other->host : x[i], testbed->inputs_at[i]);
    }
    if (status != CGS_OK)
        cgs_testbed_release(testbed);
    return status;
}

enum cgs_status cgs_testbed_create(const struct cgs_backend *backend, struct cgs_queue *queue,
                                   enum cgs_number number, int64_t rows, int64_t columns,
                                   int inputs, const double *const *x, struct cgs_testbed *testbed)
{
    const struct cgs_layout domain = {.size = columns + 2 * CGS_GUARD};
    const struct cgs_layout range = {.size = rows + 2 * CGS_GUARD};
    struct cgs_testbed made = {.backend = backend,
                               .queue = queue,
                               .rows = rows,
                               .columns = columns,
                               .inputs = inputs,
                               .guard = CGS_GUARD};
    CGS_TRY(backend->spaces[number]->create(queue, &domain, &made.domain));
    CGS_TRY(backend->spaces[number]->create(queue, &range, &made.range));
    CGS_TRY(fill(x, NULL, &made));
    *testbed = made;
    return CGS_OK;
}

enum cgs_status cgs_testbed_create_padded(const struct cgs_testbed *other,
                                          const struct cgs_layout *domain,
                                          const struct cgs_layout *range,
                                          struct cgs_testbed *testbed)
{
    const struct cgs_space_ops *ops = other->backend->spaces[other->domain.number];
    struct cgs_testbed made = {.backend = other->backend,
                               .queue = other->queue,
                               .rows = other->rows,
                               .columns = other->columns,
                               .inputs = other->inputs};
    CGS_TRY(ops->create(other->queue, domain, &made.domain));
    CGS_TRY(ops->create(other->queue, range, &made.range));
    CGS_TRY(fill(NULL, other, &made));
    *testbed = made;
    return CGS_OK;
}

void cgs_testbed_release(struct cgs_testbed *testbed)
{
    if (!testbed->backend)
        return;
    for (int i = 0; i < testbed->inputs; i++)
        testbed->domain.ops->free(&testbed->domain, testbed->inputs_at[i]);
    testbed->range.ops->free(&testbed->range, testbed->output_at);
    cgs_free(testbed->queue->context, testbed->host);
    *testbed = (struct cgs_testbed){0};
}

enum cgs_status cgs_testbed_poison(const struct cgs_testbed *testbed)
{
    const struct cgs_space *space = &testbed->range;
    for (int64_t i = 0; i < space->size; i++)
        testbed->host[i] = i >= testbed->guard && i < testbed->guard + testbed->rows ? NAN : CANARY;
    return space->ops->put(space, testbed->host, 0, space->size, testbed->output_at);
}

enum cgs_status cgs_testbed_wipe(const struct cgs_testbed *testbed)
{
    return testbed->range.ops->set(&testbed->range, testbed->queue, NULL, NAN, testbed->output_at);
}

enum cgs_status cgs_testbed_look(const struct cgs_testbed *testbed, bool wiped, const double **y,
                                 int *outside)
{
    const struct cgs_space *space = &testbed->range;
    CGS_TRY(space->ops->wait(testbed->queue));
    CGS_TRY(space->ops->get(space, testbed->output_at, 0, space->size, testbed->host));
    *outside = 0;
    for (int i = 0; i < testbed->guard; i++) {
        const double around[2] = {testbed->host[i],
                                  testbed->host[testbed->guard + testbed->rows + i]};
        for (int side = 0; side < 2; side++)
            *outside += wiped ? !isnan(around[side]) : around[side] != CANARY;
    }
    *y = testbed->host + testbed->guard;
    return CGS_OK;
}

enum cgs_status cgs_testbed_unchanged(const struct cgs_testbed *testbed, int input, const double *x,
                                      bool *unchanged)
{
    const struct cgs_space *space = &testbed->domain;
    CGS_TRY(space->ops->get(space, testbed->inputs_at[input], testbed->guard, testbed->columns,
                            testbed->host));
    *unchanged = true;
    for (int64_t i = 0; i < testbed->columns; i++)
        *unchanged = *unchanged && testbed->host[i] == x[i];
    return *unchanged ? CGS_OK : put_input(testbed, x, testbed->inputs_at[input]);
}
