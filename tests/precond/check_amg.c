/* Aggregates, T, S, P and P'(A P) of algebraic multigrid (kernels/amg.h): against an aggregation in
 * plain words, row by row in the order of keys; facts; the very bits of the CPU with any number of
 * threads. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/spgemm/spgemm.h"
#include "tests/support/amg.h"

/* ---- what the device makes ---- */

static const double thetas[] = {0.0, 0.02, 0.1, 0.5, 2.0};
enum { THETAS = sizeof thetas / sizeof *thetas, CASES = AMG_KINDS * THETAS };

static const double omega = 0.6;

struct made {
    struct cgs_crs t, s;
};

static struct made make(const struct smmp *a, double theta)
{
    const struct cgs_amg_ops *ops = bed.backend->amg;
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    struct cgs_sparse sent = sparse_send(a, CGS_F64), t, s;
    struct cgs_aggregates aggregates;
    struct made made;
    must(ops->aggregate(bed.queue, &sent, theta, &aggregates));
    ck_assert_int_eq(aggregates.rows, a->rows);
    must(ops->tentative(bed.queue, &aggregates, &t));
    ck_assert_int_eq(t.columns, aggregates.count);
    must(ops->smoothing(bed.queue, &sent, theta, omega, &s));
    made.t = sparse_fetch(&t, CGS_F64);
    made.s = sparse_fetch(&s, CGS_F64);
    ops->release(bed.queue, &aggregates);
    sparse->release(bed.queue, &t);
    sparse->release(bed.queue, &s);
    sparse->release(bed.queue, &sent);
    return made;
}

static void unmake(struct made *made)
{
    cgs_crs_release(&bed.context, &made->t);
    cgs_crs_release(&bed.context, &made->s);
}

/* ---- aggregates ---- */

/* Counts the members of row's aggregate within distance 2 of it on ways inside the aggregate. */
static int64_t reached(const struct smmp *g, const int32_t *of, int64_t row, int64_t *mark)
{
    int64_t count = 1;
    mark[row] = row + 1;
    for (int64_t e = g->start[row]; e < g->start[row + 1]; e++) {
        const int32_t j = g->column[e];
        if (of[j] != of[row])
            continue;
        count += mark[j] != row + 1;
        mark[j] = row + 1;
        for (int64_t f = g->start[j]; f < g->start[j + 1]; f++) {
            const int32_t k = g->column[f];
            if (of[k] != of[row])
                continue;
            count += mark[k] != row + 1;
            mark[k] = row + 1;
        }
    }
    return count;
}

/* Rows with strong neighbours, and no others, have an aggregate; none is empty; each has a member
 * near all others. */
static void check_facts(const struct smmp *g, const int32_t *of, int64_t count)
{
    const int64_t n = g->rows;
    int64_t *size = must_have((size_t)(count + 1) * sizeof *size);
    int64_t *mark = must_have((size_t)(n + 1) * sizeof *mark);
    bool *round = must_have((size_t)(count + 1) * sizeof *round);
    for (int64_t i = 0; i < n; i++) {
        ck_assert(of[i] >= -1 && of[i] < count);
        ck_assert((of[i] < 0) == (g->start[i] == g->start[i + 1]));
        if (of[i] >= 0)
            size[of[i]]++;
    }
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0 && !round[of[i]])
            round[of[i]] = reached(g, of, i, mark) == size[of[i]];
    for (int64_t k = 0; k < count; k++)
        ck_assert(size[k] >= 2 && round[k]);
    free(round);
    free(mark);
    free(size);
}

LOOP_TEST(aggregates_in_plain_words, CASES)
{
    const int kind = _i / THETAS;
    const double theta = thetas[_i % THETAS];
    struct smmp a = amg_matrix(kind), g = amg_graph(&a, theta);
    struct made made = make(&a, theta);
    int32_t *right = must_have((size_t)(a.rows + 1) * sizeof *right);
    int32_t *of = must_have((size_t)(a.rows + 1) * sizeof *of);
    ck_assert_int_eq(made.t.columns, amg_aggregates(&g, right));
    for (int64_t i = 0; i < a.rows; i++) {
        const int64_t e = made.t.pointers[i], entries = made.t.pointers[i + 1] - e;
        ck_assert(entries == 0 || (entries == 1 && made.t.value[e] == 1.0));
        of[i] = entries ? made.t.column[e] : -1;
        if (of[i] != right[i])
            ck_abort_msg("%s, theta %g: row %lld belongs to %d, should to %d", amg_name(kind),
                         theta, (long long)i, of[i], right[i]);
    }
    check_facts(&g, of, made.t.columns);
    free(of);
    free(right);
    unmake(&made);
    smmp_free(&g);
    smmp_free(&a);
}

/* ---- S ---- */

/* Returns the diagonal of A_F in row i, and the sum of all magnitudes that went into it. */
static double filtered(const struct smmp *a, const double *roots, double theta, int64_t i,
                       double *size)
{
    long double sum = 0.0L;
    double largest = 0.0;
    *size = 0.0;
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
        if (amg_strong(a, roots, theta, i, e)) {
            largest = fmax(largest, fabs(a->value[e]));
        } else {
            sum += a->value[e];
            *size += fabs(a->value[e]);
        }
    }
    if (largest == 0.0) /* nothing to divide by it */
        return amg_diagonal(a, i);
    if (fabsl(sum - 0.5L * largest) <= 1e-12L * *size)
        ck_abort_msg("row %lld is undecided: choose other numbers", (long long)i);
    return sum > 0.5L * largest ? (double)sum : amg_diagonal(a, i);
}

LOOP_TEST(smoothings, CASES)
{
    const double theta = thetas[_i % THETAS];
    struct smmp a = amg_matrix(_i / THETAS);
    struct made made = make(&a, theta);
    const struct cgs_crs *s = &made.s;
    double *roots = must_have((size_t)(a.rows + 1) * sizeof *roots);
    for (int64_t i = 0; i < a.rows; i++)
        roots[i] = sqrt(amg_diagonal(&a, i));
    for (int64_t i = 0; i < a.rows; i++) {
        int64_t at = s->pointers[i];
        double size;
        const double d = filtered(&a, roots, theta, i, &size);
        const double tolerance = (double)(a.start[i + 1] - a.start[i] + 4) * DBL_EPSILON * size / d;
        for (int64_t e = a.start[i]; e < a.start[i + 1]; e++) {
            if (a.column[e] != i && !amg_strong(&a, roots, theta, i, e))
                continue;
            const double right = a.column[e] == i ? 1.0 - omega : -omega * a.value[e] / d;
            ck_assert(at < s->pointers[i + 1] && s->column[at] == a.column[e]);
            ck_assert(fabs(s->value[at] - right) <= tolerance * fabs(right));
            at++;
        }
        ck_assert(at == s->pointers[i + 1]);
    }
    free(roots);
    unmake(&made);
    smmp_free(&a);
}

/* Rows of A that add up to 0 leave constants as they are. */
LOOP_TEST(constants_stay, THETAS)
{
    const double theta = thetas[_i];
    struct smmp a = amg_matrix(AMG_Q1);
    struct made made = make(&a, theta);
    int64_t inside = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        double sum = 0.0, size = 0.0;
        if (a.start[i + 1] - a.start[i] < 27 ||
            made.s.pointers[i + 1] - made.s.pointers[i] == 1) /* alone */
            continue;
        inside++;
        for (int64_t e = made.s.pointers[i]; e < made.s.pointers[i + 1]; e++) {
            sum += made.s.value[e];
            size += fabs(made.s.value[e]);
        }
        ck_assert(fabs(sum - 1.0) <= 64.0 * DBL_EPSILON * size);
    }
    ck_assert_int_eq(inside,
                     theta < 0.05 ? (AMG_Q1_SIDE - 2) * (AMG_Q1_SIDE - 2) * (AMG_Q1_SIDE - 2) : 0);
    unmake(&made);
    smmp_free(&a);
}

/* ---- the same bits ---- */

static struct made make_on_cpu(const struct smmp *a, double theta, int threads)
{
    const struct bed here = bed;
    bed.backend = cgs_backend(CGS_CPU);
    bed.context.threads = threads;
    must(bed.backend->open(&bed.context, 0, &bed.queue));
    const struct made made = make(a, theta);
    bed.backend->close(bed.queue);
    bed.context.threads = here.context.threads;
    bed.backend = here.backend;
    bed.queue = here.queue;
    return made;
}

LOOP_TEST(same_bits, AMG_KINDS)
{
    static const int threads[] = {1, 2, 7};
    struct smmp a = amg_matrix(_i);
    struct made made = make(&a, 0.02);
    for (int t = 0; t < 3; t++) {
        struct made other = make_on_cpu(&a, 0.02, threads[t]);
        crs_same_bits(amg_name(_i), &made.t, &other.t);
        crs_same_bits(amg_name(_i), &made.s, &other.s);
        unmake(&other);
    }
    unmake(&made);
    smmp_free(&a);
}

/* ---- P ---- */

/* Returns S T, whose T has one entry 1 in a row at most: sums in the order of S's rows. */
static struct cgs_crs product(const struct made *made)
{
    const int64_t rows = made->s.rows, columns = made->t.columns;
    double *dense = must_have((size_t)(columns + 1) * sizeof *dense);
    bool *met = must_have((size_t)(columns + 1) * sizeof *met);
    struct cgs_crs p;
    int64_t count = 0;
    must(cgs_crs_alloc(&bed.context, rows, columns, made->s.pointers[rows], &p));
    p.pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t e = made->s.pointers[i]; e < made->s.pointers[i + 1]; e++) {
            const int64_t j = made->s.column[e], f = made->t.pointers[j];
            if (f == made->t.pointers[j + 1])
                continue;
            dense[made->t.column[f]] += made->s.value[e];
            met[made->t.column[f]] = true;
        }
        for (int64_t k = 0; k < columns; k++) {
            if (!met[k])
                continue;
            p.column[count] = (int32_t)k;
            p.value[count++] = dense[k];
            dense[k] = 0.0;
            met[k] = false;
        }
        p.pointers[i + 1] = count;
    }
    free(met);
    free(dense);
    return p;
}

enum { FEWEST_PLACES = 16 }; /* of a group of 4 lanes (prolong.cuh) */

/* Entries of the longest row. */
static int64_t longest_of(const struct cgs_crs *m)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        if (m->pointers[i + 1] - m->pointers[i] > longest)
            longest = m->pointers[i + 1] - m->pointers[i];
    return longest;
}

/* `prolong` makes the bits of S T with any number of threads; a device leaves P empty where a row
 * has more entries than a group of lanes has places. */
LOOP_TEST(prolongations, CASES)
{
    static const int threads[] = {1, 2, 7};
    const struct cgs_amg_ops *ops = bed.backend->amg;
    const double theta = thetas[_i % THETAS];
    struct smmp a = amg_matrix(_i / THETAS);
    struct made made = make(&a, theta);
    struct cgs_crs right = product(&made);
    const int usual = bed.context.threads;
    const bool places = bed.backend->place == CGS_DEVICE_MEMORY;
    for (int t = 0; t < 3; t++) {
        struct cgs_sparse sent = sparse_send(&a, CGS_F64), p;
        struct cgs_aggregates aggregates;
        int64_t aggregated;
        bed.context.threads = threads[t];
        must(ops->aggregate(bed.queue, &sent, theta, &aggregates));
        must(ops->prolong(bed.queue, &sent, &aggregates, theta, omega, &p, &aggregated));
        bed.context.threads = usual;
        ck_assert(p.pointers || (places && longest_of(&right) > FEWEST_PLACES));
        if (p.pointers) {
            struct cgs_crs got = sparse_fetch(&p, CGS_F64);
            ck_assert_int_eq(aggregated, made.t.pointers[made.t.rows]);
            crs_same_bits(amg_name(_i / THETAS), &got, &right);
            cgs_crs_release(&bed.context, &got);
            bed.backend->sparse[CGS_F64]->release(bed.queue, &p);
        }
        ops->release(bed.queue, &aggregates);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &sent);
    }
    cgs_crs_release(&bed.context, &right);
    unmake(&made);
    smmp_free(&a);
}

/* ---- P'(A P) ---- */

/* Returns r (a p) as `coarse` of the device makes it, or, if `general`, two products. Without rows:
 * `coarse` does not take the matrix. */
static struct cgs_crs coarse_of(const struct cgs_sparse *a, const struct cgs_sparse *p,
                                const struct cgs_sparse *r, bool general)
{
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    const struct cgs_spgemm_entry *entry;
    struct cgs_sparse ap, coarse;
    struct cgs_crs got = {0};
    if (general) {
        must(cgs_spgemm_find(&bed.context, "auto", CGS_CPU, &entry));
        const struct cgs_spgemm_kernel *kernel = entry->tables[CGS_F64];
        must(cgs_spgemm(bed.queue, bed.backend, kernel, CGS_F64, a, p, true, &ap, NULL));
        must(cgs_spgemm(bed.queue, bed.backend, kernel, CGS_F64, r, &ap, true, &coarse, NULL));
        sparse->release(bed.queue, &ap);
    } else {
        must(bed.backend->amg->coarse(bed.queue, a, false, p, r, &coarse));
        if (!coarse.pointers)
            return got;
        struct cgs_sparse sent;
        must(bed.backend->amg->coarse(bed.queue, a, true, p, r, &sent));
        struct cgs_crs known = sparse_fetch(&sent, CGS_F64);
        got = sparse_fetch(&coarse, CGS_F64);
        crs_same_bits("of a matrix known to be symmetric", &known, &got);
        cgs_crs_release(&bed.context, &known);
        cgs_crs_release(&bed.context, &got);
        sparse->release(bed.queue, &sent);
    }
    got = sparse_fetch(&coarse, CGS_F64);
    sparse->release(bed.queue, &coarse);
    return got;
}

/* Compares both ways with some numbers of threads. Returns how many of these `coarse` took. */
static int compare_coarse(const char *name, const struct smmp *a, double theta)
{
    static const int threads[] = {1, 2, 7};
    const struct cgs_amg_ops *ops = bed.backend->amg;
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    const int usual = bed.context.threads;
    struct cgs_sparse sent = sparse_send(a, CGS_F64), p, r;
    struct cgs_aggregates aggregates;
    int64_t aggregated;
    int taken = 0;
    must(ops->aggregate(bed.queue, &sent, theta, &aggregates));
    must(ops->prolong(bed.queue, &sent, &aggregates, theta, omega, &p, &aggregated));
    must(sparse->transpose(bed.queue, &p, &r));
    struct cgs_crs right = coarse_of(&sent, &p, &r, true);
    for (int t = 0; t < 3; t++) {
        bed.context.threads = threads[t];
        struct cgs_crs got = coarse_of(&sent, &p, &r, false);
        bed.context.threads = usual;
        if (!got.pointers)
            continue;
        crs_same_bits(name, &got, &right);
        cgs_crs_release(&bed.context, &got);
        taken++;
    }
    cgs_crs_release(&bed.context, &right);
    sparse->release(bed.queue, &p);
    sparse->release(bed.queue, &r);
    sparse->release(bed.queue, &sent);
    ops->release(bed.queue, &aggregates);
    return taken;
}

/* `coarse`, where the device has it, makes the bits of two products: of symmetric matrices whose
 * rows reach few others, with any number of threads. */
LOOP_TEST(coarse_matrices, CASES)
{
    const int kind = _i / THETAS;
    struct smmp a = amg_matrix(kind);
    if (bed.backend->amg->coarse) {
        const int taken = compare_coarse(amg_name(kind), &a, thetas[_i % THETAS]);
        ck_assert(kind < AMG_Q1 || taken == 3);
    }
    smmp_free(&a);
}

/* A matrix that differs from its transpose by one number, or one entry, is left to the products. */
TEST(coarse_matrices_not_symmetric)
{
    for (int wrong = 0; wrong < 3 && bed.backend->amg->coarse; wrong++) {
        struct smmp a = amg_path(3000);
        const int64_t e = a.start[200]; /* columns 199, 200, 201 */
        if (wrong == 1)
            a.value[e] = nextafter(a.value[e], 0.0);
        if (wrong == 2)
            a.column[e + 2] = 300;
        ck_assert_int_eq(compare_coarse("path", &a, 0.02), wrong ? 0 : 3);
        smmp_free(&a);
    }
}

/* ---- refusals ---- */

/* Row 23 of 40, entry 1 of 2 or 3, is the diagonal. */
TEST(diagonals_not_positive)
{
    static const double wrong[] = {0.0, -1.0, NAN};
    const struct cgs_amg_ops *ops = bed.backend->amg;
    for (int w = 0; w < 4; w++) {
        struct smmp a = amg_path(40);
        if (w < 3)
            a.value[a.start[23] + 1] = wrong[w];
        else /* none at all */
            a.column[a.start[23] + 1] = 22, a.column[a.start[23]] = 21;
        a.value[a.start[31] + 1] = -2.0;
        struct cgs_sparse sent = sparse_send(&a, CGS_F64), s = {.rows = -7};
        struct cgs_aggregates aggregates = {.rows = -7};
        ck_assert_int_eq(ops->aggregate(bed.queue, &sent, 0.1, &aggregates), CGS_BREAKDOWN);
        ck_assert_ptr_nonnull(strstr(bed.context.message, "row 24 "));
        bed_forgive();
        ck_assert_int_eq(ops->smoothing(bed.queue, &sent, 0.1, omega, &s), CGS_BREAKDOWN);
        ck_assert_ptr_nonnull(strstr(bed.context.message, "row 24 "));
        bed_forgive();
        ck_assert_int_eq(aggregates.rows, -7);
        ck_assert_int_eq(s.rows, -7);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &sent);
        smmp_free(&a);
    }
}

/* P'(A P) with an allocation refused. */
static enum cgs_status starve_coarse(const struct cgs_sparse *a, const struct cgs_sparse *p)
{
    const struct cgs_amg_ops *ops = bed.backend->amg;
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    struct cgs_sparse r, coarse;
    enum cgs_status status = CGS_OK;
    CGS_TRY(sparse->transpose(bed.queue, p, &r));
    if (ops->coarse) {
        status = ops->coarse(bed.queue, a, false, p, &r, &coarse);
        if (status == CGS_OK)
            sparse->release(bed.queue, &coarse);
    }
    sparse->release(bed.queue, &r);
    return status;
}

/* P and P'(A P) with an allocation refused; the aggregates are given back. */
static enum cgs_status starve_prolong(const struct cgs_sparse *a, struct cgs_aggregates *aggregates)
{
    const struct cgs_amg_ops *ops = bed.backend->amg;
    struct cgs_sparse p = {.rows = -7};
    int64_t aggregated = -7;
    enum cgs_status status = ops->prolong(bed.queue, a, aggregates, 0.1, omega, &p, &aggregated);
    ck_assert((status == CGS_OK) == (p.rows != -7) && (p.rows == -7) == (aggregated == -7));
    if (status == CGS_OK) {
        status = starve_coarse(a, &p);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &p);
    }
    ops->release(bed.queue, aggregates);
    return status;
}

/* All with the nth allocation of the place refused: what came before is given back. */
static enum cgs_status starve(const struct cgs_sparse *a, int64_t nth)
{
    const struct cgs_amg_ops *ops = bed.backend->amg;
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    struct cgs_aggregates aggregates = {.rows = -7};
    struct cgs_sparse t = {.rows = -7}, s = {.rows = -7};
    bed.context.starve_in[bed.backend->place] = nth;
    enum cgs_status status = ops->aggregate(bed.queue, a, 0.1, &aggregates);
    if (status != CGS_OK) {
        ck_assert_int_eq(aggregates.rows, -7);
        return status;
    }
    status = ops->tentative(bed.queue, &aggregates, &t);
    if (status == CGS_OK) {
        sparse->release(bed.queue, &t);
        status = starve_prolong(a, &aggregates);
    } else {
        ck_assert_int_eq(t.rows, -7);
        ops->release(bed.queue, &aggregates);
    }
    CGS_TRY(status);
    status = ops->smoothing(bed.queue, a, 0.1, omega, &s);
    if (status == CGS_OK)
        sparse->release(bed.queue, &s);
    else
        ck_assert_int_eq(s.rows, -7);
    return status;
}

/* ---- coarse rows of singular components ---- */

/* Entries of five rows of six columns; the largest diagonal entry of the finer grid is 4. */
static int64_t starts[] = {0, 1, 3, 5, 6, 7, 7};
static int32_t columns[] = {0, 1, 4, 0, 2, 3, 0};

LOOP_TEST(rows_of_singular_components_are_mended, CGS_NUMBERS)
{
    static const double inverses[] = {0.5, 0.0, 0.25, 1.0};
    /* 0 to rounding, the same beside a 0, with a neighbour, large enough, off the diagonal */
    double values[] = {-3e-13, 1e-13, 0.0, 1e-15, 1e-13, 5e-13, 1e-15};
    const double right[] = {4.0, 4.0, 0.0, 1e-15, 1e-13, 5e-13, 1e-15};
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    const struct cgs_layout layout = {.size = 4};
    const struct smmp a = {6, 6, starts, columns, values};
    struct cgs_sparse sent = sparse_send(&a, CGS_F64);
    struct cgs_space space;
    void *inverse;
    must(bed.backend->spaces[_i]->create(bed.queue, &layout, &space));
    must(space.ops->alloc(&space, "inverse", &inverse));
    must(space.ops->put(&space, inverses, 0, 4, inverse));
    must(bed.backend->amg->mend(&space, inverse, &(struct cgs_near_null){0}, &sent));
    struct cgs_crs made = sparse_fetch(&sent, CGS_F64);
    for (int e = 0; e < 7; e++)
        ck_assert(made.value[e] == right[e]);
    cgs_crs_release(&bed.context, &made);
    space.ops->free(&space, inverse);
    sparse->release(bed.queue, &sent);
}

TEST(memory_runs_out)
{
    struct smmp a = amg_path(3000);
    struct cgs_sparse sent = sparse_send(&a, CGS_F64);
    const int64_t held = bed.context.host_bytes;
    int64_t nth = 1;
    for (;; nth++) {
        const enum cgs_status status = starve(&sent, nth);
        bed.context.starve_in[bed.backend->place] = 0;
        ck_assert_int_eq(bed.context.host_bytes, held);
        if (status == CGS_OK)
            break;
        ck_assert_int_eq(status, CGS_MEMORY);
        bed_forgive();
    }
    ck_assert_int_gt(nth, 10);
    bed.backend->sparse[CGS_F64]->release(bed.queue, &sent);
    smmp_free(&a);
}

int main(void)
{
    return bed_tests("algebraic multigrid: aggregates, T, S, P", 120);
}
