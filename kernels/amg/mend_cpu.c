/* Coarse rows of singular components on the CPU (kernels/amg.h, kernels/near_null.h): the rows of a
 * node, or one row, which have no nonzero in other columns than their own.
 *
 *          1e-18   -3e-18    0       most     0       0
 *         -3e-18    2e-18  1e-10  ->    0   most      0
 *            0      1e-10    4          0     0       4
 */
#include "kernels/amg/mend_cpu.h"

#include <math.h>

#include "base/comm.h"
#include "base/memory.h"

/* Rows of a node, and its columns, which begin at `first`. */
struct node {
    struct cgs_sparse *a;
    int64_t begin, end, first;
};

/* Returns true if the node's rows have no nonzero in the columns of others. */
static bool alone(const struct node *n)
{
    const struct cgs_sparse *a = n->a;
    const double *value = a->value;
    const int64_t last = n->first + (n->end - n->begin);
    for (int64_t e = a->pointers[n->begin]; e < a->pointers[n->end]; e++)
        if (value[e] != 0.0 && (a->column[e] < n->first || a->column[e] >= last))
            return false;
    return true;
}

/* Returns the diagonal entry of a row of the node; NULL: it has none. */
static double *diagonal_of(const struct node *n, int64_t row)
{
    double *value = n->a->value;
    for (int64_t e = n->a->pointers[row]; e < n->a->pointers[row + 1]; e++)
        if (n->a->column[e] == n->first + (row - n->begin))
            return &value[e];
    return NULL;
}

/* Clears a row and its column within the node. */
static void clear(const struct node *n, int64_t row)
{
    double *value = n->a->value;
    for (int64_t i = n->begin; i < n->end; i++)
        for (int64_t e = n->a->pointers[i]; e < n->a->pointers[i + 1]; e++)
            if (i == row || n->a->column[e] == n->first + (row - n->begin))
                value[e] = 0.0;
}

static void mend_node(const struct node *n, double most)
{
    for (int64_t row = n->begin; row < n->end; row++) {
        double *diagonal = diagonal_of(n, row);
        if (!diagonal || !(fabs(*diagonal) <= CGS_AMG_NOTHING * most))
            continue;
        clear(n, row);
        *diagonal = most;
    }
}

/* Finds the largest diagonal entry that is here. */
static enum cgs_status find_most(const struct cgs_space *space, const void *inverse, double *most)
{
    struct cgs_context *context = space->queue->context;
    double *numbers, least;
    *most = 0.0;
    if (space->ops->least) {
        CGS_TRY(space->ops->least(space, inverse, &least));
        *most = 1.0 / least;
        return CGS_OK;
    }
    CGS_TRY(cgs_alloc(context, space->size, sizeof *numbers, "diagonal", (void **)&numbers));
    const enum cgs_status status = space->ops->get(space, inverse, 0, space->size, numbers);
    for (int64_t k = 0; k < space->size && status == CGS_OK; k++)
        *most = numbers[k] > 0.0 ? fmax(*most, 1.0 / numbers[k]) : *most;
    cgs_free(context, numbers);
    return status;
}

/* Mends the nodes with the rows first[i] ... first[i + 1] - 1; NULL: each row is one. */
static enum cgs_status mend_nodes(const struct cgs_space *finer, const void *inverse,
                                  const int64_t *first, int64_t nodes, struct cgs_sparse *coarse)
{
    double most = -1.0;
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t begin = first ? first[i] : i, end = first ? first[i + 1] : i + 1;
        const struct node n = {coarse, begin, end, begin};
        if (!alone(&n))
            continue;
        if (most < 0.0)
            CGS_TRY(find_most(finer, inverse, &most));
        mend_node(&n, most);
    }
    return CGS_OK;
}

enum cgs_status cgs_amg_cpu_mend(const struct cgs_space *finer, const void *inverse,
                                 struct cgs_sparse *coarse)
{
    return mend_nodes(finer, inverse, NULL, coarse->rows, coarse);
}

enum cgs_status cgs_near_null_cpu_mend(const struct cgs_space *finer, const void *inverse,
                                       const struct cgs_near_null *near,
                                       struct cgs_sparse *coarse)
{
    return mend_nodes(finer, inverse, near->first, near->nodes, coarse);
}

enum cgs_status cgs_amg_mend_shared(const struct cgs_space *finer, const void *inverse,
                                    int64_t first, struct cgs_sparse *coarse)
{
    struct cgs_context *context = finer->queue->context;
    double most;
    CGS_TRY(cgs_comm_agree(context, find_most(finer, inverse, &most)));
    most = cgs_comm_most(context, most);
    for (int64_t i = 0; i < coarse->rows; i++) {
        const struct node n = {coarse, i, i + 1, first + i};
        if (alone(&n))
            mend_node(&n, most);
    }
    return CGS_OK;
}
