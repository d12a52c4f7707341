/* Where each unit (a row of CRS, a chunk of SELL) begins: one parallel walk over the row lengths.
 *
 * The units are divided among the threads. Each thread writes, for its own units, the running sum
 * of their entries into pointers[u + 1] and tallies the lengths (statistics.c); after a barrier it
 * adds what the threads before it have counted. Lengths pass through a small buffer: nothing per
 * row is kept beside the pointers, 8 bytes a unit (seam 9: 64 bits, 27 entries a row pass 2^31 at
 * N = 431).
 */
#include "matrix/matrix.h"

#include <assert.h>
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "matrix/statistics.h"

/* Lengths that a thread asks for at a time: 8 KiB of its stack, two of the widest chunks. */
enum { LENGTHS = 2 * CGS_CHUNK_MOST };

static int64_t units_of(enum cgs_format format, int64_t rows, int32_t chunk)
{
    switch (format) {
    case CGS_CRS:
        return rows;
    case CGS_SELL:
    case CGS_SELLC:
        return rows / chunk + (rows % chunk != 0);
    default:
        return 0;
    }
}

void cgs_matrix_plan(struct cgs_plan *plan, enum cgs_format format, int64_t rows, int32_t chunk)
{
    if (format != CGS_NONE)
        cgs_plan_add(plan, CGS_HOST, "matrix layout", units_of(format, rows, chunk) + 1,
                     sizeof(int64_t));
}

/* Entries of a chunk with these row lengths: all its rows as wide as the widest, rows that the
 * last chunk lacks included. */
static int64_t chunk_entries(const int32_t *lengths, int64_t count, int32_t chunk)
{
    int32_t width = 0;
    for (int64_t i = 0; i < count; i++)
        width = lengths[i] > width ? lengths[i] : width;
    return (int64_t)width * chunk;
}

/* Rows first ... last - 1 (of whole units): lengths tallied, running sums of the units' entries
 * written behind pointers[first / C], which stands for `sum`. Returns the sum. */
static int64_t lay_out(const struct cgs_matrix *matrix, int64_t first, int64_t last,
                       struct cgs_tally *tally)
{
    const struct cgs_row_source *source = matrix->source;
    const int32_t chunk = matrix->chunk;
    const int64_t step = LENGTHS / chunk * chunk;
    int32_t lengths[LENGTHS];
    int64_t sum = 0;
    for (int64_t begin = first; begin < last; begin += step) {
        const int64_t end = last - begin < step ? last : begin + step;
        source->lengths(source, begin, end, lengths);
        cgs_tally_add(tally, begin, end - begin, lengths, matrix->columns);
        if (!matrix->pointers)
            continue;
        int64_t *pointer = &matrix->pointers[begin / chunk + 1];
        for (int64_t i = 0; i < end - begin; i += chunk) {
            const int64_t there = end - begin - i;
            sum += chunk == 1 ? lengths[i]
                              : chunk_entries(&lengths[i], there < chunk ? there : chunk, chunk);
            *pointer++ = sum;
        }
    }
    return sum;
}

/* All rows, in parallel. before[t + 1] takes the entries of thread t's units. */
static void walk(struct cgs_context *context, const struct cgs_matrix *matrix,
                 struct cgs_tally *tallies, int64_t *before)
{
    const int32_t chunk = matrix->chunk;
    const int64_t units = matrix->rows / chunk + (matrix->rows % chunk != 0);
#pragma omp parallel num_threads(context->threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t share = units / threads, rest = units % threads;
        const int64_t begin = share * thread + (thread < rest ? thread : rest);
        const int64_t end = begin + share + (thread < rest);
        const int64_t last = end * chunk < matrix->rows ? end * chunk : matrix->rows;
        before[thread + 1] = lay_out(matrix, begin * chunk, last, &tallies[thread]);
#pragma omp barrier
#pragma omp single
        for (int t = 0; t < threads; t++)
            before[t + 1] += before[t];
        if (matrix->pointers)
            for (int64_t u = begin; u < end; u++)
                matrix->pointers[u + 1] += before[thread];
    }
}

static enum cgs_status walk_and_tally(struct cgs_context *context, struct cgs_matrix *matrix)
{
    const int threads = context->threads;
    struct cgs_tally *tallies = NULL;
    int64_t *before = NULL;
    enum cgs_status status =
        cgs_alloc(context, threads, sizeof *tallies, "row length tallies", (void **)&tallies);
    if (status != CGS_OK)
        return status;
    status =
        cgs_alloc(context, threads + 1, sizeof *before, "counts of the threads", (void **)&before);
    if (status != CGS_OK)
        goto free_tallies;
    const int32_t origin = cgs_tally_origin(matrix->source);
    for (int t = 0; t < threads; t++) {
        tallies[t] = cgs_tally_start(origin);
        before[t + 1] = 0;
    }
    before[0] = 0;
    if (matrix->pointers)
        matrix->pointers[0] = 0;
    walk(context, matrix, tallies, before);
    for (int t = 1; t < threads; t++)
        cgs_tally_merge(&tallies[0], &tallies[t]);
    status = cgs_tally_check(context, matrix->source, &tallies[0]);
    if (status == CGS_OK) {
        matrix->nonzeros = cgs_tally_entries(&tallies[0], matrix->rows);
        matrix->statistics = cgs_tally_statistics(&tallies[0], matrix->rows);
        matrix->stored = matrix->pointers ? matrix->pointers[matrix->units] : 0;
    }
    cgs_free(context, before);
free_tallies:
    cgs_free(context, tallies);
    return status;
}

static enum cgs_status check_request(struct cgs_context *context,
                                     const struct cgs_row_source *source, enum cgs_format format,
                                     int32_t chunk, int32_t sigma)
{
    if (source->rows < 0 || source->columns < 0)
        return cgs_fail(context, CGS_BUG, "a row source of %lld rows and %lld columns",
                        (long long)source->rows, (long long)source->columns);
    if (source->columns > INT32_MAX)
        return cgs_fail(context, CGS_USAGE,
                        "the matrix has %lld columns: column numbers have 32 bits, so that at most "
                        "%d are possible",
                        (long long)source->columns, INT32_MAX);
    if (format != CGS_SELL && format != CGS_SELLC)
        return CGS_OK;
    if (chunk < 1 || chunk > CGS_CHUNK_MOST)
        return cgs_fail(context, CGS_USAGE, "chunk = %d: must be within 1 ... %d", (int)chunk,
                        CGS_CHUNK_MOST);
    if (sigma != 1)
        return cgs_fail(context, CGS_USAGE, "sigma = %d: rows cannot be sorted yet; use sigma = 1",
                        (int)sigma);
    return CGS_OK;
}

enum cgs_status cgs_matrix_create(struct cgs_context *context, const struct cgs_row_source *source,
                                  enum cgs_format format, int32_t chunk, int32_t sigma,
                                  struct cgs_matrix *matrix)
{
    CGS_TRY(check_request(context, source, format, chunk, sigma));
    const enum cgs_phase before = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    const int32_t rows_a_unit = format == CGS_SELL || format == CGS_SELLC ? chunk : 1;
    struct cgs_matrix made = {.format = format,
                              .source = source,
                              .rows = source->rows,
                              .columns = source->columns,
                              .units = units_of(format, source->rows, rows_a_unit),
                              .chunk = rows_a_unit,
                              .sigma = 1};
    enum cgs_status status = CGS_OK;
    if (format != CGS_NONE)
        status = cgs_alloc(context, made.units + 1, sizeof *made.pointers, "matrix layout",
                           (void **)&made.pointers);
    if (status == CGS_OK)
        status = walk_and_tally(context, &made);
    if (status == CGS_OK)
        *matrix = made;
    else
        cgs_matrix_release(context, &made);
    cgs_stopwatch_enter(&context->watch, before);
    return status;
}

void cgs_matrix_release(struct cgs_context *context, struct cgs_matrix *matrix)
{
    cgs_free(context, matrix->pointers);
    cgs_free(context, matrix->permutation);
    *matrix = (struct cgs_matrix){0};
}
