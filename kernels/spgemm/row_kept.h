/* Rows of C that are made before C has room: where all products together are few, count makes them
 * whole, in a buffer with a slot for each product, and fill copies them. The rows of a part stand one behind
 * the other, from the slot of its first product on:
 *
 *     part 0   | row 0 | row 1 | row 2 |       |  part 1   | row 3 | row 4 |    |
 */
#ifndef CGS_KERNELS_SPGEMM_ROW_KEPT_H
#define CGS_KERNELS_SPGEMM_ROW_KEPT_H

#include <string.h>

#include "base/memory.h"
#include "kernels/precision.h"
#include "kernels/spgemm/structure.h"

struct kept {
    int32_t *column; /* a slot for each product; NULL: nothing is kept */
    real *sum;
};

/* Products up to which rows are kept. */
enum { CGS_MOST_KEPT = 1 << 22 };

static inline void plan_kept(int64_t products, struct cgs_plan *plan)
{
    if (products <= CGS_MOST_KEPT)
        cgs_plan_add(plan, CGS_HOST, "rows of the product", products,
                     (int64_t)(sizeof(int32_t) + sizeof(real)));
}

static inline enum cgs_status make_kept(struct cgs_context *context, int64_t products,
                                        struct kept *kept)
{
    const char *what = "rows of the product";
    if (products > CGS_MOST_KEPT)
        return CGS_OK;
    CGS_TRY(cgs_alloc(context, products, sizeof *kept->column, what, (void **)&kept->column));
    return cgs_alloc(context, products, sizeof *kept->sum, what, (void **)&kept->sum);
}

static inline void release_kept(struct cgs_context *context, struct kept *kept)
{
    cgs_free(context, kept->sum);
    cgs_free(context, kept->column);
}

static inline void copy_part(const struct cgs_structure *s, const struct kept *kept,
                             const struct cgs_part *part, const struct cgs_sparse *c)
{
    const int64_t from = s->list.products[part->first], to = c->pointers[part->begin];
    const size_t entries = (size_t)(c->pointers[part->end] - to);
    memcpy(c->column + to, kept->column + from, entries * sizeof *c->column);
    memcpy((real *)c->value + to, kept->sum + from, entries * sizeof(real));
}

#endif
