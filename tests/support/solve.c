#include "tests/support/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_solve.h"
#include "solver/jacobi.h"

struct cgs_context context;
struct cgs_queue *queue;

void queue_open(void)
{
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_backend(CHECK_DEVICE)->open(&context, 0, &queue), CGS_OK);
}

void queue_close(void)
{
    cgs_backend(CHECK_DEVICE)->close(queue);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* ---- small matrices as row sources: a dense array of n x n, zeros left out ---- */

static void dense_lengths(const struct cgs_row_source *source, int64_t first, int64_t last,
                          int32_t *lengths)
{
    const struct dense *d = source->self;
    for (int64_t i = first; i < last; i++) {
        lengths[i - first] = 0;
        for (int j = 0; j < d->n; j++)
            lengths[i - first] += d->a[i * d->n + j] != 0.0;
    }
}

static void dense_fill(const struct cgs_row_source *source, int64_t first, int64_t last,
                       int32_t *columns, double *values)
{
    const struct dense *d = source->self;
    for (int64_t i = first; i < last; i++)
        for (int j = 0; j < d->n; j++)
            if (d->a[i * d->n + j] != 0.0) {
                *columns++ = j;
                *values++ = d->a[i * d->n + j];
            }
}

static double dense_norm(const struct cgs_row_source *source)
{
    const struct dense *d = source->self;
    double norm = 0.0;
    for (int i = 0; i < d->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < d->n; j++)
            sum += fabs(d->a[i * d->n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

struct cgs_row_source dense_source(const struct dense *d)
{
    return (struct cgs_row_source){.rows = d->n,
                                   .columns = d->n,
                                   .norm = dense_norm,
                                   .self = d,
                                   .lengths = dense_lengths,
                                   .fill = dense_fill};
}

/* ---- one solve ---- */

struct solve usual(void)
{
    return (struct solve){
        .format = CGS_SELL,
        .kernel = "auto",
        .settings = {.tolerance = 1e-10, .max_iterations = 1000, .restart = true}};
}

bool takes_q1(const struct cgs_kernel_entry *entry)
{
    return strncmp(entry->name, "order", strlen("order")) != 0 &&
           strcmp(entry->name, "crs_nodes") != 0;
}

struct cgs_cg_result solve(const struct solve *how, const struct cgs_row_source *source,
                           const double *b, double *x, double *history)
{
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op, inner = {0}, jacobi = {0};
    struct cgs_cg_settings settings = how->settings;
    const bool mixed = how->precision == CGS_PRECISION_MIXED;
    const enum cgs_precision precision = mixed ? CGS_PRECISION_F64 : how->precision;
    struct cgs_cg *cg;
    struct cgs_cg_result result;

    ck_assert_int_eq(cgs_matrix_create(&context, source, how->format, 32, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, how->kernel, CHECK_DEVICE, how->format, &entry),
                     CGS_OK);
    ck_assert_int_eq(
        cgs_operator_create(queue, backend, entry->tables[precision], precision, &matrix, &op),
        CGS_OK);
    if (mixed) {
        ck_assert_int_eq(cgs_operator_create(queue, backend, entry->tables[how->precision],
                                             how->precision, &matrix, &inner),
                         CGS_OK);
        settings.inner = &inner;
    }
    if (how->jacobi)
        ck_assert_int_eq(cgs_jacobi_create(queue, mixed ? &inner : &op, source, &jacobi), CGS_OK);
    ck_assert_int_eq(cgs_cg_create(queue, &op, how->jacobi ? &jacobi : NULL, &settings, &cg),
                     CGS_OK);
    const struct cgs_space *space = &op.domain;
    ck_assert_int_eq(space->ops->put(space, b, 0, space->size, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, space->size, x), CGS_OK);
    if (history)
        memcpy(history, result.history, (size_t)(result.iterations + 1) * sizeof *history);
    if (how->errors)
        ck_assert(cgs_cg_error_history(&result, how->errors));
    cgs_cg_release(cg);
    cgs_operator_release(&jacobi);
    cgs_operator_release(&inner);
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
    result.history = NULL;
    return result;
}

int queue_run(Suite *suite)
{
    struct cgs_queue *probe;
    cgs_context_init(&context);
    if (!cgs_backend(CHECK_DEVICE) ||
        cgs_backend(CHECK_DEVICE)->open(&context, 0, &probe) != CGS_OK) {
        printf("SKIP: %s\n",
               context.message[0] ? context.message : cgs_backend_reason(CHECK_DEVICE));
        return 77;
    }
    cgs_backend(CHECK_DEVICE)->close(probe);
    cgs_name_options(); /* as the program does */
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
