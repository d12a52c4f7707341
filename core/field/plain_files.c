/* A solution as a plain array: .npy, NumPy's format 1.0
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), of the box u[iz, iy,
 * ix] at all nodes; .csv, a line for each node or row. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "core/field/grid.h"
#include "core/field/writer.h"

/* ---- .npy ---- */

/* Writes the header of an array of that shape, "3, 3, 3" or "7,": as long as a multiple of 64
 * bytes. fortran: the first index is fastest. */
static void write_header(FILE *to, const char *shape, bool fortran)
{
    const char order = *(const unsigned char *)&(const uint16_t){1} == 1 ? '<' : '>';
    char text[256];
    const int written =
        snprintf(text, sizeof text, "{'descr': '%cf8', 'fortran_order': %s, 'shape': (%s), }",
                 order, fortran ? "True" : "False", shape);
    const int before = 10, length = (before + written + 1 + 63) / 64 * 64 - before;
    fwrite("\x93NUMPY\x01\x00", 1, 8, to);
    fputc(length & 255, to);
    fputc(length >> 8, to);
    fprintf(to, "%s%*s\n", text, length - 1 - written, "");
}

static enum cgs_status open_npy(struct cgs_field_file *file)
{
    const struct cgs_mesh *mesh = file->mesh;
    char shape[96];
    snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64 ", %" PRId64,
             cgs_grid_line_nodes(mesh, 2), cgs_grid_line_nodes(mesh, 1),
             cgs_grid_line_nodes(mesh, 0));
    write_header(file->output->file, shape, false);
    return CGS_OK;
}

static enum cgs_status put_npy(struct cgs_field_file *file, int64_t iz,
                               double *const plane[CGS_NODALS])
{
    const size_t nodes = (size_t)cgs_grid_plane_nodes(file->mesh);
    (void)iz;
    fwrite(plane[CGS_NODAL_SOLUTION], sizeof(double), nodes, file->output->file);
    return CGS_OK;
}

static enum cgs_status vector_npy(struct cgs_context *context, FILE *file, const char *comment,
                                  int64_t rows, int64_t columns, const double *values)
{
    char shape[64];
    (void)context, (void)comment; /* no place for it */
    if (columns == 1)
        snprintf(shape, sizeof shape, "%" PRId64 ",", rows);
    else
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, rows, columns);
    write_header(file, shape, columns > 1);
    fwrite(values, sizeof *values, (size_t)(rows * columns), file);
    return CGS_OK;
}

const struct cgs_writer cgs_npy_writer = {
    .open = open_npy,
    .put = put_npy,
    .vector = vector_npy,
};

/* ---- .csv ---- */

static void plan_csv(struct cgs_plan *plan, const struct cgs_mesh *mesh)
{
    cgs_plan_add(plan, CGS_HOST, "points of a plane", 3 * cgs_grid_plane_nodes(mesh),
                 sizeof(double));
}

static enum cgs_status open_csv(struct cgs_field_file *file)
{
    CGS_TRY(cgs_alloc(file->context, 3 * cgs_grid_plane_nodes(file->mesh), sizeof(double),
                      "points of a plane", &file->state));
    fputs("x,y,z", file->output->file);
    for (int i = 0; i < CGS_NODALS; i++)
        if (i != CGS_NODAL_ERROR || file->known)
            fprintf(file->output->file, ",%s", cgs_nodal_name((enum cgs_nodal)i));
    fputc('\n', file->output->file);
    return CGS_OK;
}

static enum cgs_status put_csv(struct cgs_field_file *file, int64_t iz,
                               double *const plane[CGS_NODALS])
{
    const int64_t nodes = cgs_grid_plane_nodes(file->mesh);
    const double *points = file->state;
    FILE *to = file->output->file;
    cgs_grid_points(file->mesh, file->context->threads, iz, file->state);
    for (int64_t node = 0; node < nodes; node++) {
        const double *point = points + 3 * node;
        fprintf(to, "%.17g,%.17g,%.17g", point[0], point[1], point[2]);
        for (int i = 0; i < CGS_NODALS; i++)
            if (i != CGS_NODAL_ERROR || file->known)
                fprintf(to, ",%.17g", plane[i][node]);
        fputc('\n', to);
    }
    return CGS_OK;
}

static void close_csv(struct cgs_field_file *file)
{
    cgs_free(file->context, file->state);
}

static enum cgs_status vector_csv(struct cgs_context *context, FILE *file, const char *comment,
                                  int64_t rows, int64_t columns, const double *values)
{
    (void)context, (void)comment; /* no place for it */
    fputs(columns == 1 ? "row,solution" : "row", file);
    for (int64_t c = 0; c < columns && columns > 1; c++)
        fprintf(file, ",solution_%" PRId64, c + 1);
    for (int64_t i = 0; i < rows; i++) {
        fprintf(file, "\n%" PRId64, i + 1);
        for (int64_t c = 0; c < columns; c++)
            fprintf(file, ",%.17g", values[c * rows + i]);
    }
    fputc('\n', file);
    return CGS_OK;
}

const struct cgs_writer cgs_csv_writer = {
    .plan = plan_csv,
    .open = open_csv,
    .put = put_csv,
    .close = close_csv,
    .vector = vector_csv,
};
