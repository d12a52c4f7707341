/* A point of a study: its options, and what its report says. */
#ifndef CGS_LAB_STUDY_STUDY_POINT_H
#define CGS_LAB_STUDY_STUDY_POINT_H

#include "lab/study/study.h"

const char *cgs_point_value(const struct cgs_study *study, const struct cgs_point *point,
                            enum cgs_option_id id);

/* Returns true if the points differ in no swept option but this one. */
bool cgs_points_alike(const struct cgs_study *study, const struct cgs_point *a,
                      const struct cgs_point *b, enum cgs_option_id but);

/* "error.l2" of a report; NULL: it has none. Borrowed. */
const json_t *cgs_report_find(const json_t *root, const char *path);

/* A text of the point's report ("problem.name"); "" where it has none. */
const char *cgs_point_text(const struct cgs_point *point, const char *path);

/* A number; NaN where it has none. */
double cgs_point_number(const struct cgs_point *point, const char *path);

/* A fact; NaN where it is not in the report, or says nothing: the seconds of transfers of a point
 * that transferred nothing. */
double cgs_point_fact(const struct cgs_point *point, enum cgs_fact fact);

#endif
