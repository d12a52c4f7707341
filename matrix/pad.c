/* CRS with padded rows: beginning of each row if lengths are rounded up to multiples of 2^power.
 *
 * The rows are divided among the threads; each adds up its rows, and after a barrier writes its
 * pointers from the sums of the threads before it. cgs_matrix_fill writes the entries; to it a
 * padded row is a chunk of one row that is wider than the row.
 */

#include <assert.h>
#include <omp.h>

#include "base/memory.h"
#include "matrix/pad.h"

struct cgs_matrix cgs_matrix_padded(const struct cgs_matrix *crs, int power)
{
    assert(crs->format == CGS_CRS && power > 0 && power < CGS_ROUNDINGS);
    struct cgs_matrix padded = *crs;
    padded.pointers = NULL;
    padded.stored = padded.unsorted = crs->statistics.rounded[power];
    padded.padded = true;
    return padded;
}

static int64_t padded_length(const struct cgs_matrix *crs, int64_t row, int power)
{
    const int64_t multiple = INT64_C(1) << power;
    return (crs->pointers[row + 1] - crs->pointers[row] + multiple - 1) / multiple * multiple;
}

/* Writes pointers[row + 1] for all rows; before: room for the sum of each thread's rows. */
static void lay_out(const struct cgs_matrix *crs, int power, int threads, int64_t *before,
                    int64_t *pointers)
{
    pointers[0] = 0;
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num(), there = omp_get_num_threads();
        const int64_t share = crs->rows / there, rest = crs->rows % there;
        const int64_t begin = share * thread + (thread < rest ? thread : rest);
        const int64_t end = begin + share + (thread < rest);
        int64_t sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += padded_length(crs, i, power);
        before[thread] = sum;
#pragma omp barrier
        sum = 0;
        for (int t = 0; t < thread; t++)
            sum += before[t];
        for (int64_t i = begin; i < end; i++) {
            sum += padded_length(crs, i, power);
            pointers[i + 1] = sum;
        }
    }
}

enum cgs_status cgs_matrix_pad(struct cgs_context *context, const struct cgs_matrix *crs, int power,
                               struct cgs_matrix *padded)
{
    struct cgs_matrix made = cgs_matrix_padded(crs, power);
    int64_t *before;
    if (crs->statistics.longest > INT32_MAX - (1 << power))
        return cgs_fail(context, CGS_USAGE,
                        "a row of %ld entries cannot be padded to a multiple of %d: its length has "
                        "32 bits",
                        (long)crs->statistics.longest, 1 << power);
    const enum cgs_phase outer = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    enum cgs_status status = cgs_alloc(context, context->threads, sizeof *before,
                                       "counts of the threads", (void **)&before);
    if (status == CGS_OK) {
        status = cgs_alloc(context, made.units + 1, sizeof *made.pointers, "layout of padded rows",
                           (void **)&made.pointers);
        if (status == CGS_OK)
            lay_out(crs, power, context->threads, before, made.pointers);
        cgs_free(context, before);
    }
    if (status == CGS_OK)
        *padded = made;
    cgs_stopwatch_enter(&context->watch, outer);
    return status;
}
