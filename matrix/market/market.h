/* Matrix Market files (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): read strictly and in
 * parallel, plain or out of an archive; written for other tools to read. */
#ifndef CGS_MATRIX_MARKET_MARKET_H
#define CGS_MATRIX_MARKET_MARKET_H

#include <stdio.h>

#include "base/plan.h"
#include "matrix/crs.h"

CGS_BEGIN_C

enum cgs_market_field { CGS_MARKET_REAL, CGS_MARKET_INTEGER, CGS_MARKET_PATTERN };
enum cgs_market_symmetry { CGS_MARKET_GENERAL, CGS_MARKET_SYMMETRIC, CGS_MARKET_SKEW };

/* What a file says of itself, and what was met in it. */
struct cgs_market {
    char member[256]; /* the archive's member that was read; "" where there is no archive */
    bool array;       /* dense, column by column */
    enum cgs_market_field field;
    enum cgs_market_symmetry symmetry;
    int64_t rows, columns;
    int64_t stored;     /* entries in the file */
    int64_t nonzeros;   /* of the matrix: expanded, duplicates summed, explicit zeros included */
    int64_t duplicates; /* entries that were added to another one at the same place */
    int64_t zeros;      /* entries of the matrix that are 0 */
    int64_t bytes;      /* of text, unpacked */
    double seconds;     /* of reading and parsing */
};

struct cgs_market_settings {
    /* Called once the size line is known, before anything of its size is allocated: `plan` is what
     * reading will hold at its peak. A status that is not CGS_OK ends the reading with it. NULL:
     * nobody asks. */
    enum cgs_status (*accept)(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan);
    /* Called now and then with bytes of the file read, and all of them (0: unknown); also while a
     * pipe has nothing to be read. false: CGS_INTERRUPTED. */
    bool (*progress)(void *user, int64_t done, int64_t all);
    void *user;
    int64_t buffer; /* bytes of text at a time, 0: up to 16 MiB; tests make it small */
};

/* Reads `path` into *crs, owned by the caller; crs->norm is measured, crs->symmetric where the file
 * says so. settings NULL: none. On context->threads threads.
 * CGS_FILE: unreadable or malformed; says file, line (and archive member), what was expected there
 * and what was found. CGS_MEMORY. */
enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market);

/* A vector: a file of `rows` rows and one column, array or coordinate, into values[0 ... rows - 1].
 * settings->accept is not asked. CGS_FILE also where it has another size. */
enum cgs_status cgs_market_read_vector(struct cgs_context *context, const char *path,
                                       const struct cgs_market_settings *settings, int64_t rows,
                                       double *values);

/* Both write so that the very same numbers are read back, and return; what could not be written
 * shows in ferror(file). The matrix: coordinate real, the lower triangle as `symmetric` where
 * source->symmetric is, else `general`. `comment` goes below the banner, a line each. */
enum cgs_status cgs_market_write(struct cgs_context *context, FILE *file, const char *comment,
                                 const struct cgs_row_source *source);
enum cgs_status cgs_market_write_vector(struct cgs_context *context, FILE *file,
                                        const char *comment, int64_t rows, const double *values);

CGS_END_C

#endif
