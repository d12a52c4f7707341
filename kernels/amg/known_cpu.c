/* Grids of algebraic multigrid of new numbers in known patterns, on the CPU
 * (kernels/amg/known.h). */
#include "kernels/amg/known.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vectorise.h"
#include "kernels/amg.h"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cpu.h"

/* Places of entries of A that add nothing to P: a weak one, and a strong one without aggregate. */
enum { WEAK = UINT16_MAX, NOWHERE = WEAK - 1 };

/* Rows that a thread takes at once. */
enum { ROWS = 256 };

static const char what[] = "places of entries";

/* ---- what is kept ---- */

static void release(struct cgs_queue *queue, struct cgs_amg_known *known)
{
    struct cgs_context *context = queue->context;
    cgs_spgemm_known_release(context, &known->by_r);
    cgs_spgemm_known_release(context, &known->by_p);
    cgs_free(context, known->turned);
    cgs_free(context, known->diagonal);
    cgs_free(context, known->place);
    cgs_free(context, known->products);
    cgs_cpu_sparse_f64.release(queue, &known->coarse);
    cgs_cpu_sparse_f64.release(queue, &known->r);
    cgs_cpu_sparse_f64.release(queue, &known->p);
    *known = (struct cgs_amg_known){0};
}

static bool few(struct cgs_queue *queue, const struct cgs_sparse *a, const struct cgs_sparse *b,
                int64_t entries)
{
    return cgs_spgemm_known_products(a, b, queue->context->threads) <=
           entries * CGS_AMG_KNOWN_PRODUCTS;
}

static bool fits(struct cgs_queue *queue, const struct cgs_sparse *a, const struct cgs_sparse *p)
{
    return few(queue, a, p, a->nonzeros);
}

/* Returns the place of a column in a row of P, which has it. */
static uint16_t place_of(const struct cgs_sparse *p, int64_t row, int32_t column)
{
    int64_t low = p->pointers[row], high = p->pointers[row + 1];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (p->column[middle] > column)
            high = middle;
        else
            low = middle;
    }
    return (uint16_t)(low - p->pointers[row]);
}

/* Lists the places of a row of A. */
static void list_row(const struct cgs_amg_strong *strong, const int32_t *of,
                     const struct cgs_sparse *p, int64_t i, const struct cgs_amg_known *known)
{
    const struct cgs_sparse *a = strong->a;
    const int64_t begin = a->pointers[i], diagonal = cgs_amg_diagonal(a, i, i);
    const uint64_t *word = strong->bits + cgs_amg_strong_word(a, i);
    uint16_t *place = known->place + (begin - a->pointers[0]);
    known->diagonal[i] = (int32_t)diagonal;
    for (int64_t e = 0; e < a->pointers[i + 1] - begin; e++) {
        const int32_t aggregate = of[a->column[begin + e]];
        if (e != diagonal && !cgs_amg_strong_bit(word, e))
            place[e] = WEAK;
        else
            place[e] = aggregate < 0 ? NOWHERE : place_of(p, i, aggregate);
    }
}

/* Lists where P's entries are in R: row by row, as R has them. */
static enum cgs_status list_turned(struct cgs_context *context, const struct cgs_sparse *p,
                                   const struct cgs_sparse *r, int32_t *turned)
{
    int64_t *next;
    CGS_TRY(cgs_alloc(context, r->rows, sizeof *next, what, (void **)&next));
    memcpy(next, r->pointers, (size_t)r->rows * sizeof *next);
    for (int64_t e = 0; e < p->nonzeros; e++)
        turned[e] = (int32_t)next[p->column[e]]++;
    cgs_free(context, next);
    return CGS_OK;
}

static enum cgs_status list_places(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   const struct cgs_aggregates *aggregates, double theta,
                                   const struct cgs_sparse *p, const struct cgs_sparse *r,
                                   struct cgs_amg_known *known)
{
    struct cgs_context *context = queue->context;
    struct cgs_amg_strong strong;
    CGS_TRY(cgs_alloc(context, a->nonzeros, sizeof *known->place, what, (void **)&known->place));
    CGS_TRY(cgs_alloc(context, a->rows, sizeof *known->diagonal, what, (void **)&known->diagonal));
    CGS_TRY(cgs_alloc(context, p->nonzeros, sizeof *known->turned, what, (void **)&known->turned));
    CGS_TRY(list_turned(context, p, r, known->turned));
    CGS_TRY(cgs_amg_cpu_strong_of(queue, a, NULL, theta, &strong));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i < a->rows; i++)
        list_row(&strong, aggregates->of, p, i, known);
    cgs_amg_cpu_strong_release(context, &strong);
    return CGS_OK;
}

/* Lists the places of products, and keeps the rows of A P. */
static enum cgs_status list_products(struct cgs_context *context, const struct cgs_sparse *a,
                                     const struct cgs_sparse *product, const struct cgs_sparse *p,
                                     const struct cgs_sparse *r, const struct cgs_sparse *coarse,
                                     struct cgs_amg_known *known)
{
    CGS_TRY(
        cgs_alloc(context, a->rows + 1, sizeof *known->products, what, (void **)&known->products));
    memcpy(known->products, product->pointers, (size_t)(a->rows + 1) * sizeof *known->products);
    CGS_TRY(cgs_spgemm_known_create(context, a, p, product, &known->by_p));
    return cgs_spgemm_known_create(context, r, product, coarse, &known->by_r);
}

/* Takes the pattern of m, which borrows it from then on. */
static struct cgs_sparse take(struct cgs_sparse *m)
{
    struct cgs_sparse pattern = *m;
    pattern.value = NULL;
    m->lent = true;
    return pattern;
}

static enum cgs_status create(struct cgs_queue *queue, const struct cgs_sparse *a,
                              const struct cgs_aggregates *aggregates, double theta,
                              const struct cgs_sparse *product, struct cgs_sparse *p,
                              struct cgs_sparse *r, struct cgs_sparse *coarse,
                              struct cgs_amg_known *known)
{
    struct cgs_amg_known made = {0};
    *known = made;
    if (p->nonzeros > INT32_MAX || !few(queue, r, product, a->nonzeros))
        return CGS_OK;
    enum cgs_status status = list_places(queue, a, aggregates, theta, p, r, &made);
    if (status == CGS_OK)
        status = list_products(queue->context, a, product, p, r, coarse, &made);
    if (status != CGS_OK || !made.by_p.step || !made.by_r.step) {
        release(queue, &made);
        return status;
    }
    made.p = take(p);
    made.r = take(r);
    made.coarse = take(coarse);
    *known = made;
    return CGS_OK;
}

/* ---- new numbers ---- */

/* Rows of P of new numbers. */
struct renewal {
    const struct cgs_amg_known *known;
    const struct cgs_sparse *a;
    double omega;
    const struct cgs_sparse *p, *r;
};

/* Entries of a row of A. */
struct entries {
    const double *number;
    const uint16_t *place;
    int64_t length, diagonal;
};

/* Returns -omega / d_i, d_i: the diagonal entry of A_F in this row. */
CGS_PIECE double factor_of(const struct entries *row, double omega)
{
    double weak = 0.0, largest = 0.0;
    for (int64_t e = 0; e < row->length; e++) {
        const double number = row->number[e];
        if (row->place[e] == WEAK)
            weak += number;
        else if (e != row->diagonal)
            largest = fabs(number) > largest ? fabs(number) : largest;
    }
    return -(omega / cgs_amg_filtered(row->number[row->diagonal], weak, largest));
}

/* Adds entries first ... last - 1 to the row of P. */
CGS_PIECE void add(const struct entries *row, int64_t first, int64_t last, double factor,
                   double *restrict sum)
{
    for (int64_t e = first; e < last; e++)
        if (row->place[e] < NOWHERE)
            sum[row->place[e]] += factor * row->number[e];
}

/* Makes rows first ... last - 1. Returns the first whose diagonal entry is not positive; all rows:
 * none. */
CGS_CLONES static int64_t make_rows(const struct renewal *renewal, int64_t first, int64_t last)
{
    const struct cgs_amg_known *known = renewal->known;
    const struct cgs_sparse *a = renewal->a, *p = renewal->p;
    double *restrict turned = renewal->r->value;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = a->pointers[i], to = p->pointers[i],
                      entries = p->pointers[i + 1] - to;
        const struct entries row = {(const double *)a->value + begin,
                                    known->place + (begin - a->pointers[0]),
                                    a->pointers[i + 1] - begin, known->diagonal[i]};
        double *restrict sum = (double *)p->value + to;
        if (!(row.number[row.diagonal] > 0.0))
            return i;
        const double factor = factor_of(&row, renewal->omega);
        for (int64_t q = 0; q < entries; q++)
            sum[q] = -0.0; /* to which numbers add without a change */
        add(&row, 0, row.diagonal, factor, sum);
        if (row.place[row.diagonal] < NOWHERE)
            sum[row.place[row.diagonal]] += 1.0 - renewal->omega;
        add(&row, row.diagonal + 1, row.length, factor, sum);
        for (int64_t q = 0; q < entries; q++)
            turned[known->turned[to + q]] = sum[q];
    }
    return a->rows;
}

/* Makes the matrix of a known pattern, contents undefined. */
static enum cgs_status borrow(struct cgs_context *context, const struct cgs_sparse *pattern,
                              struct cgs_sparse *m)
{
    *m = *pattern;
    m->lent = true;
    return cgs_alloc(context, m->nonzeros, sizeof(double), "matrix", &m->value);
}

static enum cgs_status transfers(struct cgs_queue *queue, const struct cgs_amg_known *known,
                                 const struct cgs_sparse *a, double omega, struct cgs_sparse *p,
                                 struct cgs_sparse *r)
{
    const struct renewal renewal = {known, a, omega, p, r};
    int64_t bad = a->rows;
    CGS_TRY(borrow(queue->context, &known->p, p));
    enum cgs_status status = borrow(queue->context, &known->r, r);
    if (status == CGS_OK) {
#pragma omp parallel for schedule(static) num_threads(queue->context->threads) reduction(min : bad)
        for (int64_t first = 0; first < a->rows; first += ROWS) {
            const int64_t last = first + ROWS < a->rows ? first + ROWS : a->rows;
            const int64_t found = make_rows(&renewal, first, last);
            bad = found < bad ? found : bad;
        }
        if (bad < a->rows)
            status = cgs_amg_not_positive(queue->context, bad);
    }
    if (status != CGS_OK) {
        cgs_cpu_sparse_f64.release(queue, p);
        cgs_cpu_sparse_f64.release(queue, r);
    }
    return status;
}

static enum cgs_status make_coarse(struct cgs_queue *queue, const struct cgs_amg_known *known,
                                   const struct cgs_sparse *a, const struct cgs_sparse *p,
                                   const struct cgs_sparse *r, struct cgs_sparse *coarse)
{
    struct cgs_context *context = queue->context;
    const struct cgs_sparse product = {.rows = a->rows,
                                       .columns = p->columns,
                                       .nonzeros = known->products[a->rows],
                                       .pointers = known->products,
                                       .lent = true};
    struct cgs_sparse middle;
    CGS_TRY(borrow(context, &product, &middle));
    const enum cgs_status status = borrow(context, &known->coarse, coarse);
    if (status == CGS_OK) {
        cgs_spgemm_known_multiply(&known->by_p, context->threads, a, p, &middle);
        cgs_spgemm_known_multiply(&known->by_r, context->threads, r, &middle, coarse);
    }
    cgs_cpu_sparse_f64.release(queue, &middle);
    return status;
}

const struct cgs_amg_known_ops cgs_amg_known_cpu = {
    .fits = fits,
    .create = create,
    .release = release,
    .transfers = transfers,
    .coarse = make_coarse,
};
