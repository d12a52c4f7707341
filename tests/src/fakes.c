/* Kernels that cheat (fakes.h): the textbook's product, but for what their names say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "tests/src/fakes.h"
#include "tests/support/support.h"

struct fake {
    int64_t rows, columns;
    struct cgs_crs crs;
    double *kept; /* an answer of before */
    int calls;
};

static enum cgs_status fake_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                    void **self)
{
    struct fake *made = must_have(sizeof *made);
    made->rows = matrix->rows;
    made->columns = matrix->columns;
    made->kept = must_have((size_t)(matrix->rows + 1) * sizeof *made->kept);
    must(cgs_crs_generate(queue->context, matrix->source, &made->crs));
    *self = made;
    return CGS_OK;
}

static void fake_release(void *self)
{
    struct fake *made = self;
    if (!made)
        return;
    cgs_crs_release(&bed.context, &made->crs);
    free(made->kept);
    free(made);
}

static void fake_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "fake", matrix->nonzeros, 12);
}

static struct cgs_traffic fake_traffic(const struct cgs_matrix *matrix)
{
    return (struct cgs_traffic){.matrix = 12 * matrix->nonzeros,
                                .vectors = 8 * (matrix->rows + matrix->columns),
                                .operations = 2 * matrix->nonzeros};
}

static void multiply(const struct fake *fake, int64_t rows, const double *x, double *y)
{
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int64_t k = fake->crs.pointers[i]; k < fake->crs.pointers[i + 1]; k++)
            sum += fake->crs.value[k] * x[fake->crs.column[k]];
        y[i] = sum;
    }
}

#define FAKE(name)                                                                                 \
    static enum cgs_status name(const void *self, struct cgs_queue *queue,                         \
                                const struct cgs_cg_state *state, const void *vx, void *vy)
#define TAKE                                                                                       \
    struct fake *fake = (struct fake *)(uintptr_t)self;                                            \
    const double *x = vx;                                                                          \
    double *y = vy;                                                                                \
    (void)queue, (void)state;                                                                      \
    fake->calls++

FAKE(honest)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    return CGS_OK;
}

FAKE(half_the_rows)
{
    TAKE;
    multiply(fake, fake->rows / 2, x, y);
    return CGS_OK;
}

/* The first answer for ever. */
FAKE(last_answer_again)
{
    TAKE;
    if (fake->calls == 1)
        multiply(fake, fake->rows, x, fake->kept);
    memcpy(y, fake->kept, (size_t)fake->rows * sizeof *y);
    return CGS_OK;
}

/* Honest while it is looked at, then saves itself the trouble. */
FAKE(tires_of_it)
{
    TAKE;
    if (fake->calls <= 9) {
        multiply(fake, fake->rows, x, y);
        memcpy(fake->kept, y, (size_t)fake->rows * sizeof *y);
    } else {
        memcpy(y, fake->kept, (size_t)fake->rows * sizeof *y);
    }
    return CGS_OK;
}

/* Does nothing at all once it has been looked at. */
FAKE(falls_asleep)
{
    TAKE;
    if (fake->calls <= 9)
        multiply(fake, fake->rows, x, y);
    return CGS_OK;
}

FAKE(writes_nan)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows / 3] = NAN;
    return CGS_OK;
}

FAKE(writes_past_the_end)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows] = 0.0;
    return CGS_OK;
}

FAKE(writes_before_the_start)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[-1] = NAN;
    return CGS_OK;
}

/* Knows one input by heart, and the answer to it. */
FAKE(right_for_one_seed)
{
    TAKE;
    if (fake->calls == 1)
        fake->kept[fake->rows] = x[0];
    multiply(fake, fake->rows, x, y);
    for (int64_t i = 0; i < fake->rows; i++)
        y[i] = x[0] == fake->kept[fake->rows] ? y[i] : y[i] * (1.0 + 1e-3);
    return CGS_OK;
}

/* Off by a little more than rounding explains, in one row. */
FAKE(a_little_off)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[fake->rows - 1] *= 1.0 + 1e-10;
    return CGS_OK;
}

FAKE(reads_past_x)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    y[1] += 0.0 * x[fake->columns];
    return CGS_OK;
}

FAKE(changes_x)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    ((double *)(uintptr_t)vx)[2] += 1.0;
    return CGS_OK;
}

FAKE(adds_to_y)
{
    TAKE;
    for (int64_t i = 0; i < fake->rows; i++)
        for (int64_t k = fake->crs.pointers[i]; k < fake->crs.pointers[i + 1]; k++)
            y[i] += fake->crs.value[k] * x[fake->crs.column[k]];
    return CGS_OK;
}

FAKE(refuses_later)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    return fake->calls < 12 ? CGS_OK
                            : cgs_fail(queue->context, CGS_DEVICE, "the worker process has died");
}

FAKE(snail)
{
    TAKE;
    multiply(fake, fake->rows, x, y);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    return CGS_OK;
}

/* Says nothing to the queue, but has a clock of its own: 20 us a product. */
static enum cgs_status own_clock(const void *self, struct cgs_queue *queue, const void *x, void *y,
                                 int times, double *seconds)
{
    for (int i = 0; i < times; i++)
        must(honest(self, queue, NULL, x, y));
    *seconds = 2e-5 * times;
    return CGS_OK;
}

static enum cgs_status refuse(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    return cgs_fail(context, CGS_USAGE, "%lld rows are not for this one", (long long)matrix->rows);
}

static enum cgs_status no_worker(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                 void **self)
{
    (void)matrix, (void)self;
    return cgs_fail(queue->context, CGS_DEVICE, "its process ended by SIGSEGV");
}

#define KERNEL(function)                                                                           \
    {                                                                                              \
        .plan = fake_plan, .prepare = fake_prepare, .traffic = fake_traffic, .steps = {            \
            .apply = function,                                                                     \
            .release = fake_release                                                                \
        }                                                                                          \
    }

const struct fake_kernel fakes[FAKES] = {
    {"honest", KERNEL(honest), CGS_TRIAL_OPEN, false, ""},
    {"half_the_rows", KERNEL(half_the_rows), CGS_TRIAL_FAILED, true, "is nan, should be"},
    {"last_answer_again", KERNEL(last_answer_again), CGS_TRIAL_FAILED, true, "should be"},
    {"tires_of_it", KERNEL(tires_of_it), CGS_TRIAL_FAILED, false, "should be"},
    {"falls_asleep", KERNEL(falls_asleep), CGS_TRIAL_FAILED, false, "is nan, should be"},
    {"writes_nan", KERNEL(writes_nan), CGS_TRIAL_FAILED, true, "is nan, should be"},
    {"writes_past_the_end", KERNEL(writes_past_the_end), CGS_TRIAL_FAILED, true, "outside y: 1 of"},
    {"writes_before_the_start", KERNEL(writes_before_the_start), CGS_TRIAL_FAILED, true,
     "outside y: 1 of"},
    {"right_for_one_seed", KERNEL(right_for_one_seed), CGS_TRIAL_FAILED, true, "should be"},
    {"a_little_off", KERNEL(a_little_off), CGS_TRIAL_FAILED, true, "should be"},
    {"reads_past_x", KERNEL(reads_past_x), CGS_TRIAL_FAILED, true, "row 1 of"},
    {"changes_x", KERNEL(changes_x), CGS_TRIAL_FAILED, true, "changes x"},
    {"adds_to_y", KERNEL(adds_to_y), CGS_TRIAL_FAILED, true, "row 0 of"},
    {"refuses_later", KERNEL(refuses_later), CGS_TRIAL_FAILED, false, "worker process has died"},
    {"snail", KERNEL(snail), CGS_TRIAL_DROPPED, false, "times as slow as the best"},
    {"own_clock",
     {.plan = fake_plan,
      .prepare = fake_prepare,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .time = own_clock, .release = fake_release}},
     CGS_TRIAL_OPEN,
     false,
     ""},
    {"accepts_nothing",
     {.accepts = refuse,
      .plan = fake_plan,
      .prepare = fake_prepare,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .release = fake_release}},
     CGS_TRIAL_SKIPPED,
     true,
     "are not for this one"},
    {"cannot_be_prepared",
     {.plan = fake_plan,
      .prepare = no_worker,
      .traffic = fake_traffic,
      .steps = {.apply = honest, .release = fake_release}},
     CGS_TRIAL_FAILED,
     true,
     "SIGSEGV"},
};
