/* Shared by the tests of matrix, kernels and spaces: a matrix in the plainest form, cases that
 * hurt, a product in higher precision with its rounding bound, a device to work on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/context.h"
#include "kernels/registry.h"
#include "tests/support/check.h"

/* The device that this program tests: the build compiles the same source once more, with
 * CGS_TEST_CUDA defined. */
#ifdef CGS_TEST_CUDA
#define CHECK_DEVICE CGS_CUDA
#else
#define CHECK_DEVICE CGS_CPU
#endif

/* Returns true for kernels of order 1 without entries on this device (check_order.c has others). */
static inline bool of_order_1(const struct cgs_kernel_entry *entry)
{
    return entry->device == CHECK_DEVICE && entry->format == CGS_NONE &&
           strncmp(entry->name, "order", strlen("order")) != 0;
}

/* ---- plain matrices ---- */

/* Row i has entries start[i] ... start[i+1] - 1. */
struct plain {
    int64_t rows, columns;
    int64_t *start;
    int32_t *column;
    double *value;
};

/* Values of the entries: random numbers in [-1, 1), or whole ones from -4 to 4 without 0. */
enum plain_numbers { PLAIN_RANDOM, PLAIN_INTEGERS };

/* The cases, 0 ... plain_cases() - 1, and their names. Seeds are fixed. */
int plain_cases(void);
const char *plain_name(int which);
struct plain *plain_make(int which, enum plain_numbers numbers);
void plain_free(struct plain *plain);

/* The Q1 matrix on n^3 nodes with 2-point Gauss, as a sum of products of 1-D matrices. */
struct plain *plain_q1(int64_t n);

/* Returns a row source that borrows the matrix. */
struct cgs_row_source plain_source(const struct plain *plain);

/* x: `n` numbers, random or whole ones from -8 to 8, rounded to the number type. */
void plain_vector(int64_t n, enum plain_numbers numbers, enum cgs_number number, uint64_t seed,
                  double *x);

/* y = A x with A's values rounded to `number`, in long double; bound[i] = sum |a_ij| |x_j|. */
void plain_multiply(const struct plain *plain, enum cgs_number number, const double *x,
                    long double *y, long double *bound);

/* ---- a device to work on ---- */

struct bed {
    struct cgs_context context;
    const struct cgs_backend *backend;
    struct cgs_queue *queue;
};

/* Checked fixtures (OpenMP must not run in Check's parent): `bed` is open in each test. On the CPU
 * with 2 threads. Closing finds what was not given back. */
extern struct bed bed;
void bed_open(void);
void bed_close(void);

/* Forgets the failure that was wanted. */
void bed_forgive(void);

/* Runs the suite, by forks on the CPU and without them on CUDA; returns the program's exit status:
 * 77 (SKIP), with the reason, where this build or machine lacks CHECK_DEVICE. */
int bed_run(Suite *suite);

/* Runs the tests of this file with the bed open, each within `seconds`. */
static inline int bed_tests(const char *name, double seconds)
{
    return bed_run(suite_of(name, seconds, bed_open, bed_close));
}

/* A space of n numbers in natural order, a vector of it that holds `numbers` (n of them, or all
 * NaN where NULL), and back. */
struct cgs_space bed_space(enum cgs_number number, int64_t n);
void *bed_vector(const struct cgs_space *space, const double *numbers);
void bed_get(const struct cgs_space *space, const void *vector, double *numbers);

/* The bytes of an array of the device, which has room for whole doubles; owned by the caller. */
void *bed_fetch(const void *array, int64_t bytes);

/* A state that goes on, all sums NaN; and a look at it. */
struct cgs_cg_state *bed_state(const struct cgs_space *space, int64_t max_iterations);
struct cgs_cg_state bed_look(const struct cgs_space *space, const struct cgs_cg_state *state);
/* Sets a reason to stop (or CGS_GOING_ON). */
void bed_reason(const struct cgs_space *space, struct cgs_cg_state *state, int32_t reason);

/* ---- two vectors of a space ---- */

/* Loop tests over number types and sizes: 0 ... PAIRS - 1. */
enum { PAIR_SIZES = 5, PAIRS = PAIR_SIZES * CGS_NUMBERS };
struct cgs_space pair_space(int i);
double pair_eps(const struct cgs_space *space);

/* Two random or whole vectors, as numbers and in the space, and room for results. */
struct pair {
    struct cgs_space space;
    int64_t n;
    double *x, *y, *got;
    void *vx, *vy;
};

struct pair pair_start(int i, enum plain_numbers numbers);
void pair_end(struct pair *p);

/* |got - right| <= tolerance_i for all i, where `right` and `size` are computed from x_i, y_i. */
#define check_all(p, vector, right, tolerance)                                                     \
    do {                                                                                           \
        bed_get(&(p)->space, (vector), (p)->got);                                                  \
        for (int64_t i = 0; i < (p)->n; i++) {                                                     \
            const double x = (p)->x[i], y = (p)->y[i];                                             \
            (void)x, (void)y;                                                                      \
            if (!(fabs((p)->got[i] - (right)) <= (tolerance)))                                     \
                ck_abort_msg("%s at %lld: %.17g, should be %.17g", #right, (long long)i,           \
                             (p)->got[i], (double)(right));                                        \
        }                                                                                          \
    } while (0)

/* Fails the test with the context's message. */
#define must(call)                                                                                 \
    ck_assert_msg((call) == CGS_OK, "%s:%d: %s: %s", __FILE__, __LINE__, #call, bed.context.message)

void *must_have(size_t bytes); /* zeroed */
