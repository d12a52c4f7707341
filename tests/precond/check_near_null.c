/* Near-null vectors (kernels/near_null.h): the matrix of nodes entry by entry, T with orthonormal
 * columns that reproduces the vectors, dependent ones and unconnected rows, and the very bits of
 * the CPU with any number of threads. */
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

/* On the device. */
struct made {
    struct cgs_sparse a, condensed, t;
    struct cgs_near_null near, coarse;
    struct cgs_aggregates aggregates;
    int64_t aggregated;
};

/* The same on the host. */
struct vectors {
    int64_t nodes, *first;
    double *vector;
};
struct fitted {
    struct cgs_crs condensed, t;
    struct vectors near, coarse;
    int64_t aggregates, aggregated;
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

static void release(struct made *m)
{
    const struct cgs_sparse_ops *sparse = bed.backend->sparse[CGS_F64];
    sparse->release(bed.queue, &m->a);
    sparse->release(bed.queue, &m->condensed);
    sparse->release(bed.queue, &m->t);
    ops_of()->release(bed.queue, &m->near);
    ops_of()->release(bed.queue, &m->coarse);
    if (m->aggregates.of)
        bed.backend->amg->release(bed.queue, &m->aggregates);
}

/* Makes all; on failure some of it. */
static enum cgs_status make(struct made *m, int count, const double *columns, int block)
{
    CGS_TRY(ops_of()->begin(bed.queue, &m->a, count, columns, block, &m->near));
    CGS_TRY(ops_of()->condense(bed.queue, &m->a, &m->near, &m->condensed));
    CGS_TRY(bed.backend->amg->aggregate(bed.queue, &m->condensed, 0.1, &m->aggregates));
    return ops_of()->fit(bed.queue, &m->aggregates, &m->near, &m->t, &m->coarse, &m->aggregated);
}

static void *fetch(const void *from, int64_t count, size_t size)
{
    const struct cgs_rows_ops *rows = bed.backend->rows;
    void *to = must_have((size_t)count * size);
    if (rows)
        must(rows->read(bed.queue, to, from, count * (int64_t)size));
    else
        memcpy(to, from, (size_t)count * size);
    return to;
}

static struct vectors fetch_vectors(const struct cgs_near_null *near)
{
    struct vectors v = {.nodes = near->nodes};
    v.first = fetch(near->first, near->nodes + 1, sizeof *v.first);
    v.vector = fetch(near->vector, v.first[v.nodes] * near->count, sizeof *v.vector);
    return v;
}

static void fit(struct fitted *f, const struct smmp *a, int count, int dependent, int block)
{
    double *columns = make_vectors(a->rows, count, dependent);
    struct made m = {.a = sparse_send(a, CGS_F64)};
    must(make(&m, count, columns, block));
    *f = (struct fitted){.condensed = sparse_fetch(&m.condensed, CGS_F64),
                         .t = sparse_fetch(&m.t, CGS_F64),
                         .near = fetch_vectors(&m.near),
                         .coarse = fetch_vectors(&m.coarse),
                         .aggregates = m.aggregates.count,
                         .aggregated = m.aggregated};
    release(&m);
    free(columns);
}

static void forget(struct fitted *f)
{
    cgs_crs_release(&bed.context, &f->condensed);
    cgs_crs_release(&bed.context, &f->t);
    free(f->near.first);
    free(f->near.vector);
    free(f->coarse.first);
    free(f->coarse.vector);
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
        const struct cgs_crs n = f.condensed;
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
        ck_assert_int_le(f.t.columns, count * f.aggregates);
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
    ck_assert_int_eq(f.t.columns, 2 * f.aggregates);
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

/* ---- the same bits ---- */

static void fit_on_cpu(struct fitted *f, const struct smmp *a, int count, int block, int threads)
{
    const struct bed here = bed;
    bed.backend = cgs_backend(CGS_CPU);
    bed.context.threads = threads;
    must(bed.backend->open(&bed.context, 0, &bed.queue));
    fit(f, a, count, 0, block);
    bed.backend->close(bed.queue);
    bed.context.threads = here.context.threads;
    bed.backend = here.backend;
    bed.queue = here.queue;
}

static void same_vectors(const struct vectors *one, const struct vectors *other, int count)
{
    ck_assert_int_eq(one->nodes, other->nodes);
    ck_assert_mem_eq(one->first, other->first, (size_t)(one->nodes + 1) * sizeof *one->first);
    ck_assert_mem_eq(one->vector, other->vector,
                     (size_t)(one->first[one->nodes] * count) * sizeof *one->vector);
}

/* Made by the device, the CPU, and any number of threads. */
LOOP_TEST(same_bits, CGS_NEAR_MOST)
{
    static const int threads[] = {1, 2, 7};
    const int count = _i + 1;
    struct smmp path = amg_path(3000), many = amg_matrix(2);
    for (int block = 1; block <= 3; block++) {
        const struct smmp *a = many.rows % block == 0 && block < 3 ? &many : &path;
        struct fitted one, other;
        fit(&one, a, count, 0, block);
        for (int t = 0; t < 3; t++) {
            fit_on_cpu(&other, a, count, block, threads[t]);
            crs_same_bits("matrix of nodes", &one.condensed, &other.condensed);
            crs_same_bits("T", &one.t, &other.t);
            same_vectors(&one.near, &other.near, count);
            same_vectors(&one.coarse, &other.coarse, count);
            ck_assert_int_eq(one.aggregated, other.aggregated);
            forget(&other);
        }
        forget(&one);
    }
    smmp_free(&many);
    smmp_free(&path);
}

/* ---- memory ---- */

/* With the nth allocation refused what came before is given back. */
TEST(memory_runs_out)
{
    struct smmp a = amg_path(300);
    double *columns = make_vectors(a.rows, 3, 0);
    int64_t nth = 1;
    for (enum cgs_status status = CGS_MEMORY; status != CGS_OK; nth++) {
        const int64_t held = bed.context.host_bytes;
        struct made m = {.a = sparse_send(&a, CGS_F64)};
        bed.context.starve_in[bed.backend->place] = nth;
        status = make(&m, 3, columns, 0);
        bed.context.starve_in[bed.backend->place] = 0;
        ck_assert(status == CGS_OK || status == CGS_MEMORY);
        if (status != CGS_OK)
            bed_forgive();
        release(&m);
        ck_assert_int_eq(bed.context.host_bytes, held);
    }
    ck_assert_int_gt(nth, 20);
    free(columns);
    smmp_free(&a);
}

int main(void)
{
    return bed_tests("near-null vectors: nodes, T, coarse vectors", 60);
}
