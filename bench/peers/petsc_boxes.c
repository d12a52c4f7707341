/* Grid transfers for PETSc's PCMG: from a cube of n^3 unknowns to one of (n/2)^3, n/2 rounded down,
 * until a few hundred are left. PETSc's own structured grids (DMDA) halve n - 1, and so do not nest
 * if boundary nodes are eliminated; PCMG accepts any interpolation.
 *
 * Trilinear interpolation is the product of three linear ones: fine node i = 1 ... n lies between
 * coarse nodes j and j + 1, where i (m + 1) = j (n + 1) + r, with weights (n + 1 - r) : r. For odd
 * n that is 1 or 1/2 : 1/2; nodes 0 and m + 1 are the boundary, where u = 0:
 *
 *     fine      |---1---2---3---4---5---6---7---|      n = 7
 *     coarse    |-------1-------2-------3-------|      m = 3
 */
#include "bench/peers/petsc.h"

enum { COARSEST = 7, LEVELS = 12 };

struct split {
    int n, first_z, last_z;
};

/* A rank's planes of a box of n^3, as in peer.c. */
static struct split split_of(const struct peer *peer, int n)
{
    const int each = n / peer->ranks, more = n % peer->ranks;
    const int first = each * peer->rank + (peer->rank < more ? peer->rank : more);
    return (struct split){n, first, first + each + (peer->rank < more)};
}

/* Coarse neighbours (0-based) of fine node i (0-based) of n in one direction; returns their
 * number. */
static int between(int i, int n, int m, int node[2], double weight[2])
{
    const int scaled = (i + 1) * (m + 1), j = scaled / (n + 1), r = scaled % (n + 1);
    const double w[2] = {(double)(n + 1 - r) / (n + 1), (double)r / (n + 1)};
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (w[k] > 0.0 && j + k >= 1 && j + k <= m) {
            node[count] = j + k - 1;
            weight[count++] = w[k];
        }
    return count;
}

/* The row of fine node (x, y, z): at most 8 columns. */
static int row_of(int x, int y, int z, int n, int m, PetscInt *columns, PetscScalar *values)
{
    int node[3][2], count = 0;
    double weight[3][2];
    const int nx = between(x, n, m, node[0], weight[0]);
    const int ny = between(y, n, m, node[1], weight[1]);
    const int nz = between(z, n, m, node[2], weight[2]);
    for (int c = 0; c < nz; c++)
        for (int b = 0; b < ny; b++)
            for (int a = 0; a < nx; a++) {
                columns[count] = (node[2][c] * m + node[1][b]) * m + node[0][a];
                values[count++] = weight[0][a] * weight[1][b] * weight[2][c];
            }
    return count;
}

static PetscErrorCode interpolation(const struct peer *peer, int n, int m, Mat *p)
{
    const struct split fine = split_of(peer, n), coarse = split_of(peer, m);
    PetscInt columns[8];
    PetscScalar values[8];
    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, p));
    PetscCall(MatSetSizes(*p, (fine.last_z - fine.first_z) * n * n,
                          (coarse.last_z - coarse.first_z) * m * m, n * n * n, m * m * m));
    PetscCall(MatSetType(*p, MATAIJ));
    PetscCall(MatSeqAIJSetPreallocation(*p, 8, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*p, 8, NULL, 8, NULL));
    for (int z = fine.first_z; z < fine.last_z; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                const PetscInt row = (z * n + y) * n + x;
                const int count = row_of(x, y, z, n, m, columns, values);
                PetscCall(MatSetValues(*p, 1, &row, count, columns, values, INSERT_VALUES));
            }
    PetscCall(MatAssemblyBegin(*p, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*p, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

PetscErrorCode petsc_boxes(const struct peer *peer, PC pc)
{
    int sizes[LEVELS], levels = 1;
    PetscFunctionBeginUser;
    sizes[0] = peer->n;
    while (levels < LEVELS && sizes[levels - 1] > COARSEST &&
           sizes[levels - 1] / 2 >= 2 * peer->ranks) {
        sizes[levels] = sizes[levels - 1] / 2;
        levels += 1;
    }
    PetscCall(PCMGSetLevels(pc, levels, NULL));
    PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_BOTH));
    for (int l = 0; l + 1 < levels; l++) { /* PETSc's level 0 is the coarsest */
        Mat p;
        PetscCall(interpolation(peer, sizes[l], sizes[l + 1], &p));
        PetscCall(PCMGSetInterpolation(pc, levels - 1 - l, p));
        PetscCall(MatDestroy(&p));
    }
    PetscFunctionReturn(0);
}
