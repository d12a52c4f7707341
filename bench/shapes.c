#include "bench/shapes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"

static int64_t length_of(const char *shape, int64_t n, double mean, int64_t row)
{
    if (strcmp(shape, "arrow") == 0)
        return row == 0 ? n : 2;
    if (strcmp(shape, "even") == 0)
        return mean < (double)n ? (int64_t)mean : n;
    const double u = 0.5 * (cgs_random((uint64_t)row) + 1.0) + 1e-12;
    const double length = 2.0 * pow(u, -0.8);
    return length < (double)n ? (int64_t)length : n;
}

/* Column j of a row: one from each of `length` equal pieces, so that they ascend. */
static int64_t column_of(bool arrow, int64_t n, int64_t row, int64_t j, int64_t length)
{
    if (arrow && row > 0)
        return j == 0 ? 0 : row;
    const int64_t from = n * j / length, to = n * (j + 1) / length;
    return from + (int64_t)(cgs_splitmix64((uint64_t)(row * 31 + j)) % (uint64_t)(to - from));
}

enum cgs_status cgs_shape_make(struct cgs_context *context, const char *shape, int64_t n,
                               double mean, struct cgs_crs *crs)
{
    const bool arrow = strcmp(shape, "arrow") == 0;
    struct cgs_crs made;
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < n; i++)
        nonzeros += length_of(shape, n, mean, i);
    CGS_TRY(cgs_crs_alloc(context, n, n, nonzeros, &made));
    made.pointers[0] = 0;
    for (int64_t i = 0; i < n; i++)
        made.pointers[i + 1] = made.pointers[i] + length_of(shape, n, mean, i);
    for (int64_t i = 0; i < n; i++) {
        const int64_t begin = made.pointers[i], length = made.pointers[i + 1] - begin;
        for (int64_t j = 0; j < length; j++) {
            made.column[begin + j] = (int32_t)column_of(arrow, n, i, j, length);
            made.value[begin + j] = cgs_random((uint64_t)(begin + j));
        }
    }
    *crs = made;
    return CGS_OK;
}
