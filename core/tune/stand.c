#include "core/tune/stand.h"

#include <math.h>

#include "base/memory.h"
#include "matrix/names.h"

static const double CANARY = 0x1.8badcap+40; /* exact in 32 bits, too */

static int64_t longest(int64_t rows, int64_t columns)
{
    return (rows > columns ? rows : columns) + 2 * CGS_GUARD;
}

void cgs_stand_plan(struct cgs_plan *plan, enum cgs_place place, enum cgs_number number,
                    int64_t rows, int64_t columns, int inputs)
{
    const int64_t bytes = cgs_bytes(longest(rows, columns), cgs_number_bytes(number));
    cgs_plan_add_blocks(plan, place, "test vectors", inputs + 1, bytes);
    cgs_plan_add(plan, CGS_HOST, "test vector", longest(rows, columns), sizeof(double));
}

static void *past_guard(const struct cgs_space *space, void *vector)
{
    return (char *)vector + CGS_GUARD * cgs_number_bytes(space->number);
}

const void *cgs_stand_x(const struct cgs_stand *stand, int input)
{
    return past_guard(&stand->domain, stand->inputs_at[input]);
}

void *cgs_stand_y(const struct cgs_stand *stand)
{
    return past_guard(&stand->range, stand->output_at);
}

static enum cgs_status put_input(const struct cgs_stand *stand, const double *x, void *vector)
{
    const struct cgs_space *space = &stand->domain;
    for (int64_t i = 0; i < space->size; i++) {
        const int64_t k = i - CGS_GUARD;
        stand->host[i] = k >= 0 && k < stand->columns ? x[k] : NAN;
    }
    return space->ops->put(space, stand->host, 0, space->size, vector);
}

static enum cgs_status make(struct cgs_stand *stand, const double *const *x)
{
    CGS_TRY(cgs_alloc(stand->queue->context, longest(stand->rows, stand->columns), sizeof(double),
                      "test vector", (void **)&stand->host));
    for (int i = 0; i < stand->inputs; i++) {
        CGS_TRY(stand->domain.ops->alloc(&stand->domain, "test vector", &stand->inputs_at[i]));
        CGS_TRY(put_input(stand, x[i], stand->inputs_at[i]));
    }
    return stand->range.ops->alloc(&stand->range, "test vector", &stand->output_at);
}

enum cgs_status cgs_stand_create(const struct cgs_backend *backend, struct cgs_queue *queue,
                                 enum cgs_number number, int64_t rows, int64_t columns, int inputs,
                                 const double *const *x, struct cgs_stand *stand)
{
    const struct cgs_layout domain = {.size = columns + 2 * CGS_GUARD};
    const struct cgs_layout range = {.size = rows + 2 * CGS_GUARD};
    struct cgs_stand made = {
        .backend = backend, .queue = queue, .rows = rows, .columns = columns, .inputs = inputs};
    CGS_TRY(backend->spaces[number]->create(queue, &domain, &made.domain));
    CGS_TRY(backend->spaces[number]->create(queue, &range, &made.range));
    const enum cgs_status status = make(&made, x);
    if (status == CGS_OK)
        *stand = made;
    else
        cgs_stand_release(&made);
    return status;
}

void cgs_stand_release(struct cgs_stand *stand)
{
    if (!stand->backend)
        return;
    for (int i = 0; i < stand->inputs; i++)
        stand->domain.ops->free(&stand->domain, stand->inputs_at[i]);
    stand->range.ops->free(&stand->range, stand->output_at);
    cgs_free(stand->queue->context, stand->host);
    *stand = (struct cgs_stand){0};
}

enum cgs_status cgs_stand_poison(const struct cgs_stand *stand)
{
    const struct cgs_space *space = &stand->range;
    for (int64_t i = 0; i < space->size; i++)
        stand->host[i] = i >= CGS_GUARD && i < CGS_GUARD + stand->rows ? NAN : CANARY;
    return space->ops->put(space, stand->host, 0, space->size, stand->output_at);
}

enum cgs_status cgs_stand_wipe(const struct cgs_stand *stand)
{
    return stand->range.ops->set(&stand->range, stand->queue, NULL, NAN, stand->output_at);
}

enum cgs_status cgs_stand_look(const struct cgs_stand *stand, bool wiped, const double **y,
                               int *outside)
{
    const struct cgs_space *space = &stand->range;
    CGS_TRY(space->ops->wait(stand->queue));
    CGS_TRY(space->ops->get(space, stand->output_at, 0, space->size, stand->host));
    *outside = 0;
    for (int i = 0; i < CGS_GUARD; i++) {
        const double around[2] = {stand->host[i], stand->host[CGS_GUARD + stand->rows + i]};
        for (int side = 0; side < 2; side++)
            *outside += wiped ? !isnan(around[side]) : around[side] != CANARY;
    }
    *y = stand->host + CGS_GUARD;
    return CGS_OK;
}

enum cgs_status cgs_stand_unchanged(const struct cgs_stand *stand, int input, const double *x,
                                    bool *unchanged)
{
    const struct cgs_space *space = &stand->domain;
    CGS_TRY(
        space->ops->get(space, stand->inputs_at[input], CGS_GUARD, stand->columns, stand->host));
    *unchanged = true;
    for (int64_t i = 0; i < stand->columns; i++)
        *unchanged = *unchanged && stand->host[i] == x[i];
    return *unchanged ? CGS_OK : put_input(stand, x, stand->inputs_at[input]);
}
