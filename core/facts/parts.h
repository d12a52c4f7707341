/* Parts of the JSON report that are arrays or objects of their own, and what the text report
 * takes of them. doc/report.md has their keys. Each json_t is owned by the caller; NULL without
 * memory. */
#pragma once

#include "core/io/json.h"
#include "core/report/report.h"

/* Figures of a line that derive from it; 0 where they do not exist. */
struct cgs_step_figures {
    double gbs, attainable, roofline;
    const char *kind;
};

struct cgs_step_figures cgs_step_figures(const struct cgs_report *report,
                                         const struct cgs_profile_line *line);

/* Returns the seconds of the solve that no step took, nor the start vector. */
double cgs_report_rest_seconds(const struct cgs_report *report);

json_t *cgs_json_profile(const struct cgs_report *report);

extern const char *const cgs_rank_part_names[CGS_RANK_PARTS];

json_t *cgs_json_rank_devices(const struct cgs_report *report);
json_t *cgs_json_gpu_parts(const struct cgs_report *report);
json_t *cgs_json_rank_seconds(const struct cgs_report *report);
json_t *cgs_json_rank_steps(const struct cgs_report *report);
json_t *cgs_json_scaling(const struct cgs_report *report);

/* Returns the materials of the run; NULL: none, or their cells are not known yet. */
const struct cgs_materials *cgs_report_materials(const struct cgs_report *report);
json_t *cgs_json_materials(const struct cgs_report *report);
json_t *cgs_json_columns(const struct cgs_report *report);

/* x, y, z. */
json_t *cgs_json_point(const double point[3]);

json_t *cgs_json_probes(const struct cgs_report *report);
json_t *cgs_json_line(const struct cgs_report *report);

json_t *cgs_json_pictures(const struct cgs_report *report);
