/* Check of a peer's solution: its true residual from fem/'s rows and right-hand side, not from the
 * library's copies, and its errors against the exact solution; on rank 0, which gathers all ranks'
 * parts. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer.h"
#include "fem/load.h"
#include "matrix/market/market.h"
#include "matrix/market/market_vector.h"

/* sum_i (b - A x)_i^2 of the rows of plane z, A the Q1 matrix. */
static double plane_q1(const struct peer *peer, int z, const double *x, const double *b,
                       int32_t *lengths, int32_t *columns, double *values)
{
    const int plane = peer->n * peer->n, first = z * plane;
    double sum = 0.0;
    peer_rows(peer, first, first + plane, lengths, columns, values);
    for (int64_t row = 0, k = 0; row < plane; row++) {
        double r = b[first + row];
        for (const int64_t end = k + lengths[row]; k < end; k++)
            r -= values[k] * x[columns[k]];
        sum += r * r;
    }
    return sum;
}

/* The same for A = h (6 u - sum of the 6 neighbours). */
static double plane_seven(const struct peer *peer, int z, const double *x, const double *b)
{
    const int n = peer->n;
    const int64_t step[3] = {1, n, (int64_t)n * n};
    double sum = 0.0;
    for (int y = 0; y < n; y++)
        for (int i = 0; i < n; i++) {
            const int64_t row = ((int64_t)z * n + y) * n + i;
            const int at[3] = {i, y, z};
            double neighbours = 0.0;
            for (int k = 0; k < 3; k++) {
                neighbours += at[k] > 0 ? x[row - step[k]] : 0.0;
                neighbours += at[k] < n - 1 ? x[row + step[k]] : 0.0;
            }
            const double r = b[row] - peer->mesh.h[0] * (6.0 * x[row] - neighbours);
            sum += r * r;
        }
    return sum;
}

static double residual_of(struct peer *peer, bool seven_point, const double *x)
{
    const int64_t plane = (int64_t)peer->n * peer->n, rows = plane * peer->n;
    double *b = peer_room(peer, rows, sizeof *b);
    int32_t *lengths = peer_room(peer, plane, sizeof *lengths);
    int32_t *columns = peer_room(peer, plane * PEER_STENCIL, sizeof *columns);
    double *values = peer_room(peer, plane * PEER_STENCIL, sizeof *values);
    double rr = 0.0, bb = 0.0;
    if (cgs_problem_load(&peer->context, peer->problem, &peer->mesh, 0, rows, b) != CGS_OK)
        peer_fail(peer, "%s", peer->context.message);
    for (int64_t i = 0; i < rows; i++)
        bb += b[i] * b[i];
    for (int z = 0; z < peer->n; z++)
        rr += seven_point ? plane_seven(peer, z, x, b)
                          : plane_q1(peer, z, x, b, lengths, columns, values);
    free(values);
    free(columns);
    free(lengths);
    free(b);
    return sqrt(rr / bb);
}

/* All ranks' x in natural order, on rank 0 (NULL elsewhere); to be freed. */
static double *gather(struct peer *peer)
{
    const int mine[2] = {peer->last_row - peer->first_row, peer->first_row};
    const bool root = peer->rank == 0;
    double *all = root ? peer_room(peer, peer->source.rows, sizeof *all) : NULL;
    int *parts = peer_room(peer, 4 * peer->ranks, sizeof *parts);
    int *counts = parts + 2 * peer->ranks, *offsets = counts + peer->ranks;
    MPI_Gather(mine, 2, MPI_INT, parts, 2, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < peer->ranks && root; r++) {
        counts[r] = parts[2 * r];
        offsets[r] = parts[2 * r + 1];
    }
    MPI_Gatherv(peer->x, mine[0], MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(parts);
    return all;
}

static void write_solution(struct peer *peer, const char *output, const double *x)
{
    FILE *file = fopen(output, "w");
    if (!file)
        peer_fail(peer, "cannot write '%s'", output);
    if (cgs_market_write_vectors(&peer->context, file, "solution by a peer of cgsolve",
                                 peer->source.rows, 1, x) != CGS_OK)
        peer_fail(peer, "%s", peer->context.message);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        peer_fail(peer, "'%s' could not be written", output);
}

void peer_judge(struct peer *peer, bool seven_point, const char *output, double *residual,
                struct cgs_errors *errors)
{
    double *x = gather(peer);
    if (x) {
        *residual = residual_of(peer, seven_point, x);
        const struct cgs_slab whole = cgs_slab_whole(&peer->mesh);
        if (cgs_errors_measure(&peer->context, peer->problem, &peer->mesh, &whole, x, errors) !=
            CGS_OK)
            peer_fail(peer, "%s", peer->context.message);
        if (output)
            write_solution(peer, output, x);
    }
    free(x);
}
