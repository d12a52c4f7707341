/* y = A x, CRS in nodes: an index for each dense block of b x b entries, b = 3 or 2
 * (matrix/nodes.h). The numbers of x that a node's rows share are gathered once, by whole blocks,
 * and the rows, which lie one after the other, are multiplied by them without indices.
 *
 *     x of the node     x[b J_0] ... x[b J_0 + b-1]  x[b J_1] ...  ->  packed, b m numbers
 *     y[b i + r]        row r of the node . packed                     r = 0 ... b-1
 *
 * Bytes of a product: an entry  sizeof(value) + 4 / b^2,   a node  8 (pointer),   x and y as
 * crs_row. With 81 entries a row, double and b = 3 a row moves 81 * 8.44 + 2.7 + 16 = 703 bytes,
 * 996 by crs_row.
 */
#include "kernels/spmv/spmv_cpu.h"
#include "matrix/nodes.h"

/* SPAN: blocks gathered at a time; PARTS: sums of a row, two vectors of doubles of AVX-512. */
enum { SPAN = 128, PARTS = 16 };

/* Sum of n entries times packed numbers, in a fixed order. */
CGS_PIECE real row_sum(int64_t n, const value *restrict values, const real *restrict packed)
{
    real part[PARTS] = {0};
    int64_t k = 0;
    for (; k + PARTS <= n; k += PARTS) {
        CGS_PREFETCH(&values[k]);
        CGS_PREFETCH(&values[k] + 64 / (int)sizeof(value));
#pragma omp simd
        for (int l = 0; l < PARTS; l++)
            part[l] += (real)values[k + l] * packed[k + l];
    }
    for (int l = 0; k + l < n; l++)
        part[l] += (real)values[k + l] * packed[k + l];
    for (int width = PARTS / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++)
            part[l] += part[l + width];
    return part[0];
}

/* y of one node; values: its first row's. */
CGS_PIECE void node(int block, int64_t count, const int32_t *restrict column,
                    const value *restrict values, const real *restrict x, real *restrict y)
{
    real packed[SPAN * 3];
    for (int r = 0; r < block; r++)
        y[r] = 0;
    for (int64_t first = 0; first < count; first += SPAN) {
        const int64_t span = count - first < SPAN ? count - first : SPAN;
        for (int64_t k = 0; k < span; k++)
            for (int c = 0; c < block; c++)
                packed[block * k + c] = x[(int64_t)block * column[first + k] + c];
        for (int r = 0; r < block; r++)
            y[r] += row_sum(block * span, values + block * (r * count + first), packed);
    }
}

CGS_PIECE void nodes(int block, const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                     const real *restrict x, real *restrict y)
{
    const int64_t *restrict pointers = matrix->pointers;
    for (int64_t i = begin; i < end; i++)
        node(block, (pointers[i + 1] - pointers[i]) / (block * block),
             matrix->columns + pointers[i] / (block * block), matrix->values + pointers[i], x,
             y + block * i);
}

static CGS_CLONES void nodes_of_2(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                  const real *restrict x, real *restrict y)
{
    nodes(2, matrix, begin, end, x, y);
}

static CGS_CLONES void nodes_of_3(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                  const real *restrict x, real *restrict y)
{
    nodes(3, matrix, begin, end, x, y);
}

/* ---- the table ---- */

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t block = cgs_nodes_least(matrix);
    cgs_plan_add(plan, CGS_HOST, "matrix values", matrix->stored, sizeof(value));
    cgs_plan_add(plan, CGS_HOST, "matrix columns", matrix->stored / (block * block),
                 sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "matrix pointers", matrix->rows / block + 1, sizeof(int64_t));
    cgs_plan_add(plan, CGS_HOST, "columns of nodes", cgs_nodes_beside(matrix), sizeof(int32_t));
}

static struct cgs_traffic traffic_of(const struct cgs_matrix *matrix, int64_t block)
{
    return (struct cgs_traffic){
        .matrix = matrix->stored * (int64_t)sizeof(value) +
                  matrix->stored / (block * block) * (int64_t)sizeof(int32_t) +
                  (matrix->rows / block + 1) * (int64_t)sizeof(int64_t),
        .vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real),
        .operations = 2 * matrix->nonzeros,
    };
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    return traffic_of(matrix, cgs_nodes_least(matrix));
}

/* The units of `spmv` are nodes. */
struct nodes {
    struct cgs_spmv_cpu spmv;
    struct cgs_traffic moved;
};

static struct cgs_traffic moved(const void *self)
{
    return ((const struct nodes *)self)->moved;
}

static enum cgs_status make(const struct cgs_matrix *matrix, struct cgs_spmv_cpu *made)
{
    struct cgs_context *context = made->context;
    const int64_t block = made->chunk, threads = context->threads;
    CGS_TRY(cgs_alloc(context, made->units + 1, sizeof(int64_t), "matrix pointers",
                      (void **)&made->pointers));
    CGS_TRY(cgs_alloc(context, matrix->stored / (block * block), sizeof(int32_t), "matrix columns",
                      (void **)&made->columns));
    CGS_TRY(
        cgs_alloc(context, matrix->stored, sizeof(value), "matrix values", (void **)&made->values));
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num(), there = omp_get_num_threads();
#pragma omp for schedule(static)
        for (int64_t i = 0; i <= made->units; i++)
            made->pointers[i] = matrix->pointers[block * i];
        /* places the pages where they will be read */
        const int64_t begin = cgs_share(made->pointers, 0, made->units, thread, there);
        const int64_t end = cgs_share(made->pointers, 0, made->units, thread + 1, there);
        for (int64_t k = made->pointers[begin]; k < made->pointers[end]; k++)
            made->values[k] = 0;
    }
    return cgs_nodes_fill(context, matrix, (int)block, CGS_VALUE_NUMBER, made->columns,
                          made->values);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    struct nodes *made;
    int block;
    CGS_TRY(cgs_nodes_find(context, matrix, &block));
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "matrix", (void **)&made));
    *made = (struct nodes){.spmv = {.context = context,
                                    .rows = matrix->rows,
                                    .units = matrix->rows / block,
                                    .chunk = block,
                                    .sigma = 1,
                                    .loop = block == 3 ? nodes_of_3 : nodes_of_2},
                           .moved = traffic_of(matrix, block)};
    const enum cgs_status status = make(matrix, &made->spmv);
    if (status == CGS_OK)
        *self = made;
    else
        cgs_spmv_cpu_release(made); /* begins with it */
    return status;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_nodes) = {
    .reproducible = true,
    .accepts = cgs_nodes_accepts,
    .plan = plan,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.apply = cgs_spmv_cpu_apply,
              .apply_dot = cgs_spmv_cpu_apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .moved = moved,
              .release = cgs_spmv_cpu_release},
};
