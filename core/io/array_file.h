/* Files with a number for each cell, unknown or node of a box, or for each row of a matrix.
 *
 *     .npy   NumPy's format 1.0 or 2.0 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
 *            floats of 4 or 8 bytes or integers of 1 to 8, of either byte order, C or Fortran order, of shape
 *            (n_z, n_y, n_x), so that a[iz, iy, ix] is the number of cell (ix, iy, iz); of a vector (n,) or (n, 1),
 *            of k vectors (n, k)
 *     .raw   doubles of this machine, x fastest, nothing else
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Returns true if the text ends with .npy or .raw. */
bool cgs_array_file(const char *text);

/* The numbers that a file is to hold, x fastest. */
struct cgs_array {
    const char *what; /* each is of one: "cell", "unknown" */
    int64_t n[3];     /* in x, y, z; of a vector n[1] = n[2] = 1 */
    bool vector;      /* the shape of .npy is (n,), or (n, 1) */
    /* Nodes before and behind unknowns in each direction. A .npy of all nodes is taken, too,
     * unless these are 0, and the others are left out. */
    int64_t low[3], high[3];
    int64_t first, last; /* those that are wanted: first ... last - 1 of the n */
};

/* Reads the numbers array->first ... array->last - 1 into *numbers, a block of cgs_alloc; all of
 * the file are checked. *columns: the number of vectors, which lie there one after the other; NULL:
 * only one is taken. numbers: NULL: only the header is read. option: what the file was given by,
 * for messages ("\1kappa"). CGS_FILE: it cannot be read, is malformed, has another shape or type,
 * ends early or goes on, or a number is not finite. */
enum cgs_status cgs_array_read(struct cgs_context *context, const char *option, const char *path,
                               const struct cgs_array *array, int64_t *columns, double **numbers);
