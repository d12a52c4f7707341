/* The tree of a sum (kernels/vector/tree.h): however the blocks are cut among ranks, the sum has
 * the bits that it has with one owner. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/vector/blocks.h"
#include "kernels/vector/tree.h"
#include "tests/support/support.h"

enum { RANKS_MOST = 9 };

/* Numbers of very different size and both signs, so that each order of additions rounds
 * otherwise. */
static double *make_partials(int64_t blocks)
{
    double *partials = must_have((size_t)blocks * sizeof *partials);
    for (int64_t b = 0; b < blocks; b++) {
        const double x = cgs_random((uint64_t)b + 77);
        partials[b] = x * x * x * (b % 3 == 0 ? 1e6 : b % 3 == 1 ? 1.0 : 1e-6);
    }
    return partials;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Random cuts of the blocks, some of them equal: ranks without a block. */
static void cut(int64_t blocks, int ranks, uint64_t seed, int64_t *cuts)
{
    cuts[0] = 0;
    for (int r = 1; r < ranks; r++)
        cuts[r] = (int64_t)(cgs_splitmix64(seed + (uint64_t)r) % (uint64_t)(blocks + 1));
    cuts[ranks] = blocks;
    qsort(cuts, (size_t)ranks + 1, sizeof *cuts, ascending);
}

/* The sum by ranks, each of which sees its own blocks alone. */
static double sum_by_ranks(int64_t blocks, const int64_t *cuts, int ranks, const double *partials)
{
    double nodes[RANKS_MOST * CGS_TREE_NODES];
    int count = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t begin = cuts[r], end = cuts[r + 1];
        double *own = must_have((size_t)(end - begin + 1) * sizeof *own);
        memcpy(own, partials + begin, (size_t)(end - begin) * sizeof *own);
        const int found = cgs_tree_nodes(blocks, begin, end, own, nodes + count);
        ck_assert_int_le(found, CGS_TREE_NODES);
        ck_assert_int_eq(found, cgs_tree_nodes(blocks, begin, end, NULL, NULL));
        count += found;
        free(own);
    }
    return cgs_tree_root(blocks, cuts, nodes);
}

static void same_bits(int64_t blocks, int ranks, uint64_t seed)
{
    double *partials = make_partials(blocks);
    int64_t cuts[RANKS_MOST + 1];
    cut(blocks, ranks, seed, cuts);
    const double one = cgs_pairwise(partials, blocks);
    const double many = sum_by_ranks(blocks, cuts, ranks, partials);
    ck_assert_msg(memcmp(&one, &many, sizeof one) == 0, "%lld blocks, %d ranks: %.17g, not %.17g",
                  (long long)blocks, ranks, many, one);
    free(partials);
}

TEST(cuts_do_not_change_a_bit)
{
    for (int64_t blocks = 0; blocks <= 150; blocks++)
        for (int ranks = 1; ranks <= RANKS_MOST; ranks++)
            same_bits(blocks, ranks, (uint64_t)(blocks * 100 + ranks));
    for (uint64_t trial = 0; trial < 300; trial++)
        same_bits((int64_t)(cgs_splitmix64(trial) % (CGS_PARTIALS + 1)),
                  1 + (int)(trial % RANKS_MOST), trial);
}

/* The order matters: else the test above would show nothing. */
TEST(order_matters)
{
    const int64_t blocks = 1000;
    double *partials = make_partials(blocks), straight = 0.0;
    for (int64_t b = 0; b < blocks; b++)
        straight += partials[b];
    ck_assert(straight != cgs_pairwise(partials, blocks));
    free(partials);
}

/* The worst ranges for a rank's number of nodes: all but the ends. */
TEST(few_nodes)
{
    for (int64_t blocks = 2; blocks <= CGS_PARTIALS; blocks = 2 * blocks - blocks / 7)
        for (int64_t off = 1; off < 20 && 2 * off < blocks; off++) {
            const int count = cgs_tree_nodes(blocks, off, blocks - off, NULL, NULL);
            ck_assert_int_ge(count, 1);
            ck_assert_int_le(count, CGS_TREE_NODES);
        }
}

/* Small vectors have 64 blocks and more, long ones the blocks that they always had. */
TEST(sizes_of_blocks)
{
    ck_assert_int_eq(cgs_block_least(1, 4096), 32);
    ck_assert_int_eq(cgs_block_least(343, 4096), 32);
    ck_assert_int_eq(cgs_block_least(35937, 4096), 512);
    ck_assert_int_eq(cgs_block_least(35937, 256), 256);
    ck_assert_int_eq(cgs_block_least(262143, 4096), 2048);
    ck_assert_int_eq(cgs_block_least(262144, 4096), 4096);
    ck_assert_int_eq(cgs_block_least(INT64_C(1) << 40, 4096), 4096);
    for (int64_t n = 2048; n < 300000; n += 999)
        ck_assert_int_ge(n / cgs_block_least(n, 4096), 64);
}

int main(void)
{
    return bed_tests("tree", 60);
}
