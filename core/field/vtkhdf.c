/* A solution as a VTKHDF file, version 1.0, which VTK reads from 9.1 on
 * (https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/vtkhdf_specifications.html):
 *
 *     /VTKHDF   attributes: Version, Type; what the file is of: N, deform, problem, command, date,
 *               error_l2, true_relative_residual, residual_reference (||b||, what that is relative to), ...
 *         PointData/solution, error (where u is known), residual    at all nodes, boundary included
 *     the undeformed box, Type = ImageData     WholeExtent, Origin, Spacing, Direction;
 *                                              fields have extents (nodes in z, in y, in x)
 *     a deformed one, UnstructuredGrid         Points, and hexahedra (cell type 12): Connectivity,
 *                                              Offsets, Types; NumberOf{Points,Cells,ConnectivityIds}
 *
 * Written plane by plane, compressed, each chunk at most 512 KiB.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "core/field/hdf5_file.h"
#include "core/field/writer.h"

#define ROOT "/VTKHDF"

enum {
    CHUNK = 1 << 16, /* numbers of a compressed chunk, about */
    CHUNK_SIDE = 256 /* of one in a plane that is large in both directions */
};

struct vtkhdf {
    struct cgs_context *context;
    const struct cgs_mesh *mesh; /* borrowed */
    struct cgs_hdf5 *file;
    int fields[CGS_NODALS]; /* arrays; -1: not there */
    int points, connectivity, offsets, types;
    void *memory; /* owned; coordinates of a plane, then a layer of cells; NULL: undeformed */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void plan_file(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    const bool deformed = mesh->deform != 0.0;
    const int64_t nodes = cgs_grid_nodes(mesh), cells = cgs_grid_box_cells(mesh);
    const int64_t field = cgs_bytes(nodes, sizeof(double));
    const int64_t bytes[] = {field,
                             field,
                             field, /* then of a deformed mesh */
                             cgs_bytes(nodes, 3 * sizeof(double)),
                             cgs_bytes(cells, CGS_HEXAHEDRON_NODES * sizeof(int64_t)),
                             cgs_bytes(cells + 1, sizeof(int64_t)),
                             cells};
    cgs_plan_add(plan, CGS_HOST, "HDF5's buffers", 1,
                 cgs_hdf5_bytes(deformed ? sizeof bytes / sizeof *bytes : CGS_NODALS, bytes));
    if (deformed)
        cgs_plan_add(plan, CGS_HOST, "points, cells of a layer", 1, cgs_grid_bytes(mesh));
}

/* ---- what the file says of itself ---- */

static struct cgs_hdf5 *hdf5_of(const struct cgs_field_file *file)
{
    return ((struct vtkhdf *)file->state)->file;
}

/* Writes an attribute: VTK 9.1 takes field data of an image for three-dimensional. */
static void put_real(struct cgs_field_file *file, const char *name, double value)
{
    cgs_hdf5_put_numbers(hdf5_of(file), ROOT, name, CGS_HDF5_REAL, 1, &value);
}

static void put_integer(struct cgs_field_file *file, const char *name, int64_t value)
{
    cgs_hdf5_put_numbers(hdf5_of(file), ROOT, name, CGS_HDF5_INTEGER, 1, &value);
}

static void put_text(struct cgs_field_file *file, const char *name, const char *value)
{
    cgs_hdf5_put_text(hdf5_of(file), ROOT, name, value);
}

/* ---- layout ---- */

/* Returns the chunks of an image: as many whole planes as go into one, or else parts of one plane, since planes
 * come one by one and what is compressed should not be opened again. */
static struct cgs_hdf5_shape chunk_of(int64_t x, int64_t y, int64_t z)
{
    const int64_t wide = least(x, CHUNK / least(y, CHUNK_SIDE));
    const int64_t high = least(y, CHUNK / least(x, CHUNK_SIDE));
    const int64_t deep = wide == x && high == y ? least(z, CHUNK / (wide * high)) : 1;
    return (struct cgs_hdf5_shape){3, {deep, high, wide}};
}

static void lay_out_image(struct vtkhdf *v, struct cgs_hdf5_shape *shape,
                          struct cgs_hdf5_shape *chunk)
{
    const int64_t x = cgs_grid_line_nodes(v->mesh, 0), y = cgs_grid_line_nodes(v->mesh, 1);
    const int64_t z = cgs_grid_line_nodes(v->mesh, 2);
    const int64_t extent[6] = {0, x - 1, 0, y - 1, 0, z - 1};
    const double origin[3] = {0.0, 0.0, 0.0};
    const double direction[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    cgs_hdf5_put_text(v->file, ROOT, "Type", "ImageData");
    cgs_hdf5_put_numbers(v->file, ROOT, "WholeExtent", CGS_HDF5_INTEGER, 6, extent);
    cgs_hdf5_put_numbers(v->file, ROOT, "Origin", CGS_HDF5_REAL, 3, origin);
    cgs_hdf5_put_numbers(v->file, ROOT, "Spacing", CGS_HDF5_REAL, 3, v->mesh->h);
    cgs_hdf5_put_numbers(v->file, ROOT, "Direction", CGS_HDF5_REAL, 9, direction);
    *shape = (struct cgs_hdf5_shape){3, {z, y, x}};
    *chunk = chunk_of(x, y, z);
}

/* An array of one extent, or of triples. */
static int make_list(const struct vtkhdf *v, const char *path, enum cgs_hdf5_number number,
                     int64_t count, int width)
{
    const int rank = width > 1 ? 2 : 1;
    const struct cgs_hdf5_shape shape = {rank, {count, width}},
                                chunk = {rank, {least(count, CHUNK / width), width}};
    return cgs_hdf5_array(v->file, path, number, &shape, &chunk);
}

static void lay_out_grid(struct vtkhdf *v, struct cgs_hdf5_shape *shape,
                         struct cgs_hdf5_shape *chunk)
{
    const int64_t nodes = cgs_grid_nodes(v->mesh), cells = cgs_grid_box_cells(v->mesh);
    const int64_t ids = CGS_HEXAHEDRON_NODES * cells;
    cgs_hdf5_put_text(v->file, ROOT, "Type", "UnstructuredGrid");
    cgs_hdf5_put_array(v->file, ROOT "/NumberOfPoints", CGS_HDF5_INTEGER, 1, &nodes);
    cgs_hdf5_put_array(v->file, ROOT "/NumberOfCells", CGS_HDF5_INTEGER, 1, &cells);
    cgs_hdf5_put_array(v->file, ROOT "/NumberOfConnectivityIds", CGS_HDF5_INTEGER, 1, &ids);
    v->points = make_list(v, ROOT "/Points", CGS_HDF5_REAL, nodes, 3);
    v->connectivity = make_list(v, ROOT "/Connectivity", CGS_HDF5_INTEGER, ids, 1);
    v->offsets = make_list(v, ROOT "/Offsets", CGS_HDF5_INTEGER, cells + 1, 1);
    v->types = make_list(v, ROOT "/Types", CGS_HDF5_BYTE, cells, 1);
    *shape = (struct cgs_hdf5_shape){1, {nodes}};
    *chunk = (struct cgs_hdf5_shape){1, {least(nodes, CHUNK)}};
}

static enum cgs_status open_file(struct cgs_field_file *file)
{
    static const int64_t version[2] = {1, 0};
    struct cgs_hdf5_shape shape, chunk;
    CGS_TRY(cgs_alloc(file->context, 1, sizeof(struct vtkhdf), "VTKHDF file", &file->state));
    struct vtkhdf *v = file->state;
    *v = (struct vtkhdf){.context = file->context, .mesh = file->mesh};
    if (v->mesh->deform != 0.0)
        CGS_TRY(cgs_alloc(v->context, cgs_grid_bytes(v->mesh), 1, "points and cells of a layer",
                          &v->memory));
    CGS_TRY(cgs_hdf5_create(v->context, cgs_output_path(file->output), &v->file));
    cgs_hdf5_group(v->file, ROOT);
    cgs_hdf5_put_numbers(v->file, ROOT, "Version", CGS_HDF5_INTEGER, 2, version);
    (v->memory ? lay_out_grid : lay_out_image)(v, &shape, &chunk);
    cgs_hdf5_group(v->file, ROOT "/PointData");
    for (int i = 0; i < CGS_NODALS; i++) {
        char name[64];
        v->fields[i] = -1;
        if (i == CGS_NODAL_ERROR && !file->known)
            continue;
        snprintf(name, sizeof name, ROOT "/PointData/%s", cgs_nodal_name((enum cgs_nodal)i));
        v->fields[i] = cgs_hdf5_array(v->file, name, CGS_HDF5_REAL, &shape, &chunk);
    }
    return CGS_OK;
}

/* ---- a plane ---- */

static void put_points(const struct vtkhdf *v, int64_t iz)
{
    const int64_t nodes = cgs_grid_plane_nodes(v->mesh);
    const int64_t first[CGS_HDF5_RANK] = {iz * nodes, 0, 0};
    const struct cgs_hdf5_shape piece = {2, {nodes, 3}};
    cgs_grid_points(v->mesh, v->context->threads, iz, 3, v->memory);
    cgs_hdf5_write(v->file, v->points, first, &piece, v->memory);
}

/* Writes the layer of cells above plane iz. */
static void put_cells(const struct vtkhdf *v, int64_t iz)
{
    const int64_t cells = cgs_grid_layer_cells(v->mesh), begin = iz * cells;
    const int64_t first[CGS_HDF5_RANK] = {CGS_HEXAHEDRON_NODES * begin};
    const struct cgs_hdf5_shape piece = {1, {CGS_HEXAHEDRON_NODES * cells}}, one = {1, {cells}};
    const struct cgs_hdf5_shape bounds = {1, {cells + 1}};
    cgs_grid_cells(v->mesh, v->context->threads, iz, v->memory);
    cgs_hdf5_write(v->file, v->connectivity, first, &piece, v->memory);
    cgs_grid_bounds(v->mesh, iz, v->memory);
    cgs_hdf5_write(v->file, v->offsets, &begin, &bounds, v->memory);
    memset(v->memory, CGS_HEXAHEDRON, (size_t)cells);
    cgs_hdf5_write(v->file, v->types, &begin, &one, v->memory);
}

static void put_plane(struct cgs_field_file *file, int64_t iz, double *const plane[CGS_NODALS])
{
    const struct vtkhdf *v = file->state;
    const int64_t nodes = cgs_grid_plane_nodes(v->mesh);
    const int64_t in_image[CGS_HDF5_RANK] = {iz, 0, 0}, in_list[CGS_HDF5_RANK] = {iz * nodes};
    const struct cgs_hdf5_shape list = {1, {nodes}};
    const struct cgs_hdf5_shape layer = {
        3, {1, cgs_grid_line_nodes(v->mesh, 1), cgs_grid_line_nodes(v->mesh, 0)}};
    for (int i = 0; i < CGS_NODALS; i++)
        if (v->fields[i] >= 0)
            cgs_hdf5_write(v->file, v->fields[i], v->memory ? in_list : in_image,
                           v->memory ? &list : &layer, plane[i]);
    if (!v->memory)
        return;
    put_points(v, iz);
    if (iz < cgs_mesh_cells(v->mesh, 2))
        put_cells(v, iz);
}

static int close_file(struct cgs_field_file *file)
{
    struct vtkhdf *v = file->state;
    if (!v)
        return 0;
    const int error = cgs_hdf5_close(v->file);
    cgs_free(v->context, v->memory);
    cgs_free(v->context, v);
    return error;
}

const struct cgs_writer cgs_vtkhdf_writer = {
    .check = cgs_hdf5_start,
    .plan = plan_file,
    .open = open_file,
    .put_real = put_real,
    .put_integer = put_integer,
    .put_text = put_text,
    .put = put_plane,
    .close = close_file,
};
