/* Solves the tridiagonal system of -u'' = 1 on (0, 1), u(0) = u(1) = 0, by libcgsolve. */
#include <cgsolve/cgsolve.h>

#include <stdio.h>

enum { ROWS = 99, NONZEROS = 3 * ROWS - 2 };

static int64_t pointers[ROWS + 1];
static int32_t columns[NONZEROS];
static double values[NONZEROS], b[ROWS], x[ROWS];

static void fill(void)
{
    const double h = 1.0 / (ROWS + 1);
    int64_t k = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < ROWS) {
                columns[k] = j;
                values[k++] = j == i ? 2.0 : -1.0;
            }
        pointers[i + 1] = k;
        b[i] = h * h;
    }
}

int main(void)
{
    struct cgsolve *solver = NULL;
    struct cgsolve_result result;
    enum cgsolve_status status;
    fill();
    if ((status = cgsolve_create(&solver)) == CGSOLVE_OK &&
        (status = cgsolve_set(solver, "tol", "1e-12")) == CGSOLVE_OK &&
        (status = cgsolve_set(solver, "precond", "jacobi")) == CGSOLVE_OK &&
        (status = cgsolve_matrix_crs(solver, ROWS, NONZEROS, pointers, columns, values)) ==
            CGSOLVE_OK &&
        (status = cgsolve_solve(solver, ROWS, b, x, &result)) == CGSOLVE_OK)
        printf("u(1/2) = %.6f after %d iterations (%s)\n", x[ROWS / 2], (int)result.iterations,
               result.outcome);
    else
        fprintf(stderr, "%s\n", cgsolve_message());
    cgsolve_destroy(&solver);
    return status;
}
