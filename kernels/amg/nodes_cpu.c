/* Nodes of a matrix with near-null vectors on the CPU (kernels/near_null.h), and the matrix of its
 * nodes. The rows of a node are merged: their columns ascend, and so do the nodes of these.
 *
 * Traffic: A is read twice, to count and to fill.
 */
#include <math.h>

#include "base/memory.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/nodes_cpu.h"
#include "kernels/amg/strong_cpu.h"

/* ---- nodes and vectors ---- */

/* Returns true if the row has a nonzero beside its diagonal. */
static bool connected(const struct cgs_sparse *a, int64_t row)
{
    const double *number = a->value;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        if (a->column[e] != row && number[e] != 0.0)
            return true;
    return false;
}

/* Returns true if all rows of a node have entries in the same nodes. */
static bool alike(const struct cgs_sparse *a, int64_t row, int block)
{
    int64_t at[CGS_NEAR_MOST] = {0};
    for (int k = 0; k < block; k++)
        at[k] = a->pointers[row + k];
    while (at[0] < a->pointers[row + 1]) {
        const int32_t node = a->column[at[0]] / block;
        for (int k = 0; k < block; k++) {
            const int64_t begin = at[k], end = a->pointers[row + k + 1];
            while (at[k] < end && a->column[at[k]] / block == node)
                at[k]++;
            if (at[k] == begin)
                return false;
        }
    }
    for (int k = 1; k < block; k++)
        if (at[k] < a->pointers[row + k + 1])
            return false;
    return true;
}

/* Returns the rows of a node, found from the pattern. */
static int find_block(const struct cgs_sparse *a, int threads)
{
    for (int block = 3; block > 1; block--) {
        bool all = a->rows % block == 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(&& : all)
        for (int64_t i = 0; i < (all ? a->rows / block : 0); i++)
            all = all && alike(a, i * block, block);
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
        const bool taken = connected(a, i);
        for (int k = 0; k < count; k++)
            made.vector[i * count + k] = taken ? columns[k * rows + i] : 0.0;
    }
    *near = made;
    return CGS_OK;
}

/* ---- the matrix of nodes ---- */

struct condensing {
    const struct cgs_amg_rows *rows;
    const struct cgs_near_null *near;
    const int32_t *node; /* of each row */
};

/* Adds the squares of the row's entries from *at on that are in columns of the node, scaled, and
 * moves *at behind them. */
static double add_squares(const struct condensing *c, int64_t row, int32_t node, int64_t *at)
{
    const struct cgs_sparse *a = c->rows->a;
    const double *number = a->value, *roots = c->rows->roots;
    double sum = 0.0;
    for (; *at < a->pointers[row + 1] && c->node[a->column[*at]] == node; ++*at) {
        const double scaled = number[*at] / (roots[row] * roots[a->column[*at]]);
        sum += scaled * scaled;
    }
    return sum;
}

/* Counts the blocks of a node's rows, and writes their nodes and norms unless `column` is NULL. */
static int64_t condense_node(const struct condensing *c, int64_t i, int32_t *column, double *norm)
{
    const struct cgs_sparse *a = c->rows->a;
    const int64_t begin = c->near->first[i];
    const int rows = (int)(c->near->first[i + 1] - begin);
    int64_t at[CGS_NEAR_MOST], count = 0;
    for (int k = 0; k < rows; k++)
        at[k] = a->pointers[begin + k];
    for (;; count++) {
        int32_t next = INT32_MAX;
        for (int k = 0; k < rows; k++)
            if (at[k] < a->pointers[begin + k + 1] && c->node[a->column[at[k]]] < next)
                next = c->node[a->column[at[k]]];
        if (next == INT32_MAX)
            return count;
        double sum = 0.0;
        for (int k = 0; k < rows; k++)
            sum += add_squares(c, begin + k, next, &at[k]);
        if (column) {
            column[count] = next;
            norm[count] = sqrt(sum);
        }
    }
}

/* Fills in the matrix of nodes. */
static enum cgs_status fill(const struct condensing *c, struct cgs_sparse *made)
{
    struct cgs_queue *queue = c->rows->queue;
    const int64_t nodes = c->near->nodes;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    CGS_TRY(ops->pointers(queue, "matrix of nodes", nodes, nodes, made));
    made->pointers[0] = 0;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t i = 0; i < nodes; i++)
        made->pointers[i + 1] = condense_node(c, i, NULL, NULL);
    for (int64_t i = 0; i < nodes; i++)
        made->pointers[i + 1] += made->pointers[i];
    CGS_TRY(ops->entries(queue, "matrix of nodes", made->pointers[nodes], made));
    double *norm = made->value;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t i = 0; i < nodes; i++)
        condense_node(c, i, made->column + made->pointers[i], norm + made->pointers[i]);
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
        const struct condensing c = {.rows = &rows, .near = near, .node = node};
        status = fill(&c, &made);
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
