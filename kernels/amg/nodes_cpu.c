/* Nodes of a matrix with near-null vectors on the CPU (kernels/near_null.h), and the matrix of its
 * nodes.
 *
 * Traffic: A is read twice, to count and to fill.
 */
#include "base/memory.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/near_rules.h"
#include "kernels/amg/strong_cpu.h"

/* ---- nodes and vectors ---- */

/* Returns the rows of a node, found from the pattern. */
static int find_block(const struct cgs_sparse *a, int threads)
{
    for (int block = 3; block > 1; block--) {
        bool all = a->rows % block == 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(&& : all)
        for (int64_t i = 0; i < (all ? a->rows / block : 0); i++)
            all = all && cgs_near_alike(a, i * block, block);
        if (all)
            return block;
    }
    return 1;
}

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a, int count,
                             const double *columns, int block, struct cgs_near_null *near)
{
    const int threads = queue->context->threads;
    const int64_t rows = a->rows;
    struct cgs_near_null made;
    block = block > 0 ? block : find_block(a, threads);
    CGS_TRY(cgs_near_null_cpu_take(queue, count, rows / block, rows, &made));
    for (int64_t i = 0; i <= made.nodes; i++)
        made.first[i] = i * block;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < rows; i++) {
        const bool taken = cgs_near_connected(a, i);
        for (int k = 0; k < count; k++)
            made.vector[i * count + k] = taken ? columns[k * rows + i] : 0.0;
    }
    *near = made;
    return CGS_OK;
}

/* ---- the matrix of nodes ---- */

/* Fills in the matrix of nodes. */
static enum cgs_status fill(struct cgs_queue *queue, const struct cgs_near_blocks *b, int64_t nodes,
                            struct cgs_sparse *made)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    CGS_TRY(ops->pointers(queue, "matrix of nodes", nodes, nodes, made));
    made->pointers[0] = 0;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t i = 0; i < nodes; i++)
        made->pointers[i + 1] = cgs_near_condense(b, i, NULL, NULL);
    for (int64_t i = 0; i < nodes; i++)
        made->pointers[i + 1] += made->pointers[i];
    CGS_TRY(ops->entries(queue, "matrix of nodes", made->pointers[nodes], made));
    double *norm = made->value;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t i = 0; i < nodes; i++)
        cgs_near_condense(b, i, made->column + made->pointers[i], norm + made->pointers[i]);
    return CGS_OK;
}

static enum cgs_status condense(struct cgs_queue *queue, const struct cgs_sparse *a,
                                const struct cgs_near_null *near, struct cgs_sparse *condensed)
{
    struct cgs_amg_rows rows;
    struct cgs_sparse made = {0};
    int32_t *node = NULL;
    CGS_TRY(cgs_amg_cpu_rows(queue, a, NULL, 0.0, &rows));
    enum cgs_status status =
        cgs_alloc(queue->context, a->rows, sizeof *node, "nodes of rows", (void **)&node);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < near->nodes; i++)
            for (int64_t row = near->first[i]; row < near->first[i + 1]; row++)
                node[row] = (int32_t)i;
        const struct cgs_near_blocks b = {*a, rows.roots, near->first, node};
        status = fill(queue, &b, near->nodes, &made);
    }
    cgs_free(queue->context, node);
    cgs_amg_cpu_rows_release(&rows);
    if (status != CGS_OK) {
        cgs_cpu_sparse_f64.release(queue, &made);
        return status;
    }
    *condensed = made;
    return CGS_OK;
}

const struct cgs_near_null_ops cgs_near_null_cpu = {
    .begin = begin,
    .release = cgs_near_null_cpu_release,
    .condense = condense,
    .fit = cgs_near_null_cpu_fit,
};
