/* Transfers by matrices: P and R = P' as operators, in the cycle's number type. */
#pragma once

#include "solver/transfer.h"

/* Makes a transfer of P and R = P', both on spaces of natural order. Takes them over and empties
 * them, unless it fails. bytes: entries of both that an application reads. On several ranks
 * whose fine space is a portion, at once: P makes this rank's fine numbers, R this rank's coarse
 * ones, and each rank's coarse vector has these alone, or, with `cuts`, all of them: those of
 * rank r are then cuts[r] ... cuts[r + 1] - 1. cuts NULL: otherwise. CGS_MEMORY. */
enum cgs_status cgs_transfer_matrix(struct cgs_operator *prolongation,
                                    struct cgs_operator *restriction, const int64_t *cuts,
                                    int64_t bytes, struct cgs_transfer *transfer);

/* Releases a transfer of cgs_transfer_matrix except for P and R, which become the caller's. */
void cgs_transfer_matrix_split(struct cgs_transfer *transfer, struct cgs_operator *prolongation,
                               struct cgs_operator *restriction);

/* shared: the fine space is a portion. */
struct cgs_moves cgs_transfer_matrix_moves(bool shared);
