/* Solves the tridiagonal system of -u'' = 1 on (0, 1), u(0) = u(1) = 0, by libcgsolve. */
#include <cgsolve/cgsolve.h>

#include <stdio.h>

enum { ROWS = 99 };

int main(void)
{
    static int64_t pointers[ROWS + 1];
    static int32_t columns[3 * ROWS];
    static double values[3 * ROWS], b[ROWS], x[ROWS];
    const double h = 1.0 / (ROWS + 1);
    int64_t entries = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < ROWS) {
                columns[entries] = j;
                values[entries++] = j == i ? 2.0 : -1.0;
            }
        pointers[i + 1] = entries;
        b[i] = h * h;
    }
    struct cgsolve *solver = cgsolve_create();
    struct cgsolve_result result;
    cgsolve_set(solver, "tol", "1e-12");
    cgsolve_set(solver, "precond", "jacobi");
    cgsolve_matrix_crs(solver, ROWS, pointers, columns, values);
    const enum cgsolve_status status = cgsolve_solve(solver, b, x, &result);
    if (status == CGSOLVE_OK)
        printf("u(1/2) = %.6f after %d iterations (%s)\n", x[ROWS / 2], (int)result.iterations,
               result.outcome);
    else
        fprintf(stderr, "%s\n", cgsolve_message(solver));
    cgsolve_destroy(solver);
    return status;
}
