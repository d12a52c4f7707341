/* Near-null vectors (kernels/near_null.h): the matrix of nodes entry by entry, T with orthonormal
 * columns that reproduces the vectors, dependent ones and unconnected rows, and the same bits with
 * any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/amg.h"
#include "tests/support/amg.h"

static const struct cgs_near_null_ops *ops_of(void)
{
    return bed.backend->amg->near_null;
}

/* ---- a matrix with vectors, and what is made of it ---- */

struct fitted {
    struct cgs_sparse a, condensed, t;
    struct cgs_near_null near, coarse;
    struct cgs_aggregates aggregates;
    int64_t aggregated;
};

/* `count` vectors of random numbers, one after the other; the last `dependent` of them are sums of
 * the first two. */
static double *make_vectors(int64_t rows, int count, int dependent)
{
    double *v = must_have((size_t)(rows * count) * sizeof *v);
    for (int64_t i = 0; i < rows * count; i++)
        v[i] = i / rows >= count - dependent ? v[i % rows] + (double)(i / rows) * v[i % rows + rows]
                                             : 1.5 + cgs_random((uint64_t)i);
    return v;
}

static void fit(struct fitted *f, const struct smmp *a, int count, int dependent, int block)
{
    double *vectors = make_vectors(a->rows, count, dependent);
    f->a = sparse_send(a, CGS_F64);
    must(ops_of()->begin(bed.queue, &f->a, count, vectors, block, &f->near));
    free(vectors);
    must(ops_of()->condense(bed.queue, &f->a, &f->near, &f->condensed));
    must(bed.backend->amg->aggregate(bed.queue, &f->condensed, 0.1, &f->aggregates));
    must(ops_of()->fit(bed.queue, &f->aggregates, &f->near, &f->t, &f->coarse, &f->aggregated));
}

static void forget(struct fitted *f)
{
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    sparse->release(bed.queue, &f->a);
    sparse->release(bed.queue, &f->condensed);
    sparse->release(bed.queue, &f->t);
    ops_of()->release(bed.queue, &f->near);
    ops_of()->release(bed.queue, &f->coarse);
    bed.backend->amg->release(bed.queue, &f->aggregates);
}

/* ---- tests ---- */

/* Squares of the scaled entries of a block, in plain words. */
static double square_of(const struct smmp *a, int64_t i, int64_t j, int block, bool *any)
{
    double sum = 0.0;
    *any = false;
    for (int64_t row = i * block; row < (i + 1) * block; row++)
        for (int64_t e = a->start[row]; e < a->start[row + 1]; e++)
            if (a->column[e] / block == j) {
                *any = true;
                sum += a->value[e] * a->value[e] /
                       (amg_diagonal(a, row) * amg_diagonal(a, a->column[e]));
            }
    return sum;
}

TEST(matrix_of_nodes)
{
    struct smmp a = amg_path(60);
    for (int block = 1; block <= 6; block++) {
        struct fitted f;
        fit(&f, &a, 1, 0, block);
        struct cgs_crs n = sparse_fetch(&f.condensed, CGS_F64);
        ck_assert_int_eq(n.rows, a.rows / block);
        ck_assert_int_eq(f.near.nodes, n.rows);
        for (int64_t i = 0; i < n.rows; i++) {
            int64_t e = n.pointers[i];
            for (int64_t j = 0; j < n.rows; j++) {
                bool any;
                const double square = square_of(&a, i, j, block, &any);
                if (!any)
                    continue;
                ck_assert_int_eq(n.column[e], j);
                ck_assert_double_eq_tol(n.value[e] * n.value[e], square, 1e-14 * square);
                e++;
            }
            ck_assert_int_eq(e, n.pointers[i + 1]);
        }
        cgs_crs_release(&bed.context, &n);
        forget(&f);
    }
    smmp_free(&a);
}

/* Each row of T (coarse vectors) is the vectors' row, and T'T = I. */
static void check_t(const struct fitted *f, int count)
{
    const double *number = f->t.value;
    const int64_t columns = f->t.columns;
    double *norm = must_have((size_t)(columns * CGS_NEAR_MOST) * sizeof *norm);
    memset(norm, 0, (size_t)(columns * CGS_NEAR_MOST) * sizeof *norm);
    int64_t filled = 0;
    ck_assert_int_eq(f->coarse.first[f->coarse.nodes], columns);
    for (int64_t i = 0; i < f->t.rows; i++) {
        const int64_t first = f->t.pointers[i], last = f->t.pointers[i + 1];
        filled += last > first;
        for (int k = 0; k < count && last > first; k++) {
            double sum = 0.0;
            for (int64_t e = first; e < last; e++)
                sum += number[e] * f->coarse.vector[(int64_t)f->t.column[e] * count + k];
            ck_assert_double_eq_tol(sum, f->near.vector[i * count + k], 1e-13);
        }
        for (int64_t e = first; e < last; e++)
            for (int64_t g = first; g < last; g++)
                norm[f->t.column[e] * CGS_NEAR_MOST + (g - first)] += number[e] * number[g];
    }
    ck_assert_int_eq(filled, f->aggregated);
    for (int64_t i = 0; i < f->coarse.nodes; i++)
        for (int64_t j = f->coarse.first[i]; j < f->coarse.first[i + 1]; j++)
            for (int64_t k = 0; k < f->coarse.first[i + 1] - f->coarse.first[i]; k++)
                ck_assert_double_eq_tol(norm[j * CGS_NEAR_MOST + k],
                                        j == f->coarse.first[i] + k ? 1.0 : 0.0, 1e-13);
    free(norm);
}

LOOP_TEST(tentative, CGS_NEAR_MOST)
{
    const int count = _i + 1;
    struct smmp a = amg_path(360);
    for (int block = 1; block <= 3; block++) {
        struct fitted f;
        fit(&f, &a, count, 0, block);
        check_t(&f, count);
        ck_assert_int_eq(f.aggregated, a.rows);
        ck_assert_int_le(f.t.columns, count * f.aggregates.count);
        forget(&f);
    }
    smmp_free(&a);
}

/* Vectors that depend on others have no columns. */
TEST(dependent_vectors)
{
    struct smmp a = amg_path(360);
    struct fitted f;
    fit(&f, &a, 5, 3, 3);
    check_t(&f, 5);
    ck_assert_int_eq(f.t.columns, 2 * f.aggregates.count);
    forget(&f);
    smmp_free(&a);
}

/* Rows with a diagonal entry alone take no part. */
TEST(unconnected_rows)
{
    struct smmp a = amg_path(90);
    for (int64_t e = a.start[44]; e < a.start[47]; e++) /* row 45 without its neighbours */
        if ((a.column[e] == 45) != (e >= a.start[45] && e < a.start[46]))
            a.value[e] = 0.0;
    struct fitted f;
    fit(&f, &a, 2, 0, 3);
    check_t(&f, 2);
    for (int k = 0; k < 2; k++)
        ck_assert(f.near.vector[2 * 45 + k] == 0.0 && f.near.vector[2 * 46 + k] != 0.0);
    const double *number = f.t.value;
    for (int64_t e = f.t.pointers[45]; e < f.t.pointers[46]; e++)
        ck_assert(number[e] == 0.0);
    forget(&f);
    smmp_free(&a);
}

/* Nodes are found where all their rows have entries in the same nodes. */
TEST(blocks_of_the_pattern)
{
    static const int blocks[] = {1, 2, 3};
    for (int b = 0; b < 3; b++) {
        struct smmp path = amg_path(20), a = {0};
        const int block = blocks[b];
        a.rows = a.columns = path.rows * block;
        a.start = must_have((size_t)(a.rows + 1) * sizeof *a.start);
        a.column = must_have((size_t)(path.start[path.rows] * block * block) * sizeof *a.column);
        a.value = must_have((size_t)(path.start[path.rows] * block * block) * sizeof *a.value);
        int64_t at = 0;
        for (int64_t row = 0; row < a.rows; row++) {
            a.start[row] = at;
            for (int64_t e = path.start[row / block]; e < path.start[row / block + 1]; e++)
                for (int k = 0; k < block; k++) {
                    a.column[at] = path.column[e] * block + k;
                    a.value[at++] = path.value[e] * (k == row % block ? 1.0 : 0.1);
                }
        }
        a.start[a.rows] = at;
        struct fitted f;
        fit(&f, &a, 1, 0, 0);
        ck_assert_int_eq(f.near.nodes, path.rows);
        forget(&f);
        smmp_free(&a);
        smmp_free(&path);
    }
}

TEST(any_number_of_threads)
{
    struct smmp a = amg_path(3000);
    const int usual = bed.context.threads;
    struct fitted one, other;
    bed.context.threads = 1;
    fit(&one, &a, 6, 0, 3);
    bed.context.threads = 7;
    fit(&other, &a, 6, 0, 3);
    bed.context.threads = usual;
    struct cgs_crs t[2] = {sparse_fetch(&one.t, CGS_F64), sparse_fetch(&other.t, CGS_F64)};
    crs_same_bits("T", &t[0], &t[1]);
    ck_assert_int_eq(one.coarse.nodes, other.coarse.nodes);
    ck_assert_mem_eq(one.coarse.vector, other.coarse.vector,
                     (size_t)(one.t.columns * 6) * sizeof(double));
    for (int i = 0; i < 2; i++)
        cgs_crs_release(&bed.context, &t[i]);
    forget(&one);
    forget(&other);
    smmp_free(&a);
}

/* With the nth allocation refused what came before is given back. */
TEST(memory_runs_out)
{
    struct smmp a = amg_path(300);
    struct fitted f;
    fit(&f, &a, 3, 0, 3);
    double *vectors = make_vectors(a.rows, 3, 0);
    const int64_t held = bed.context.host_bytes;
    int64_t nth = 1;
    for (enum cgs_status status = CGS_MEMORY; status != CGS_OK; nth++) {
        struct cgs_near_null near = {0}, coarse = {0};
        struct cgs_sparse condensed = {0}, t = {0};
        int64_t aggregated;
        bed.context.starve_in[bed.backend->place] = nth;
        status = ops_of()->begin(bed.queue, &f.a, 3, vectors, 3, &near);
        if (status == CGS_OK)
            status = ops_of()->condense(bed.queue, &f.a, &near, &condensed);
        if (status == CGS_OK)
            status = ops_of()->fit(bed.queue, &f.aggregates, &near, &t, &coarse, &aggregated);
        bed.context.starve_in[bed.backend->place] = 0;
        ops_of()->release(bed.queue, &near);
        ops_of()->release(bed.queue, &coarse);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &condensed);
        bed.backend->sparse[CGS_F64]->release(bed.queue, &t);
        ck_assert_int_eq(bed.context.host_bytes, held);
        if (status == CGS_OK)
            break;
        ck_assert_int_eq(status, CGS_MEMORY);
        bed_forgive();
    }
    ck_assert_int_gt(nth, 12);
    free(vectors);
    forget(&f);
    smmp_free(&a);
}

int main(void)
{
    return bed_tests("near-null vectors: nodes, T, coarse vectors", 60);
}
