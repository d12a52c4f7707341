/* Shared by both halves of peer_hypre: structured grids (PFMG, SMG) and matrices by rows
 * (BoomerAMG), both as preconditioners of hypre's CG, which stops by ||r|| <= tol ||b||. */
#pragma once

#include <HYPRE.h>
#include <HYPRE_utilities.h>

#include "bench/peers/peer.h"

#define HYPRE_CHECK(peer, call) hypre_check((peer), (call), #call)

/* A solve that misses its tolerance is no failure here: peer_judge detects it. */
static inline void hypre_check(const struct peer *peer, HYPRE_Int error, const char *call)
{
    char text[256] = "";
    if (error == 0)
        return;
    if (!HYPRE_CheckError(error, HYPRE_ERROR_CONV)) {
        HYPRE_DescribeError(error, text);
        peer_fail(peer, "%s: %s", call, text);
    }
    HYPRE_ClearAllErrors();
}

void hypre_struct_cg(struct peer *peer, struct peer_solve *solve);
void hypre_struct_pfmg(struct peer *peer, struct peer_solve *solve);
void hypre_struct_pfmg_seven(struct peer *peer, struct peer_solve *solve);
void hypre_struct_smg(struct peer *peer, struct peer_solve *solve);
void hypre_rows_boomeramg(struct peer *peer, struct peer_solve *solve);
void hypre_rows_boomeramg_aggressive(struct peer *peer, struct peer_solve *solve);
