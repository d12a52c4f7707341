/* hypre's matrices by rows (IJ interface, ParCSR inside): CG with BoomerAMG.
 *
 * Settings as hypre's reference manual recommends for 3-D problems: HMIS coarsening, extended+i
 * interpolation with at most 4 entries a row, one sweep of l1-Gauss-Seidel, forward down and
 * backward up, so that the cycle is symmetric; and, in a second method, aggressive coarsening of
 * the first level. Strength threshold 0.51, next to the recommended 0.5: the Q1 rows have entries
 * -h/6 and -h/12, and rounding must not decide which of them count; those of -h/12 don't, which
 * takes half the set-up of 0.25 and an iteration more. (De Sterck, Falgout, Nolting, Yang,
 * "Distance-two interpolation for parallel algebraic multigrid", Numer. Linear Algebra Appl. 15
 * (2008).) */
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdlib.h>

#include "bench/peers/hypre.h"

struct rows {
    HYPRE_IJMatrix a;
    HYPRE_IJVector b, x;
    HYPRE_ParCSRMatrix par_a;
    HYPRE_ParVector par_b, par_x;
};

/* hypre has its own integer type, of 32 bits in packages. */
_Static_assert(sizeof(HYPRE_BigInt) == sizeof(int32_t) && sizeof(HYPRE_Int) == sizeof(int32_t),
               "columns are handed over as they are");

static void fill(const struct peer *peer, struct rows *m)
{
    const int plane = peer->n * peer->n;
    int32_t *lengths = peer_room(peer, plane, sizeof *lengths);
    int32_t *numbers = peer_room(peer, plane, sizeof *numbers);
    int32_t *columns = peer_room(peer, (int64_t)plane * PEER_STENCIL, sizeof *columns);
    double *values = peer_room(peer, (int64_t)plane * PEER_STENCIL, sizeof *values);
    for (int z = peer->first_z; z < peer->last_z; z++) {
        peer_rows(peer, z * plane, (z + 1) * plane, lengths, columns, values);
        for (int i = 0; i < plane; i++)
            numbers[i] = z * plane + i;
        HYPRE_CHECK(peer, HYPRE_IJMatrixSetValues(m->a, plane, lengths, numbers, columns, values));
    }
    free(values);
    free(columns);
    free(numbers);
    free(lengths);
}

/* Preallocates the rows. (Sizes of this rank's and other ranks' parts, by
 * HYPRE_IJMatrixSetDiagOffdSizes, would have to be exact: hypre 2.26 takes them for the
 * lengths.) */
static void reserve(const struct peer *peer, struct rows *m)
{
    const int count = peer->last_row - peer->first_row;
    HYPRE_Int *sizes = peer_room(peer, count, sizeof *sizes);
    for (int i = 0; i < count; i++)
        sizes[i] = PEER_STENCIL;
    HYPRE_CHECK(peer, HYPRE_IJMatrixSetRowSizes(m->a, sizes));
    free(sizes);
}

static void vector(const struct peer *peer, const double *values, HYPRE_IJVector *v)
{
    const int count = peer->last_row - peer->first_row;
    HYPRE_BigInt *numbers = peer_room(peer, count, sizeof *numbers);
    for (int i = 0; i < count; i++)
        numbers[i] = peer->first_row + i;
    HYPRE_CHECK(peer, HYPRE_IJVectorCreate(MPI_COMM_WORLD, peer->first_row, peer->last_row - 1, v));
    HYPRE_CHECK(peer, HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR));
    HYPRE_CHECK(peer, HYPRE_IJVectorInitialize(*v));
    HYPRE_CHECK(peer, HYPRE_IJVectorSetValues(*v, count, numbers, values));
    HYPRE_CHECK(peer, HYPRE_IJVectorAssemble(*v));
    free(numbers);
}

static void assemble(const struct peer *peer, struct rows *m)
{
    const HYPRE_BigInt first = peer->first_row, last = peer->last_row - 1;
    HYPRE_CHECK(peer, HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &m->a));
    HYPRE_CHECK(peer, HYPRE_IJMatrixSetObjectType(m->a, HYPRE_PARCSR));
    reserve(peer, m);
    HYPRE_CHECK(peer, HYPRE_IJMatrixInitialize(m->a));
    fill(peer, m);
    HYPRE_CHECK(peer, HYPRE_IJMatrixAssemble(m->a));
    vector(peer, peer->b, &m->b);
    vector(peer, peer->x, &m->x);
    HYPRE_CHECK(peer, HYPRE_IJMatrixGetObject(m->a, (void **)&m->par_a));
    HYPRE_CHECK(peer, HYPRE_IJVectorGetObject(m->b, (void **)&m->par_b));
    HYPRE_CHECK(peer, HYPRE_IJVectorGetObject(m->x, (void **)&m->par_x));
}

static void get_solution(struct peer *peer, const struct rows *m)
{
    const int count = peer->last_row - peer->first_row;
    HYPRE_BigInt *numbers = peer_room(peer, count, sizeof *numbers);
    for (int i = 0; i < count; i++)
        numbers[i] = peer->first_row + i;
    HYPRE_CHECK(peer, HYPRE_IJVectorGetValues(m->x, count, numbers, peer->x));
    free(numbers);
}

/* One V(1,1) cycle from zero. */
static HYPRE_Solver boomeramg(const struct peer *peer, bool aggressive)
{
    HYPRE_Solver m;
    HYPRE_CHECK(peer, HYPRE_BoomerAMGCreate(&m));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetMaxIter(m, 1));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetTol(m, 0.0));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetPrintLevel(m, 0));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetCoarsenType(m, 10)); /* HMIS */
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetInterpType(m, 6));   /* extended+i */
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetPMaxElmts(m, 4));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetStrongThreshold(m, 0.51));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetCycleRelaxType(m, 13, 1));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetCycleRelaxType(m, 14, 2));
    HYPRE_CHECK(peer, HYPRE_BoomerAMGSetAggNumLevels(m, aggressive));
    return m;
}

static void solve_rows(struct peer *peer, bool aggressive, struct peer_solve *solve)
{
    struct rows m;
    HYPRE_Solver cg;
    HYPRE_Int iterations = 0;
    const double start = peer_now();
    assemble(peer, &m);
    const double assembled = peer_now();
    HYPRE_Solver amg = boomeramg(peer, aggressive);
    HYPRE_CHECK(peer, HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg));
    HYPRE_CHECK(peer, HYPRE_PCGSetTol(cg, peer->tolerance));
    HYPRE_CHECK(peer, HYPRE_PCGSetTwoNorm(cg, 1));
    HYPRE_CHECK(peer, HYPRE_PCGSetMaxIter(cg, peer->max_iterations));
    HYPRE_CHECK(peer,
                HYPRE_ParCSRPCGSetPrecond(cg, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, amg));
    HYPRE_CHECK(peer, HYPRE_ParCSRPCGSetup(cg, m.par_a, m.par_b, m.par_x));
    const double set = peer_now();
    HYPRE_CHECK(peer, HYPRE_ParCSRPCGSolve(cg, m.par_a, m.par_b, m.par_x));
    solve->assemble = assembled - start;
    solve->setup = set - assembled;
    solve->solve = peer_now() - set;
    HYPRE_CHECK(peer, HYPRE_PCGGetNumIterations(cg, &iterations));
    solve->iterations = iterations;
    get_solution(peer, &m);
    HYPRE_ParCSRPCGDestroy(cg);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_IJVectorDestroy(m.x);
    HYPRE_IJVectorDestroy(m.b);
    HYPRE_IJMatrixDestroy(m.a);
}

void hypre_rows_boomeramg(struct peer *peer, struct peer_solve *solve)
{
    solve_rows(peer, false, solve);
}

void hypre_rows_boomeramg_aggressive(struct peer *peer, struct peer_solve *solve)
{
    solve_rows(peer, true, solve);
}
