/* cgsolve exercise: vcycle */
/* Jacobi, then a V-cycle: iterations that do not grow.
 *
 * The iterations of CG grow like the square root of the matrix's condition number, here like n: a
 * mesh twice as fine takes twice as many. A "preconditioner" z = M r, where M approximates the
 * inverse of A, reduces them: CG then works on M A. M must be symmetric, positive definite and
 * linear (the same M for each r); otherwise CG is no longer CG.
 *
 * Jacobi's M divides by the diagonal, z = r / d with d = 8/3 h in all rows. On the box that
 * multiplies r by a constant, which changes nothing. But repeated, x = x + (b - A x) / d, it has a
 * virtue: errors that change from node to node shrink to less than half in each step (D^-1 A has
 * eigenvalues between 1/2 and 3/2 for them), while smooth errors hardly change. It is a "smoother".
 * A smooth error can be computed on a coarser grid, which has an eighth of the unknowns, and on
 * which it is less smooth. Hence
 *
 *     cycle(n, b, x):
 *         n = 1:  x = b / d, the exact solution; done
 *         x = 0,  some Jacobi steps                      (before)
 *         r = b - A x,  coarse r = P' r                  (restriction)
 *         cycle(m, coarse r, e),  m = (n - 1)/2
 *         x = x + P e                                    (correction, by interpolation P)
 *         the same number of Jacobi steps again          (after)
 *
 * P' is the transpose of P. With it, and with the same number of steps after as before, M is
 * symmetric. It is called a V-cycle because of its way through the grids: down, and up again. The
 * matrix of a coarse grid is the same stencil with that grid's h. (W. Briggs, V. Henson, S.
 * McCormick, A Multigrid Tutorial, SIAM 2000, ch. 3; doc/multigrid.md.)
 *
 * Here n = 2^k - 1: 1, 3, 7, 15, ... Node I of the coarse grid is node 2 I + 1 of the fine one,
 * both counted from 0 in each direction. The product, P' and P are already written below. Each
 * grid needs memory: use malloc and free in cycle.
 *
 * The judge runs CG with your M for n = 7, 15, 31, 63 and counts the iterations. With two steps
 * before and two after, 5 iterations reach 1e-8 for each of these n. First try z = r / d, and read
 * the verdict.
 *
 *     cgsolve exercise check vcycle.c
 *     cgsolve study --N=7,15,31,63 --precond=none,mg            the same by cgsolve
 */
#include <cgsolve/exercise.h>

/* y = A x of the box with n^3 unknowns: h times the 27-point stencil. */
static inline void product(int64_t n, const double *x, double *y)
{
    static const double stencil[4] = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};
    const double h = 1.0 / (double)(n + 1);
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (int64_t c = k > 0 ? -1 : 0; c <= (k < n - 1); c++)
                    for (int64_t b = j > 0 ? -1 : 0; b <= (j < n - 1); b++)
                        for (int64_t a = i > 0 ? -1 : 0; a <= (i < n - 1); a++)
                            sum += stencil[a * a + b * b + c * c] *
                                   x[i + a + n * (j + b + n * (k + c))];
                y[i + n * (j + n * k)] = h * sum;
            }
}

/* Weights of P between node I of the coarse grid and nodes 2 I + 1 + (-1, 0, 1) of the fine one. */
static const double weight[3] = {0.5, 1.0, 0.5};

/* coarse = P' fine, from n^3 to ((n - 1)/2)^3 numbers. */
static inline void restriction(int64_t n, const double *fine, double *coarse)
{
    const int64_t m = (n - 1) / 2;
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = 0.0;
                for (int c = 0; c < 3; c++)
                    for (int b = 0; b < 3; b++)
                        for (int a = 0; a < 3; a++)
                            sum += weight[a] * weight[b] * weight[c] *
                                   fine[2 * i + a + n * (2 * j + b + n * (2 * k + c))];
                coarse[i + m * (j + m * k)] = sum;
            }
}

/* fine = fine + P coarse. */
static inline void interpolation(int64_t n, const double *coarse, double *fine)
{
    const int64_t m = (n - 1) / 2;
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++)
                for (int c = 0; c < 3; c++)
                    for (int b = 0; b < 3; b++)
                        for (int a = 0; a < 3; a++)
                            fine[2 * i + a + n * (2 * j + b + n * (2 * k + c))] +=
                                weight[a] * weight[b] * weight[c] * coarse[i + m * (j + m * k)];
}

/* x approximates A^-1 b. */
static void cycle(int64_t n, const double *b, double *x)
{
    /* TODO: the cycle. This is M = 1. */
    for (int64_t i = 0; i < n * n * n; i++)
        x[i] = b[i];
}

CGSOLVE_PRECONDITIONER(cycle)
