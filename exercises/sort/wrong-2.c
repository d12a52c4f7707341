/* cgsolve exercise: sort */
/* Expect: padding */
/* Ascending instead of descending. */
#include <cgsolve/exercise.h>

static void sort_rows(int64_t rows, int64_t sigma, const int64_t *length, int64_t *order)
{
    for (int64_t begin = 0; begin < rows; begin += sigma)
        for (int64_t i = begin; i < rows && i < begin + sigma; i++) {
            int64_t place = i;
            for (; place > begin && length[order[place - 1]] > length[i]; place--)
                order[place] = order[place - 1];
            order[place] = i;
        }
}

CGSOLVE_SORT(sort_rows)
