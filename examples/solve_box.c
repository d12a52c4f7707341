/* Solves the program's Poisson problem in the box by libcgsolve, with multigrid and without a
 * matrix, on the GPU where there is one; looks at the errors, and at the middle of the box. */
#include <cgsolve/cgsolve.h>

#include <stdio.h>
#include <stdlib.h>

static enum cgsolve_status ask_for_box(struct cgsolve *solver, int64_t *unknowns)
{
    static const char *const options[][2] = {
        {"N", "31"}, {"format", "none"}, {"precond", "mg"}, {"tol", "1e-8"}};
    enum cgsolve_status status = cgsolve_matrix_box(solver);
    for (size_t i = 0; status == CGSOLVE_OK && i < sizeof options / sizeof options[0]; i++)
        status = cgsolve_set(solver, options[i][0], options[i][1]);
    return status == CGSOLVE_OK ? cgsolve_unknowns(solver, unknowns) : status;
}

int main(void)
{
    struct cgsolve *solver = NULL;
    struct cgsolve_result result;
    int64_t unknowns = 0;
    double *x = NULL;
    enum cgsolve_status status;
    if ((status = cgsolve_create(&solver)) != CGSOLVE_OK ||
        (status = ask_for_box(solver, &unknowns)) != CGSOLVE_OK)
        fprintf(stderr, "%s\n", cgsolve_message());
    else if (!(x = malloc((size_t)unknowns * sizeof *x))) {
        fprintf(stderr, "no memory for x\n");
        status = CGSOLVE_MEMORY;
    } else if ((status = cgsolve_solve(solver, unknowns, NULL, x, &result)) != CGSOLVE_OK)
        fprintf(stderr, "%s\n", cgsolve_message());
    else
        printf("%lld unknowns, %d iterations on %s: L2 error %.4e, u(1/2, 1/2, 1/2) = %.6f\n",
               (long long)unknowns, (int)result.iterations, result.backend, result.l2_error,
               x[unknowns / 2]);
    free(x);
    cgsolve_destroy(&solver);
    return status;
}
