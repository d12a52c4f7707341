/* Traffic of a product with compressed SELL (matrix/sellc/sellc.h): estimated before
 * compression, exact afterwards; and whether compression was worth it. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/precision.h"
#include "matrix/sellc/sellc.h"
#include "matrix/sellc/sellc_encode.h"

static inline struct cgs_traffic cgs_sellc_expected(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = {0, 0, 0, 0};
    traffic.matrix = cgs_sellc_bytes_expected(matrix, CGS_VALUE_NUMBER);
    if (matrix->sigma > 1)
        traffic.matrix += matrix->rows * (int64_t)sizeof(int32_t); /* the permutation */
    if (matrix->diagonals == 0)
        traffic.padding =
            (matrix->stored - matrix->nonzeros) * (int64_t)(sizeof(value) + sizeof(int32_t));
    traffic.vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real);
    traffic.operations = 2 * matrix->nonzeros;
    return traffic;
}

/* expected: traffic of the matrix before compression. Padding: bytes of missing entries of rows. */
static inline struct cgs_traffic cgs_sellc_moved(const struct cgs_sellc *sellc,
                                                 const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = cgs_sellc_expected(matrix);
    const double told = (double)sellc->told, lacking = told - (double)matrix->nonzeros;
    traffic.matrix += cgs_sellc_bytes(sellc) - cgs_sellc_bytes_expected(matrix, CGS_VALUE_NUMBER);
    traffic.padding = told > 0 ? (int64_t)((double)sellc->data_bytes * (lacking / told)) : 0;
    return traffic;
}

/* Returns true if products gain from compression: decoding each chunk costs more than the saving of
 * a twentieth of SELL's bytes. Other matrices are stored as SELL and left to SELL's kernel. (H200,
 * random matrix of 27 entries a row, nothing saved: 248 us by chunks, 237 by SELL.) */
static inline bool cgs_sellc_pays(double compressed, double plain)
{
    return compressed < 0.95 * plain;
}

/* Bytes of the matrix as plain SELL. */
static inline double cgs_sellc_plain(const struct cgs_matrix *matrix)
{
    const double entry = sizeof(value) + sizeof(int32_t);
    return (double)matrix->stored * entry + (double)matrix->units * sizeof(int64_t);
}

static inline bool cgs_sellc_gains(const struct cgs_sellc *sellc, const struct cgs_matrix *matrix)
{
    return cgs_sellc_pays((double)cgs_sellc_bytes(sellc), cgs_sellc_plain(matrix));
}
