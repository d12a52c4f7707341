/* Shared by the tests of libcgsolve, which see the public header alone. */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "include/cgsolve/cgsolve.h"
#include "tests/support/check.h"

/* A matrix by rows; the arrays are the test's to free. */
struct rows {
    int64_t rows, *pointers;
    int32_t *columns;
    double *values;
};

static inline struct rows rows_of(int64_t rows, int64_t most)
{
    return (struct rows){.rows = rows,
                         .pointers = calloc((size_t)rows + 1, sizeof(int64_t)),
                         .columns = calloc((size_t)most, sizeof(int32_t)),
                         .values = calloc((size_t)most, sizeof(double))};
}

static inline void rows_free(struct rows *a)
{
    free(a->pointers);
    free(a->columns);
    free(a->values);
}

/* Row i is to get one entry more; rows in order, from 0. */
static inline void rows_add(struct rows *a, int64_t i, int32_t column, double value)
{
    const int64_t k = a->pointers[i + 1] ? a->pointers[i + 1] : a->pointers[i];
    a->columns[k] = column;
    a->values[k] = value;
    a->pointers[i + 1] = k + 1;
}

/* tridiag(-1, 2, -1): with b = 1 the solution is (i + 1) (n - i) / 2. */
static inline struct rows rows_tridiagonal(int n)
{
    struct rows a = rows_of(n, 3 * (int64_t)n);
    for (int i = 0; i < n; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n)
                rows_add(&a, i, j, j == i ? 2.0 : -1.0);
    return a;
}

/* Numbers in [-1, 1) that are the same in every run. */
static inline double some(int i)
{
    return (double)((i * 7919 + 104729) % 2003) / 1001.5 - 1.0;
}

/* y = A x. */
static inline void rows_apply(const struct rows *a, const double *x, double *y)
{
    for (int64_t i = 0; i < a->rows; i++) {
        y[i] = 0.0;
        for (int64_t k = a->pointers[i]; k < a->pointers[i + 1]; k++)
            y[i] += a->values[k] * x[a->columns[k]];
    }
}

static inline void hand_over(struct cgsolve *s, const struct rows *a)
{
    ck_assert_msg(cgsolve_matrix_crs(s, a->rows, a->pointers[a->rows], a->pointers, a->columns,
                                     a->values) == CGSOLVE_OK,
                  "%s", cgsolve_message());
}

static inline void option(struct cgsolve *s, const char *name, const char *value)
{
    ck_assert_msg(cgsolve_set(s, name, value) == CGSOLVE_OK, "%s", cgsolve_message());
}

/* A handle on the CPU, without a matrix. */
static inline struct cgsolve *handle(void)
{
    struct cgsolve *s = NULL;
    ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
    ck_assert_ptr_nonnull(s);
    option(s, "backend", "cpu");
    return s;
}

/* A handle on the CPU, with the box. */
static inline struct cgsolve *box_handle(void)
{
    struct cgsolve *s = handle();
    ck_assert_int_eq(cgsolve_matrix_box(s), CGSOLVE_OK);
    return s;
}

static inline int64_t unknowns_of(struct cgsolve *s)
{
    int64_t unknowns = -1;
    ck_assert_msg(cgsolve_unknowns(s, &unknowns) == CGSOLVE_OK, "%s", cgsolve_message());
    return unknowns;
}

static inline void solved(enum cgsolve_status status)
{
    ck_assert_msg(status == CGSOLVE_OK, "%s: %s", cgsolve_status_text(status), cgsolve_message());
    ck_assert_str_eq(cgsolve_message(), "");
}

/* The report, parsed; to be released. */
static inline json_t *report_of(struct cgsolve *s)
{
    json_error_t error;
    char *text = NULL;
    ck_assert_msg(cgsolve_report_json(s, &text) == CGSOLVE_OK, "%s", cgsolve_message());
    ck_assert_ptr_nonnull(text);
    json_t *root = json_loads(text, 0, &error);
    ck_assert_msg(root != NULL, "%s", error.text);
    cgsolve_free(text);
    return root;
}

static inline void assert_near(const double *x, const double *right, int64_t count, double bound)
{
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(fabs(x[i] - right[i]) <= bound, "x[%lld] = %.17g, not %.17g", (long long)i,
                      x[i], right[i]);
}
