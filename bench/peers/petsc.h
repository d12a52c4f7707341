/* Shared by both halves of peer_petsc: the solves, and the grid transfers of PCMG. */
#pragma once

#include <petscksp.h>

#include "bench/peers/peer.h"

/* Gives a PCMG preconditioner its levels: boxes of n, n/2, n/4, ... unknowns in each direction. */
PetscErrorCode petsc_boxes(const struct peer *peer, PC pc);
