/* A kernel of your own for cgsolve: y = A x, timed and verified beside all others, and inside CG.
 *
 *     cgsolve spmv --matrix=FILE --kernel=./mine.so        (or ./mine.c, ./mine.cu)
 *     cgsolve --kernel=./mine.so
 *
 * A kernel is a shared library that defines one symbol, `cgsolve_kernel`, of the type below. This
 * header needs nothing else, and is C (from C99 on) and C++ (CUDA). The smallest whole kernel:
 *
 *     #include <cgsolve/kernel.h>
 *
 *     static int apply(void *self, const struct cgsolve_matrix *A, const void *x_, void *y_,
 *                      void *stream)
 *     {
 *         const double *x = x_, *a = A->values;
 *         double *y = y_;
 *         for (int64_t i = 0; i < A->rows; i++) {
 *             double sum = 0;
 *             for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
 *                 sum += a[k] * x[A->column[k]];
 *             y[i] = sum;
 *         }
 *         return 0;
 *     }
 *
 *     const struct cgsolve_kernel cgsolve_kernel = {
 *         CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE, 0,
 *         "plain", "a row after the other", NULL, apply, NULL};
 *
 * The program calls prepare once, apply many times, release once, always from one thread at a time:
 * in a process of its own where it verifies and times, inside CG once more in the process that
 * solves. See doc/own-kernel.md for what is checked, and examples/ for a kernel in C with OpenMP
 * and one in CUDA.
 */
#ifndef CGSOLVE_KERNEL_H
#define CGSOLVE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a struct below does: a library of another one is refused, not guessed at, except
 * for version 1, which lacks cgsolve_matrix.bytes alone. */
#define CGSOLVE_KERNEL_ABI 2

/* Formats of the matrix (cgsolve_matrix below says where each entry stands). */
#define CGSOLVE_CRS 0
#define CGSOLVE_SELL 1

/* Memory that all pointers point to: the host's, or that of one CUDA device. */
#define CGSOLVE_CPU 0
#define CGSOLVE_CUDA 1

/* Bits of `precisions`: of the numbers in values, x and y alike. */
#define CGSOLVE_DOUBLE 1
#define CGSOLVE_SINGLE 2

/* Bits of `flags`. */
/* The same x gives the same bits in every run, whatever the threads do: --reproducible takes it. */
#define CGSOLVE_REPRODUCIBLE 1
/* CUDA: apply does nothing but launch kernels on `stream` (no allocation, no synchronisation, no
 * copy to or from the host), so that it may be recorded in a CUDA graph: CG is faster then. */
#define CGSOLVE_CAPTURABLE 2
/* Does not read the entries, but knows them: its sums are those of the product up to rounding, also
 * where the product by its entries would be exact. */
#define CGSOLVE_ENTRYLESS 4

/* The matrix, in its final layout. It stays where it is, and valid, until release has returned.
 * All arrays are the program's: they are only to be read (on the CPU writing to them is a fault),
 * and begin at multiples of 64 bytes. On CUDA they are device memory, but the struct itself is the
 * host's.
 *
 * CRS: entries of row i are k = pointers[i] ... pointers[i + 1] - 1, columns ascending.
 *
 * SELL (SELL-C-sigma): rows stand in places, C = `chunk` places a chunk, the last chunk perhaps
 * with fewer rows than places. Chunk c has the entries from pointers[c] to pointers[c + 1] - 1 and
 * is w = (pointers[c + 1] - pointers[c]) / C wide. Entry j of the row in place i = c C + l is
 *
 *     k = pointers[c] + j C + l,     j = 0 ... w - 1.
 *
 * Padding has value 0 and a column of the matrix. Place i has row permutation[i], or row i where
 * permutation is NULL (sigma = 1): y[permutation[i]] is to be written. x is never permuted. */
struct cgsolve_matrix {
    /* of A: y has `rows` numbers, x has `columns`; several ranks: a rank's */
    int64_t rows, columns;
    int64_t nonzeros;      /* entries without padding */
    int64_t stored;        /* of column and values: nonzeros (CRS), or with padding (SELL) */
    int64_t units;         /* rows (CRS) or chunks (SELL); pointers has units + 1 */
    int32_t chunk;         /* C, 1 for CRS */
    int32_t sigma;         /* rows are sorted by length within windows of sigma; 1: not */
    int32_t value_bytes;   /* 8: values, x and y are double; 4: float */
    int32_t threads;       /* host threads to use; omp_get_max_threads() says the same */
    int32_t device;        /* which CUDA device; it is the current one already */
    int32_t row_longest;   /* entries of the longest row */
    const int64_t *pointers;
    const int32_t *column;      /* `stored`, 0-based */
    const void *values;         /* `stored` */
    const int32_t *permutation; /* `rows` of them, or NULL */
    /* Before prepare or apply return anything but 0 they may say why, in a sentence, here: host
     * memory, at most why_room bytes with the final 0. */
    char *why;
    size_t why_room;
    /* A prepare that makes a layout of its own says here how many bytes of it one product reads:
     * values, indices, padding, without x and y. GB/s and the share of the attainable bandwidth are
     * of these. 0, as prepare finds it: those of the arrays above. */
    int64_t *bytes;
};

struct cgsolve_kernel {
    int32_t abi;             /* CGSOLVE_KERNEL_ABI */
    int32_t format;          /* CGSOLVE_CRS or CGSOLVE_SELL */
    int32_t device;          /* CGSOLVE_CPU or CGSOLVE_CUDA */
    int32_t precisions;      /* CGSOLVE_DOUBLE, CGSOLVE_SINGLE, or both by | */
    int32_t flags;           /* 0, or of those above */
    const char *name;        /* a word */
    const char *description; /* a line */

    /* Makes what apply needs beside the matrix, into *self, which is the kernel's own. Counted as
     * conversion. 0, or anything else where this matrix can't be taken (say why in A->why).
     * NULL: nothing to make, self is NULL. */
    int (*prepare)(const struct cgsolve_matrix *A, void **self);

    /* y = A x. x has A->columns numbers, y A->rows, both begin at multiples of 64 bytes, are of the
     * matrix's number type and never overlap. All of y is to be written, whatever stood there
     * (NaN), and nothing else: neither x nor what is beside y. CPU: complete when it returns;
     * stream is NULL. CUDA: x and y are device memory; stream is a cudaStream_t (not the default
     * one, and it does not wait for that one), and all work is to be queued there; it need not be
     * complete when it returns. Launches are to be checked (cudaGetLastError). 0, or anything else
     * where it failed (say why in A->why). */
    int (*apply)(void *self, const struct cgsolve_matrix *A, const void *x, void *y, void *stream);

    /* Gives back what prepare made; NULL: nothing to give back. */
    void (*release)(void *self);
};

/* The kernel that the library defines. */
extern const struct cgsolve_kernel cgsolve_kernel;

#ifdef __cplusplus
}
#endif

#endif
