/* y = A x, CRS, merge-based: threads share rows and entries equally for any distribution of row
 * lengths; a long row is summed by several threads.
 *
 * The work is one path of items: a row's entries, then the row's end. Item pointers[i] + i is the
 * first of row i, and there are nonzeros + rows of them. The items of a block of rows, over which
 * sums go (spmv_cpu.h), are cut into equal pieces of at most PIECE, at any position, fixed by the
 * matrix alone:
 *
 *     pointers 0 2 3 3 8      | e e E e | E E e e | e e e E |      e entry, E end of a row
 *     row                       0 0 0 1   1 2 3 3   3 3 3 3
 *
 * A thread takes consecutive pieces. It writes y of rows within one piece. For a row that spans
 * pieces it keeps the sum of each piece's entries (`tail` in the piece where the row begins, `head`
 * in later ones); one thread then adds those of a block in order: the same bits for any number of
 * threads, and of ranks, which own whole blocks.
 *
 * Source: D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", SC16,
 * with as many pieces as threads. Bytes as crs_row; the pieces add 24 + 2 sizeof(real) each, about
 * a thousandth.
 */
#include "kernels/spmv/crs/crs_rows.h"

/* Items: a piece's entries fit into a core's cache, and the cost of a piece's sums is
 * negligible. */
enum { PIECE = 16384 };

struct merge {
    struct cgs_spmv_cpu *matrix;
    int64_t pieces, splits;
    int64_t *item;       /* first of each piece; pieces + 1 */
    int64_t *first;      /* first row that begins in the piece or later; pieces + 1 */
    int64_t *block;      /* of rows that the piece is in; pieces + 1, the last one of none */
    int64_t *split;      /* first pieces of the blocks that have several */
    real *heads, *tails; /* of a product: sums of the parts of rows in each piece */
};

/* Upper bound of the number of pieces. A rank has larger blocks than a matrix of its rows alone. */
static int64_t most_pieces(int64_t rows, int64_t nonzeros)
{
    return cgs_blocks_of(rows, cgs_spmv_block_least(rows, 1)).count + (rows + nonzeros) / PIECE;
}

/* Sum of the piece's entries of a row that it may share with other pieces. */
static CGS_CLONES real part_sum(const struct merge *merge, int64_t piece, int64_t row,
                                const real *x)
{
    const struct cgs_spmv_cpu *matrix = merge->matrix;
    const int64_t begin = merge->item[piece] - row, end = merge->item[piece + 1] - row;
    const int64_t first = matrix->pointers[row], last = matrix->pointers[row + 1];
    return cgs_crs_sum(matrix->columns, matrix->values, first > begin ? first : begin,
                       last < end ? last : end, x);
}

/* Returns true if the row, begun in this piece or earlier, has entries in later pieces. */
static inline bool goes_on(const struct merge *merge, int64_t piece, int64_t row)
{
    return merge->matrix->pointers[row + 1] + row > merge->item[piece + 1];
}

static void work_off(const struct merge *merge, int64_t piece, const real *x, real *y)
{
    const int64_t row = merge->first[piece];
    int64_t stop = merge->first[piece + 1];
    merge->heads[piece] = row > 0 ? part_sum(merge, piece, row - 1, x) : 0;
    if (stop > row && goes_on(merge, piece, stop - 1)) {
        stop--;
        merge->tails[piece] = part_sum(merge, piece, stop, x);
    }
    cgs_crs_rows(merge->matrix, row, stop, x, y);
}

/* Completes the rows that span pieces of the block that begins with this piece. */
static void combine(const struct merge *merge, int64_t piece, real *y)
{
    const int64_t block = merge->block[piece];
    for (; merge->block[piece + 1] == block; piece++) {
        const int64_t row = merge->first[piece + 1] - 1;
        if (row < merge->first[piece] || !goes_on(merge, piece, row))
            continue;
        real sum = merge->tails[piece];
        int64_t at = piece;
        do {
            sum += merge->heads[++at];
        } while (goes_on(merge, at, row));
        y[row] = sum;
    }
}

/* Sets the block's part of x'y, if that is wanted, once its y is complete. */
static void add_block(const struct merge *merge, int64_t block, double *partials, const real *x,
                      const real *y)
{
    if (!partials)
        return;
    const struct cgs_blocks blocks = cgs_spmv_cpu_blocks(merge->matrix);
    const int64_t row = cgs_block_begin(&blocks, block);
    partials[block] = cgs_spmv_cpu_dot(cgs_block_begin(&blocks, block + 1) - row, x + row, y + row);
}

static bool is_alone(const struct merge *merge, int64_t piece)
{
    const int64_t block = merge->block[piece];
    return merge->block[piece + 1] != block && (piece == 0 || merge->block[piece - 1] != block);
}

static void run(const struct merge *merge, struct cgs_queue *queue, double *partials, const real *x,
                real *y)
{
#pragma omp parallel num_threads(queue->context->threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t end = cgs_share(merge->item, 0, merge->pieces, thread + 1, threads);
        int64_t piece = cgs_share(merge->item, 0, merge->pieces, thread, threads);
        for (; piece < end; piece++) {
            work_off(merge, piece, x, y);
            if (is_alone(merge, piece))
                add_block(merge, merge->block[piece], partials, x, y);
        }
        if (merge->splits > 0) {
#pragma omp barrier
#pragma omp for schedule(static)
            for (int64_t k = 0; k < merge->splits; k++) {
                combine(merge, merge->split[k], y);
                add_block(merge, merge->block[merge->split[k]], partials, x, y);
            }
        }
    }
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
    const struct cgs_blocks blocks = cgs_spmv_cpu_blocks(merge->matrix);
    cgs_cpu_add_up(queue, state, sum, merge->matrix->portion, &blocks);
    return CGS_OK;
}

static const void *entries(const void *self, int64_t *bytes)
{
    return cgs_spmv_cpu_entries(((const struct merge *)self)->matrix, bytes);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t pieces = most_pieces(matrix->rows, matrix->stored);
    cgs_spmv_cpu_plan(matrix, plan);
    cgs_plan_add(plan, CGS_HOST, "pieces of the merge path", pieces + 1,
                 4 * sizeof(int64_t) + 2 * sizeof(real));
}

static void release(void *self)
{
    struct merge *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->matrix->context;
    cgs_free(context, made->item);
    cgs_free(context, made->first);
    cgs_free(context, made->block);
    cgs_free(context, made->split);
    cgs_free(context, made->heads);
    cgs_free(context, made->tails);
    cgs_spmv_cpu_release(made->matrix);
    cgs_free(context, made);
}

static enum cgs_status make_room(struct cgs_context *context, struct merge *made)
{
    const struct cgs_spmv_cpu *matrix = made->matrix;
    const int64_t room = most_pieces(matrix->rows, matrix->pointers[matrix->rows]) + 1;
    CGS_TRY(cgs_alloc(context, room, sizeof(int64_t), "pieces", (void **)&made->item));
    CGS_TRY(cgs_alloc(context, room, sizeof(int64_t), "pieces", (void **)&made->first));
    CGS_TRY(cgs_alloc(context, room, sizeof(int64_t), "pieces", (void **)&made->block));
    CGS_TRY(cgs_alloc(context, room, sizeof(int64_t), "pieces", (void **)&made->split));
    CGS_TRY(cgs_alloc(context, room, sizeof(real), "pieces", (void **)&made->heads));
    return cgs_alloc(context, room, sizeof(real), "pieces", (void **)&made->tails);
}

/* Cuts the path into pieces. */
static void cut(struct merge *made)
{
    const struct cgs_spmv_cpu *matrix = made->matrix;
    const struct cgs_blocks blocks = cgs_spmv_cpu_blocks(matrix);
    int64_t piece = 0;
    for (int64_t b = 0; b < blocks.count; b++) {
        const int64_t row = cgs_block_begin(&blocks, b), last = cgs_block_begin(&blocks, b + 1);
        const int64_t begin = matrix->pointers[row] + row;
        const int64_t items = matrix->pointers[last] + last - begin;
        const int64_t parts = (items + PIECE - 1) / PIECE;
        if (parts > 1)
            made->split[made->splits++] = piece;
        for (int64_t k = 0; k < parts; k++) {
            made->item[piece] = begin + items / parts * k + items % parts * k / parts;
            made->block[piece++] = b;
        }
    }
    made->pieces = piece;
    made->item[piece] = matrix->pointers[matrix->rows] + matrix->rows;
    made->block[piece] = -1;
    for (; piece >= 0; piece--)
        made->first[piece] = cgs_share_at(matrix->pointers, 0, matrix->rows, made->item[piece]);
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
    status = make_room(queue->context, made);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    cut(made);
    *self = made;
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_merge) = {
    .reproducible = true,
    .shared = true,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply, .apply_dot = apply_dot, .entries = entries, .release = release},
};
