/* Row-length statistics: mean, deviation, extremes, empty rows, from shifted sums
 *     s = sum (l_i - o),   q = sum (l_i - o)^2,
 *     mean = o + s / n,    deviation^2 = (q - s^2 / n) / n.
 */
#include "matrix/statistics.h"

#include <math.h>

int32_t cgs_tally_origin(const struct cgs_row_source *source)
{
    int32_t length = 0;
    if (source->rows > 0)
        source->lengths(source, 0, 1, &length);
    return length;
}

struct cgs_tally cgs_tally_start(int32_t origin)
{
    return (struct cgs_tally){
        .bad_row = INT64_MAX, .origin = origin, .shortest = INT32_MAX, .longest = -1};
}

/* Slow path for bad lengths: records the first and replaces all by 0. */
static void note_bad(struct cgs_tally *tally, int64_t first, int64_t count, int32_t *lengths,
                     int64_t columns)
{
    for (int64_t i = 0; i < count; i++) {
        if (lengths[i] >= 0 && lengths[i] <= columns)
            continue;
        if (first + i < tally->bad_row) {
            tally->bad_row = first + i;
            tally->bad_length = lengths[i];
        }
        lengths[i] = 0;
    }
}

void cgs_tally_add(struct cgs_tally *tally, int64_t first, int64_t count, int32_t *lengths,
                   int64_t columns)
{
    int32_t shortest = INT32_MAX, longest = INT32_MIN;
    int64_t sum = 0, empty = 0;
    double squares = 0.0;
    for (int64_t i = 0; i < count; i++) {
        shortest = lengths[i] < shortest ? lengths[i] : shortest;
        longest = lengths[i] > longest ? lengths[i] : longest;
        empty += lengths[i] == 0;
    }
    if (count > 0 && (shortest < 0 || longest > columns)) {
        note_bad(tally, first, count, lengths, columns);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        sum += lengths[i] - (int64_t)tally->origin;
    for (int k = 0; k < CGS_ROUNDINGS; k++) {
        int64_t pieces = 0;
        for (int64_t i = 0; i < count; i++)
            pieces += (lengths[i] >> k) + ((lengths[i] & ((1 << k) - 1)) != 0);
        tally->rounded[k] += pieces;
    }
    if (shortest != tally->origin || longest != tally->origin)
        for (int64_t i = 0; i < count; i++) {
            const double difference = (double)lengths[i] - tally->origin;
            squares += difference * difference;
        }
    tally->shortest = shortest < tally->shortest ? shortest : tally->shortest;
    tally->longest = longest > tally->longest ? longest : tally->longest;
    tally->sum += sum;
    tally->squares += squares;
    tally->empty += empty;
}

void cgs_tally_merge(struct cgs_tally *tally, const struct cgs_tally *other)
{
    tally->sum += other->sum;
    tally->squares += other->squares;
    tally->empty += other->empty;
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        tally->rounded[k] += other->rounded[k];
    if (other->bad_row < tally->bad_row) {
        tally->bad_row = other->bad_row;
        tally->bad_length = other->bad_length;
    }
    tally->shortest = other->shortest < tally->shortest ? other->shortest : tally->shortest;
    tally->longest = other->longest > tally->longest ? other->longest : tally->longest;
}

enum cgs_status cgs_tally_check(struct cgs_context *context, const struct cgs_row_source *source,
                                const struct cgs_tally *tally)
{
    if (tally->bad_row == INT64_MAX)
        return CGS_OK;
    return cgs_fail(context, CGS_FILE,
                    "row %lld (counting from 1): %ld entries announced, where 0 ... %lld are "
                    "possible",
                    (long long)tally->bad_row + 1, (long)tally->bad_length,
                    (long long)source->columns);
}

int64_t cgs_tally_entries(const struct cgs_tally *tally, int64_t rows)
{
    return tally->sum + rows * tally->origin;
}

struct cgs_row_statistics cgs_tally_statistics(const struct cgs_tally *tally, int64_t rows)
{
    if (rows == 0)
        return (struct cgs_row_statistics){0};
    const double n = (double)rows, s = (double)tally->sum;
    const double variance = (tally->squares - s / n * s) / n;
    struct cgs_row_statistics statistics = {.shortest = tally->shortest,
                                            .longest = tally->longest,
                                            .mean = tally->origin + s / n,
                                            .deviation = variance > 0.0 ? sqrt(variance) : 0.0,
                                            .empty = tally->empty};
    for (int k = 0; k < CGS_ROUNDINGS; k++)
        statistics.rounded[k] = tally->rounded[k] << k;
    return statistics;
}
