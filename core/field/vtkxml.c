/* A solution as a VTK XML file, which ParaView and all versions of VTK read, and which needs no
 * library (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html): .vti, an
 * image, of the undeformed box; .vtu, an unstructured grid of hexahedra, of any.
 *
 *     header     XML; FieldData says what the file is of, each array where it begins
 *     _          then one array after the other: its bytes as a UInt64, its numbers as they are in memory
 *
 * Planes come one by one, with all fields of each, so that arrays are written here and there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "core/field/writer.h"

/* An array of the file. */
struct array {
    const char *name, *type;
    int components;
    int64_t bytes; /* of its numbers */
    off_t begin;   /* of these in the file, once the header is there */
};

enum { POINTS = CGS_NODALS, CONNECTIVITY, OFFSETS, TYPES, ARRAYS };

struct vtkxml {
    bool grid; /* .vtu */
    struct array arrays[ARRAYS];
    char *facts; /* XML; grows */
    size_t facts_size;
    FILE *telling; /* into facts, until the header is written */
    void *layer;   /* owned; points, then cells of a layer; NULL: an image */
};

/* ---- what the file says of itself ---- */

static FILE *telling(struct cgs_field_file *file)
{
    return ((struct vtkxml *)file->state)->telling;
}

static void put_real(struct cgs_field_file *file, const char *name, double value)
{
    fprintf(telling(file),
            "      <DataArray type=\"Float64\" Name=\"%s\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n",
            name, value);
}

static void put_integer(struct cgs_field_file *file, const char *name, int64_t value)
{
    fprintf(telling(file),
            "      <DataArray type=\"Int64\" Name=\"%s\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%lld</DataArray>\n",
            name, (long long)value);
}

/* VTK's strings are the codes of their characters, and a 0. */
static void put_text(struct cgs_field_file *file, const char *name, const char *value)
{
    fprintf(telling(file),
            "      <Array type=\"String\" Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">",
            name);
    for (const char *c = value; *c; c++)
        fprintf(telling(file), "%d ", (unsigned char)*c);
    fprintf(telling(file), "0</Array>\n");
}

/* ---- layout ---- */

static void plan_image(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    (void)plan, (void)mesh; /* planes go to the file as they are */
}

static void plan_grid(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    cgs_plan_add(plan, CGS_HOST, "points and cells of a layer", 1, cgs_grid_bytes(mesh));
}

static void list_arrays(struct vtkxml *v, const struct cgs_mesh *mesh, bool known)
{
    const int64_t nodes = cgs_grid_nodes(mesh), cells = cgs_grid_box_cells(mesh);
    const int64_t real = sizeof(double), integer = sizeof(int64_t);
    for (int i = 0; i < CGS_NODALS; i++)
        if (i != CGS_NODAL_ERROR || known)
            v->arrays[i] =
                (struct array){cgs_nodal_name((enum cgs_nodal)i), "Float64", 1, nodes * real, 0};
    if (!v->grid)
        return;
    v->arrays[POINTS] = (struct array){"Points", "Float64", 3, 3 * nodes * real, 0};
    v->arrays[CONNECTIVITY] =
        (struct array){"connectivity", "Int64", 1, CGS_HEXAHEDRON_NODES * cells * integer, 0};
    v->arrays[OFFSETS] = (struct array){"offsets", "Int64", 1, cells * integer, 0};
    v->arrays[TYPES] = (struct array){"types", "UInt8", 1, cells, 0};
}

/* An element for each of the arrays first ... last - 1; *offset is where the next one begins,
 * counted from the first. */
static void write_arrays(FILE *to, const struct vtkxml *v, int first, int last, int64_t *offset)
{
    for (int i = first; i < last; i++) {
        const struct array *a = &v->arrays[i];
        if (!a->name)
            continue;
        fprintf(to,
                "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                "format=\"appended\" "
                "offset=\"%lld\"/>\n",
                a->type, a->name, a->components, (long long)*offset);
        *offset += (int64_t)sizeof(uint64_t) + a->bytes;
    }
}

static bool little_endian(void)
{
    return *(const unsigned char *)&(const uint16_t){1} == 1;
}

static void write_header(FILE *to, const struct vtkxml *v, const struct cgs_mesh *mesh)
{
    const char *kind = v->grid ? "UnstructuredGrid" : "ImageData";
    const long long end[3] = {cgs_mesh_cells(mesh, 0), cgs_mesh_cells(mesh, 1),
                              cgs_mesh_cells(mesh, 2)};
    int64_t offset = 0;
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n",
            kind, little_endian() ? "LittleEndian" : "BigEndian");
    if (v->grid)
        fprintf(to, "  <UnstructuredGrid>\n");
    else
        fprintf(to,
                "  <ImageData WholeExtent=\"0 %lld 0 %lld 0 %lld\" Origin=\"0 0 0\" "
                "Spacing=\"%.17g %.17g "
                "%.17g\">\n",
                end[0], end[1], end[2], mesh->h[0], mesh->h[1], mesh->h[2]);
    fprintf(to, "    <FieldData>\n%s    </FieldData>\n", v->facts ? v->facts : "");
    if (v->grid)
        fprintf(to, "    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
                (long long)cgs_grid_nodes(mesh), (long long)cgs_grid_box_cells(mesh));
    else
        fprintf(to, "    <Piece Extent=\"0 %lld 0 %lld 0 %lld\">\n", end[0], end[1], end[2]);
    fprintf(to, "      <PointData Scalars=\"solution\">\n");
    write_arrays(to, v, 0, CGS_NODALS, &offset);
    fprintf(to, "      </PointData>\n");
    if (v->grid) {
        fprintf(to, "      <Points>\n");
        write_arrays(to, v, POINTS, POINTS + 1, &offset);
        fprintf(to, "      </Points>\n      <Cells>\n");
        write_arrays(to, v, CONNECTIVITY, ARRAYS, &offset);
        fprintf(to, "      </Cells>\n");
    }
    fprintf(to, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n_", kind);
}

/* Writes the header, and the bytes before each array. */
static void begin(struct cgs_field_file *file)
{
    struct vtkxml *v = file->state;
    FILE *to = file->output->file;
    fclose(v->telling);
    v->telling = NULL;
    write_header(to, v, file->mesh);
    off_t at = ftello(to);
    for (int i = 0; i < ARRAYS; i++) {
        const uint64_t bytes = (uint64_t)v->arrays[i].bytes;
        if (!v->arrays[i].name)
            continue;
        fseeko(to, at, SEEK_SET);
        fwrite(&bytes, sizeof bytes, 1, to);
        v->arrays[i].begin = at + (off_t)sizeof bytes;
        at = v->arrays[i].begin + v->arrays[i].bytes;
    }
    fseeko(to, at, SEEK_SET);
    fprintf(to, "\n  </AppendedData>\n</VTKFile>\n");
}

static enum cgs_status open_as(struct cgs_field_file *file, bool grid)
{
    CGS_TRY(cgs_alloc(file->context, 1, sizeof(struct vtkxml), "VTK file", &file->state));
    struct vtkxml *v = file->state;
    *v = (struct vtkxml){.grid = grid};
    if (grid)
        CGS_TRY(cgs_alloc(file->context, cgs_grid_bytes(file->mesh), 1,
                          "points and cells of a layer", &v->layer));
    list_arrays(v, file->mesh, file->known);
    if (!(v->telling = open_memstream(&v->facts, &v->facts_size)))
        return cgs_fail(file->context, CGS_MEMORY, "no memory for the header of a VTK file");
    return CGS_OK;
}

static enum cgs_status open_image(struct cgs_field_file *file)
{
    return open_as(file, false);
}

static enum cgs_status open_grid(struct cgs_field_file *file)
{
    return open_as(file, true);
}

/* ---- a plane ---- */

/* Writes `bytes` from byte `at` of an array on. */
static void put_bytes(const struct cgs_field_file *file, int array, int64_t at, const void *from,
                      int64_t bytes)
{
    const struct vtkxml *v = file->state;
    fseeko(file->output->file, v->arrays[array].begin + at, SEEK_SET);
    fwrite(from, 1, (size_t)bytes, file->output->file);
}

/* The points of plane iz, and the layer of cells above it. */
static void put_layer(const struct cgs_field_file *file, int64_t iz)
{
    const struct vtkxml *v = file->state;
    const struct cgs_mesh *mesh = file->mesh;
    const int64_t nodes = cgs_grid_plane_nodes(mesh), cells = cgs_grid_layer_cells(mesh);
    const int64_t points = 3 * nodes * (int64_t)sizeof(double), integer = sizeof(int64_t);
    const int threads = file->context->threads;
    int64_t *numbers = v->layer;
    cgs_grid_points(mesh, threads, iz, 3, v->layer);
    put_bytes(file, POINTS, iz * points, v->layer, points);
    if (iz >= cgs_mesh_cells(mesh, 2))
        return;
    cgs_grid_cells(mesh, threads, iz, numbers);
    put_bytes(file, CONNECTIVITY, iz * CGS_HEXAHEDRON_NODES * cells * integer, numbers,
              CGS_HEXAHEDRON_NODES * cells * integer);
    cgs_grid_bounds(mesh, iz, numbers);
    put_bytes(file, OFFSETS, iz * cells * integer, numbers + 1, cells * integer);
    memset(v->layer, CGS_HEXAHEDRON, (size_t)cells);
    put_bytes(file, TYPES, iz * cells, v->layer, cells);
}

static void put_plane(struct cgs_field_file *file, int64_t iz, double *const plane[CGS_NODALS])
{
    const struct vtkxml *v = file->state;
    const int64_t bytes = cgs_grid_plane_nodes(file->mesh) * (int64_t)sizeof(double);
    if (iz == 0)
        begin(file);
    for (int i = 0; i < CGS_NODALS; i++)
        if (v->arrays[i].name)
            put_bytes(file, i, iz * bytes, plane[i], bytes);
    if (v->grid)
        put_layer(file, iz);
}

static void close_file(struct cgs_field_file *file)
{
    struct vtkxml *v = file->state;
    if (!v)
        return;
    if (v->telling)
        fclose(v->telling);
    free(v->facts);
    cgs_free(file->context, v->layer);
    cgs_free(file->context, v);
}

#define VTKXML(kind)                                                                               \
    {                                                                                              \
        .plan = plan_##kind, .open = open_##kind, .put_real = put_real,                            \
        .put_integer = put_integer, .put_text = put_text, .put = put_plane, .close = close_file    \
    }
const struct cgs_writer cgs_vti_writer = VTKXML(image);
const struct cgs_writer cgs_vtu_writer = VTKXML(grid);
