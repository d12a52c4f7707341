/* hypre's structured grids: a rank's box is its planes, the matrix is a stencil's numbers at every
 * grid point (all 27, those that reach out of the box zero), CG with PFMG or SMG.
 *
 * PFMG coarsens one direction at a time (Ashby, Falgout, "A parallel multigrid preconditioned
 * conjugate gradient algorithm for groundwater flow simulations", Nucl. Sci. Eng. 124 (1996)); what
 * users run is the 7-point stencil with red-black Gauss-Seidel and 7-point coarse grids. Neither is
 * for 27 points: hypre 2.26 overruns its stack there, and the Q1 stencil couples points of one
 * colour; it gets weighted Jacobi and Galerkin coarse grids. Skipping relaxation on some of the
 * semicoarsened grids costs either a few iterations and halves their time. */
#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/hypre.h"

struct grid {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix a;
    HYPRE_StructVector b, x;
    HYPRE_Int lower[3], upper[3];
};

enum kind { ALONE, PFMG, PFMG_SEVEN, SMG };

/* Offsets of stencil entry k: of 27 the ternary digits of k, of 7 the centre and the faces. */
static void offset_of(bool seven, int k, HYPRE_Int offset[3])
{
    static const HYPRE_Int faces[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0},
                                          {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    if (seven) {
        memcpy(offset, faces[k], sizeof faces[k]);
        return;
    }
    offset[0] = k % 3 - 1;
    offset[1] = k / 3 % 3 - 1;
    offset[2] = k / 9 - 1;
}

/* Plane z of the Q1 matrix, 27 numbers a point. */
static void plane_q1(const struct peer *peer, int z, int32_t *lengths, int32_t *columns,
                     double *entries, double *values)
{
    const int n = peer->n, plane = n * n;
    peer_rows(peer, z * plane, (z + 1) * plane, lengths, columns, entries);
    memset(values, 0, sizeof *values * (size_t)plane * PEER_STENCIL);
    int64_t k = 0;
    for (int row = 0; row < plane; row++)
        for (const int64_t end = k + lengths[row]; k < end; k++) {
            const int c = columns[k];
            const int dx = c % n - row % n, dy = c / n % n - row / n, dz = c / plane - z;
            values[row * PEER_STENCIL + 9 * (dz + 1) + 3 * (dy + 1) + dx + 1] = entries[k];
        }
}

/* Plane z of h (6 u - sum of the neighbours). */
static void plane_seven(const struct peer *peer, int z, double *values)
{
    const int n = peer->n;
    for (int row = 0; row < n * n; row++)
        for (int k = 0; k < 7; k++) {
            HYPRE_Int d[3];
            offset_of(true, k, d);
            const int at[3] = {row % n + d[0], row / n + d[1], z + d[2]};
            const bool inside =
                at[0] >= 0 && at[0] < n && at[1] >= 0 && at[1] < n && at[2] >= 0 && at[2] < n;
            values[row * 7 + k] = !inside ? 0.0 : k == 0 ? 6.0 * peer->mesh.h[0] : -peer->mesh.h[0];
        }
}

static void fill(const struct peer *peer, bool seven, struct grid *g)
{
    const int64_t plane = (int64_t)peer->n * peer->n;
    const int size = seven ? 7 : PEER_STENCIL;
    HYPRE_Int entry[PEER_STENCIL];
    int32_t *lengths = peer_room(peer, plane, sizeof *lengths);
    int32_t *columns = peer_room(peer, plane * PEER_STENCIL, sizeof *columns);
    double *entries = peer_room(peer, plane * PEER_STENCIL, sizeof *entries);
    double *values = peer_room(peer, plane * PEER_STENCIL, sizeof *values);
    for (int k = 0; k < size; k++)
        entry[k] = k;
    for (int z = peer->first_z; z < peer->last_z; z++) {
        HYPRE_Int lower[3] = {0, 0, z}, upper[3] = {peer->n - 1, peer->n - 1, z};
        if (seven)
            plane_seven(peer, z, values);
        else
            plane_q1(peer, z, lengths, columns, entries, values);
        HYPRE_CHECK(peer, HYPRE_StructMatrixSetBoxValues(g->a, lower, upper, size, entry, values));
    }
    free(values);
    free(entries);
    free(columns);
    free(lengths);
}

static void assemble(const struct peer *peer, bool seven, struct grid *g)
{
    const int size = seven ? 7 : PEER_STENCIL;
    *g = (struct grid){.lower = {0, 0, peer->first_z},
                       .upper = {peer->n - 1, peer->n - 1, peer->last_z - 1}};
    HYPRE_CHECK(peer, HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &g->grid));
    HYPRE_CHECK(peer, HYPRE_StructGridSetExtents(g->grid, g->lower, g->upper));
    HYPRE_CHECK(peer, HYPRE_StructGridAssemble(g->grid));
    HYPRE_CHECK(peer, HYPRE_StructStencilCreate(3, size, &g->stencil));
    for (int k = 0; k < size; k++) {
        HYPRE_Int offset[3];
        offset_of(seven, k, offset);
        HYPRE_CHECK(peer, HYPRE_StructStencilSetElement(g->stencil, k, offset));
    }
    HYPRE_CHECK(peer, HYPRE_StructMatrixCreate(MPI_COMM_WORLD, g->grid, g->stencil, &g->a));
    HYPRE_CHECK(peer, HYPRE_StructMatrixInitialize(g->a));
    fill(peer, seven, g);
    HYPRE_CHECK(peer, HYPRE_StructMatrixAssemble(g->a));
    for (int which = 0; which < 2; which++) {
        HYPRE_StructVector *v = which == 0 ? &g->b : &g->x;
        HYPRE_CHECK(peer, HYPRE_StructVectorCreate(MPI_COMM_WORLD, g->grid, v));
        HYPRE_CHECK(peer, HYPRE_StructVectorInitialize(*v));
        HYPRE_CHECK(peer, HYPRE_StructVectorSetBoxValues(*v, g->lower, g->upper,
                                                         which == 0 ? peer->b : peer->x));
        HYPRE_CHECK(peer, HYPRE_StructVectorAssemble(*v));
    }
}

static void release(struct grid *g)
{
    HYPRE_StructVectorDestroy(g->x);
    HYPRE_StructVectorDestroy(g->b);
    HYPRE_StructMatrixDestroy(g->a);
    HYPRE_StructStencilDestroy(g->stencil);
    HYPRE_StructGridDestroy(g->grid);
}

/* One V(1,1) cycle from zero as preconditioner. */
static HYPRE_StructSolver pfmg(const struct peer *peer, bool seven)
{
    HYPRE_StructSolver m;
    HYPRE_CHECK(peer, HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &m));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetMaxIter(m, 1));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetTol(m, 0.0));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetZeroGuess(m));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetRelaxType(m, seven ? 2 : 1));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetRAPType(m, seven ? 1 : 0));
    HYPRE_CHECK(peer, HYPRE_StructPFMGSetSkipRelax(m, 1));
    return m;
}

static HYPRE_StructSolver smg(const struct peer *peer)
{
    HYPRE_StructSolver m;
    HYPRE_CHECK(peer, HYPRE_StructSMGCreate(MPI_COMM_WORLD, &m));
    HYPRE_CHECK(peer, HYPRE_StructSMGSetMaxIter(m, 1));
    HYPRE_CHECK(peer, HYPRE_StructSMGSetTol(m, 0.0));
    HYPRE_CHECK(peer, HYPRE_StructSMGSetZeroGuess(m));
    HYPRE_CHECK(peer, HYPRE_StructSMGSetMemoryUse(m, 0));
    return m;
}

static void solve_struct(struct peer *peer, enum kind kind, struct peer_solve *solve)
{
    struct grid g;
    HYPRE_StructSolver cg, m = NULL;
    HYPRE_Int iterations = 0;
    const double start = peer_now();
    assemble(peer, kind == PFMG_SEVEN, &g);
    const double assembled = peer_now();
    HYPRE_CHECK(peer, HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg));
    HYPRE_CHECK(peer, HYPRE_StructPCGSetTol(cg, peer->tolerance));
    HYPRE_CHECK(peer, HYPRE_StructPCGSetTwoNorm(cg, 1));
    HYPRE_CHECK(peer, HYPRE_StructPCGSetMaxIter(cg, peer->max_iterations));
    if (kind == PFMG || kind == PFMG_SEVEN) {
        m = pfmg(peer, kind == PFMG_SEVEN);
        HYPRE_CHECK(peer,
                    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, m));
    } else if (kind == SMG) {
        m = smg(peer);
        HYPRE_CHECK(peer,
                    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructSMGSolve, HYPRE_StructSMGSetup, m));
    }
    HYPRE_CHECK(peer, HYPRE_StructPCGSetup(cg, g.a, g.b, g.x));
    const double set = peer_now();
    HYPRE_CHECK(peer, HYPRE_StructPCGSolve(cg, g.a, g.b, g.x));
    solve->assemble = assembled - start;
    solve->setup = set - assembled;
    solve->solve = peer_now() - set;
    HYPRE_CHECK(peer, HYPRE_StructPCGGetNumIterations(cg, &iterations));
    HYPRE_CHECK(peer, HYPRE_StructVectorGetBoxValues(g.x, g.lower, g.upper, peer->x));
    solve->iterations = iterations;
    if (m && kind == SMG)
        HYPRE_StructSMGDestroy(m);
    else if (m)
        HYPRE_StructPFMGDestroy(m);
    HYPRE_StructPCGDestroy(cg);
    release(&g);
}

void hypre_struct_cg(struct peer *peer, struct peer_solve *solve)
{
    solve_struct(peer, ALONE, solve);
}

void hypre_struct_pfmg(struct peer *peer, struct peer_solve *solve)
{
    solve_struct(peer, PFMG, solve);
}

void hypre_struct_pfmg_seven(struct peer *peer, struct peer_solve *solve)
{
    solve_struct(peer, PFMG_SEVEN, solve);
}

void hypre_struct_smg(struct peer *peer, struct peer_solve *solve)
{
    solve_struct(peer, SMG, solve);
}
