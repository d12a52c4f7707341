/* A problem of the user's own: data as expressions, and a condition on each face of the box.
 *
 *     -div(kappa grad u) + c u = f            in the box, in coordinates x = L t,
 *     u = value                               on faces of CGS_FACE_VALUE,
 *     kappa du/dn = value                     on faces of CGS_FACE_FLUX, n outward,
 *     kappa du/dn = transfer (value - u)      on faces of CGS_FACE_TRANSFER: value is the ambient,
 *     u, kappa du/dx_k as on the other one    on both faces of a direction, of CGS_FACE_PERIODIC.
 *
 * A node on several faces has the condition of a VALUE face if there is one, of the first in the
 * order x = 0, x = L_x, y = 0, ... if there are several.
 *
 * Data that follow from `exact`, the exact solution, need its first derivatives only. On each cell
 * it is represented by its polynomial of degree 4 in each direction through the Gauss-Lobatto
 * points: with M = max |d^5 u / dx_k^5| its error is at most 2.5e-5 h^5 M, that of the derivative
 * 6e-4 h^4 M (fem/user_problem/samples.h), far below the errors of trilinear elements of order h^2
 * and h. u may have kinks between cells, but not inside.
 *
 * Functions that evaluate expressions do so from the calling thread, on context->threads threads;
 * all results have the same bits for any number of threads. Values that are not finite are refused
 * (CGS_USAGE), with what, where, and which.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/expression.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "fem/element/element.h"
#include "fem/grading.h"
#include "fem/norms.h"
#include "fem/slab.h"

CGS_BEGIN_C

struct cgs_materials; /* fem/user_problem/material.h */

enum cgs_condition { CGS_FACE_VALUE, CGS_FACE_FLUX, CGS_FACE_TRANSFER, CGS_FACE_PERIODIC };

/* Variables of the expressions, in this order: x, y, z in the box, and on faces also the outward
 * normal. */
enum { CGS_USER_VARIABLES = 3, CGS_USER_FACE_VARIABLES = 6 };
#define CGS_USER_VARIABLE_NAMES                                                                    \
    {                                                                                              \
        "x", "y", "z", "nx", "ny", "nz"                                                            \
    }

struct cgs_user_face {
    enum cgs_condition condition;
    struct cgs_expression *value; /* NULL: follows from `exact`, or is 0 */
    struct cgs_expression
        *transfer; /* CGS_FACE_TRANSFER: >= 0, at the centres of the face's cells */
};

/* {0}: -Laplace u = 0, u = 0 on all faces. */
struct cgs_user_problem {
    int order; /* p of the cells; 0: 1 */
    /* p > 1: kappa's numbers of a cell in each direction (cgs_user_kappa_points); numbers: those of
     * the mesh, since cgs_user_settle; material: that of each cell, x fastest, NULL without
     * materials, whose expressions are then taken at points (fem/user_problem/layers.h). */
    int kappa_points, varying; /* varying: cgs_user_varying */
    double *numbers;
    int *material;
    const struct cgs_materials *materials; /* borrowed */
    struct cgs_expression *source;  /* f; NULL without cell_source: follows from `exact`, or is 0 */
    struct cgs_expression *exact;   /* NULL: the solution is not known */
    struct cgs_expression *kappa;   /* > 0, at the centres of cells; NULL: `cells`, or 1 */
    /* kappa in y and in z, that in x being `kappa`; NULL: as in x. */
    struct cgs_expression *across[2];
    bool orthotropic; /* kappa has three numbers a cell: of all cells that in x, in y, in z */
    struct cgs_expression *reaction; /* c >= 0, at the centres of cells; NULL: 0 */
    struct cgs_user_face face[3][2]; /* [direction][low, high] */
    /* Blocks of cgs_alloc or NULL, a number a cell of the box, x fastest. cells: kappa from a
     * file or of materials; cgs_user_settle replaces it by that of all cells of the mesh, void ones
     * included. cell_source: constants added to f. */
    double *cells, *cell_source;
    bool constant_source;   /* cell_source replaces `source`, or will: a material has a source */
    const char *cells_file; /* the file of `cells`, for messages; borrowed, NULL: none */
    /* x: blocks of cgs_alloc, each NULL where cells are equal; with p > 1 all of them, the
     * coordinates of the nodes (cgs_user_refine) */
    struct cgs_grading grading;
    /* Since cgs_user_settle: values at the nodes of a face, its first direction fastest: given
     * ones, or `exact` on VALUE and TRANSFER faces. NULL: 0, or the flux of `exact`
     * (cgs_user_flux_known). */
    double *nodal[3][2];
    double hold; /* transfer coefficients and c, integrated over their faces and the box */
};

/* Balance of a discrete solution. Fluxes are -kappa du/dn integrated, positive out of the box. */
struct cgs_balance {
    double source;     /* int f, as discretised */
    double reaction;   /* int c u */
    double flux[3][2]; /* [direction][low, high] */
    /* source - reaction - sum of fluxes = - sum of the residuals A x - b: rounding if x solves
     * A x = b */
    double imbalance;
    /* Least and most of values and ambients. floored, capped: u can not fall below the least, as no
     * source or given flux takes anything out, and not rise above the most, as none brings anything
     * in. */
    double least_given, most_given;
    bool floored, capped;
    bool still; /* no source, no given flux, one value or ambient: u is that, and nothing flows */
};

CGS_END_C
