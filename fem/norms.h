/* Norms of the error of a finite-element solution, and its extremes. */
#pragma once

#include <stdbool.h>

#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/element/separable.h"

CGS_BEGIN_C

struct cgs_problem; /* fem/problem.h */

struct cgs_errors {
    double nodal_l2; /* sqrt(h_x h_y h_z sum_i (u_h - u)(x_i)^2) */
    double max;      /* max_i |u_h - u|(x_i) */
    double l2;       /* integral norm of u_h - u, 4-point Gauss in each cell and direction */
    double h1;       /* the same for the gradient (seminorm) */
    double energy;   /* sqrt(int kappa |grad (u_h - u)|^2): h1 where kappa is 1 */
    bool integral;   /* l2, h1, energy are there: u is known between the nodes */
};

struct cgs_extremes {
    double least, most;             /* at nodes */
    double least_at[3], most_at[3]; /* where; the first of several */
    double mean;                    /* the integral over the volume */
};

CGS_END_C
