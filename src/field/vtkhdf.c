#include "src/field/vtkhdf.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "src/field/hdf5_file.h"

#define ROOT "/VTKHDF"

enum {
    CHUNK = 1 << 16,  /* numbers of a compressed chunk, about */
    CHUNK_SIDE = 256, /* of one in a large plane */
    HEXAHEDRON = 12,  /* VTK's cell type */
    HEXAHEDRON_NODES = 8
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The connectivity of a layer of cells takes most; coordinates of a plane take less. */
static int64_t memory_bytes(int64_t n)
{
    return cgs_bytes((n + 1) * (n + 1), HEXAHEDRON_NODES * sizeof(int64_t));
}

void cgs_vtkhdf_plan(struct cgs_plan *plan, int64_t n, bool deformed)
{
    const int64_t side = n + 2, nodes = side * side * side, cells = (n + 1) * (n + 1) * (n + 1);
    const int64_t field = cgs_bytes(nodes, sizeof(double));
    const int64_t bytes[] = {field,
                             field,
                             field, /* then of a deformed mesh */
                             cgs_bytes(nodes, 3 * sizeof(double)),
                             cgs_bytes(cells, HEXAHEDRON_NODES * sizeof(int64_t)),
                             cgs_bytes(cells + 1, sizeof(int64_t)),
                             cells};
    cgs_plan_add(plan, CGS_HOST, "HDF5's buffers", 1,
                 cgs_hdf5_bytes(deformed ? sizeof bytes / sizeof *bytes : CGS_NODALS, bytes));
    if (deformed)
        cgs_plan_add(plan, CGS_HOST, "points, cells of a layer", 1, memory_bytes(n));
}

/* ---- what the file says of itself ---- */

/* Writes an attribute: VTK 9.1 takes field data of an image for three-dimensional. */
void cgs_vtkhdf_put_real(const struct cgs_vtkhdf *vtkhdf, const char *name, double value)
{
    cgs_hdf5_put_numbers(vtkhdf->file, ROOT, name, CGS_HDF5_REAL, 1, &value);
}

void cgs_vtkhdf_put_integer(const struct cgs_vtkhdf *vtkhdf, const char *name, int64_t value)
{
    cgs_hdf5_put_numbers(vtkhdf->file, ROOT, name, CGS_HDF5_INTEGER, 1, &value);
}

void cgs_vtkhdf_put_text(const struct cgs_vtkhdf *vtkhdf, const char *name, const char *value)
{
    cgs_hdf5_put_text(vtkhdf->file, ROOT, name, value);
}

/* ---- layout ---- */

static void lay_out_image(struct cgs_vtkhdf *v, struct cgs_hdf5_shape *shape,
                          struct cgs_hdf5_shape *chunk)
{
    const int64_t nodes = v->mesh->n + 2, side = least(nodes, CHUNK_SIDE);
    const int64_t depth = nodes > CHUNK_SIDE ? 1 : least(nodes, CHUNK / (side * side));
    const int64_t extent[6] = {0, nodes - 1, 0, nodes - 1, 0, nodes - 1};
    const double h = v->mesh->h, origin[3] = {0.0, 0.0, 0.0}, spacing[3] = {h, h, h};
    const double direction[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    cgs_hdf5_put_text(v->file, ROOT, "Type", "ImageData");
    cgs_hdf5_put_numbers(v->file, ROOT, "WholeExtent", CGS_HDF5_INTEGER, 6, extent);
    cgs_hdf5_put_numbers(v->file, ROOT, "Origin", CGS_HDF5_REAL, 3, origin);
    cgs_hdf5_put_numbers(v->file, ROOT, "Spacing", CGS_HDF5_REAL, 3, spacing);
    cgs_hdf5_put_numbers(v->file, ROOT, "Direction", CGS_HDF5_REAL, 9, direction);
    *shape = (struct cgs_hdf5_shape){3, {nodes, nodes, nodes}};
    *chunk = (struct cgs_hdf5_shape){3, {depth, side, side}};
}

/* An array of one extent, or of triples. */
static int make_list(const struct cgs_vtkhdf *v, const char *path, enum cgs_hdf5_number number,
                     int64_t count, int width)
{
    const int rank = width > 1 ? 2 : 1;
    const struct cgs_hdf5_shape shape = {rank, {count, width}},
                                chunk = {rank, {least(count, CHUNK / width), width}};
    return cgs_hdf5_array(v->file, path, number, &shape, &chunk);
}

static void lay_out_grid(struct cgs_vtkhdf *v, struct cgs_hdf5_shape *shape,
                         struct cgs_hdf5_shape *chunk)
{
    const int64_t side = v->mesh->n + 2, nodes = side * side * side;
    const int64_t cells = (side - 1) * (side - 1) * (side - 1), ids = HEXAHEDRON_NODES * cells;
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

enum cgs_status cgs_vtkhdf_open(struct cgs_context *context, const char *path,
                                const struct cgs_mesh *mesh, bool known,
                                struct cgs_vtkhdf *vtkhdf)
{
    static const int64_t version[2] = {1, 0};
    struct cgs_vtkhdf v = {.context = context, .mesh = mesh};
    struct cgs_hdf5_shape shape, chunk;
    *vtkhdf = v;
    if (v.mesh->deform != 0.0)
        CGS_TRY(cgs_alloc(context, memory_bytes(v.mesh->n), 1, "points and cells of a layer",
                          &v.memory));
    *vtkhdf = v;
    CGS_TRY(cgs_hdf5_create(context, path, &v.file));
    cgs_hdf5_group(v.file, ROOT);
    cgs_hdf5_put_numbers(v.file, ROOT, "Version", CGS_HDF5_INTEGER, 2, version);
    (v.memory ? lay_out_grid : lay_out_image)(&v, &shape, &chunk);
    cgs_hdf5_group(v.file, ROOT "/PointData");
    for (int i = 0; i < CGS_NODALS; i++) {
        char name[64];
        v.fields[i] = -1;
        if (i == CGS_NODAL_ERROR && !known)
            continue;
        snprintf(name, sizeof name, ROOT "/PointData/%s", cgs_nodal_name((enum cgs_nodal)i));
        v.fields[i] = cgs_hdf5_array(v.file, name, CGS_HDF5_REAL, &shape, &chunk);
    }
    *vtkhdf = v;
    return CGS_OK;
}

/* ---- a plane ---- */

/* Writes where the nodes of plane iz are (fem/element.h). */
static void put_points(const struct cgs_vtkhdf *v, int64_t iz)
{
    const struct cgs_mesh *mesh = v->mesh;
    const int64_t nodes = mesh->n + 2, first[CGS_HDF5_RANK] = {iz * nodes * nodes, 0, 0};
    const struct cgs_hdf5_shape piece = {2, {nodes * nodes, 3}};
    double *points = v->memory, step, of_z;
    cgs_mesh_wave(mesh, iz, &of_z, &step);
#pragma omp parallel for num_threads(v->context->threads) schedule(static)
    for (int64_t iy = 0; iy < nodes; iy++)
        for (int64_t ix = 0; ix < nodes; ix++) {
            double *point = points + 3 * (iy * nodes + ix), of_x, of_y, rest;
            cgs_mesh_wave(mesh, ix, &of_x, &rest);
            cgs_mesh_wave(mesh, iy, &of_y, &rest);
            const double move = mesh->deform * of_x * of_y * of_z;
            point[0] = cgs_mesh_coordinate(mesh, ix) + move;
            point[1] = cgs_mesh_coordinate(mesh, iy) + move;
            point[2] = cgs_mesh_coordinate(mesh, iz) + move;
        }
    cgs_hdf5_write(v->file, v->points, first, &piece, points);
}

/* The layer of cells above plane iz; around a hexahedron's lower face, then its upper one. */
static void put_cells(const struct cgs_vtkhdf *v, int64_t iz)
{
    static const int corner[HEXAHEDRON_NODES][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int64_t side = v->mesh->n + 1, nodes = side + 1, cells = side * side, begin = iz * cells;
    const int64_t first[CGS_HDF5_RANK] = {HEXAHEDRON_NODES * begin};
    const struct cgs_hdf5_shape piece = {1, {HEXAHEDRON_NODES * cells}}, one = {1, {cells}};
    const struct cgs_hdf5_shape bounds = {1, {cells + 1}};
    int64_t *numbers = v->memory;
#pragma omp parallel for num_threads(v->context->threads) schedule(static)
    for (int64_t cell = 0; cell < cells; cell++)
        for (int k = 0; k < HEXAHEDRON_NODES; k++)
            numbers[HEXAHEDRON_NODES * cell + k] =
                ((iz + corner[k][2]) * nodes + cell / side + corner[k][1]) * nodes + cell % side +
                corner[k][0];
    cgs_hdf5_write(v->file, v->connectivity, first, &piece, numbers);
    for (int64_t cell = 0; cell <= cells; cell++)
        numbers[cell] = HEXAHEDRON_NODES * (begin + cell);
    cgs_hdf5_write(v->file, v->offsets, &begin, &bounds, numbers);
    memset(numbers, HEXAHEDRON, (size_t)cells);
    cgs_hdf5_write(v->file, v->types, &begin, &one, numbers);
}

void cgs_vtkhdf_put(const struct cgs_vtkhdf *v, int64_t iz, double *const plane[CGS_NODALS])
{
    const int64_t nodes = v->mesh->n + 2;
    const int64_t in_image[CGS_HDF5_RANK] = {iz, 0, 0},
                  in_list[CGS_HDF5_RANK] = {iz * nodes * nodes};
    const struct cgs_hdf5_shape layer = {3, {1, nodes, nodes}}, list = {1, {nodes * nodes}};
    for (int i = 0; i < CGS_NODALS; i++)
        if (v->fields[i] >= 0)
            cgs_hdf5_write(v->file, v->fields[i], v->memory ? in_list : in_image,
                           v->memory ? &list : &layer, plane[i]);
    if (!v->memory)
        return;
    put_points(v, iz);
    if (iz <= v->mesh->n)
        put_cells(v, iz);
}

int cgs_vtkhdf_close(struct cgs_vtkhdf *v)
{
    const int error = cgs_hdf5_close(v->file);
    cgs_free(v->context, v->memory);
    *v = (struct cgs_vtkhdf){0};
    return error;
}
