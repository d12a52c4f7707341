/* Two reports of many matrices, kernel by kernel: whether it became faster from A to B, or is
 * within noise, and whether the ranking of the kernels changed. */
#pragma once

#include <jansson.h>

#include "base/context.h"
#include "core/io/page.h"

/* Adds to `comparison`, from `lines` as those of cgs_table_make, but without layouts:
 *
 *     kernels[]   {kernel, matrices (that both have), faster, slower, noise, unclear (of these),
 *                 ratio (geometric mean of b / a), ratio_least, ratio_most, verdict: "faster", ...}:
 *                 by the rules of lab/compare/difference.h, what others disturbed is unclear;
 *                 {kernel, matrices: 0, in: "a"} where one report alone has times of it
 *     ranking     {a[], b[] (kernels, the fastest first), changed, noise}: by the geometric mean of
 *                 the time over the fastest kernel's on each matrix; `changed`: some are in another
 *                 order; `noise`: these are within noise of each other in both
 *
 * Baselines that nobody asked for are in no ranking. CGS_MEMORY. */
enum cgs_status cgs_ranking_make(struct cgs_context *context, json_t *lines, json_t *comparison);
void cgs_ranking_text(const struct cgs_page *page, json_t *comparison);
