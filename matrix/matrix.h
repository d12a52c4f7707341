/* Layout of a matrix: the position of every entry, without memory for the entries.
 *
 * A row source gives the rows; the layout says where each one is stored in CRS or SELL-C-sigma, and
 * writes any part of it into the caller's memory: a kernel's arrays on the CPU, or a pinned staging
 * buffer for a device. So the entries are never in host memory twice.
 *
 *     4x4 matrix        CRS                              SELL-2-1 (columns of a chunk contiguous)
 *     . 3 1 .           pointers 0 2 4 5 8               pointers 0 4 10
 *     4 . . 7           columns  1 2 0 3 2 0 2 3         columns  1 0 2 3 | 2 0 2 2 2 3
 *     . . 6 .           values   3 1 4 7 6 9 5 3         values   3 4 1 7 | 6 9 0 5 0 3
 *     9 . 5 3
 *
 * A row has a place in SELL: place i is in chunk k = i / C. With sigma = 1 place i has row i. With
 * sigma > 1 the places of each window of sigma rows have these rows by descending length, stably
 * sorted; a window may begin and end within a chunk:
 *
 *     SELL-2-4: permutation 3 0 1 2 (place -> row), pointers 0 6 10
 *     columns  0 1 2 2 3 1 | 0 2 3 2
 *     values   9 3 5 1 3 0 | 4 6 7 0
 *
 * Entry j of the row at place i: pointers[k] + j C + (i - k C), j = 0 ... w_k - 1, w_k being the
 * length of the chunk's longest row. Padding has value 0 and the column of the row's first entry
 * (an empty row: its own index, or the last column), so that it reads only what its row reads
 * anyway. Columns and vectors stay in natural order: a product writes y[permutation[i]].
 *
 * SELL-C-sigma: M. Kreutzer et al., SIAM J. Sci. Comput. 36 (2014), arXiv:1307.6209.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

enum cgs_format {
    CGS_CRS,
    CGS_SELL,
    CGS_SELLC, /* compressed SELL: a kernel compresses the generated entries */
    CGS_NONE,  /* no entries: an operator that works from source->mesh */
    CGS_FORMATS
};

/* Returns true if the format stores rows in chunks: --chunk and --sigma apply. */
CGS_INLINE bool cgs_format_chunked(enum cgs_format format)
{
    return format == CGS_SELL || format == CGS_SELLC;
}

/* Number types of stored values. */
enum cgs_number { CGS_F64, CGS_F32, CGS_NUMBERS };

/* Returns the number of this type next to `value`. */
CGS_INLINE double cgs_rounded(enum cgs_number number, double value)
{
    return number == CGS_F32 ? (double)(float)value : value;
}

enum { CGS_ROUNDINGS = 6 };

/* Statistics of the row lengths given by the source. */
struct cgs_row_statistics {
    int32_t shortest, longest;
    double mean, deviation; /* standard deviation of the row lengths */
    int64_t empty;          /* rows without an entry */
    /* Entries if the length of each row were rounded up to a multiple of 2^k, as layouts with
     * padded rows store them, and several threads a row process them. rounded[0] is nonzeros. */
    int64_t rounded[CGS_ROUNDINGS];
};

struct cgs_matrix {
    enum cgs_format format;
    const struct cgs_row_source *source; /* borrowed */
    /* source->mesh, also in a forecast, which has no source. NULL: rows from elsewhere. */
    const struct cgs_mesh *mesh;
    int64_t rows, columns;
    int64_t nonzeros;  /* entries of the source, explicit zeros included */
    int64_t stored;    /* entries of the layout, padding included; nonzeros for CRS, 0 for NONE */
    int64_t unsorted;  /* the same for sigma = 1 */
    int64_t units;     /* elements of pointers: rows (CRS) or chunks (SELL) */
    int32_t chunk;     /* C: rows in a unit; 1 for CRS */
    int32_t sigma;     /* rows are sorted by length within windows of sigma; 1: not sorted */
    bool padded;       /* CRS whose rows are padded: cgs_matrix_pad */
    bool on_device;    /* true: a device computes the entries from source->mesh instead of
                             receiving them; set by the caller of cgs_matrix_create, for CRS or SELL
                             with sigma = 1 */
    int64_t *pointers; /* units + 1 offsets into the entries; NULL for CGS_NONE, and where a
                             device alone has them (row_source.h) */
    int32_t *permutation; /* place -> row, `rows` of them; NULL when sigma = 1 */
    int32_t diagonals;    /* of the source: see row_source.h */
    bool constant;
    int8_t repeats; /* in a forecast: the order p > 1 of cells that are all equal; else 0 */
    struct cgs_row_statistics statistics;
};

enum { CGS_CHUNK_MOST = 1024 };

CGS_END_C
