/* Eigen's sparse product: C = A A sorts by transposing twice; the product before that is what its
 * conservative_sparse_sparse_product_impl leaves. One thread. */
#include <Eigen/SparseCore>
#include <new>

#include "bench/peers/spgemm.h"

using matrix = Eigen::SparseMatrix<float, Eigen::RowMajor, int64_t>;

static void end(void *self)
{
    delete static_cast<matrix *>(self);
}

static void *begin(const struct peer_matrix *m)
{
    matrix *a = new (std::nothrow) matrix(m->n, m->n);
    if (!a)
        return nullptr;
    a->resizeNonZeros(m->start[m->n]);
    for (int64_t i = 0; i <= m->n; i++)
        a->outerIndexPtr()[i] = m->start[i];
    for (int64_t e = 0; e < m->start[m->n]; e++) {
        a->innerIndexPtr()[e] = m->column[e];
        a->valuePtr()[e] = m->value[e];
    }
    return a;
}

static bool multiply(void *self, int, bool sorted, struct peer_product *product)
{
    const matrix &a = *static_cast<const matrix *>(self);
    const peer_seconds from = peer_now();
    try {
        matrix c(a.rows(), a.cols());
        if (sorted)
            c = a * a;
        else
            Eigen::internal::conservative_sparse_sparse_product_impl<matrix, matrix, matrix>(a, a,
                                                                                             c);
        *product = {peer_since(from), c.nonZeros(), 0.0};
        for (Eigen::Index e = 0; e < c.nonZeros(); e++)
            product->sum += static_cast<double>(c.valuePtr()[e]);
    } catch (const std::bad_alloc &) {
        return false;
    }
    return true;
}

const struct peer_multiplier peer_eigen = {"Eigen", false, begin, multiply, end};
