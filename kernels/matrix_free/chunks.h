/* Number of chunks of planes into which a matrix-free operator on CUDA divides its cube. */
#pragma once

#include <stdint.h>

/* Returns the number of z-chunks that minimises rounds * (planes per chunk + halo cost). tiles:
 * workers (blocks, warps) per chunk; slots: workers resident at once; halo: halo cost in planes;
 * most: upper bound on workers. longest: planes of a chunk at most, a third more where all
 * chunks are resident at once; n: no limit. In long chunks neighbouring tiles drift apart, and
 * what both read leaves the L2 cache between them (bench/results/2026-11-25-chunks.md). */
static inline int cgs_choose_chunks(int n, int64_t tiles, int64_t slots, int64_t most, double halo,
                                    int longest)
{
    double least = 0.0;
    int best = 1;
    for (int chunks = 1; chunks <= n; chunks++) {
        if (tiles * chunks > most)
            break;
        const int64_t rounds = (tiles * chunks + slots - 1) / slots;
        const int64_t planes = (n + chunks - 1) / chunks;
        if (planes > (rounds > 1 ? longest : longest + longest / 3)) {
            best = least == 0.0 ? chunks : best; /* unless a further one will do */
            continue;
        }
        const double cost = (double)rounds * ((double)planes + halo);
        if (least == 0.0 || cost < least) {
            least = cost;
            best = chunks;
        }
    }
    return best;
}
