/* A plane through the box as a picture: u_h, its error or its residual at the pixels of the plane
 * x, y or z = position, 0 ... L, by the polynomials of the cells that they lie in; or the magnitude
 * of the flux kappa grad u_h of that cell there.
 *
 * On a deformed mesh it is the true plane of space (cgs_mesh_undeform). (Inside of a cell the
 * trilinear map is off the mesh's formula by order h^2, which no picture shows.) */
#pragma once

#include "core/field/planes.h"
#include "core/options/grammar.h"

enum { CGS_SLICE_SIDE = 300 }; /* pixels in either direction, whatever N and the box are */

struct cgs_slice {
    struct cgs_context *context;
    struct cgs_slice_request request;
    /* owned; the axes that are left, each cut into equal parts, the first one fastest */
    struct cgs_slice_pixel {
        double at[3]; /* in the undeformed box, in cells: 0 ... cells_k */
        double value; /* of the planes so far, as the next */
        double flux[3]; /* first the gradient in the cell's reference coordinates */
    } * pixels;
    int order;
    struct cgs_mesh cells; /* of order 1, with the mesh's cells */
    double least, most;
    bool drawn; /* its figure has been written */
};

void cgs_slice_plan(struct cgs_plan *plan, int slices);

/* To be released. */
enum cgs_status cgs_slice_open(struct cgs_context *context, const struct cgs_slice_request *request,
                               const struct cgs_mesh *mesh, struct cgs_slice *slice);
void cgs_slice_release(struct cgs_slice *slice);

/* Returns true if the slice needs plane iz of nodes, numbered as in core/field/grid.h. */
bool cgs_slice_wants(const struct cgs_slice *slice, int64_t iz);

/* Adds the part of plane iz, cgs_grid_plane_nodes values of the field. */
void cgs_slice_add(struct cgs_slice *slice, int64_t iz, const double *plane);

/* Finds fluxes, least and most, once all planes have been added. */
void cgs_slice_finish(struct cgs_slice *slice);
