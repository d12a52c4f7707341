/* For tests of kernels/amg.h: symmetric matrices, and aggregates in plain words, row by row in the
 * order of keys. */
#pragma once

#include "tests/support/sparse.h"
#include "tests/support/support.h"

/* Kinds 0 ... AMG_KINDS - 1: made of B + B' for random B, with row sums 0 or any; the Q1 matrix,
 * whose zeros are stored; a path. */
enum { AMG_Q1 = 14, AMG_PATH, AMG_KINDS };
enum { AMG_Q1_SIDE = CHECK_SMALL ? 9 : 17 }; /* unknowns in each direction of the Q1 matrix */
const char *amg_name(int kind);
struct smmp amg_matrix(int kind);
/* -1 2 -1, rows in a row: the longest chain. */
struct smmp amg_path(int64_t n);

double amg_diagonal(const struct smmp *a, int64_t i);
/* Returns true if entry e, of row i, is a strong one. roots: of the diagonal. */
bool amg_strong(const struct smmp *a, const double *roots, double theta, int64_t i, int64_t e);
/* The graph of strong connections; values are how strong. */
struct smmp amg_graph(const struct smmp *a, double theta);
/* of[i] as kernels/amg.h wants them; the number of aggregates. */
int64_t amg_aggregates(const struct smmp *g, int32_t *of);
