/* The mesh of a run. */
#ifndef CGS_SRC_SETUP_MESH_H
#define CGS_SRC_SETUP_MESH_H

#include "src/options/options.h"

/* The mesh that the options ask for, with n unknowns in each direction. */
struct cgs_mesh cgs_mesh_asked(const struct cgs_options *options, int64_t n);

#endif
