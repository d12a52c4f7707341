/* Eight neighbouring cells of a line at a time: the formulas of fem/element/element.h on vectors.
 * Compilers split such a vector into the machine's registers (GCC and Clang, any processor). All
 * cells undergo the same operations at any position, so that an element matrix has the same bits
 * wherever it is computed. Internal to fem/. */
#pragma once

#include <string.h>

#include "base/vectorise.h"
#include "fem/element/element.h"

/* Functions with vectors as arguments or results must be CGS_PIECE: the calling convention of
 * vectors differs between the versions of a cloned function. Pointers to vectors are allowed. */
enum { CGS_CELL_LANES = 8 };

typedef double cgs_lanes __attribute__((vector_size(8 * sizeof(double))));

#define CGS_E(name) cgs_lanes_##name
#define CGS_E_REAL cgs_lanes
#define CGS_E_INLINE CGS_PIECE
#include "fem/element/element_formulas.h"
#undef CGS_E
#undef CGS_E_REAL
#undef CGS_E_INLINE

/* Load and store at any alignment. */
#define CGS_LANES_LOAD(lanes, from) memcpy(&(lanes), (from), sizeof(cgs_lanes))
#define CGS_LANES_STORE(to, lanes) memcpy((to), &(lanes), sizeof(cgs_lanes))
