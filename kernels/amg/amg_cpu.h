/* Smoothed interpolation of a matrix that several ranks share, on the CPU. */
#pragma once

#include "kernels/amg.h"

/* Makes this rank's rows of S. */
enum cgs_status cgs_amg_smoothing_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         double omega, struct cgs_sparse *s);
