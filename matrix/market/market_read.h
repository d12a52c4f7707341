/* Reads a matrix: open, header, accept, entries, rows; of several ranks, each its rows. */
#pragma once

#include "base/linkage.h"
#include "matrix/market/market.h"

CGS_BEGIN_C

/* Reads `path` into *crs, owned by the caller, on context->threads threads. Measures crs->norm;
 * sets crs->symmetric if the file says so. settings NULL: defaults. With settings->cut *crs has
 * the rows of this rank, from crs->first on, norm and *market are those of the whole, and no
 * rank ever holds more than its rows and a stretch of a Matrix Market file; failures are those of a
 * process alone, on all ranks. CGS_FILE: unreadable or malformed; the message has file, line (and
 * archive member), what was expected there and what was found. CGS_MEMORY. */
enum cgs_status cgs_market_read(struct cgs_context *context, const char *path,
                                const struct cgs_market_settings *settings, struct cgs_crs *crs,
                                struct cgs_market *market);

CGS_END_C
