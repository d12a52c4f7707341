/* Nodes: block consecutive rows whose entries fill dense blocks of block x block numbers, as the
 * rows of an elastic body's nodes do, so that an index a block will do.
 *
 *     a matrix of nodes of 2      columns 0 1 4 5 | 0 1 4 5 | 2 3 | 2 3 | 0 1 4 5 | 0 1 4 5
 *     a a . . b b                 blocks  0 2               | 1         | 0 2
 *     a a . . b b
 *     . . c c . .                 Values stay where CRS has them, row by row: a node's blocks have
 *     . . c c . .                 pointers[block i] / block^2 blocks before them.
 *     b b . . d d
 *     b b . . d d
 */
#pragma once

#include "base/linkage.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Returns the rows of a node, 3 or 2, by numbers of rows, columns and entries, and by the lengths
 * of rows unless the matrix is a forecast; 1 if neither can be. Reads no entries. */
int cgs_nodes_expected(const struct cgs_matrix *crs);

/* Returns the rows of a node for figures before they are known: for a forecast 2, so that there are
 * no more columns. */
int cgs_nodes_least(const struct cgs_matrix *crs);

/* Finds the rows of a node, 3 or 2, from the pattern, in parallel. CGS_USAGE: it is exact in
 * neither; the message has the rows that break the blocks. CGS_MEMORY. */
enum cgs_status cgs_nodes_find(struct cgs_context *context, const struct cgs_matrix *crs,
                               int *block);

/* `accepts` of kernels of nodes (kernels/kernel.h). */
enum cgs_status cgs_nodes_accepts(struct cgs_context *context, const struct cgs_matrix *crs);

/* Generates the entries of the nodes: blocks[k], the column of node of each block, in the order of
 * the nodes, and values (of `number`) as cgs_matrix_fill. block: of cgs_nodes_find. Beside them it
 * holds cgs_nodes_beside numbers of 32 bits. CGS_FILE: as cgs_matrix_fill. CGS_MEMORY. */
enum cgs_status cgs_nodes_fill(struct cgs_context *context, const struct cgs_matrix *crs, int block,
                               enum cgs_number number, int32_t *blocks, void *values);
int64_t cgs_nodes_beside(const struct cgs_matrix *crs);

/* Writes the columns of the blocks of rows first ... last - 1, whole nodes, from those of the
 * entries. */
void cgs_nodes_columns(const struct cgs_context *context, const struct cgs_matrix *crs, int block,
                       int64_t first, int64_t last, const int32_t *columns, int32_t *blocks);

CGS_END_C
