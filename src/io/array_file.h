/* Files with a number for each cell of a box.
 *
 *     .npy   NumPy's format 1.0 or 2.0 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
 *            floats of 4 or 8 bytes or integers of 1 to 8, of either byte order, C or Fortran order, of shape
 *            (n_z, n_y, n_x), so that a[iz, iy, ix] is the number of cell (ix, iy, iz)
 *     .raw   doubles of this machine, x fastest, nothing else
 */
#ifndef CGS_SRC_IO_ARRAY_FILE_H
#define CGS_SRC_IO_ARRAY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Returns true if the text ends with .npy or .raw. */
bool cgs_array_file(const char *text);

/* Reads the n[0] n[1] n[2] numbers, x fastest. option: what the file was given by, for messages ("--kappa").
 * CGS_FILE: it cannot be read, is malformed, has another shape or type, ends early or goes on, or a number is not
 * finite; the contents of `numbers` are then undefined. */
enum cgs_status cgs_array_read(struct cgs_context *context, const char *option, const char *path,
                               const int64_t n[3], double *numbers);

#endif
