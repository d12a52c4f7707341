/* Cuts a merge path. A share advances by at most `length` rows, so each start is searched for near
 * the previous one. */
#include "kernels/spmv/crs/merge_path.h"

#include "base/integers.h"
#include "base/memory.h"

void cgs_merge_free(struct cgs_context *context, struct cgs_merge *merge)
{
    cgs_free(context, merge->start);
    cgs_free(context, merge->split);
    *merge = (struct cgs_merge){0};
}

static void cut(const int64_t *pointers, int64_t rows, int64_t length, struct cgs_merge *merge)
{
    const int64_t whole = rows + pointers[rows];
    struct cgs_path_point at = {0, 0};
    merge->start[0] = at;
    for (int64_t k = 1; k <= merge->shares; k++) {
        const int64_t diagonal = cgs_least(k * length, whole);
        at.row = cgs_path_row(pointers, diagonal, at.row, cgs_least(at.row + length, rows));
        at.entry = diagonal - at.row;
        merge->start[k] = at;
        /* has the next row begun? */
        if (at.row == rows || at.entry == pointers[at.row])
            continue;
        if (merge->splits == 0 || merge->split[merge->splits - 1].row != at.row)
            merge->split[merge->splits++] = (struct cgs_split){at.row, k - 1};
    }
    merge->split[merge->splits] = (struct cgs_split){rows, merge->shares};
}

enum cgs_status cgs_merge_make(struct cgs_context *context, const int64_t *pointers, int64_t rows,
                               int64_t length, struct cgs_merge *merge)
{
    struct cgs_merge made = {.shares = cgs_merge_shares(rows, pointers[rows], length)};
    CGS_TRY(cgs_alloc(context, made.shares + 1, sizeof *made.start, "merge path",
                      (void **)&made.start));
    const enum cgs_status status = cgs_alloc(context, made.shares + 1, sizeof *made.split,
                                             "rows in parts", (void **)&made.split);
    if (status != CGS_OK) {
        cgs_merge_free(context, &made);
        return status;
    }
    cut(pointers, rows, length, &made);
    *merge = made;
    return CGS_OK;
}
