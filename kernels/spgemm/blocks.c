/* The structure of a matrix in words of 64 columns. */
#include "kernels/spgemm/blocks.h"

#include "base/memory.h"

void cgs_blocks_plan(struct cgs_plan *plan, int64_t rows, int64_t entries)
{
    cgs_plan_add(plan, CGS_HOST, "columns in words", rows + 1, sizeof(int64_t));
    cgs_plan_add(plan, CGS_HOST, "columns in words", entries / CGS_BLOCKS_PAY,
                 sizeof(int32_t) + sizeof(uint64_t));
}

void cgs_blocks_release(struct cgs_context *context, struct cgs_blocks *blocks)
{
    cgs_free(context, blocks->start);
    cgs_free(context, blocks->word);
    cgs_free(context, blocks->mask);
    *blocks = (struct cgs_blocks){0};
}

/* start[i + 1] = words of row i, then prefix sums. Returns all words. */
static int64_t count_words(struct cgs_context *context, const struct cgs_sparse *m, int64_t *start)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t words = 0;
        int32_t last = -1;
        for (int64_t e = m->pointers[i]; e < m->pointers[i + 1]; e++) {
            words += m->column[e] >> 6 != last;
            last = m->column[e] >> 6;
        }
        start[i + 1] = words;
    }
    start[0] = 0;
    for (int64_t i = 0; i < m->rows; i++)
        start[i + 1] += start[i];
    return start[m->rows];
}

static void fill_words(struct cgs_context *context, const struct cgs_sparse *m,
                       const struct cgs_blocks *blocks)
{
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t at = blocks->start[i] - 1;
        int32_t last = -1;
        for (int64_t e = m->pointers[i]; e < m->pointers[i + 1]; e++) {
            const int32_t word = m->column[e] >> 6;
            const uint64_t bit = UINT64_C(1) << (m->column[e] & 63);
            at += word != last;
            blocks->mask[at] = word != last ? bit : blocks->mask[at] | bit;
            blocks->word[at] = last = word;
        }
    }
}

enum cgs_status cgs_blocks_create(struct cgs_context *context, const struct cgs_sparse *m,
                                  struct cgs_blocks *blocks)
{
    struct cgs_blocks made = {0};
    CGS_TRY(cgs_alloc(context, m->rows + 1, sizeof *made.start, "columns in words",
                      (void **)&made.start));
    const int64_t words = count_words(context, m, made.start);
    if (words > m->nonzeros / CGS_BLOCKS_PAY) {
        cgs_blocks_release(context, &made);
        *blocks = made;
        return CGS_OK;
    }
    enum cgs_status status =
        cgs_alloc(context, words, sizeof *made.word, "columns in words", (void **)&made.word);
    if (status == CGS_OK)
        status =
            cgs_alloc(context, words, sizeof *made.mask, "columns in words", (void **)&made.mask);
    if (status != CGS_OK) {
        cgs_blocks_release(context, &made);
        return status;
    }
    fill_words(context, m, &made);
    *blocks = made;
    return CGS_OK;
}
