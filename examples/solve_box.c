/* Solves the program's Poisson problem in the box by libcgsolve, with multigrid and without a matrix,
 * on the GPU where there is one; looks at the errors, and at the middle of the box. */
#include <cgsolve/cgsolve.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct cgsolve *solver = cgsolve_create();
    struct cgsolve_result result;
    cgsolve_set(solver, "N", "31");
    cgsolve_set(solver, "format", "none");
    cgsolve_set(solver, "precond", "mg");
    cgsolve_set(solver, "tol", "1e-8");
    const int64_t unknowns = cgsolve_unknowns(solver);
    double *x = malloc((size_t)unknowns * sizeof *x);
    const enum cgsolve_status status = cgsolve_solve(solver, NULL, x, &result);
    if (status == CGSOLVE_OK)
        printf("%lld unknowns, %d iterations on %s: L2 error %.4e, u(1/2, 1/2, 1/2) = %.6f\n",
               (long long)unknowns, (int)result.iterations, result.backend, result.l2_error,
               x[unknowns / 2]);
    else
        fprintf(stderr, "%s\n", cgsolve_message(solver));
    free(x);
    cgsolve_destroy(solver);
    return status;
}
