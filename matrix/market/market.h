/* Matrix Market files (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996): read strictly and in
 * parallel, plain or from an archive; written for other tools. */
#ifndef CGS_MATRIX_MARKET_MARKET_H
#define CGS_MATRIX_MARKET_MARKET_H

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

/* Words of the file's first line: "coordinate", "real", "symmetric", ... */
const char *cgs_market_format_name(const struct cgs_market *market);
const char *cgs_market_field_name(const struct cgs_market *market);
const char *cgs_market_symmetry_name(const struct cgs_market *market);

struct cgs_market_settings {
    /* Called once the size line is known, before anything of that size is allocated: `plan` is the
     * peak memory of reading. A status other than CGS_OK ends the reading. NULL: not called. */
    enum cgs_status (*accept)(void *user, struct cgs_context *context,
                              const struct cgs_market *market, const struct cgs_plan *plan);
    /* Called now and then with the bytes read and their total (0: unknown); also while a pipe has
     * no data. false: CGS_INTERRUPTED. */
    bool (*progress)(void *user, int64_t done, int64_t all);
    /* Cuts `rows` rows among several ranks, all of which call it at once: sets cuts[0 ... ranks]; rank r keeps
     * rows cuts[r] ... cuts[r + 1] - 1. NULL: every process keeps all. */
    void (*cut)(void *user, int64_t rows, int64_t *cuts);
    void *user;
    const char *member; /* member of an archive that is to be read; NULL: the one that is a matrix */
    int64_t buffer; /* bytes of text at a time, 0: up to 16 MiB; for tests */
};

/* Reads `path` into *crs, owned by the caller, on context->threads threads. Measures crs->norm;
 * sets crs->symmetric if the file says so. settings NULL: defaults. With settings->cut *crs has the rows
 * of this rank, from crs->first on, norm and *market are those of the whole, and no rank ever holds more
 * than its rows and a stretch of the file; failures are those of a process alone, on all ranks.
 * CGS_FILE: unreadable or malformed; the message has file, line (and archive member), what was
 * expected there and what was found. CGS_MEMORY. */
enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market);

/* Lists the members of an archive that are matrices, in the archive's order. Where one is named like its folder
 * (NAME/NAME.mtx), the others of that folder belong to it, and are left out. None: a file that is no archive, or
 * one without a matrix. Reads the archive to its end. The caller releases *names.
 * CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_market_members(struct cgs_context *context, const char *path,
                                   const struct cgs_market_settings *settings, char ***names,
                                   int *count);
void cgs_market_members_release(char **names, int count);

/* Reads a vector, a file of `rows` rows and one column, array or coordinate, into values[0 ... rows
 * - 1], with settings->cut those of this rank from values[0] on. Does not call settings->accept. CGS_FILE also for another size. */
enum cgs_status cgs_market_read_vector(struct cgs_context *context, const char *path,
                                       const struct cgs_market_settings *settings, int64_t rows,
                                       double *values);

/* Both write so that the same numbers are read back; failures show in ferror(file). The matrix is
 * coordinate real, the lower triangle as `symmetric` if source->symmetric, else `general`. comment:
 * written below the banner, line by line. A source that is a rank's part of the rows (source->whole) is written by all
 * ranks at once, file NULL on all but rank 0, which writes the bytes of a process that has all; none ever
 * holds more than its part and a round of text. */
enum cgs_status cgs_market_write(struct cgs_context *context, FILE *file, const char *comment,
                                 const struct cgs_row_source *source);
enum cgs_status cgs_market_write_vector(struct cgs_context *context, FILE *file,
                                        const char *comment, int64_t rows, const double *values);

CGS_END_C

#endif
