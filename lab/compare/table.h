/* One table of many reports of `cgsolve spmv` (of one matrix or many) or `cgsolve spgemm`, as
 * JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/context.h"
#include "core/io/page.h"

enum { CGS_TABLE_REPORTS = 26 }; /* A ... Z, at most */

/* Returns true if the report is of many matrices. */
bool cgs_table_many(json_t *report);

/* Adds to `comparison`:
 *     table[]   {matrix, kernel, reports[]}: of each report {median_seconds, min_seconds, max_seconds, ratio}, null
 *               where it has no time; ratio is the median over that of the first report; `disturbed`
 *               and `beside` (of the line) where they are true
 *     geometric_means[]   {kernel, reports[]}: of each report {matrices, ratio}: of the ratios of the matrices that
 *               both have; the last one, without a kernel, is of all kernels
 * and of two reports of many matrices what cgs_ranking_make has.
 * CGS_USAGE: more than CGS_TABLE_REPORTS. CGS_MEMORY. */
enum cgs_status cgs_table_make(struct cgs_context *context, json_t *const *reports, int count,
                               json_t *comparison);
void cgs_table_text(const struct cgs_page *page, json_t *comparison);
