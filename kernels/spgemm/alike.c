/* Finds rows of products that are a shift of the previous row. */
#include "kernels/spgemm/alike.h"

#include "base/memory.h"
#include "base/vectorise.h"

static const char what[] = "rows alike";

void cgs_alike_plan(struct cgs_plan *plan, int64_t rows, int64_t inner)
{
    cgs_plan_add(plan, CGS_HOST, what, rows, sizeof(uint8_t));
    cgs_plan_add(plan, CGS_HOST, what, inner, sizeof(uint8_t));
}

/* Returns true if the columns of row i are those of row i - 1 plus 1. */
CGS_PIECE bool follows(const struct cgs_sparse *m, int64_t i)
{
    const int64_t first = m->pointers[i], length = m->pointers[i + 1] - first;
    const int32_t *column = m->column + first;
    int32_t other = length == 0 || length != first - m->pointers[i - 1];
    if (other)
        return false;
    for (int64_t e = 0; e < length; e++)
        other |= column[e] ^ (column[e - length] + 1);
    return other == 0;
}

CGS_CLONES static int64_t find_following(const struct cgs_sparse *m, int64_t begin, int64_t end,
                                         uint8_t *following)
{
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        following[i] = i > 0 && follows(m, i);
        count += following[i];
    }
    return count;
}

CGS_CLONES static int64_t find_alike(const struct cgs_sparse *a, const uint8_t *following,
                                     int64_t begin, int64_t end, uint8_t *alike)
{
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        int like = i > 0 && follows(a, i);
        for (int64_t e = a->pointers[i]; like && e < a->pointers[i + 1]; e++)
            like = following[a->column[e]];
        alike[i] = (uint8_t)like;
        count += like;
    }
    return count;
}

/* Rows of a thread's step. */
enum { STEP = 4096 };

/* Runs find_following on m = B if `following` is NULL, else find_alike on m = A. Returns the number
 * found. */
static int64_t find(int threads, const struct cgs_sparse *m, const uint8_t *following,
                    uint8_t *found)
{
    int64_t count = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : count)
    for (int64_t begin = 0; begin < m->rows; begin += STEP) {
        const int64_t end = begin + STEP < m->rows ? begin + STEP : m->rows;
        count += following ? find_alike(m, following, begin, end, found)
                           : find_following(m, begin, end, found);
    }
    return count;
}

enum cgs_status cgs_alike_create(struct cgs_context *context, int threads,
                                 const struct cgs_sparse *a, const struct cgs_sparse *b,
                                 uint8_t **alike)
{
    uint8_t *following, *found = NULL;
    enum cgs_status status = CGS_OK;
    CGS_TRY(cgs_alloc(context, b->rows, sizeof *following, what, (void **)&following));
    if (2 * find(threads, b, NULL, following) > b->rows)
        status = cgs_alloc(context, a->rows, sizeof *found, what, (void **)&found);
    if (found && 2 * find(threads, a, following, found) <= a->rows) {
        cgs_free(context, found);
        found = NULL;
    }
    cgs_free(context, following);
    *alike = found;
    return status;
}
