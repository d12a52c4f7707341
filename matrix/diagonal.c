/* The diagonal of a matrix, from its row source. */
#include "matrix/matrix.h"
#include "matrix/walk.h"

/* Destination of the diagonal, and the column of row 0's diagonal entry. */
struct taking {
    double *diagonal;
    int64_t first;
};

static void take_diagonal(void *user, int thread, const struct cgs_walk_block *block)
{
    const struct taking *taking = user;
    double *const diagonal = taking->diagonal;
    int64_t at = 0;
    (void)thread;
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t row = block->first + i;
        diagonal[row] = 0.0;
        for (int32_t j = 0; j < block->lengths[i]; j++, at++)
            if (block->columns[at] == taking->first + row)
                diagonal[row] = block->values[at];
    }
}

enum cgs_status cgs_matrix_diagonal(struct cgs_context *context,
                                    const struct cgs_row_source *source, double *diagonal)
{
    const int64_t rows = source->rows < source->columns ? source->rows : source->columns;
    if (source->diagonal)
        return source->diagonal(context, source, 0, rows, diagonal);
    struct taking taking = {diagonal, source->first};
    return cgs_walk_rows(context, source, 0, rows, take_diagonal, &taking);
}
