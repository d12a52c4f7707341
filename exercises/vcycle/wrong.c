/* cgsolve exercise: vcycle */
/* Expect: M does not help: 34 iterations for n = 15, and 34 with M = 1 */
/* Jacobi alone. */
#include <cgsolve/exercise.h>

static void jacobi(int64_t n, const double *r, double *z)
{
    const double d = 8.0 / 3.0 / (double)(n + 1);
    for (int64_t i = 0; i < n * n * n; i++)
        z[i] = r[i] / d;
}

CGSOLVE_PRECONDITIONER(jacobi)
