/* Rows of the matrix of a box of order p > 1 (fem/element/order_line.h). */
#pragma once

#include "fem/element/element.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Makes a source of the rows of `mesh` (borrowed, must outlive the source). To be released. */
enum cgs_status cgs_order_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_row_source *source);
void cgs_order_release(struct cgs_context *context, struct cgs_row_source *source);
void cgs_order_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Returns in how many directions at once the columns of a row of any order may lie apart from it:
 * all three, but by the rule of the nodes, where a slope in one direction at a point is that of the
 * nodes on a line, two, or one where G is diagonal (fem/element/order_cells.h). */
static inline int cgs_order_apart(const struct cgs_mesh *mesh)
{
    return mesh->order == 1 || mesh->gauss ? 3 : mesh->deform != 0.0 ? 2 : 1;
}

/* Returns the length of a row whose cells have `count` unknowns in each direction. */
static inline int32_t cgs_order_length(int apart, const int count[3])
{
    const int32_t x = count[0] - 1, y = count[1] - 1, z = count[2] - 1;
    return 1 + x + y + z + (apart > 1 ? x * y + y * z + z * x : 0) + (apart > 2 ? x * y * z : 0);
}

/* Returns the number of diagonals that a star has entries on, at most; 0 where it is none. */
int32_t cgs_order_diagonals(const struct cgs_mesh *mesh);

/* Returns the statistics of the row lengths without generating rows, of a star or not; rounded[0]
 * is the number of entries. */
struct cgs_row_statistics cgs_order_statistics(const struct cgs_mesh *mesh);

/* Sorts a row by columns, of which periods have put some elsewhere. */
void cgs_order_sort_row(int64_t count, int32_t *columns, double *values);

CGS_END_C
