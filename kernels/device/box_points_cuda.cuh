/* Integrals over cells of general meshes. */
#pragma once

#include "kernels/device/box.cuh"

CGS_BEGIN_C

/* Waits for the kernel that wrote `count` sums a block and adds them pairwise: out[count]; number
 * `max` (-1: none) is a maximum. */
enum cgs_status cgs_box_add_up(struct cgs_queue *queue, int count, int max, double *out);

/* General meshes: entries of struct cgs_assembly_ops, and the boundary part of
 * the load vector, which a plain box needs, too. */
enum cgs_status cgs_box_load_cells(const struct cgs_space *space,
                                   const struct cgs_box_problem *problem, void *b);
enum cgs_status cgs_box_lift(const struct cgs_space *space, const struct cgs_box_problem *problem,
                             void *b);
enum cgs_status cgs_box_points(const struct cgs_space *space, const struct cgs_box_problem *problem,
                               const void *x, struct cgs_point_sums *sums);

CGS_END_C
