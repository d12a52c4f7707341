/* Into how many chunks of planes a matrix-free operator on CUDA divides its cube. */
#ifndef CGS_KERNELS_MATRIX_FREE_CHUNKS_H
#define CGS_KERNELS_MATRIX_FREE_CHUNKS_H

#include <stdint.h>

/* As few as keep all multiprocessors busy to the end. The time is about that of the rounds of
 * workers (blocks, warps), `tiles` of them a chunk and `slots` at a time, of which each goes
 * through its planes and those beside its chunk, as dear as `beside` planes. `most` workers at
 * most. */
static inline int cgs_choose_chunks(int n, int64_t tiles, int64_t slots, int64_t most,
                                    double beside)
{
    double least = 0.0;
    int best = 1;
    for (int chunks = 1; chunks <= n; chunks++) {
        if (tiles * chunks > most)
            break;
        const int64_t rounds = (tiles * chunks + slots - 1) / slots;
        const int64_t planes = (n + chunks - 1) / chunks;
        const double cost = (double)rounds * ((double)planes + beside);
        if (least == 0.0 || cost < least) {
            least = cost;
            best = chunks;
        }
    }
    return best;
}

#endif
