/* Shared by the tests of multigrid: the operator A of some options, and a cycle M, which is
 * symmetric and positive definite, and a good preconditioner. */
#pragma once

#include "matrix/crs.h"
#include "solver/cg/cg.h"
#include "tests/support/asked.h"

struct cycled {
    struct asked asked;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    bool assembled; /* the rows are the box's */
    struct cgs_matrix matrix;
    struct cgs_operator op, cycle; /* the cycle: set and owned by the test */
};

/* Fails the test with the message of what was asked. */
#define well(s, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (s)->asked.context.message)

/* All but the cycle: of the box of `words`, or of the rows of `crs`, borrowed; NULL: the box's. */
void cycled_set_up(struct cycled *s, const char *words, const struct cgs_crs *crs);
void cycled_take_down(struct cycled *s);

/* x'M y = y'M x to the tolerance, by sqrt(x'M x y'M y), and x'M x > 0, for random x, y. */
void cycled_check_symmetry(const struct cycled *s, const char *words, double tolerance);

/* Returns the iterations of CG with the cycle to 1e-8, from zero, on the right-hand side b; at
 * most `most`. */
int64_t cycled_iterations(struct cycled *s, const char *words, const double *b, int64_t most);

/* n of them, in [-1, 1), of that seed; x'y */
double *random_numbers(int64_t n, int64_t seed);
double dot(int64_t n, const double *x, const double *y);
