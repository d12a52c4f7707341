/* The tree of a sum, over one owner or cut among ranks.
 *
 * A sum of vectors has a number for each block of the global index (sum_cpu.h), and these are added
 * in one tree that depends on their number alone: halves, down to runs of at most 16 that are added
 * one after the other. A rank has a contiguous range of the blocks:
 *
 *     64 blocks                0 ......................... 63
 *                        0 ........ 31          32 ......... 63
 *                     0 ... 15  16 ... 31    32 ... 47  48 ... 63
 *
 *     rank 0 has blocks 0 ... 39, nodes 0 ... 31, 32, 33, ..., 39
 *     rank 1 has the others,      nodes 40, 41, ..., 47, 48 ... 63
 *
 * It adds up the subtrees that lie within its range, and hands on their values ("nodes", in order);
 * whoever has the nodes of all ranks does the additions above them. Each addition of the tree is
 * done once, by somebody, with the same operands: the bits of the sum do not depend on the cuts.
 */
#pragma once

#include <stdint.h>

/* Largest number of blocks that are added one after the other, and of nodes of a rank: two a
 * level of CGS_PARTIALS = 2^16 blocks, and the rest of a cut run at each end. */
enum { CGS_TREE_RUN = 16, CGS_TREE_NODES = 64 };

/* partials[0] + ... + partials[count - 1] as the tree. */
static inline double cgs_pairwise(const double *partials, int64_t count)
{
    if (count <= CGS_TREE_RUN) {
        double sum = 0.0;
        for (int64_t i = 0; i < count; i++)
            sum += partials[i];
        return sum;
    }
    const int64_t half = count / 2;
    return cgs_pairwise(partials, half) + cgs_pairwise(partials + half, count - half);
}

/* Writes the nodes of blocks begin ... end - 1 among `blocks` to nodes[CGS_TREE_NODES], and
 * returns their number. partials: those of blocks begin ... end - 1; NULL: only counts, nodes is
 * not written. */
int cgs_tree_nodes(int64_t blocks, int64_t begin, int64_t end, const double *partials,
                   double *nodes);

/* Returns the sum: cgs_pairwise over all blocks. cuts: rank r has blocks cuts[r] ...
 * cuts[r + 1] - 1, all ranks together all blocks; nodes: those of all ranks in rank order. */
double cgs_tree_root(int64_t blocks, const int64_t *cuts, const double *nodes);
