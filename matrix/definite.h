/* Entries of a symmetric matrix that prove that it is not positive definite, for messages. */
#pragma once

#include <stdbool.h>

#include "matrix/row_source.h"

/* Rows count from 0, in the numbers of the whole matrix. */
struct cgs_definite {
    double least, most;          /* entries of the diagonal */
    int64_t least_row, most_row; /* the first rows that have these */
    /* Rows i < j of the 2 x 2 minor that says most: a negative one before a zero, then the greatest
     * a_ij^2 / (a_ii a_jj), then the first; -1: no row of positive diagonal has another entry. */
    int64_t i, j;
    int minor; /* sign of a_ii a_jj - a_ij^2, without rounding; 1 where i < 0 */
    double a_ii, a_jj, a_ij;
    bool constants; /* each row adds up to 0 within rounding: constants solve A x = 0 */
    bool some;      /* at least one row does */
};

/* A part of a matrix, rows that entries join, on which constants solve A x = 0: each of its rows
 * adds up to 0 within rounding. Of several, the one where b is farthest from adding up to 0, else
 * the first. */
struct cgs_null_part {
    int64_t rows, first; /* number of its rows, 0: there is no such part; the first one, from 0 */
    double rhs;          /* |sum of b| / sum of |b| on it, 0 without b */
};

/* Reads every row twice, in parallel; the same for any number of threads and ranks. Takes a number
 * a row of the whole on each rank. Where ranks have a part of the rows each (source->whole), all
 * call it at once and agree on failure. CGS_MEMORY. */
enum cgs_status cgs_matrix_look_definite(struct cgs_context *context,
                                         const struct cgs_row_source *source,
                                         struct cgs_definite *definite);

/* Finds that part, of a matrix that one process has as a whole, by one thread. b: a number a row,
 * or NULL. Takes a few numbers a row. CGS_MEMORY. */
enum cgs_status cgs_matrix_find_null_part(struct cgs_context *context,
                                          const struct cgs_row_source *source, const double *b,
                                          struct cgs_null_part *part);

/* Finds out whether each row adds up to 0, but for rounding as it mostly is. Reads rows in
 * parallel, once, until one has another sum. Collective where ranks have a part of the rows each.
 * CGS_MEMORY. */
enum cgs_status cgs_matrix_adds_up_to_zero(struct cgs_context *context,
                                           const struct cgs_row_source *source, bool *all);

/* Finds all such parts: (*part)[i] is the part of row i, numbered from 0 by their first rows, or
 * -1; owned by the caller. As cgs_matrix_find_null_part. */
enum cgs_status cgs_matrix_find_null_parts(struct cgs_context *context,
                                           const struct cgs_row_source *source, int32_t **part,
                                           int64_t *count);

/* Returns the sign of a b - c^2 of positive a and b, without rounding, overflow or underflow. */
int cgs_minor_sign(double a, double b, double c);
