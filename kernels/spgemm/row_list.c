/* Lists the rows of C = A B that have products: first the rows of A with entries, without a branch
 * a row; then products are counted for these alone. */
#include "kernels/spgemm/row_list.h"

#include "base/memory.h"
#include "base/vectorise.h"

void cgs_row_list_plan(struct cgs_plan *plan, int64_t rows)
{
    cgs_plan_add(plan, CGS_HOST, "products of rows", rows, sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "products of rows", rows + 1, sizeof(int64_t));
}

void cgs_row_list_release(struct cgs_context *context, struct cgs_row_list *list)
{
    cgs_free(context, list->products);
    cgs_free(context, list->row);
}

CGS_CLONES static int64_t count_full(const struct cgs_sparse *a)
{
    int64_t full = 0;
    for (int64_t i = 0; i < a->rows; i++)
        full += a->pointers[i + 1] > a->pointers[i];
    return full;
}

CGS_CLONES static void list_full(const struct cgs_sparse *a, int64_t full, int32_t *row)
{
    for (int64_t i = 0, k = 0; k < full; i++) {
        row[k] = (int32_t)i;
        k += a->pointers[i + 1] > a->pointers[i];
    }
}

static int64_t row_products(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t row)
{
    int64_t products = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        products += b->pointers[a->column[e] + 1] - b->pointers[a->column[e]];
    return products;
}

/* products[k + 1] = products of listed row k. */
static void count_products(const struct cgs_sparse *a, const struct cgs_sparse *b, int threads,
                           struct cgs_row_list *list)
{
    int64_t *products = list->products, longest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : longest)
    for (int64_t k = 0; k < list->count; k++) {
        products[k + 1] = row_products(a, b, list->row[k]);
        longest = products[k + 1] > longest ? products[k + 1] : longest;
    }
    list->longest = longest;
}

/* Drops rows without products, and makes the prefix sum. */
static void close_list(struct cgs_row_list *list, int64_t columns)
{
    int64_t count = 0, all = 0;
    list->products[0] = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t products = list->products[k + 1];
        all += products;
        list->row[count] = list->row[k];
        list->products[count + 1] = all;
        list->entries += products < columns ? products : columns;
        count += products > 0;
    }
    list->count = count;
}

enum cgs_status cgs_row_list_create(struct cgs_context *context, const struct cgs_sparse *a,
                                    const struct cgs_sparse *b, int threads,
                                    struct cgs_row_list *list)
{
    const char *what = "products of rows";
    *list = (struct cgs_row_list){.count = count_full(a)};
    CGS_TRY(cgs_alloc(context, list->count, sizeof *list->row, what, (void **)&list->row));
    list_full(a, list->count, list->row);
    CGS_TRY(cgs_alloc(context, list->count + 1, sizeof *list->products, what,
                      (void **)&list->products));
    count_products(a, b, threads, list);
    close_list(list, b->columns);
    return CGS_OK;
}
