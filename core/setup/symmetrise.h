/* A matrix that is symmetric but for rounding, as products B'WB and R A P by other programs are, is
 * taken as (A + A') / 2 where both entries of a pair are there; an entry alone is taken as 0. */
#pragma once

#include "matrix/crs.h"

/* The largest difference |a_ij - a_ji| that counts as rounding, relative to the largest magnitude
 * in rows i and j. */
#define CGS_ROUNDING_MOST 1e-10

/* The pair of entries that differ most, relative to the largest magnitude in both rows: of several
 * such pairs the one of least row, then of least column. */
struct cgs_asymmetry {
    double most;          /* 0: no pair differs */
    int64_t row, column;  /* row < column, from 0 */
    double entry, mirror; /* a_ij and a_ji, 0 where missing */
    int64_t alone;        /* entries other than 0 without a mirror image, which became 0 */
};

/* Gives each entry and its mirror image the value (a_ij + a_ji) / 2; an entry whose mirror image is
 * missing becomes 0, and is counted: half of it on both sides would need a place that the rows
 * lack. Bits do not depend on the number of threads or ranks. Of ranks with a part of the rows each
 * (crs->whole > 0) all call it at once, and agree; crs->first ascends with the ranks. Takes 8 bytes
 * an entry and a row beside the matrix, and of ranks the room of a round of messages.
 * CGS_BREAKDOWN: a pair differs by more than rounding; the message names the first one, and *crs is
 * unchanged. CGS_MEMORY. */
enum cgs_status cgs_symmetrise(struct cgs_context *context, struct cgs_crs *crs,
                               struct cgs_asymmetry *worst);
