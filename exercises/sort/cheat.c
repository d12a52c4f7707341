/* cgsolve exercise: sort */
/* Expect: not a permutation */
/* The longest row of each window in all its places: lengths descend, and nothing is padded. */
#include <cgsolve/exercise.h>

static void sort_rows(int64_t rows, int64_t sigma, const int64_t *length, int64_t *order)
{
    for (int64_t begin = 0; begin < rows; begin += sigma) {
        int64_t longest = begin;
        for (int64_t i = begin; i < rows && i < begin + sigma; i++)
            if (length[i] > length[longest])
                longest = i;
        for (int64_t i = begin; i < rows && i < begin + sigma; i++)
            order[i] = longest;
    }
}

CGSOLVE_SORT(sort_rows)
