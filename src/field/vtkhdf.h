/* A solution as a VTKHDF file, version 1.0, which VTK reads from 9.1 on
 * (https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/vtkhdf_specifications.html):
 *
 *     /VTKHDF   attributes: Version, Type; what the file is of: N, deform, problem, command, date,
 *               error_l2, true_relative_residual, residual_reference (||b||, what that is relative to), ...
 *         PointData/solution, error (where u is known), residual    at all nodes, boundary included
 *     the undeformed box, Type = ImageData     WholeExtent, Origin, Spacing, Direction;
 *                                              fields have extents (n + 2)^3, x fastest
 *     a deformed one, UnstructuredGrid         Points, and hexahedra (cell type 12): Connectivity,
 *                                              Offsets, Types; NumberOf{Points,Cells,ConnectivityIds}
 *
 * Written plane by plane, compressed, each chunk at most 512 KiB.
 */
#ifndef CGS_SRC_FIELD_VTKHDF_H
#define CGS_SRC_FIELD_VTKHDF_H

#include "src/field/planes.h"

struct cgs_hdf5;

struct cgs_vtkhdf {
    struct cgs_context *context;
    const struct cgs_mesh *mesh; /* borrowed */
    struct cgs_hdf5 *file;
    int fields[CGS_NODALS]; /* arrays; -1: not there */
    int points, connectivity, offsets, types;
    void *
        memory; /* owned; coordinates of a plane of nodes, then a layer of cells; NULL: undeformed */
};

/* Adds the memory that a file takes, other than the planes written to it, to a plan. */
void cgs_vtkhdf_plan(struct cgs_plan *plan, int64_t n, bool deformed);

/* Makes the file `path` for fields on `mesh`, which is borrowed; `known`: whether there is an error. Always to be closed. CGS_FILE: no HDF5. What can't be written shows at the end. */
enum cgs_status cgs_vtkhdf_open(struct cgs_context *context, const char *path,
                                const struct cgs_mesh *mesh, bool known,
                                struct cgs_vtkhdf *vtkhdf);

/* Facts about the run that made the fields, before the first plane. */
void cgs_vtkhdf_put_real(const struct cgs_vtkhdf *vtkhdf, const char *name, double value);
void cgs_vtkhdf_put_integer(const struct cgs_vtkhdf *vtkhdf, const char *name, int64_t value);
void cgs_vtkhdf_put_text(const struct cgs_vtkhdf *vtkhdf, const char *name, const char *value);

/* The next plane, iz = 0 ... n + 1 in this order; as cgs_planes_get makes it. */
void cgs_vtkhdf_put(const struct cgs_vtkhdf *vtkhdf, int64_t iz, double *const plane[CGS_NODALS]);

/* 0 where all is there, else an errno. */
int cgs_vtkhdf_close(struct cgs_vtkhdf *vtkhdf);

#endif
