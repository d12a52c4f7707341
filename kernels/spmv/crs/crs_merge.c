/* y = A x, CRS, merge-based: threads share rows and entries equally for any distribution of row
 * lengths; a long row is summed by several threads.
 *
 * The work is one path of items: a row's entries, then the row's end. Item pointers[i] + i is the
 * first of row i, and there are nonzeros + rows of them. The path is cut into pieces of PIECE
 * items, at any position, fixed by the matrix alone:
 *
 *     pointers 0 2 3 3 8      | e e E e | E E e e | e e e E |      e entry, E end of a row
 *     row                       0 0 0 1   1 2 3 3   3 3 3 3
 *
 * A thread takes consecutive pieces. It writes y of rows within one piece. For a row that spans
 * pieces it keeps the sum of each piece's entries (`tail` in the piece where the row begins, `head`
 * in later ones); one thread then adds them in order: the same bits for any number of threads.
 *
 * Source: D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", SC16,
 * with as many pieces as threads. Bytes as crs_row; the pieces add 8 + 2 sizeof(real) each, less
 * than a thousandth.
 */
#include "kernels/spmv/crs/crs_rows.h"

/* Items: a piece's entries fit into a core's cache, and the cost of a piece's sums is
 * negligible. */
enum { PIECE = 16384 };

struct merge {
    struct cgs_spmv_cpu *matrix;
    struct cgs_blocks pieces; /* of the path's items */
    int64_t *first;           /* first row that begins in the piece or later; pieces + 1 */
    real *heads, *tails;      /* of a product: sums of the parts of rows in each piece */
};

/* Limits the pieces to a queue's number of partial sums. */
static struct cgs_blocks pieces_of(int64_t rows, int64_t nonzeros)
{
    return cgs_blocks_of(rows + nonzeros, PIECE);
}

/* Sum of the piece's entries of a row that it may share with other pieces. */
static CGS_CLONES real part_sum(const struct merge *merge, int64_t piece, int64_t row,
                                const real *x)
{
    const struct cgs_spmv_cpu *matrix = merge->matrix;
    const int64_t begin = cgs_block_begin(&merge->pieces, piece) - row;
    const int64_t end = cgs_block_begin(&merge->pieces, piece + 1) - row;
    const int64_t first = matrix->pointers[row], last = matrix->pointers[row + 1];
    return cgs_crs_sum(matrix->columns, matrix->values, first > begin ? first : begin,
                       last < end ? last : end, x);
}

/* Returns true if the row, begun in this piece or earlier, has entries in later pieces. */
static inline bool goes_on(const struct merge *merge, int64_t piece, int64_t row)
{
    return merge->matrix->pointers[row + 1] + row > cgs_block_begin(&merge->pieces, piece + 1);
}

static void work_off(const struct merge *merge, int64_t piece, double *partials, const real *x,
                     real *y)
{
    const int64_t row = merge->first[piece];
    int64_t stop = merge->first[piece + 1];
    merge->heads[piece] = row > 0 ? part_sum(merge, piece, row - 1, x) : 0;
    if (stop > row && goes_on(merge, piece, stop - 1)) {
        stop--;
        merge->tails[piece] = part_sum(merge, piece, stop, x);
    }
    cgs_crs_rows(merge->matrix, row, stop, x, y);
    if (partials)
        partials[piece] = cgs_spmv_cpu_dot(stop - row, x + row, y + row);
}

/* Completes rows that span pieces, and their x'y. */
static void combine(const struct merge *merge, double *partials, const real *x, real *y)
{
    for (int64_t piece = 0; piece < merge->pieces.count; piece++) {
        const int64_t row = merge->first[piece + 1] - 1;
        if (row < merge->first[piece] || !goes_on(merge, piece, row))
            continue;
        real sum = merge->tails[piece];
        int64_t at = piece;
        do {
            sum += merge->heads[++at];
        } while (goes_on(merge, at, row));
        y[row] = sum;
        if (partials)
            partials[at] += (double)x[row] * (double)sum;
    }
}

static void run(const struct merge *merge, struct cgs_queue *queue, double *partials, const real *x,
                real *y)
{
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t piece = 0; piece < merge->pieces.count; piece++)
        work_off(merge, piece, partials, x, y);
    combine(merge, partials, x, y);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    if (!state || cgs_cg_going_on(state))
        run(self, queue, NULL, x, y);
    return CGS_OK;
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct merge *merge = self;
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    run(merge, queue, queue->partials, x, y);
    state->sums[sum] = cgs_pairwise(queue->partials, merge->pieces.count);
    return CGS_OK;
}

static const void *entries(const void *self, int64_t *bytes)
{
    return cgs_spmv_cpu_entries(((const struct merge *)self)->matrix, bytes);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t pieces = pieces_of(matrix->rows, matrix->stored).count;
    cgs_spmv_cpu_plan(matrix, plan);
    cgs_plan_add(plan, CGS_HOST, "pieces of the merge path", pieces,
                 sizeof(int64_t) + 2 * sizeof(real));
}

static void release(void *self)
{
    struct merge *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->matrix->context;
    cgs_free(context, made->first);
    cgs_free(context, made->heads);
    cgs_free(context, made->tails);
    cgs_spmv_cpu_release(made->matrix);
    cgs_free(context, made);
}

static enum cgs_status cut(struct cgs_context *context, struct merge *made)
{
    const struct cgs_spmv_cpu *matrix = made->matrix;
    made->pieces = pieces_of(matrix->rows, matrix->pointers[matrix->rows]);
    const int64_t count = made->pieces.count;
    CGS_TRY(cgs_alloc(context, count + 1, sizeof(int64_t), "pieces", (void **)&made->first));
    CGS_TRY(cgs_alloc(context, count, sizeof(real), "pieces", (void **)&made->heads));
    CGS_TRY(cgs_alloc(context, count, sizeof(real), "pieces", (void **)&made->tails));
    for (int64_t piece = 0; piece <= count; piece++)
        made->first[piece] =
            cgs_share_at(matrix->pointers, 0, matrix->rows, cgs_block_begin(&made->pieces, piece));
    return CGS_OK;
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    void *drawn = NULL;
    struct merge *made = NULL;
    CGS_TRY(cgs_spmv_cpu_prepare(queue, matrix, &drawn));
    enum cgs_status status = cgs_alloc(queue->context, 1, sizeof *made, "matrix", (void **)&made);
    if (status != CGS_OK) {
        cgs_spmv_cpu_release(drawn);
        return status;
    }
    *made = (struct merge){.matrix = drawn};
    status = cut(queue->context, made);
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_merge) = {
    .reproducible = true,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply, .apply_dot = apply_dot, .entries = entries, .release = release},
};
