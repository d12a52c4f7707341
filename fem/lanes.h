/* Eight neighbouring cells of a line at a time: the formulas of fem/element.h with vectors for
 * numbers. Compilers split such a vector into what the machine has (GCC and Clang, any processor);
 * all cells go through the same operations whatever their place, so that an element matrix has the
 * same bits wherever it is computed. Internal to fem/.
 */
#ifndef CGS_FEM_LANES_H
#define CGS_FEM_LANES_H

#include <string.h>

#include "base/vectorise.h"
#include "fem/element.h"

/* Functions that take or return vectors are pieces (CGS_PIECE), without exception: how a vector goes
 * through a call differs between the copies of a cloned function. Pointers to vectors may go. */
enum { CGS_CELL_LANES = 8 };

typedef double cgs_lanes __attribute__((vector_size(8 * sizeof(double))));

#define CGS_E(name) cgs_lanes_##name
#define CGS_E_REAL cgs_lanes
#define CGS_E_INLINE CGS_PIECE
#include "fem/element_formulas.h"
#undef CGS_E
#undef CGS_E_REAL
#undef CGS_E_INLINE

/* From and to memory of any alignment. */
#define CGS_LANES_LOAD(lanes, from) memcpy(&(lanes), (from), sizeof(cgs_lanes))
#define CGS_LANES_STORE(to, lanes) memcpy((to), &(lanes), sizeof(cgs_lanes))

#endif
