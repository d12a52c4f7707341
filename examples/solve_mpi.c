/* Solves -Laplace u = 1 on the unit square, u = 0 on its boundary, by the processes of MPI: each
 * has some lines of the grid, of the matrix, of b and of u. Any number of processes gives the
 * same digits. */
#include <cgsolve/cgsolve_mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 63, ENTRIES = 5 }; /* unknowns in each direction; most entries a row */

/* Lines first ... last - 1 of the grid. */
struct part {
    int first, last;
    int64_t rows, *pointers, *columns;
    double *values, *b, *u;
};

static int allocate(struct part *p)
{
    p->rows = (int64_t)(p->last - p->first) * N;
    const size_t rows = (size_t)p->rows + 1, entries = rows * ENTRIES;
    p->pointers = calloc(rows, sizeof *p->pointers);
    p->columns = calloc(entries, sizeof *p->columns);
    p->values = calloc(entries, sizeof *p->values);
    p->b = calloc(rows, sizeof *p->b);
    p->u = calloc(rows, sizeof *p->u);
    return p->pointers && p->columns && p->values && p->b && p->u;
}

static void fill(struct part *p)
{
    static const int steps[ENTRIES][2] = {
        {0, -1}, {-1, 0}, {0, 0}, {1, 0}, {0, 1}}; /* columns ascend */
    const double h = 1.0 / (N + 1);
    int64_t i = 0, k = 0;
    for (int y = p->first; y < p->last; y++)
        for (int x = 0; x < N; x++) {
            for (int s = 0; s < ENTRIES; s++) {
                const int column = x + steps[s][0], line = y + steps[s][1];
                if (column < 0 || column >= N || line < 0 || line >= N)
                    continue;
                p->columns[k] = (int64_t)line * N + column; /* its number in the whole */
                p->values[k++] = s == 2 ? 4.0 : -1.0;
            }
            p->b[i++] = h * h;
            p->pointers[i] = k;
        }
}

static enum cgsolve_status solve(struct cgsolve *solver, MPI_Comm communicator, struct part *p,
                                 struct cgsolve_result *result)
{
    enum cgsolve_status status;
    if ((status = cgsolve_communicator(solver, communicator)) == CGSOLVE_OK &&
        (status = cgsolve_set(solver, "precond", "chebyshev")) == CGSOLVE_OK &&
        (status = cgsolve_set(solver, "tol", "1e-10")) == CGSOLVE_OK &&
        (status = cgsolve_matrix_distributed(solver, (int64_t)p->first * N, p->rows,
                                             p->pointers[p->rows], p->pointers, p->columns,
                                             p->values)) == CGSOLVE_OK)
        status = cgsolve_solve(solver, p->rows, p->b, p->u, result);
    return status;
}

int main(int argc, char **argv)
{
    int level, rank, ranks;
    struct part p;
    struct cgsolve *solver = NULL;
    struct cgsolve_result result;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    p.first = N * rank / ranks;
    p.last = N * (rank + 1) / ranks;
    if (!allocate(&p) || cgsolve_create(&solver) != CGSOLVE_OK) {
        fprintf(stderr, "no memory on rank %d\n", rank);
        MPI_Abort(MPI_COMM_WORLD, CGSOLVE_MEMORY);
    }
    fill(&p);
    const enum cgsolve_status status = solve(solver, MPI_COMM_WORLD, &p, &result);
    if (status != CGSOLVE_OK && rank == 0) /* all ranks have the same */
        fprintf(stderr, "%s\n", cgsolve_message());
    if (status == CGSOLVE_OK && p.first <= N / 2 && N / 2 < p.last)
        printf("u(1/2, 1/2) = %.10f after %d iterations, in a part of %lld rows\n",
               p.u[(N / 2 - p.first) * N + N / 2], (int)result.iterations, (long long)p.rows);
    cgsolve_destroy(&solver);
    free(p.pointers);
    free(p.columns);
    free(p.values);
    free(p.b);
    free(p.u);
    MPI_Finalize();
    return status;
}
