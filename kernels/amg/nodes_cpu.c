/* Nodes of a matrix with near-null vectors on the CPU (kernels/near_null.h), and the matrix of its
 * nodes.
 *
 * Traffic: A is read twice, to count and to fill.
 */
#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/near_rules.h"
#include "kernels/amg/nodes_cpu.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"

/* ---- nodes and vectors ---- */

/* Returns true if nodes of `block` rows fit the pattern of these rows. */
static bool fits(const struct cgs_sparse *a, int block, int threads)
{
    bool all = a->rows % block == 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(&& : all)
    for (int64_t i = 0; i < (all ? a->rows / block : 0); i++)
        all = all && cgs_near_alike(a, i * block, block);
    return all;
}

/* Returns the rows of a node, found from the pattern; shared: from that of all ranks. */
static int find_block(struct cgs_context *context, const struct cgs_sparse *a, bool shared)
{
    for (int block = 3; block > 1; block--) {
        const bool here = fits(a, block, context->threads);
        if (shared ? cgs_comm_most(context, here ? 0.0 : 1.0) == 0.0 : here)
            return block;
    }
    return 1;
}

/* Makes nodes and vectors of rows that begin with row `first` of the whole. */
static enum cgs_status take(struct cgs_queue *queue, const struct cgs_sparse *a, int64_t first,
                            int count, const double *columns, int block, struct cgs_near_null *near)
{
    const int threads = queue->context->threads;
    const int64_t rows = a->rows;
    struct cgs_near_null made;
    CGS_TRY(cgs_near_null_cpu_take(queue, count, rows / block, rows, &made));
    for (int64_t i = 0; i <= made.nodes; i++)
        made.first[i] = i * block;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < rows; i++) {
        const bool taken = cgs_near_connected(a, i, first + i);
        for (int k = 0; k < count; k++)
            made.vector[i * count + k] = taken ? columns[k * rows + i] : 0.0;
    }
    *near = made;
    return CGS_OK;
}

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a, int count,
                             const double *columns, int block, struct cgs_near_null *near)
{
    block = block > 0 ? block : find_block(queue->context, a, false);
    return take(queue, a, 0, count, columns, block, near);
}

enum cgs_status cgs_near_null_shared_begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                                           int64_t first, int count, const double *columns,
                                           int block, struct cgs_near_null *near)
{
    block = block > 0 ? block : find_block(queue->context, a, true);
    struct cgs_near_null made = {0};
    const enum cgs_status status =
        cgs_comm_agree(queue->context, take(queue, a, first, count, columns, block, &made));
    if (status == CGS_OK)
        *near = made;
    else
        cgs_near_null_cpu_release(queue, &made);
    return status;
}

/* ---- the matrix of nodes ---- */

/* Fills in the matrix of nodes, `columns` of them in all. */
static enum cgs_status fill(struct cgs_queue *queue, const struct cgs_near_blocks *b, int64_t nodes,
                            int64_t columns, struct cgs_sparse *made)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    CGS_TRY(ops->pointers(queue, "matrix of nodes", nodes, columns, made));
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

/* Sets the node of each column, ghosts among them, in 64 bits. first: this rank's first node. */
static void find_nodes(struct cgs_context *context, const struct cgs_amg_rows *rows,
                       const struct cgs_near_null *near, int64_t first, int64_t *node)
{
    for (int64_t i = 0; i < near->nodes; i++)
        for (int64_t row = near->first[i]; row < near->first[i + 1]; row++)
            node[rows->begin + row] = first + i;
    if (rows->ghosts)
        cgs_ghosts_fetch(context, rows->ghosts, node);
}

/* Makes the matrix of nodes by the roots of `rows`; on failure some of it. */
static enum cgs_status make(const struct cgs_amg_rows *rows, const struct cgs_near_null *near,
                            int64_t first, int64_t all, struct cgs_sparse *made)
{
    struct cgs_context *context = rows->queue->context;
    const struct cgs_sparse *a = rows->a;
    int64_t *wide = NULL;
    int32_t *node = NULL;
    enum cgs_status status =
        cgs_alloc(context, a->columns, sizeof *wide, "nodes of rows", (void **)&wide);
    if (status == CGS_OK)
        status = cgs_alloc(context, a->columns, sizeof *node, "nodes of rows", (void **)&node);
    if (rows->ghosts)
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        find_nodes(context, rows, near, first, wide);
        for (int64_t c = 0; c < a->columns; c++)
            node[c] = (int32_t)wide[c];
        const struct cgs_near_blocks b = {*a, rows->roots, near->first, node, rows->begin};
        status = fill(rows->queue, &b, near->nodes, all, made);
    }
    cgs_free(context, node);
    cgs_free(context, wide);
    return status;
}

enum cgs_status cgs_near_null_shared_condense(struct cgs_queue *queue, const struct cgs_sparse *a,
                                              const struct cgs_ghosts *ghosts,
                                              const struct cgs_near_null *near,
                                              const int64_t *cuts, struct cgs_sparse *condensed)
{
    struct cgs_context *context = queue->context;
    const int64_t first = ghosts ? cuts[context->comm->rank] : 0;
    const int64_t all = ghosts ? cuts[context->comm->size] : near->nodes;
    struct cgs_amg_rows rows;
    struct cgs_sparse made = {0};
    CGS_TRY(cgs_amg_cpu_rows(queue, a, ghosts, 0.0, &rows));
    enum cgs_status status = make(&rows, near, first, all, &made);
    if (ghosts)
        status = cgs_comm_agree(context, status);
    cgs_amg_cpu_rows_release(&rows);
    if (status != CGS_OK) {
        cgs_cpu_sparse_f64.release(queue, &made);
        return status;
    }
    *condensed = made;
    return CGS_OK;
}

static enum cgs_status condense(struct cgs_queue *queue, const struct cgs_sparse *a,
                                const struct cgs_near_null *near, struct cgs_sparse *condensed)
{
    return cgs_near_null_shared_condense(queue, a, NULL, near, NULL, condensed);
}

const struct cgs_near_null_ops cgs_near_null_cpu = {
    .begin = begin,
    .release = cgs_near_null_cpu_release,
    .condense = condense,
    .fit = cgs_near_null_cpu_fit,
};
