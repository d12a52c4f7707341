/* A row source: generates a matrix row by row, independently of any storage.
 *
 * The finite-element assembler is one, a matrix read from a file another. Every format is filled
 * from it, piece by piece and in parallel, so that a large matrix is never in host memory twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_mesh;           /* fem/element/element.h */
struct cgs_portion;        /* matrix/ranks/portion.h */
struct cgs_row_statistics; /* matrix/matrix.h */

/* Rows in the memory of a device: row i has entries pointers[i] ... pointers[i + 1] - 1, columns
 * ascending. Columns and values begin at multiples of 16 bytes. Borrowed. */
struct cgs_device_rows {
    const int64_t *pointers;
    const int32_t *column;
    const double *value;
    bool passing; /* they go when a layout has been made, which copies them */
};

struct cgs_row_source {
    int64_t rows, columns;
    /* Rows first ... first + rows - 1 of a matrix of `whole` rows, of which a rank read its
     * part; columns have the numbers of the whole. whole 0: all rows are here. */
    int64_t first, whole;
    /* The portion of a matrix that these rows are: columns then begin with -portion->below, and
     * owned ones have the numbers of the rows. NULL: the whole matrix. Borrowed. */
    const struct cgs_portion *portion;
    /* The same rows in the memory of the device that computes, for layouts by rows to use as
     * they are, or to copy there; NULL: they are not there. Borrowed. With `statistics`, a layout
     * by rows has no pointers on the host. */
    const struct cgs_device_rows *there;
    /* True if the matrix is symmetric to the bit by construction; false: unknown (a file:
     * cgs_matrix_check_symmetry). */
    bool symmetric;
    /* Number of diagonals that have all entries (0: unknown); constant: one number on each. For
     * forecasts of compressed SELL. */
    int32_t diagonals;
    bool constant;
    /* Mesh of which the rows are the Q1 matrix, for operators without entries and for assembly on
     * the device; NULL for other matrices. Borrowed. */
    const struct cgs_mesh *mesh;
    /* Rows of a plane of that mesh, and the largest distance of a column from the diagonal. 0:
     * unknown. */
    int64_t plane, reach;
    /* Ranks that are cut at multiples of `unit` rows, whole planes, need near[0] numbers before
     * their own and near[1] after them; others `reach` on either side. */
    int64_t unit, near[2];
    /* Owned by the maker of the source; the functions below get it through `source`. */
    const void *self;

    /* lengths[i - first] = number of entries of row i, first <= i < last. May be called by many
     * threads at once, for any ranges; has no parallel region of its own. */
    void (*lengths)(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths);

    /* Statistics of all row lengths, known without reading them; NULL: read all lengths. */
    void (*statistics)(const struct cgs_row_source *source, struct cgs_row_statistics *statistics);

    /* Infinity norm, max_i sum_j |a_ij|, for rounding bounds. Lower bound until all rows have been
     * generated, then exact; an estimate for matrix-free runs. NULL, or 0: unknown. */
    double (*norm)(const struct cgs_row_source *source);
    /* Tells the source the norm of rows that were computed from `mesh` elsewhere. NULL: not
     * needed. */
    void (*note_norm)(const struct cgs_row_source *source, double norm);

    /* Computes a_ii of rows first ... last - 1 in parallel, faster than generating the rows; to
     * rounding. NULL: generate them. */
    enum cgs_status (*diagonal)(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *diagonal);

    /* Generates rows first ... last - 1, contiguous, columns 0-based and strictly ascending in a
     * row. Same calling rules. NULL if columns exceed 32 bits: for operators without entries
     * (CGS_NONE). */
    void (*fill)(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values);
};

CGS_END_C
