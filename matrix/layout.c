/* Beginnings of the units (rows of CRS, chunks of SELL), from one parallel pass over row lengths.
 *
 * The units are divided among the threads. Each thread writes the running sum of the entries of its
 * units to pointers[u + 1] and counts the lengths (statistics.c); after a barrier it adds the sums
 * of the threads before it. Lengths pass through a small buffer: nothing per row is stored apart
 * from the pointers, 8 bytes a unit (64 bits, since 27 entries a row exceed 2^31 at N = 431).
 *
 * To sort rows (sigma > 1) the first pass keeps the lengths, and gives the size without sorting; a
 * second pass lays the sorted rows out (sort_rows).
 */
#include "matrix/layout.h"

#include <assert.h>
#include <omp.h>
#include <stdint.h>

#include "base/memory.h"
#include "matrix/ranks/portion.h"
#include "matrix/statistics.h"

/* Row of each place in SELL-C-sigma: windows sorted by descending length.
 *
 * A window is sorted by the keys longest - length, least significant digit first (radix sort: each
 * pass counts the rows of every digit and then moves them stably), so in time proportional to its
 * rows; few rows are sorted by insertion. Q1 matrices need one pass of 8 bits, equal rows none.
 *
 * Threads share the windows. If these are few and long, all threads sort each one together: the
 * rows of digit d of thread t go after those of smaller digits, and of digit d of the threads
 * before it. A stable order is unique, so it does not depend on the method.
 */

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    FEW = 48,       /* rows up to which insertion sort is faster */
    MANY = 1 << 12, /* rows from which a team pays */
};

struct sort {
    const int32_t *lengths;    /* of a row */
    int32_t *permutation;      /* the result */
    int32_t *other;            /* passes alternate between both arrays; as long as the
                                  permutation */
    int64_t (*counts)[DIGITS]; /* of each thread of a team */
};

/* Rows of one window, places first ... last - 1 of the layout. */
struct window {
    int64_t first, last;
    int32_t shortest, longest;
};

static int passes_of(const struct window *window)
{
    int passes = 0;
    for (int64_t range = window->longest - window->shortest; range > 0; range >>= DIGIT_BITS)
        passes++;
    return passes;
}

static int digit_of(const struct sort *sort, const struct window *window, int pass, int32_t row)
{
    const int32_t key = window->longest - sort->lengths[row];
    return key >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

static void in_order(int64_t begin, int64_t end, int32_t *rows)
{
    for (int64_t i = begin; i < end; i++)
        rows[i] = (int32_t)i;
}

/* Counts the rows at places begin ... end - 1 by digit. */
static void count(const struct sort *sort, const struct window *window, int pass,
                  const int32_t *rows, int64_t begin, int64_t end, int64_t *counts)
{
    for (int d = 0; d < DIGITS; d++)
        counts[d] = 0;
    for (int64_t i = begin; i < end; i++)
        counts[digit_of(sort, window, pass, rows[i])]++;
}

/* Moves them to their next places, the first of digit d to places[d]. */
static void move(const struct sort *sort, const struct window *window, int pass,
                 const int32_t *restrict rows, int64_t begin, int64_t end, int64_t *places,
                 int32_t *restrict to)
{
    for (int64_t i = begin; i < end; i++)
        to[places[digit_of(sort, window, pass, rows[i])]++] = rows[i];
}

/* Turns counts[t][d] of `threads` threads into the first places of their rows. */
static void count_to_places(const struct window *window, int threads, int64_t (*counts)[DIGITS])
{
    int64_t place = window->first;
    for (int d = 0; d < DIGITS; d++)
        for (int t = 0; t < threads; t++) {
            const int64_t here = counts[t][d];
            counts[t][d] = place;
            place += here;
        }
}

static void swap(int32_t **a, int32_t **b)
{
    int32_t *const c = *a;
    *a = *b;
    *b = c;
}

/* Insertion sort: each row goes after those that are not shorter. */
static void insert(const struct sort *sort, int64_t first, int64_t last)
{
    const int32_t *lengths = sort->lengths;
    int32_t *rows = sort->permutation;
    for (int64_t row = first; row < last; row++) {
        int64_t place = row;
        for (; place > first && lengths[rows[place - 1]] < lengths[row]; place--)
            rows[place] = rows[place - 1];
        rows[place] = (int32_t)row;
    }
}

/* Sorts one window in the calling thread. */
static void sort_alone(const struct sort *sort, int64_t first, int64_t last)
{
    struct window window = {first, last, INT32_MAX, 0};
    int64_t counts[1][DIGITS];
    if (last - first <= FEW) {
        insert(sort, first, last);
        return;
    }
    for (int64_t row = first; row < last; row++) {
        const int32_t length = sort->lengths[row];
        window.shortest = length < window.shortest ? length : window.shortest;
        window.longest = length > window.longest ? length : window.longest;
    }
    const int passes = passes_of(&window);
    int32_t *to = sort->other, *rows = sort->permutation;
    if (passes % 2 == 1)
        swap(&to, &rows); /* the last pass must end in the permutation */
    in_order(first, last, rows);
    for (int pass = 0; pass < passes; pass++, swap(&to, &rows)) {
        count(sort, &window, pass, rows, first, last, counts[0]);
        count_to_places(&window, 1, counts);
        move(sort, &window, pass, rows, first, last, counts[0], to);
    }
}

/* Sorts one window with all threads. */
static void sort_together(const struct sort *sort, const struct window *window, int most_threads)
{
    const int passes = passes_of(window);
#pragma omp parallel num_threads(most_threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t rows = window->last - window->first;
        const int64_t begin = window->first + rows * thread / threads;
        const int64_t end = window->first + rows * (thread + 1) / threads;
        int32_t *to = sort->other, *from = sort->permutation;
        if (passes % 2 == 1)
            swap(&to, &from);
        in_order(begin, end, from);
        for (int pass = 0; pass < passes; pass++, swap(&to, &from)) {
            count(sort, window, pass, from, begin, end, sort->counts[thread]);
#pragma omp barrier
#pragma omp single
            count_to_places(window, threads, sort->counts);
            move(sort, window, pass, from, begin, end, sort->counts[thread], to);
#pragma omp barrier
        }
    }
}

static void sort_windows(const struct sort *sort, const struct cgs_matrix *matrix, int threads)
{
    const int64_t rows = matrix->rows, sigma = matrix->sigma;
    const int64_t windows = rows / sigma + (rows % sigma != 0);
    const int64_t longest = sigma < rows ? sigma : rows;
    if (threads == 1 || windows >= 4 * (int64_t)threads || longest < MANY) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t w = 0; w < windows; w++)
            sort_alone(sort, w * sigma, (w + 1) * sigma < rows ? (w + 1) * sigma : rows);
        return;
    }
    for (int64_t w = 0; w < windows; w++) {
        const struct window window = {
            .first = w * sigma,
            .last = (w + 1) * sigma < rows ? (w + 1) * sigma : rows,
            .shortest = matrix->statistics.shortest,
            .longest = matrix->statistics.longest,
        };
        sort_together(sort, &window, threads);
    }
}

/* Writes the permutation (allocated) of a matrix with known statistics: every window of sigma
 * places has its rows by descending length, stably sorted. lengths[row]: of all rows, within 0 ...
 * columns. In parallel, the same for any number of threads; CGS_MEMORY. */
static enum cgs_status sort_rows(struct cgs_context *context, const int32_t *lengths,
                                 const struct cgs_matrix *matrix)
{
    struct sort sort = {.lengths = lengths, .permutation = matrix->permutation};
    CGS_TRY(cgs_alloc(context, matrix->rows, sizeof *sort.other, "rows while they are sorted",
                      (void **)&sort.other));
    const enum cgs_status status = cgs_alloc(context, context->threads, sizeof *sort.counts,
                                             "row lengths counted", (void **)&sort.counts);
    if (status == CGS_OK)
        sort_windows(&sort, matrix, context->threads);
    cgs_free(context, sort.counts);
    cgs_free(context, sort.other);
    return status;
}

/* Lengths requested at a time by a thread: 8 KiB of its stack, two of the widest chunks. */
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

/* Returns sigma of the layout: formats without chunks do not sort. */
static int32_t sigma_of(enum cgs_format format, int32_t sigma)
{
    return cgs_format_chunked(format) ? sigma : 1;
}

void cgs_matrix_plan(struct cgs_plan *plan, enum cgs_format format, int64_t rows, int32_t chunk,
                     int32_t sigma)
{
    if (format != CGS_NONE)
        cgs_plan_add(plan, CGS_HOST, "matrix layout", units_of(format, rows, chunk) + 1,
                     sizeof(int64_t));
    if (sigma_of(format, sigma) > 1)
        cgs_plan_add(plan, CGS_HOST, "matrix layout, permutation", rows, sizeof(int32_t));
}

/* Entries of a chunk with these row lengths: all rows as wide as the widest, including those
 * missing in the last chunk. */
static int64_t chunk_entries(const int32_t *lengths, int64_t count, int32_t chunk)
{
    int32_t width = 0;
    for (int64_t i = 0; i < count; i++)
        width = lengths[i] > width ? lengths[i] : width;
    return (int64_t)width * chunk;
}

/* Data of a pass: the lengths of all rows (NULL: not kept), the counts of the threads, and before[t
 * + 1], the entries of thread t's units. */
struct walk {
    int32_t *lengths;
    struct cgs_tally *tallies;
    int64_t *before;
};

/* Lays out rows first ... last - 1 (whole units): counts lengths and writes running sums of the
 * units' entries after pointers[first / C], taken as `sum`. Returns the sum. */
static int64_t lay_out(const struct cgs_matrix *matrix, int64_t first, int64_t last,
                       int32_t *all_lengths, struct cgs_tally *tally)
{
    const struct cgs_row_source *source = matrix->source;
    const int32_t chunk = matrix->chunk;
    const int64_t step = LENGTHS / chunk * chunk;
    int32_t buffer[LENGTHS];
    int64_t sum = 0;
    for (int64_t begin = first; begin < last; begin += step) {
        const int64_t end = last - begin < step ? last : begin + step;
        int32_t *lengths = all_lengths ? &all_lengths[begin] : buffer;
        source->lengths(source, begin, end, lengths);
        cgs_tally_add(tally, begin, end - begin, lengths,
                      matrix->columns + cgs_portion_below(source->portion));
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

/* The same for the rows at places first ... last - 1. The first of a window's rows in a chunk is
 * the longest. */
static int64_t lay_out_sorted(const struct cgs_matrix *matrix, int64_t first, int64_t last,
                              const int32_t *lengths)
{
    const int64_t chunk = matrix->chunk, sigma = matrix->sigma;
    int64_t sum = 0;
    for (int64_t begin = first; begin < last; begin += chunk) {
        const int64_t end = last - begin < chunk ? last : begin + chunk;
        int32_t width = 0;
        for (int64_t place = begin; place < end; place = (place / sigma + 1) * sigma) {
            const int32_t length = lengths[matrix->permutation[place]];
            width = length > width ? length : width;
        }
        sum += width * chunk;
        matrix->pointers[begin / chunk + 1] = sum;
    }
    return sum;
}

/* Lays out all rows in parallel, in the order of the permutation if there is one. */
static void walk_all(struct cgs_context *context, const struct cgs_matrix *matrix,
                     const struct walk *walk)
{
    const int32_t chunk = matrix->chunk;
    int64_t *before = walk->before;
    const int64_t units = matrix->rows / chunk + (matrix->rows % chunk != 0);
#pragma omp parallel num_threads(context->threads)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t share = units / threads, rest = units % threads;
        const int64_t begin = share * thread + (thread < rest ? thread : rest);
        const int64_t end = begin + share + (thread < rest);
        const int64_t last = end * chunk < matrix->rows ? end * chunk : matrix->rows;
        before[thread + 1] =
            matrix->permutation
                ? lay_out_sorted(matrix, begin * chunk, last, walk->lengths)
                : lay_out(matrix, begin * chunk, last, walk->lengths, &walk->tallies[thread]);
#pragma omp barrier
#pragma omp single
        for (int t = 0; t < threads; t++)
            before[t + 1] += before[t];
        if (matrix->pointers)
            for (int64_t u = begin; u < end; u++)
                matrix->pointers[u + 1] += before[thread];
    }
}

/* Counts lengths and lays units out in the order of the source. */
static enum cgs_status walk_and_tally(struct cgs_context *context, struct cgs_matrix *matrix,
                                      const struct walk *walk)
{
    const int threads = context->threads;
    struct cgs_tally *tallies = walk->tallies;
    const int32_t origin = cgs_tally_origin(matrix->source);
    for (int t = 0; t < threads; t++)
        tallies[t] = cgs_tally_start(origin);
    walk_all(context, matrix, walk);
    for (int t = 1; t < threads; t++)
        cgs_tally_merge(&tallies[0], &tallies[t]);
    CGS_TRY(cgs_tally_check(context, matrix->source, &tallies[0]));
    matrix->nonzeros = cgs_tally_entries(&tallies[0], matrix->rows);
    matrix->statistics = cgs_tally_statistics(&tallies[0], matrix->rows);
    matrix->stored = matrix->pointers ? matrix->pointers[matrix->units] : 0;
    matrix->unsorted = matrix->stored;
    return CGS_OK;
}

/* Sorts rows and lays units out again. */
static enum cgs_status sort_and_walk(struct cgs_context *context, struct cgs_matrix *matrix,
                                     const struct walk *walk)
{
    CGS_TRY(cgs_alloc(context, matrix->rows, sizeof *matrix->permutation,
                      "matrix layout, permutation", (void **)&matrix->permutation));
    CGS_TRY(sort_rows(context, walk->lengths, matrix));
    walk_all(context, matrix, walk);
    matrix->stored = matrix->pointers[matrix->units];
    return CGS_OK;
}

static enum cgs_status lay_all_out(struct cgs_context *context, struct cgs_matrix *matrix)
{
    const int threads = context->threads;
    struct walk walk = {0};
    enum cgs_status status = cgs_alloc(context, threads, sizeof *walk.tallies, "row length tallies",
                                       (void **)&walk.tallies);
    if (status == CGS_OK)
        status = cgs_alloc(context, threads + 1, sizeof *walk.before, "counts of the threads",
                           (void **)&walk.before);
    if (status == CGS_OK && matrix->sigma > 1)
        status = cgs_alloc(context, matrix->rows, sizeof *walk.lengths, "row lengths",
                           (void **)&walk.lengths);
    if (status == CGS_OK) {
        for (int t = 0; t <= threads; t++)
            walk.before[t] = 0;
        if (matrix->pointers)
            matrix->pointers[0] = 0;
        status = walk_and_tally(context, matrix, &walk);
    }
    if (status == CGS_OK && matrix->sigma > 1)
        status = sort_and_walk(context, matrix, &walk);
    cgs_free(context, walk.lengths);
    cgs_free(context, walk.before);
    cgs_free(context, walk.tallies);
    return status;
}

static enum cgs_status check_request(struct cgs_context *context,
                                     const struct cgs_row_source *source, enum cgs_format format,
                                     int32_t chunk, int32_t sigma)
{
    if (source->rows < 0 || source->columns < 0)
        return cgs_fail(context, CGS_BUG, "a row source of %lld rows and %lld columns",
                        (long long)source->rows, (long long)source->columns);
    if (format == CGS_NONE)
        return CGS_OK;
    if (source->columns > INT32_MAX)
        return cgs_fail(context, CGS_USAGE,
                        "the matrix has %lld columns: column numbers have 32 bits, so that at most "
                        "%d are possible",
                        (long long)source->columns, INT32_MAX);
    if (!cgs_format_chunked(format))
        return CGS_OK;
    if (chunk < 1 || chunk > CGS_CHUNK_MOST)
        return cgs_fail(context, CGS_USAGE, "chunk = %d: must be within 1 ... %d", (int)chunk,
                        CGS_CHUNK_MOST);
    if (sigma < 1)
        return cgs_fail(context, CGS_USAGE, "sigma = %d: must be 1 (not sorted) or more",
                        (int)sigma);
    if (sigma > 1 && source->rows > INT32_MAX)
        return cgs_fail(context, CGS_USAGE,
                        "sigma = %d: the order of sorted rows has 32 bits, so that at most %d rows "
                        "can be sorted, not %lld; take sigma = 1",
                        (int)sigma, INT32_MAX, (long long)source->rows);
    return CGS_OK;
}

static struct cgs_matrix begin(const struct cgs_row_source *source, enum cgs_format format,
                               int32_t rows_a_unit, int32_t sigma)
{
    return (struct cgs_matrix){.format = format,
                               .source = source,
                               .mesh = source->mesh,
                               .rows = source->rows,
                               .columns = source->columns,
                               .units = units_of(format, source->rows, rows_a_unit),
                               .chunk = rows_a_unit,
                               .sigma = sigma_of(format, sigma),
                               .diagonals = source->diagonals,
                               .constant = source->constant};
}

static void take_statistics(struct cgs_matrix *matrix)
{
    matrix->source->statistics(matrix->source, &matrix->statistics);
    matrix->nonzeros = matrix->statistics.rounded[0];
    matrix->stored = matrix->format == CGS_CRS ? matrix->nonzeros : 0;
    matrix->unsorted = matrix->stored;
}

struct cgs_matrix cgs_matrix_outline(const struct cgs_row_source *source)
{
    struct cgs_matrix matrix = begin(source, CGS_CRS, 1, 1);
    take_statistics(&matrix);
    return matrix;
}

enum cgs_status cgs_matrix_create(struct cgs_context *context, const struct cgs_row_source *source,
                                  enum cgs_format format, int32_t chunk, int32_t sigma,
                                  struct cgs_matrix *matrix)
{
    CGS_TRY(check_request(context, source, format, chunk, sigma));
    const enum cgs_phase before = cgs_stopwatch_enter(&context->watch, CGS_PHASE_CONVERT);
    const int32_t rows_a_unit = cgs_format_chunked(format) ? chunk : 1;
    struct cgs_matrix made = begin(source, format, rows_a_unit, sigma);
    const bool elsewhere = format == CGS_NONE || (format == CGS_CRS && source->there);
    enum cgs_status status = CGS_OK;
    if (elsewhere && source->statistics) {
        take_statistics(&made);
        *matrix = made;
        cgs_stopwatch_enter(&context->watch, before);
        return CGS_OK;
    }
    if (format != CGS_NONE)
        status = cgs_alloc(context, made.units + 1, sizeof *made.pointers, "matrix layout",
                           (void **)&made.pointers);
    if (status == CGS_OK)
        status = lay_all_out(context, &made);
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
