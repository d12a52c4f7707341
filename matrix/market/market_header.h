/* Banner and size line of a file. Private to matrix/market. */
#pragma once

#include "matrix/market/market.h"
#include "matrix/market/market_text.h"

/* Reads up to and including the size line, or the headers of a .npz or a Harwell-Boeing file: sets
 * member, array, field, symmetry, rows, columns and stored of *market; *size_line: its number, 0
 * without one. *room = false: the rest is too short for the declared entries, so that reading it
 * will fail. CGS_FILE. */
enum cgs_status cgs_market_header(struct cgs_market_text *text, struct cgs_market *market,
                                  int64_t *size_line, bool *room);

/* Words of the file's first line: "coordinate", "real", "symmetric", ... */
const char *cgs_market_format_name(const struct cgs_market *market);
const char *cgs_market_field_name(const struct cgs_market *market);
const char *cgs_market_symmetry_name(const struct cgs_market *market);
