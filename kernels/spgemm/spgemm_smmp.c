/* C = A B by SMMP, the Sparse Matrix Multiplication Package, for f64 and f32, on one thread except
 * for sort. The textbook reference of the CPU's kernels (kernels/spgemm.h).
 *
 *     count   SYMBMM: columns of a row form a linked list, next[j] is the one met before j; the
 *             list is read and cleared
 *     fill    NUMBMM: products of a row are added in a dense row, which is read and cleared
 *     sort    TRANSP twice: C' by counting, and back; the columns of each row ascend
 *
 * The paper's SYMBMM writes to C's columns, allocated in advance. Here C is allocated once its
 * entries are counted: until then columns are kept in blocks, which fill copies.
 *
 * Source: R. E. Bank and C. C. Douglas, Adv. Comput. Math. 1 (1993) 127-137.
 */
#include "kernels/spgemm.h"

#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"

/* Columns of consecutive rows of C, in order of occurrence. */
struct block {
    struct block *next;
    int64_t used, room;
    int32_t *column;
};

enum { BLOCK_COLUMNS = 1 << 20 };

extern const struct cgs_sparse_ops CGS_NAMED(cgs_cpu_sparse);

struct work {
    struct cgs_queue *queue;
    const struct cgs_sparse *a, *b;
    int32_t *next; /* columns of B: FREE, or the column met before, LAST for the first */
    real *sum;     /* columns of B */
    struct block *first, *last;
};

enum { FREE = -1, LAST = -2 };

static void release(void *self)
{
    struct work *work = self;
    if (!work)
        return;
    struct cgs_context *context = work->queue->context;
    while (work->first) {
        struct block *block = work->first;
        work->first = block->next;
        cgs_free(context, block->column);
        cgs_free(context, block);
    }
    cgs_free(context, work->sum);
    cgs_free(context, work->next);
    cgs_free(context, work);
}

/* Columns of a block; large enough for any row. */
static int64_t block_room(int64_t columns)
{
    return columns > BLOCK_COLUMNS ? columns : BLOCK_COLUMNS;
}

/* More than one block's room is used in any two consecutive blocks. Sorting holds C' and its
 * transpose in addition to C, while the unsorted columns still exist. */
static void plan(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    const int64_t longer = size->rows > size->columns ? size->rows : size->columns;
    cgs_plan_add(plan, CGS_HOST, "chain, dense row", size->columns,
                 (int64_t)(sizeof(int32_t) + sizeof(real)));
    cgs_plan_add(plan, CGS_HOST, "columns as met", size->entries, 2 * sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "columns as met", block_room(size->columns), sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "columns of parts", cgs_bytes(longer, threads), sizeof(int64_t));
    cgs_sparse_plan(plan, CGS_HOST, "product, transposed", size->columns, size->entries,
                    CGS_REAL_NUMBER);
    cgs_sparse_plan(plan, CGS_HOST, "product, sorted", size->rows, size->entries, CGS_REAL_NUMBER);
}

static enum cgs_status accepts(struct cgs_queue *queue, const struct cgs_spgemm_size *size)
{
    if (size->rows > INT32_MAX)
        return cgs_fail(queue->context, CGS_USAGE,
                        "spgemm_smmp sorts by transposing, and numbers rows in 32 bits: at most "
                        "2147483647, not %lld; use another kernel",
                        (long long)size->rows);
    return CGS_OK;
}

/* ---- begin ---- */

static void count_products(const struct cgs_sparse *a, const struct cgs_sparse *b,
                           struct cgs_spgemm_size *size)
{
    size->products = size->longest = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t row = 0;
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++)
            row += b->pointers[a->column[e] + 1] - b->pointers[a->column[e]];
        size->products += row;
        size->longest = row > size->longest ? row : size->longest;
    }
    size->entries = size->products;
}

static enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                             const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    struct cgs_context *context = queue->context;
    struct work *work;
    CGS_TRY(cgs_alloc(context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = (struct work){.queue = queue, .a = a, .b = b};
    enum cgs_status status =
        cgs_alloc(context, b->columns, sizeof *work->next, "chain", (void **)&work->next);
    if (status == CGS_OK)
        status =
            cgs_alloc(context, b->columns, sizeof *work->sum, "dense row", (void **)&work->sum);
    if (status != CGS_OK) {
        release(work);
        return status;
    }
    for (int64_t j = 0; j < b->columns; j++)
        work->next[j] = FREE;
    memset(work->sum, 0, (size_t)b->columns * sizeof *work->sum);
    count_products(a, b, size);
    *out = work;
    return CGS_OK;
}

/* ---- count ---- */

static enum cgs_status add_block(struct work *work)
{
    struct cgs_context *context = work->queue->context;
    struct block *block;
    CGS_TRY(cgs_alloc(context, 1, sizeof *block, "columns as met", (void **)&block));
    *block = (struct block){.room = block_room(work->b->columns)};
    const enum cgs_status status = cgs_alloc(context, block->room, sizeof *block->column,
                                             "columns as met", (void **)&block->column);
    if (status != CGS_OK) {
        cgs_free(context, block);
        return status;
    }
    *(work->last ? &work->last->next : &work->first) = block;
    work->last = block;
    return CGS_OK;
}

/* Links the columns of a row; returns the last one. */
static int32_t chain_row(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t row,
                         int32_t *restrict next, int64_t *length)
{
    int32_t last = LAST;
    int64_t met = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        for (int64_t f = b->pointers[a->column[e]]; f < b->pointers[a->column[e] + 1]; f++) {
            const int32_t j = b->column[f];
            if (next[j] == FREE) {
                next[j] = last;
                last = j;
                met++;
            }
        }
    *length = met;
    return last;
}

static enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    struct work *work = self;
    int32_t *next = work->next;
    pointers[0] = 0;
    for (int64_t i = 0; i < work->a->rows; i++) {
        int64_t length;
        int32_t j = chain_row(work->a, work->b, i, next, &length);
        if (!work->last || work->last->used + length > work->last->room)
            CGS_TRY(add_block(work));
        int32_t *column = work->last->column + work->last->used;
        for (int64_t e = 0; e < length; e++) {
            const int32_t before = next[j];
            column[e] = j;
            next[j] = FREE;
            j = before;
        }
        work->last->used += length;
        pointers[i + 1] = pointers[i] + length;
    }
    *entries = pointers[work->a->rows];
    return CGS_OK;
}

/* ---- fill ---- */

static enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    struct work *work = self;
    const struct cgs_sparse *a = work->a, *b = work->b;
    const real *from_a = a->value, *from_b = b->value;
    real *restrict sum = work->sum, *number = c->value;
    int32_t *column = c->column;
    for (const struct block *block = work->first; block; block = block->next) {
        memcpy(column, block->column, (size_t)block->used * sizeof *column);
        column += block->used;
    }
    for (int64_t i = 0; i < c->rows; i++) {
        for (int64_t e = a->pointers[i]; e < a->pointers[i + 1]; e++) {
            const real factor = from_a[e];
            for (int64_t f = b->pointers[a->column[e]]; f < b->pointers[a->column[e] + 1]; f++)
                sum[b->column[f]] += factor * from_b[f];
        }
        for (int64_t e = c->pointers[i]; e < c->pointers[i + 1]; e++) {
            number[e] = sum[c->column[e]];
            sum[c->column[e]] = 0;
        }
    }
    return CGS_OK;
}

/* ---- sort ---- */

static enum cgs_status sort(void *self, struct cgs_sparse *c)
{
    const struct work *work = self;
    const struct cgs_sparse_ops *ops = &CGS_NAMED(cgs_cpu_sparse);
    struct cgs_sparse turned, back;
    CGS_TRY(ops->transpose(work->queue, c, &turned));
    const enum cgs_status status = ops->transpose(work->queue, &turned, &back);
    ops->release(work->queue, &turned);
    CGS_TRY(status);
    ops->release(work->queue, c);
    *c = back;
    return CGS_OK;
}

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cpu_spgemm_smmp) = {
    .reference = true,
    .reproducible = true,
    .accepts = accepts,
    .plan = plan,
    .begin = begin,
    .count = count,
    .fill = fill,
    .sort = sort,
    .release = release,
};
