/* The product of element matrices with nodal values (cell_formulas.h) for a vector of neighbouring
 * cells at a time.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "kernels/matrix_free/free.h"
#include "kernels/vectorise.h"

typedef real cgs_cell_lanes __attribute__((vector_size(64)));
enum { CGS_CELLS_AT_ONCE = 64 / sizeof(real) };

#define CGS_CELL_LOAD(lanes, from) memcpy(&(lanes), (from), sizeof(cgs_cell_lanes))
#define CGS_CELL_STORE(to, lanes) memcpy((to), &(lanes), sizeof(cgs_cell_lanes))

#define CGS_CELL_INLINE CGS_PIECE
#define CGS_CELL_QUOTIENT(a, b) ((a) / (b))
#include "kernels/matrix_free/cell_formulas.h"
