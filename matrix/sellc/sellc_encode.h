/* Compresses a matrix, piece by piece. */
#pragma once

#include "base/linkage.h"
#include "matrix/sellc/sellc.h"

CGS_BEGIN_C

/* Adds the host memory of cgs_sellc_encode to the plan, and an upper bound of its result: the
 * lists, and `data` in `place`. The result is at most SELL's size plus 16 bytes a chunk and
 * alignment to 16; less if the source is known to have few diagonals, or one number on each
 * (row_source.h). Also for a forecast. */
void cgs_sellc_plan(const struct cgs_matrix *matrix, enum cgs_number number, enum cgs_place place,
                    struct cgs_plan *plan);

/* Returns CGS_USAGE if a chunk has more rows than a mask has bits. */
enum cgs_status cgs_sellc_accepts(struct cgs_context *context, const struct cgs_matrix *matrix);

/* Compresses the matrix (CGS_SELLC, 1 ... CGS_SELLC_CHUNK_MOST rows a chunk), piece by piece and in
 * parallel: one pass for the table of values (abandoned at the first piece with too many), one for
 * everything. The same for any number of threads. The result owns its lists, the sink's owner the
 * data.
 * CGS_USAGE as cgs_sellc_accepts. CGS_FILE as cgs_matrix_fill. CGS_MEMORY; statuses of the sink.
 */
enum cgs_status cgs_sellc_encode(struct cgs_context *context, const struct cgs_matrix *matrix,
                                 enum cgs_number number, const struct cgs_sellc_sink *sink,
                                 struct cgs_sellc *out);
/* Writes the values of a matrix with the pattern and layout of the one that was compressed into the
 * copy of that, which is in host memory; columns and codings stay. *renewed false: the values do
 * not fit, or the copy has a table of values; it can then only be released, as after a failure.
 * CGS_FILE as cgs_matrix_fill. CGS_MEMORY. */
enum cgs_status cgs_sellc_renew(struct cgs_context *context, const struct cgs_matrix *matrix,
                                const struct cgs_sellc *sellc, bool *renewed);
void cgs_sellc_release(struct cgs_context *context, struct cgs_sellc *sellc);

/* Bytes that a product reads: 16 bytes a chunk, data, lists. */
int64_t cgs_sellc_bytes(const struct cgs_sellc *sellc);

/* The same before compression: exact for known diagonals (without the lists), else SELL's bytes,
 * which it hardly exceeds. Also for a forecast. */
int64_t cgs_sellc_bytes_expected(const struct cgs_matrix *matrix, enum cgs_number number);

/* Returns a sink that keeps the data in host memory, until the store is released. */
struct cgs_sellc_sink cgs_sellc_into(struct cgs_sellc_store *store);
void cgs_sellc_store_release(struct cgs_sellc_store *store);

CGS_END_C
