/* A solution as a VTK XML file, which ParaView and all versions of VTK read, and which needs no
 * library (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html): .vti, an
 * image, of the undeformed box; .vtu, an unstructured grid of hexahedra, of any. Cells of order
 * p > 1 are Lagrange hexahedra in a .vtu, and p^3 cells each in a .vti.
 *
 *     header     XML; FieldData and a processing instruction, <?cgsolve ...?>, say what the file is
 *                of, each array where it begins
 *     _          then one array after the other: its bytes as a UInt64, its numbers as they are in memory
 *
 * Planes come one by one, with all fields of each, so that arrays are written here and there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/plan.h"
#include "core/field/grid.h"
#include "core/field/writer.h"
#include "fem/element/lobatto.h"
#include "fem/mesh.h"
#include "fem/user_problem/materials.h"
#include "fem/user_problem/points.h"

struct cgs_layer {
    struct cgs_context *context;
    struct cgs_materials *materials; /* borrowed; NULL: none */
    struct cgs_mesh cells;           /* of order 1: the file's cells */
    struct cgs_mesh wholes;          /* of order 1: the mesh's cells */
    struct cgs_lobatto nodes;        /* points and polynomials of one of these, equally spaced */
    int parts;                       /* of the file's cells in each of these in a direction */
    double *planes;                  /* owned, as all below: u at the points of p + 1 planes */
    double *kappa, *flux; /* cgs_layer_kappas a cell; three a cell: -kappa grad u at its centre */
    int32_t *material;    /* 0 of a cell in no region, else 1, 2, ... as in the list */
    struct cgs_user_points points; /* with materials */
};

/* Returns how many numbers kappa has in a cell: 1, or 3 where it is orthotropic. */
static inline int cgs_layer_kappas(const struct cgs_mesh *mesh)
{
    return mesh->kappa.along == 3 ? 3 : 1;
}

/* Adds the memory of a layer to a plan; whole: as layer_open. */
static void layer_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh, bool whole)
{
    const struct cgs_mesh cells = whole ? cgs_mesh_of_order(mesh, 1) : *mesh;
    cgs_plan_add(plan, CGS_HOST, "u around a layer", (mesh->order + 1) * cgs_grid_plane_nodes(mesh),
                 sizeof(double));
    cgs_plan_add(plan, CGS_HOST, "kappa and flux of a layer", cgs_grid_layer_cells(&cells),
                 (cgs_layer_kappas(mesh) + 3) * (int64_t)sizeof(double));
}

/* Returns the points of a plane. */
static int64_t layer_points(const struct cgs_layer *layer)
{
    const int64_t p = layer->nodes.order;
    return (p * cgs_mesh_cells(&layer->wholes, 0) + 1) *
           (p * cgs_mesh_cells(&layer->wholes, 1) + 1);
}

/* Sets the polynomials of p + 1 equally spaced nodes: what cgs_lagrange reads of them. */
static void make_equal(int order, struct cgs_lobatto *nodes)
{
    nodes->order = order;
    for (int a = 0; a <= order; a++)
        nodes->point[a] = 2.0 * a / order - 1.0;
    for (int a = 0; a <= order; a++) {
        nodes->product[a] = 1.0;
        for (int b = 0; b <= order; b++)
            nodes->product[a] *= b == a ? 1.0 : nodes->point[a] - nodes->point[b];
    }
}

/* whole: the file has the mesh's cells. To be released also where it fails. CGS_MEMORY. */
static enum cgs_status layer_open(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  bool whole, struct cgs_materials *materials,
                                  struct cgs_layer *layer)
{
    *layer = (struct cgs_layer){.context = context,
                                .materials = materials,
                                .wholes = cgs_mesh_of_order(mesh, 1),
                                .parts = whole ? 1 : mesh->order};
    layer->cells = whole ? layer->wholes : *mesh;
    layer->cells.order = 1;
    make_equal(mesh->order, &layer->nodes);
    mesh = &layer->cells;
    const int64_t cells = cgs_grid_layer_cells(mesh);
    CGS_TRY(cgs_alloc(context, (layer->nodes.order + 1) * layer_points(layer), sizeof(double),
                      "u around a layer", (void **)&layer->planes));
    const int kappas = cgs_layer_kappas(mesh);
    CGS_TRY(cgs_alloc(context, cells * (kappas + 3), sizeof(double), "kappa and flux of a layer",
                      (void **)&layer->kappa));
    layer->flux = layer->kappa + kappas * cells;
    if (!materials)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, cells, sizeof(int32_t), "materials of a layer",
                      (void **)&layer->material));
    return cgs_user_points_create(context, mesh, &layer->points);
}

static void layer_release(struct cgs_layer *layer)
{
    if (!layer->context)
        return;
    if (layer->points.memory)
        cgs_user_points_release(layer->context, &layer->points);
    cgs_free(layer->context, layer->material);
    cgs_free(layer->context, layer->kappa);
    cgs_free(layer->context, layer->planes);
}

/* The materials of layer cz; expressions use the room of the fluxes, which come later. */
static enum cgs_status find_materials(struct cgs_layer *layer, int64_t cz)
{
    CGS_TRY(cgs_materials_plane(layer->context, layer->materials, &layer->points, cz, layer->flux,
                                layer->material));
    for (int64_t i = 0; i < cgs_grid_layer_cells(&layer->cells); i++)
        layer->material[i]++;
    return CGS_OK;
}

/* The polynomials of the nodes at the middles of the parts of a cell in a direction. */
struct middles {
    double s[CGS_ORDER_MOST];
    double value[CGS_ORDER_MOST][CGS_NODES_MOST], slope[CGS_ORDER_MOST][CGS_NODES_MOST];
};

/* kappa and flux of cell (ix, iy) of layer cz of the file. */
static void find_flux(const struct cgs_layer *layer, const struct middles *middles, int64_t ix,
                      int64_t iy, int64_t cz)
{
    const struct cgs_mesh *mesh = &layer->wholes;
    const int p = layer->nodes.order, kappas = cgs_layer_kappas(mesh);
    const int64_t line = p * cgs_mesh_cells(mesh, 0) + 1, points = layer_points(layer);
    const int64_t at = iy * cgs_mesh_cells(&layer->cells, 0) + ix, of[3] = {ix, iy, cz};
    int64_t cell[3];
    const double *value[3], *slope[3];
    double s[3], gradient[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        const int64_t part = of[k] % layer->parts;
        cell[k] = of[k] / layer->parts;
        s[k] = middles->s[part];
        value[k] = middles->value[part];
        slope[k] = middles->slope[part];
    }
    const double *u = layer->planes + p * (cell[1] * line + cell[0]);
    for (int k = 0; k < 3; k++)
        cell[k] += cgs_grid_first(mesh, k);
    for (int c = 0; c <= p; c++)
        for (int b = 0; b <= p; b++)
            for (int a = 0; a <= p; a++) {
                const double node = u[c * points + b * line + a];
                gradient[0] += node * slope[0][a] * value[1][b] * value[2][c];
                gradient[1] += node * value[0][a] * slope[1][b] * value[2][c];
                gradient[2] += node * value[0][a] * value[1][b] * slope[2][c];
            }
    cgs_mesh_flux(mesh, cell, s, gradient);
    for (int k = 0; k < 3; k++)
        layer->flux[3 * at + k] = gradient[k];
    for (int k = 0; k < kappas; k++)
        layer->kappa[kappas * at + k] = cgs_mesh_kappa(mesh, k, cell);
}

/* Computes the fields of layer cz of the file's cells, whose planes of points are there. */
static enum cgs_status layer_fill(struct cgs_layer *layer, int64_t cz)
{
    const int64_t cells = cgs_mesh_cells(&layer->cells, 0),
                  lines = cgs_mesh_cells(&layer->cells, 1);
    struct middles middles;
    for (int part = 0; part < layer->parts; part++) {
        middles.s[part] = (2.0 * part + 1.0) / layer->parts - 1.0;
        cgs_lagrange(&layer->nodes, middles.s[part], middles.value[part], middles.slope[part]);
    }
    if (layer->materials)
        CGS_TRY(find_materials(layer, cz));
#pragma omp parallel for num_threads(layer->context->threads) schedule(static)
    for (int64_t iy = 0; iy < lines; iy++)
        for (int64_t ix = 0; ix < cells; ix++)
            find_flux(layer, &middles, ix, iy, cz);
    return CGS_OK;
}

/* Texts are in the instruction, which all readers pass over: meshio stops at strings in FieldData.
 * Kappa, material and flux are data of cells. */

/* An array of the file. */
struct array {
    const char *name, *type;
    int components;
    int64_t bytes; /* of its numbers */
    off_t begin;   /* of these in the file, once the header is there */
};

enum { KAPPA = CGS_NODALS, MATERIAL, FLUX, POINTS, CONNECTIVITY, OFFSETS, TYPES, ARRAYS };

struct vtkxml {
    bool grid; /* .vtu */
    struct array arrays[ARRAYS];
    char *facts, *texts; /* numbers and texts about the run, as XML; they grow */
    size_t facts_size, texts_size;
    FILE *telling, *writing; /* into facts and texts, until the header is written */
    struct cgs_layer layer;  /* fields of cells */
    void *grid_layer;        /* owned; points, then cells of a layer; NULL: an image */
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

/* A line, or several. "?>" would end the instruction; bytes other than ASCII may be no text. */
static void put_text(struct cgs_field_file *file, const char *name, const char *value)
{
    FILE *to = ((struct vtkxml *)file->state)->writing;
    fprintf(to, "  %s: ", name);
    for (const char *c = value; *c; c++) {
        const char shown = *c >= 0x20 && *c < 0x7f ? *c : '?';
        if (*c == '\n')
            fputs("\n    ", to);
        else
            fputc(shown, to);
        if (*c != '\n' && shown == '?' && c[1] == '>')
            fputc(' ', to);
    }
    fputc('\n', to);
}

/* ---- layout ---- */

static void plan_image(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    layer_plan(plan, mesh, false);
}

static void plan_grid(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    layer_plan(plan, mesh, true);
    cgs_plan_add(plan, CGS_HOST, "points and cells of a layer", 1, cgs_grid_bytes(mesh));
}

static void list_arrays(struct vtkxml *v, const struct cgs_mesh *mesh, bool known, bool materials)
{
    const int64_t nodes = cgs_grid_nodes(mesh), cells = cgs_grid_box_cells(&v->layer.cells);
    const int64_t real = sizeof(double), integer = sizeof(int64_t);
    for (int i = 0; i < CGS_NODALS; i++)
        if (i != CGS_NODAL_ERROR || known)
            v->arrays[i] =
                (struct array){cgs_nodal_name((enum cgs_nodal)i), "Float64", 1, nodes * real, 0};
    const int kappas = cgs_layer_kappas(mesh);
    v->arrays[KAPPA] = (struct array){"kappa", "Float64", kappas, kappas * cells * real, 0};
    if (materials)
        v->arrays[MATERIAL] =
            (struct array){"material", "Int32", 1, cells * (int64_t)sizeof(int32_t), 0};
    v->arrays[FLUX] = (struct array){"flux", "Float64", 3, 3 * cells * real, 0};
    if (!v->grid)
        return;
    v->arrays[POINTS] = (struct array){"Points", "Float64", 3, 3 * nodes * real, 0};
    v->arrays[CONNECTIVITY] =
        (struct array){"connectivity", "Int64", 1, cgs_grid_hexahedron(mesh) * cells * integer, 0};
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
        fprintf(to, "        <DataArray type=\"%s\" Name=\"%s\" ", a->type, a->name);
        if (a->components > 1) /* else meshio would have a matrix of one column */
            fprintf(to, "NumberOfComponents=\"%d\" ", a->components);
        fprintf(to, "format=\"appended\" offset=\"%lld\"/>\n", (long long)*offset);
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
            "header_type=\"UInt64\">\n<?cgsolve\n%s?>\n",
            kind, little_endian() ? "LittleEndian" : "BigEndian", v->texts ? v->texts : "");
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
                (long long)cgs_grid_nodes(mesh), (long long)cgs_grid_box_cells(&v->layer.cells));
    else
        fprintf(to, "    <Piece Extent=\"0 %lld 0 %lld 0 %lld\">\n", end[0], end[1], end[2]);
    fprintf(to, "      <PointData Scalars=\"solution\">\n");
    write_arrays(to, v, 0, CGS_NODALS, &offset);
    fprintf(to, "      </PointData>\n      <CellData Scalars=\"kappa\" Vectors=\"flux\">\n");
    write_arrays(to, v, KAPPA, POINTS, &offset);
    fprintf(to, "      </CellData>\n");
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
    fclose(v->writing);
    v->telling = v->writing = NULL;
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
                          "points and cells of a layer", &v->grid_layer));
    CGS_TRY(layer_open(file->context, file->mesh, grid, file->materials, &v->layer));
    list_arrays(v, file->mesh, file->known, file->materials != NULL);
    if (!(v->telling = open_memstream(&v->facts, &v->facts_size)) ||
        !(v->writing = open_memstream(&v->texts, &v->texts_size)))
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

/* The fields of the cells that plane iz completes: of the layers since the plane p below. */
static enum cgs_status put_cells(struct cgs_field_file *file, int64_t iz, const double *solution)
{
    struct cgs_layer *layer = &((struct vtkxml *)file->state)->layer;
    const int64_t cells = cgs_grid_layer_cells(&layer->cells), real = sizeof(double);
    const int64_t integer = sizeof(int32_t), points = layer_points(layer), p = file->mesh->order;
    const int64_t plane = points * real, at = iz == 0 ? 0 : (iz - 1) % p + 1;
    const int64_t kappas = cgs_layer_kappas(file->mesh) * cells * real;
    memcpy(layer->planes + at * points, solution, (size_t)plane);
    if (at < p)
        return CGS_OK;
    for (int64_t cz = (iz / p - 1) * layer->parts; cz < iz / p * layer->parts; cz++) {
        CGS_TRY(layer_fill(layer, cz));
        put_bytes(file, KAPPA, cz * kappas, layer->kappa, kappas);
        put_bytes(file, FLUX, cz * 3 * cells * real, layer->flux, 3 * cells * real);
        if (layer->materials)
            put_bytes(file, MATERIAL, cz * cells * integer, layer->material, cells * integer);
    }
    memcpy(layer->planes, layer->planes + p * points, (size_t)plane);
    return CGS_OK;
}

/* The points of plane iz, and the layer of hexahedra above it, where one begins. */
static void put_layer(const struct cgs_field_file *file, int64_t iz)
{
    const struct vtkxml *v = file->state;
    const struct cgs_mesh *mesh = file->mesh;
    const int64_t cells = cgs_grid_layer_cells(&v->layer.cells), cz = iz / mesh->order;
    const int64_t points = 3 * cgs_grid_plane_nodes(mesh) * (int64_t)sizeof(double);
    const int64_t integer = sizeof(int64_t), bytes = cgs_grid_hexahedron(mesh) * cells * integer;
    const int threads = file->context->threads;
    int64_t *numbers = v->grid_layer;
    cgs_grid_points(mesh, threads, iz, v->grid_layer);
    put_bytes(file, POINTS, iz * points, v->grid_layer, points);
    if (iz % mesh->order > 0 || iz >= cgs_mesh_cells(mesh, 2))
        return;
    cgs_grid_hexahedra(mesh, threads, cz, numbers);
    put_bytes(file, CONNECTIVITY, cz * bytes, numbers, bytes);
    cgs_grid_bounds(mesh, cz, numbers);
    put_bytes(file, OFFSETS, cz * cells * integer, numbers + 1, cells * integer);
    memset(v->grid_layer, mesh->order > 1 ? CGS_LAGRANGE_HEXAHEDRON : CGS_HEXAHEDRON,
           (size_t)cells);
    put_bytes(file, TYPES, cz * cells, v->grid_layer, cells);
}

static enum cgs_status put_plane(struct cgs_field_file *file, int64_t iz,
                                 double *const plane[CGS_NODALS])
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
    return put_cells(file, iz, plane[CGS_NODAL_SOLUTION]);
}

static void close_file(struct cgs_field_file *file)
{
    struct vtkxml *v = file->state;
    if (!v)
        return;
    if (v->telling)
        fclose(v->telling);
    if (v->writing)
        fclose(v->writing);
    free(v->facts);
    free(v->texts);
    layer_release(&v->layer);
    cgs_free(file->context, v->grid_layer);
    cgs_free(file->context, v);
}

#define VTKXML(kind)                                                                               \
    {                                                                                              \
        .plan = plan_##kind, .open = open_##kind, .put_real = put_real,                            \
        .put_integer = put_integer, .put_text = put_text, .put = put_plane, .close = close_file    \
    }
const struct cgs_writer cgs_vti_writer = VTKXML(image);
const struct cgs_writer cgs_vtu_writer = VTKXML(grid);
