/* SuiteSparse:GraphBLAS, its own choice of method. C stays "jumbled" until its columns are needed
 * in order, for which GrB_wait asks. Source: T. A. Davis, ACM TOMS 45 (2019) 44, 49 (2023) 28. */
#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/spgemm.h"

static void end(void *self)
{
    GrB_Matrix a = self;
    GrB_Matrix_free(&a);
    GrB_finalize();
}

static void *begin(const struct peer_matrix *m)
{
    const size_t rows = (size_t)m->n + 1, entries = (size_t)m->start[m->n];
    GrB_Index *start = malloc(rows * sizeof *start);
    GrB_Index *column = malloc((entries + 1) * sizeof *column);
    float *value = malloc((entries + 1) * sizeof *value);
    GrB_Matrix a = NULL;
    bool fine = start && column && value && GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS;
    if (fine) {
        for (size_t i = 0; i < rows; i++)
            start[i] = (GrB_Index)m->start[i];
        for (size_t e = 0; e < entries; e++)
            column[e] = (GrB_Index)m->column[e];
        memcpy(value, m->value, entries * sizeof *value);
        fine = GrB_Matrix_import_FP32(&a, GrB_FP32, rows - 1, rows - 1, start, column, value, rows,
                                      entries, entries, GrB_CSR_FORMAT) == GrB_SUCCESS &&
               GrB_wait(a, GrB_MATERIALIZE) == GrB_SUCCESS;
    }
    free(start);
    free(column);
    free(value);
    return fine ? a : NULL;
}

static bool multiply(void *self, int threads, bool sorted, struct peer_product *product)
{
    GrB_Matrix a = self, c = NULL;
    GrB_Index n, entries;
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads);
    const struct peer_seconds from = peer_now();
    bool fine = GrB_Matrix_nrows(&n, a) == GrB_SUCCESS &&
                GrB_Matrix_new(&c, GrB_FP32, n, n) == GrB_SUCCESS &&
                GrB_mxm(c, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP32, a, a, NULL) == GrB_SUCCESS;
    if (sorted)
        fine = fine && GrB_wait(c, GrB_MATERIALIZE) == GrB_SUCCESS;
    product->seconds = peer_since(from);
    fine = fine && GrB_Matrix_nvals(&entries, c) == GrB_SUCCESS &&
           GrB_reduce(&product->sum, NULL, GrB_PLUS_MONOID_FP64, c, NULL) == GrB_SUCCESS;
    product->entries = (int64_t)entries;
    GrB_Matrix_free(&c);
    return fine;
}

const struct peer_multiplier peer_graphblas = {
    .name = "GraphBLAS", .threaded = true, .begin = begin, .multiply = multiply, .end = end};
