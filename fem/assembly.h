/* The assembler: rows of the Q1 stiffness matrix gathered from their cells, as a row source. */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "fem/element/element.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Ways to compute the entries of a row. */
enum cgs_gather {
    CGS_GATHER_SHARED, /* the plain box: all cells share one element matrix, equal entries are
                          bit-equal */
    CGS_GATHER_CELLS   /* the cell-by-cell sum over the 8 cells of a node, for any mesh */
};

/* Returns the way for this mesh. */
static inline enum cgs_gather cgs_gather_of(const struct cgs_mesh *mesh)
{
    return cgs_mesh_plain(mesh) ? CGS_GATHER_SHARED : CGS_GATHER_CELLS;
}

/* Largest n of a cube whose n^3 columns have 32-bit indices, and largest n in any direction of
 * any box. A source of more than INT32_MAX rows has no `fill`, only what operators without
 * entries need: mesh, lengths and norm. */
enum { CGS_ASSEMBLER_MAX_N = 1290, CGS_MESH_MAX_N = 10000 };

/* Makes a source of the rows of `mesh` (borrowed, must outlive the source), Dirichlet rows and
 * columns eliminated; 27, 18, 12 or 8 entries a row, zeros of the face neighbours stored. `fill`
 * writes a row in a few nanoseconds (shared) or in less than half a microsecond (cells); the
 * latter's norm is that of the rows generated so far, or cgs_mesh_norm. No cell may be inverted
 * (cgs_mesh_check). To be released by cgs_assembler_release.
 * CGS_USAGE: n out of range in some direction. */
enum cgs_status cgs_assembler_create(struct cgs_context *context, const struct cgs_mesh *mesh,
                                     enum cgs_gather gather, struct cgs_row_source *source);

/* Adds the host memory of a source of the rows of this mesh to the plan: nearly all of it is
 * patterns, of the same number for each mesh. */
void cgs_assembler_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

void cgs_assembler_release(struct cgs_context *context, struct cgs_row_source *source);

CGS_END_C
