/* Matrix Market files (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): read strictly and in
 * parallel, plain or from an archive; written for other tools. SciPy's .npz (market_npz.c) and
 * Harwell-Boeing files (market_boeing.c) are read by the same functions. */
#pragma once

#include <stdio.h>

#include "base/plan.h"
#include "matrix/crs.h"

CGS_BEGIN_C

enum cgs_market_field { CGS_MARKET_REAL, CGS_MARKET_INTEGER, CGS_MARKET_PATTERN };
enum cgs_market_symmetry { CGS_MARKET_GENERAL, CGS_MARKET_SYMMETRIC, CGS_MARKET_SKEW };

/* Declarations of a file, and statistics of its entries. */
struct cgs_market {
    char member[256]; /* member of the archive that was read; "" without an archive */
    bool array;       /* dense, column by column */
    enum cgs_market_field field;
    enum cgs_market_symmetry symmetry;
    int64_t rows, columns;
    int64_t stored;     /* entries in the file */
    int64_t nonzeros;   /* of the matrix: expanded, duplicates summed, explicit zeros included */
    int64_t duplicates; /* entries added to another one at the same place */
    int64_t zeros;      /* entries of the matrix that are 0 */
    int64_t bytes;      /* of text, unpacked */
    double seconds;     /* of reading and parsing */
};

struct cgs_market_settings {
    /* Called once the size line is known, before anything of that size is allocated: `plan` is the
     * peak memory of reading. A status other than CGS_OK ends the reading. NULL: not called. */
    enum cgs_status (*accept)(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan);
    /* Called now and then with the bytes read and their total (0: unknown); also while a pipe has
     * no data. false: CGS_INTERRUPTED. */
    bool (*progress)(void *user, int64_t done, int64_t all);
    /* Cuts `rows` rows among several ranks, all of which call it at once: sets cuts[0 ...
     * ranks]; rank r keeps rows cuts[r] ... cuts[r + 1] - 1. NULL: every process keeps all. */
    void (*cut)(void *user, int64_t rows, int64_t *cuts);
    void *user;
    const char
        *member;    /* member of an archive that is to be read; NULL: the one that is a matrix */
    int64_t buffer; /* bytes of text at a time, 0: up to 16 MiB; for tests */
    /* Numbers of a vector, which may stand in a file without a banner, one a line; 0: none. */
    int64_t plain;
    bool head; /* accept ends the reading, of each rank by itself */
};

CGS_END_C
