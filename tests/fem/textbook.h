/* For tests: the matrix of a mesh as plain rows, a textbook CG on it, and the error norms of what
 * comes out. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/assembly.h"
#include "fem/errors.h"
#include "fem/load.h"
#include "tests/fem/exact.h"
#include "tests/support/rows.h"

static inline struct cgs_errors measure(const struct cgs_problem *problem,
                                        const struct cgs_mesh *mesh, const double *x, int threads)
{
    struct cgs_context context;
    struct cgs_errors errors;
    cgs_context_init(&context);
    context.threads = threads;
    const struct cgs_slab whole = cgs_slab_whole(mesh);
    ck_assert_int_eq(cgs_errors_measure(&context, problem, mesh, &whole, x, &errors), CGS_OK);
    ck_assert_int_eq(context.host_bytes, 0);
    return errors;
}

static inline struct rows textbook_matrix(const struct cgs_mesh *mesh)
{
    struct cgs_context context;
    struct cgs_row_source source;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_assembler_create(&context, mesh, cgs_gather_of(mesh), &source), CGS_OK);
    const struct rows rows = rows_gather(&source, 4096);
    cgs_assembler_release(&context, &source);
    ck_assert_int_eq(context.host_bytes, 0);
    return rows;
}

static inline double textbook_dot(int64_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The discrete solution, from zero until ||r|| <= tolerance ||b||; to be freed. */
static inline double *textbook_solve(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                                     double tolerance)
{
    struct rows a = textbook_matrix(mesh);
    const int64_t count = a.count;
    double *x = calloc(4 * (size_t)count, sizeof *x), *r = x + count, *p = r + count,
           *q = p + count;
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_problem_load(&context, problem, mesh, 0, count, r), CGS_OK);
    memcpy(p, r, (size_t)count * sizeof *p);
    double rr = textbook_dot(count, r, r);
    const double stop = tolerance * tolerance * rr;
    const int64_t most = 400 * (mesh->n[0] + mesh->n[1] + mesh->n[2]);
    for (int64_t k = 0; k < most && rr > stop; k++) {
        rows_multiply(&a, p, q);
        const double alpha = rr / textbook_dot(count, p, q);
        for (int64_t i = 0; i < count; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double before = rr;
        rr = textbook_dot(count, r, r);
        for (int64_t i = 0; i < count; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    ck_assert_double_le(rr, stop);
    rows_free(&a);
    return x;
}

static inline struct cgs_errors textbook_errors(const struct cgs_problem *problem,
                                                const struct cgs_mesh *mesh, double tolerance)
{
    double *x = textbook_solve(problem, mesh, tolerance);
    const struct cgs_errors errors = measure(problem, mesh, x, 2);
    free(x);
    return errors;
}

static inline void ck_digits(double value, double published, double relative)
{
    ck_assert_double_eq_tol(value, published, relative * published);
}
