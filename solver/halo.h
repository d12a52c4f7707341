/* Halos: numbers of a vector that other ranks own, fetched into the room beside this rank's own.
 *
 *     listed     each rank needs some numbers (a portion's ghosts): owners pack them, and they arrive where
 *                they belong, since ghosts of one owner are contiguous (matrix/ranks/portion.h)
 *     windows    each rank needs all numbers of a range around its own: contiguous with the owner as well,
 *                so that nothing is packed, and known to all ranks without a word
 *
 * Bytes of an exchange: a number for each one needed, and as many sent; one message between two
 * ranks each way.
 */
#pragma once

#include "kernels/space.h"
#include "matrix/matrix.h"
#include "matrix/ranks/portion.h"

struct cgs_halo;

/* Range of a vector's numbers, first ... last - 1, by their number in the whole. */
struct cgs_window {
    int64_t first, last;
};

/* Makes the halo of a portion's ghosts, for vectors of that space; on all ranks at once, which
 * agree on failure. *halo is owned by the caller. CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_halo_of_ghosts(const struct cgs_space *space, const struct cgs_portion *portion,
                                   struct cgs_halo **halo);

/* Makes the halo in which each rank r, who owns cuts[r] ... cuts[r + 1] - 1, needs windows[r]; a
 * vector is a pointer to number `base` of the whole, and windows of a space by lines are of
 * whole lines. On all ranks at once. CGS_MEMORY, CGS_DEVICE. */
enum cgs_status cgs_halo_of_windows(const struct cgs_space *space, const int64_t *cuts,
                                    const struct cgs_window *windows, int64_t base,
                                    struct cgs_halo **halo);

/* A step: fetches what is needed of x, into room of the vector apart from this rank's numbers;
 * and of `first` in the first iteration after a start or restart (NULL: nothing). A halo that is
 * NULL: nothing is needed. On all ranks at once. */
enum cgs_status cgs_halo_exchange(const struct cgs_halo *halo, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, const void *x,
                                  const void *first);

/* The same of a vector in the host's memory, in two parts: until `finish` returns, x is read
 * alone, and only this rank's numbers of it; `progress` may be called in between, and lets
 * messages go on. One exchange at a time, of all halos. */
void cgs_halo_start(const struct cgs_halo *halo, const void *x);
void cgs_halo_progress(const struct cgs_halo *halo);
void cgs_halo_finish(const struct cgs_halo *halo);

void cgs_halo_release(struct cgs_halo *halo); /* NULL is allowed */
