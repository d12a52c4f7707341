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
#include "matrix/sort.h"

#include <omp.h>
#include <stddef.h>

#include "base/memory.h"

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

enum cgs_status cgs_sort_rows(struct cgs_context *context, const int32_t *lengths,
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
