#include "core/precond/galerkin.h"
#include "kernels/spgemm/spgemm.h"
#include "matrix/layout.h"
#include "matrix/nodes.h"

#include <stddef.h>

enum cgs_status cgs_galerkin_find(const struct cgs_machine *machine, enum cgs_number number,
                                  struct cgs_galerkin *galerkin)
{
    struct cgs_context *context = machine->queue->context;
    const struct cgs_kernel_entry *entry;
    const struct cgs_spgemm_entry *product;
    CGS_TRY(cgs_kernel_find(context, "auto", machine->device, CGS_CRS, &entry));
    CGS_TRY(cgs_spgemm_find(context, "auto", machine->device, &product));
    *galerkin = (struct cgs_galerkin){
        .machine = machine,
        .sparse = machine->backend->sparse[CGS_F64],
        .product = product->tables[CGS_F64],
        .number = number,
        .kernel = entry->tables[cgs_number_precision(number)],
    };
    return CGS_OK;
}

enum cgs_status cgs_galerkin_draw(const struct cgs_galerkin *galerkin,
                                  const struct cgs_assembly_ops *box,
                                  const struct cgs_row_source *source, struct cgs_sparse *m)
{
    struct cgs_queue *queue = galerkin->machine->queue;
    struct cgs_matrix crs = {0};
    if (box && source->mesh && source->statistics) {
        crs = cgs_matrix_outline(source);
        crs.on_device = !box->refuses(queue, &crs, source->mesh);
    }
    if (!crs.on_device)
        CGS_TRY(cgs_matrix_create(queue->context, source, CGS_CRS, 1, 1, &crs));
    const enum cgs_status status = galerkin->sparse->generate(queue, &crs, m);
    cgs_matrix_release(queue->context, &crs);
    return status;
}

bool cgs_galerkin_lends(enum cgs_place place, const struct cgs_row_source *source)
{
    return place == CGS_HOST && cgs_crs_of(source) != NULL;
}

enum cgs_status cgs_galerkin_borrow(const struct cgs_galerkin *galerkin,
                                    const struct cgs_assembly_ops *box,
                                    const struct cgs_row_source *source, struct cgs_sparse *m)
{
    if (!cgs_galerkin_lends(galerkin->machine->backend->place, source))
        return cgs_galerkin_draw(galerkin, box, source, m);
    const struct cgs_crs *crs = cgs_crs_of(source);
    *m = (struct cgs_sparse){.rows = crs->rows,
                             .columns = crs->columns,
                             .nonzeros = crs->pointers[crs->rows] - crs->pointers[0],
                             .pointers = crs->pointers,
                             .column = crs->column,
                             .value = crs->value,
                             .lent = true,
                             .lent_values = true};
    return CGS_OK;
}

enum cgs_status cgs_galerkin_multiply(const struct cgs_galerkin *galerkin,
                                      const struct cgs_sparse *a, const struct cgs_sparse *b,
                                      struct cgs_sparse *c)
{
    const struct cgs_machine *m = galerkin->machine;
    return cgs_spgemm(m->queue, m->backend, galerkin->product, CGS_F64, a, b, true, c, NULL);
}

enum cgs_status cgs_galerkin_coarse(const struct cgs_galerkin *galerkin, const struct cgs_sparse *a,
                                    const struct cgs_sparse *p, const struct cgs_sparse *r,
                                    struct cgs_sparse *coarse)
{
    struct cgs_sparse product;
    CGS_TRY(cgs_galerkin_multiply(galerkin, a, p, &product));
    const enum cgs_status status = cgs_galerkin_multiply(galerkin, r, &product, coarse);
    galerkin->sparse->release(galerkin->machine->queue, &product);
    return status;
}

enum cgs_status cgs_galerkin_project(const struct cgs_galerkin *galerkin,
                                     const struct cgs_sparse *a, const struct cgs_sparse *p,
                                     struct cgs_sparse *r, struct cgs_sparse *coarse)
{
    struct cgs_queue *queue = galerkin->machine->queue;
    struct cgs_sparse turned;
    CGS_TRY(galerkin->sparse->transpose(queue, p, &turned));
    const enum cgs_status status = cgs_galerkin_coarse(galerkin, a, p, &turned, coarse);
    if (status != CGS_OK) {
        galerkin->sparse->release(queue, &turned);
        return status;
    }
    *r = turned;
    return CGS_OK;
}

enum cgs_status cgs_galerkin_look(const struct cgs_galerkin *galerkin, const struct cgs_sparse *m,
                                  struct cgs_galerkin_rows *rows)
{
    if (galerkin->machine->backend->place != CGS_HOST) {
        CGS_TRY(cgs_there_made(galerkin->machine, m, &rows->there));
        rows->source = cgs_there_source(&rows->there);
        return CGS_OK;
    }
    rows->crs = (struct cgs_crs){.rows = m->rows,
                                 .columns = m->columns,
                                 .pointers = m->pointers,
                                 .column = m->column,
                                 .value = m->value};
    rows->source = cgs_crs_source(&rows->crs);
    return CGS_OK;
}

enum cgs_status cgs_galerkin_find_nodes(struct cgs_galerkin *galerkin)
{
    const struct cgs_machine *m = galerkin->machine;
    const struct cgs_kernel_entry *entry;
    CGS_TRY(cgs_kernel_find(m->queue->context, "crs_nodes", m->device, CGS_CRS, &entry));
    galerkin->nodes = entry->tables[cgs_number_precision(galerkin->number)];
    return CGS_OK;
}

/* Returns the kernel of nodes if the matrix has them, else that of rows. */
static const struct cgs_kernel *kernel_for(const struct cgs_galerkin *galerkin,
                                           const struct cgs_matrix *matrix)
{
    struct cgs_context quiet; /* rows will do */
    cgs_context_init(&quiet);
    quiet.threads = galerkin->machine->queue->context->threads;
    if (!galerkin->nodes || (matrix->source->portion && !galerkin->nodes->shared) ||
        cgs_nodes_expected(matrix) == 1)
        return galerkin->kernel;
    return galerkin->nodes->accepts(&quiet, matrix) == CGS_OK ? galerkin->nodes : galerkin->kernel;
}

enum cgs_status cgs_galerkin_operator(const struct cgs_galerkin *galerkin,
                                      const struct cgs_row_source *source, struct cgs_operator *op,
                                      struct cgs_traffic *product)
{
    const struct cgs_machine *m = galerkin->machine;
    struct cgs_context *context = m->queue->context;
    struct cgs_matrix matrix;
    CGS_TRY(cgs_matrix_create(context, source, CGS_CRS, 1, 1, &matrix));
    const struct cgs_kernel *kernel = kernel_for(galerkin, &matrix);
    const enum cgs_status status = cgs_operator_renew(
        m->queue, m->backend, kernel, cgs_number_precision(galerkin->number), &matrix, op);
    if (status == CGS_OK)
        *product = cgs_operator_traffic(op, kernel, &matrix);
    cgs_matrix_release(context, &matrix);
    return status;
}
