#include "matrix/crs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/fill.h"
#include "matrix/layout.h"
#include "matrix/matrix.h"
#include "matrix/row.h"

enum cgs_status cgs_crs_alloc(struct cgs_context *context, int64_t rows, int64_t columns,
                              int64_t nonzeros, struct cgs_crs *crs)
{
    struct cgs_crs made = {.rows = rows, .columns = columns};
    enum cgs_status status = cgs_alloc(context, rows + 1, sizeof *made.pointers, "pointers of rows",
                                       (void **)&made.pointers);
    if (status == CGS_OK)
        status = cgs_alloc(context, nonzeros, sizeof *made.column, "columns of rows",
                           (void **)&made.column);
    if (status == CGS_OK)
        status = cgs_alloc(context, nonzeros, sizeof *made.value, "values of rows",
                           (void **)&made.value);
    if (status == CGS_OK)
        *crs = made;
    else
        cgs_crs_release(context, &made);
    return status;
}

void cgs_crs_plan(struct cgs_plan *plan, int64_t rows, int64_t nonzeros)
{
    cgs_plan_add(plan, CGS_HOST, "rows: pointers", rows < INT64_MAX ? rows + 1 : rows,
                 sizeof(int64_t));
    cgs_plan_add(plan, CGS_HOST, "rows: columns and values", nonzeros,
                 sizeof(int32_t) + sizeof(double));
}

void cgs_crs_release(struct cgs_context *context, struct cgs_crs *crs)
{
    cgs_free(context, crs->pointers);
    cgs_free(context, crs->column);
    cgs_free(context, crs->value);
    *crs = (struct cgs_crs){0};
}

void cgs_crs_measure(struct cgs_context *context, struct cgs_crs *crs)
{
    double norm = 0.0;
#pragma omp parallel for schedule(static) reduction(max : norm) num_threads(context->threads)
    for (int64_t i = 0; i < crs->rows; i++) {
        double sum = 0.0;
        for (int64_t k = crs->pointers[i]; k < crs->pointers[i + 1]; k++)
            sum += fabs(crs->value[k]);
        norm = sum > norm ? sum : norm;
    }
    crs->norm = norm;
}

enum cgs_status cgs_crs_generate(struct cgs_context *context, const struct cgs_row_source *source,
                                 struct cgs_crs *crs)
{
    struct cgs_matrix matrix = {0};
    struct cgs_crs made = {0};
    CGS_TRY(cgs_matrix_create(context, source, CGS_CRS, 1, 1, &matrix));
    enum cgs_status status =
        cgs_crs_alloc(context, matrix.rows, matrix.columns, matrix.nonzeros, &made);
    if (status == CGS_OK) {
        memcpy(made.pointers, matrix.pointers, (size_t)(matrix.rows + 1) * sizeof *made.pointers);
        status =
            cgs_matrix_fill(context, &matrix, 0, matrix.rows, CGS_F64, made.column, made.value);
    }
    cgs_matrix_release(context, &matrix);
    if (status != CGS_OK) {
        cgs_crs_release(context, &made);
        return status;
    }
    made.symmetric = source->symmetric;
    cgs_crs_measure(context, &made);
    *crs = made;
    return CGS_OK;
}

static void lengths(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *out)
{
    const struct cgs_crs *crs = source->self;
    for (int64_t i = first; i < last; i++)
        out[i - first] = (int32_t)(crs->pointers[i + 1] - crs->pointers[i]);
}

static void fill(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values)
{
    const struct cgs_crs *crs = source->self;
    const int64_t begin = crs->pointers[first];
    const size_t count = (size_t)(crs->pointers[last] - begin);
    memcpy(columns, crs->column + begin, count * sizeof *columns);
    memcpy(values, crs->value + begin, count * sizeof *values);
}

static enum cgs_status diagonal(struct cgs_context *context, const struct cgs_row_source *source,
                                int64_t first, int64_t last, double *out)
{
    const struct cgs_crs *crs = source->self;
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = crs->pointers[i];
        bool there;
        out[i - first] = cgs_row_entry((int32_t)(crs->pointers[i + 1] - begin), crs->column + begin,
                                       crs->value + begin, source->first + i, &there);
    }
    return CGS_OK;
}

static double norm(const struct cgs_row_source *source)
{
    return ((const struct cgs_crs *)source->self)->norm;
}

struct cgs_row_source cgs_crs_source(const struct cgs_crs *crs)
{
    return (struct cgs_row_source){.rows = crs->rows,
                                   .columns = crs->columns,
                                   .first = crs->first,
                                   .whole = crs->whole,
                                   .symmetric = crs->symmetric,
                                   .self = crs,
                                   .lengths = lengths,
                                   .norm = norm,
                                   .diagonal = diagonal,
                                   .fill = fill};
}

const struct cgs_crs *cgs_crs_of(const struct cgs_row_source *source)
{
    return source->fill == fill ? source->self : NULL;
}
