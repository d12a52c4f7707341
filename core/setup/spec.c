#include "core/setup/spec.h"

#include <math.h>

#include "base/integers.h"
#include "core/setup/sell_box.h"
#include "fem/coarsen.h"
#include "fem/element/order_cells.h"
#include "fem/grading.h"
#include "fem/order/rows.h"
#include "fem/rows.h"
#include "kernels/vector/blocks.h"
#include "matrix/names.h"
#include "solver/transfer.h"

void cgs_spec_matrix(const struct cgs_spec *forecast, struct cgs_matrix *matrix)
{
    if (forecast->laid) {
        *matrix = *forecast->laid;
        matrix->pointers = NULL;
        matrix->permutation = NULL;
        return;
    }
    const int64_t rows = cgs_mesh_rows(&forecast->mesh), chunk = forecast->chunk;
    const bool order = forecast->mesh.order > 1;
    const struct cgs_row_statistics statistics =
        order ? cgs_order_statistics(&forecast->mesh) : cgs_mesh_statistics(&forecast->mesh);
    const int64_t nonzeros = statistics.rounded[0];
    *matrix = (struct cgs_matrix){
        .format = forecast->format,
        .mesh = &forecast->mesh,
        .rows = rows,
        .columns = rows,
        .nonzeros = nonzeros,
        .stored = cgs_format_chunked(forecast->format)
                      ? cgs_box_stored(&forecast->mesh, forecast->chunk, forecast->sigma)
                  : forecast->format == CGS_NONE ? 0
                                                 : nonzeros,
        .units = forecast->format == CGS_NONE ? 0 : rows / chunk + (rows % chunk != 0),
        .chunk = forecast->chunk,
        .sigma = forecast->sigma,
        .diagonals =
            order ? cgs_order_diagonals(&forecast->mesh) : cgs_mesh_diagonals(&forecast->mesh),
        .constant = !order && cgs_mesh_plain(&forecast->mesh),
        .repeats = (int8_t)(order && cgs_order_star(&forecast->mesh) && !forecast->mesh.grading
                                ? forecast->mesh.order
                                : 0),
        .statistics = statistics,
    };
}

/* Returns true if ranks own whole planes of the box. */
static bool by_planes(const struct cgs_spec *spec)
{
    return spec->format == CGS_NONE || (spec->backend->place != CGS_HOST && !spec->laid);
}

int64_t cgs_spec_unit(const struct cgs_spec *spec, int64_t rows)
{
    return by_planes(spec) ? spec->mesh.order * cgs_mesh_plane(&spec->mesh)
                           : cgs_blocks_unit(rows, spec->chunk, spec->sigma);
}

int64_t cgs_spec_take_part(const struct cgs_spec *spec, struct cgs_matrix *matrix)
{
    const struct cgs_portion *portion =
        spec->laid && spec->laid->source ? spec->laid->source->portion : NULL;
    if (portion)
        matrix->columns = matrix->rows; /* those of others are the ghosts */
    if (spec->ranks <= 1 || spec->laid)
        return portion ? portion->below + portion->above : 0;
    const int64_t plane = cgs_mesh_plane(&spec->mesh), whole = matrix->rows;
    const int64_t p = spec->mesh.order, entries = matrix->statistics.longest;
    const bool planes = by_planes(spec) || (p > 1 && cgs_order_star(&spec->mesh));
    const int64_t reach = p * (planes ? plane : plane + spec->mesh.n[0] + 1);
    const int64_t beside = spec->grids ? cgs_most(cgs_transfer_room((int)p, plane), reach) : reach;
    const int64_t unit = cgs_spec_unit(spec, whole);
    const int64_t units = whole / unit + (whole % unit != 0);
    const int64_t first = cgs_least(units * spec->rank / spec->ranks * unit, whole);
    const int64_t last = cgs_least(units * (spec->rank + 1) / spec->ranks * unit, whole);
    const int64_t chunk = spec->chunk;
    matrix->rows = matrix->columns = last - first;
    matrix->units = spec->format == CGS_NONE ? 0 : (last - first + chunk - 1) / chunk;
    matrix->nonzeros = cgs_least(matrix->nonzeros, entries * (last - first));
    matrix->stored = cgs_least(matrix->stored, entries * chunk * matrix->units);
    if (spec->format != CGS_NONE)
        matrix->mesh = NULL; /* rows of a portion */
    return cgs_least(first, beside) + cgs_least(whole - last, beside);
}

void cgs_spec_plan_kappa(const struct cgs_mesh *mesh, enum cgs_place place, struct cgs_plan *plan)
{
    if (mesh->kappa.kind == CGS_KAPPA_CELLS)
        cgs_plan_add(plan, place, "kappa of cells",
                     mesh->order > 1 ? cgs_order_kappa_numbers(mesh)
                                     : cgs_mesh_all_cells(mesh) * (cgs_mesh_numbers(mesh)),
                     sizeof(double));
}

struct cgs_operator cgs_spec_operator_of(const struct cgs_backend *backend,
                                         const struct cgs_kernel *kernel,
                                         enum cgs_precision precision,
                                         const struct cgs_matrix *matrix)
{
    const enum cgs_number number = cgs_precision_real(precision);
    struct cgs_layout domain = {.size = matrix->columns}, range = {.size = matrix->rows};
    if (kernel->layout)
        kernel->layout(matrix, &domain, &range);
    const int64_t numbers =
        domain.pitch == 0 ? domain.size : (domain.rows + 2 * domain.ghost) * domain.pitch;
    return (struct cgs_operator){
        .steps = &kernel->steps,
        .domain = {.layout = domain,
                   .size = domain.size,
                   .footprint = cgs_bytes(numbers, cgs_number_bytes(number)),
                   .number = number,
                   .place = backend->place},
    };
}

struct cgs_operator cgs_spec_operator(const struct cgs_spec *forecast,
                                      const struct cgs_matrix *matrix)
{
    return cgs_spec_operator_of(forecast->backend, forecast->kernel, forecast->precision, matrix);
}

const struct cgs_kernel_entry *cgs_spec_low(const struct cgs_spec *spec)
{
    struct cgs_spec low = *spec;
    struct cgs_context quiet; /* the user did not ask for these kernels, so no message */
    struct cgs_matrix matrix;
    int count;
    const struct cgs_kernel_entry *all = cgs_kernels(&count);
    if (spec->mesh.order == 1 || !spec->grids || spec->format != CGS_NONE)
        return NULL;
    low.mesh = cgs_mesh_of_cells(&spec->mesh);
    if (cgs_mesh_rows(&low.mesh) == 0)
        return NULL; /* there will be no such grid */
    cgs_spec_matrix(&low, &matrix);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel *table = all[i].tables[CGS_PRECISION_F64];
        cgs_context_init(&quiet);
        if (cgs_backend(all[i].device) == spec->backend && all[i].format == CGS_NONE && table &&
            (!table->accepts || table->accepts(&quiet, &matrix) == CGS_OK))
            return &all[i];
    }
    return NULL;
}

enum cgs_status cgs_spec_accepts(struct cgs_context *context, const struct cgs_spec *forecast)
{
    const struct cgs_kernel *kernels[] = {forecast->kernel, forecast->outer};
    struct cgs_matrix matrix;
    cgs_spec_matrix(forecast, &matrix);
    for (int i = 0; i < 2; i++)
        if (kernels[i] && kernels[i]->accepts)
            CGS_TRY(kernels[i]->accepts(context, &matrix));
    return CGS_OK;
}

int64_t cgs_default_iterations(const struct cgs_mesh *mesh)
{
    const double most = 1e6, ratio = mesh->kappa.ratio;
    double across = 0.0, shortest = mesh->h[0];
    for (int k = 0; k < 3; k++)
        for (int64_t c = 0; c <= (mesh->grading ? mesh->n[k] : 0); c++)
            shortest = fmin(shortest, cgs_grading_length(mesh, k, c));
    for (int k = 0; k < 3; k++)
        across = fmax(across, mesh->size[k] / shortest);
    across = rint(across) - 1.0; /* unknowns of a line, were all cells cubes of the shortest side */
    if (mesh->kappa.kind == CGS_KAPPA_JUMP)
        across *= sqrt(fmax(ratio, 1.0 / ratio));
    return (int64_t)fmin(most, 20.0 * across * mesh->order);
}
