/* Rows of the matrix of a box of order p > 1 (fem/element/order_line.h). */
#pragma once

#include "matrix/matrix.h"

CGS_BEGIN_C

/* Makes a source of the rows of `mesh` (borrowed, must outlive the source). To be released. */
enum cgs_status cgs_order_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_row_source *source);
void cgs_order_release(struct cgs_context *context, struct cgs_row_source *source);
void cgs_order_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Returns the statistics of the row lengths without generating rows, of a star or not; rounded[0]
 * is the number of entries. */
struct cgs_row_statistics cgs_order_statistics(const struct cgs_mesh *mesh);

CGS_END_C
