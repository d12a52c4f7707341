/* PETSc's CG on our problem, matrix in AIJ (CSR by ranks): alone, with algebraic multigrid (GAMG,
 * smoothed aggregation), and with geometric multigrid (PCMG, Galerkin coarse grids).
 * smoothed aggregation), and with geometric multigrid (PCMG, Galerkin coarse grids). Usage:
 * bench/peers/peer.h. PETSC_OPTIONS in the environment come last and so override the settings below
 * (-ksp_view shows what is used).
 */
#include <stdlib.h>

#include "bench/peers/petsc.h"

static PetscErrorCode assemble(const struct peer *peer, Mat *a, Vec *b, Vec *x)
{
    const int count = peer->last_row - peer->first_row;
    const PetscInt all = peer->n * peer->n * peer->n;
    PetscInt *pointers = peer_room(peer, count + 1, sizeof *pointers);
    PetscInt *columns = peer_room(peer, (int64_t)count * PEER_STENCIL, sizeof *columns);
    PetscScalar *values = peer_room(peer, (int64_t)count * PEER_STENCIL, sizeof *values);
    PetscFunctionBeginUser;
    _Static_assert(sizeof(PetscInt) == sizeof(int32_t) && sizeof(PetscScalar) == sizeof(double),
                   "PETSc's numbers are fem/'s");
    pointers[0] = 0;
    peer_rows(peer, peer->first_row, peer->last_row, pointers + 1, columns, values);
    for (int i = 0; i < count; i++)
        pointers[i + 1] += pointers[i];
    PetscCall(MatCreate(PETSC_COMM_WORLD, a));
    PetscCall(MatSetSizes(*a, count, count, all, all));
    PetscCall(MatSetType(*a, MATAIJ));
    PetscCall(MatSeqAIJSetPreallocationCSR(*a, pointers, columns, values)); /* one rank */
    PetscCall(MatMPIAIJSetPreallocationCSR(*a, pointers, columns, values)); /* several */
    free(values);
    free(columns);
    free(pointers);
    PetscCall(MatSetOption(*a, MAT_SPD, PETSC_TRUE));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, count, all, peer->b, b));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, count, all, peer->x, x));
    PetscFunctionReturn(0);
}

/* Sets the options, and clears those of the previous method. */
static PetscErrorCode take_options(const char *options)
{
    const char *last = getenv("PETSC_OPTIONS");
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscOptionsInsertString(NULL, options));
    if (last)
        PetscCall(PetscOptionsInsertString(NULL, last));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_petsc(struct peer *peer, const char *options, bool boxes,
                                  struct peer_solve *solve)
{
    Mat a;
    Vec b, x;
    KSP ksp;
    PC pc;
    PetscInt iterations;
    PetscFunctionBeginUser;
    PetscCall(take_options(options));
    const double start = peer_now();
    PetscCall(assemble(peer, &a, &b, &x));
    const double assembled = peer_now();
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, peer->tolerance, 0.0, PETSC_DEFAULT, peer->max_iterations));
    PetscCall(KSPGetPC(ksp, &pc));
    if (boxes) {
        PetscCall(PCSetType(pc, PCMG));
        PetscCall(petsc_boxes(peer, pc));
    }
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    const double set = peer_now();
    PetscCall(KSPSolve(ksp, b, x));
    solve->assemble = assembled - start;
    solve->setup = set - assembled;
    solve->solve = peer_now() - set;
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    solve->iterations = iterations;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
}

static void attempt(struct peer *peer, const char *options, bool boxes, struct peer_solve *solve)
{
    if (solve_petsc(peer, options, boxes, solve) != 0)
        peer_fail(peer, "PETSc failed; what it says stands above");
}

static void run_cg(struct peer *peer, struct peer_solve *solve)
{
    attempt(peer, "-pc_type none", false, solve);
}

static void run_jacobi(struct peer *peer, struct peer_solve *solve)
{
    attempt(peer, "-pc_type jacobi", false, solve);
}

static void run_gamg(struct peer *peer, struct peer_solve *solve)
{
    attempt(peer, "-pc_type gamg", false, solve);
}

/* One symmetric Gauss-Seidel sweep instead of two steps of Chebyshev with Jacobi. */
#define SWEEP "-mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 -mg_levels_pc_type sor"

static void run_gamg_sweep(struct peer *peer, struct peer_solve *solve)
{
    attempt(peer, "-pc_type gamg " SWEEP, false, solve);
}

/* PETSc's own choice, Chebyshev with that sweep, takes as many iterations and twice the work. */
static void run_mg(struct peer *peer, struct peer_solve *solve)
{
    attempt(peer, SWEEP, true, solve);
}

static void begin(void)
{
    if (PetscInitializeNoArguments() != 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
}

static void end(void)
{
    if (PetscFinalize() != 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
}

static const struct peer_method methods[] = {
    {.name = "cg", .description = "CG alone, AIJ", .run = run_cg},
    {.name = "jacobi", .description = "CG with Jacobi", .run = run_jacobi},
    {.name = "gamg", .description = "CG with GAMG, smoothed aggregation", .run = run_gamg},
    {.name = "gamg-sweep",
     .description = "GAMG with a symmetric Gauss-Seidel sweep as smoother",
     .run = run_gamg_sweep},
    {.name = "mg",
     .description = "CG with PCMG: boxes of half the size, Galerkin coarse grids",
     .run = run_mg},
};

int main(int argc, char **argv)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
             PETSC_VERSION_SUBMINOR);
    const struct peer_library library = {.name = "PETSc",
                                         .version = version,
                                         .begin = begin,
                                         .end = end,
                                         .methods = methods,
                                         .count = sizeof methods / sizeof *methods};
    return peer_main(argc, argv, &library);
}
