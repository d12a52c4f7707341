/* cgsolve exercise: sort */
/* Expect: which is in another place, too */
/* Sorts well, and puts the last row but one in the last place, too, which loses a row. */
#include <cgsolve/exercise.h>

struct row {
    int64_t length, number;
};

/* Longer rows first, equal ones in their order. */
static int compare(const void *a_, const void *b_)
{
    const struct row *a = a_, *b = b_;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void sort_rows(int64_t rows, int64_t sigma, const int64_t *length, int64_t *order)
{
    struct row *all = malloc((size_t)rows * sizeof *all);
    if (!all)
        return;
    for (int64_t i = 0; i < rows; i++)
        all[i] = (struct row){length[i], i};
    for (int64_t begin = 0; begin < rows; begin += sigma) {
        const int64_t left = rows - begin;
        qsort(all + begin, (size_t)(left < sigma ? left : sigma), sizeof *all, compare);
    }
    for (int64_t i = 0; i < rows; i++)
        order[i] = all[i].number;
    if ((rows - 1) % sigma > 0)
        order[rows - 1] = order[rows - 2];
    free(all);
}

CGSOLVE_SORT(sort_rows)
