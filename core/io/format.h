/* Numbers for readers: SI prefixes, three or four digits. Each writes into the caller's buffer and
 * returns it, so that several fit into one printf: cgs_bytes_text(bytes, (cgs_text){0}). */
#pragma once

#include <stdint.h>

typedef char cgs_text[48];

/* "84.1 MB" (1e6); INT64_MAX is "more than 9 EB". */
const char *cgs_bytes_text(int64_t bytes, cgs_text text);
/* "2.13 ms" */
const char *cgs_seconds_text(double seconds, cgs_text text);
/* "262 144" */
const char *cgs_count_text(int64_t count, cgs_text text);
/* "6.86 M" from 1e5 on, digits below */
const char *cgs_short_count_text(int64_t count, cgs_text text);

/* A grid of n[0] n[1] n[2] points: "63^3", or "63x31x15". */
const char *cgs_grid_text(const int64_t n[3], cgs_text text);
/* The same, and above 0 the order of its cells: "63^3, order 4". */
const char *cgs_grid_order_text(const int64_t n[3], int order, cgs_text text);

/* "1.23", "12.3", "123", "0.0123", "1.2e-06", "0": a number without a unit */
const char *cgs_number_text(double x, cgs_text text);
/* "38 %", or "3.8 %" below 10; "-" where the whole is not positive, or the part unknown (NaN) */
const char *cgs_percent_text(double part, double whole, cgs_text text);
/* "2.21 x"; "-" where the ratio is not positive */
const char *cgs_times_text(double ratio, cgs_text text);

/* Now: ISO 8601, UTC. */
typedef char cgs_date[32];
void cgs_date_now(cgs_date date);
