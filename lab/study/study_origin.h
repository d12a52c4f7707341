/* Days, program and machines of a study's reports. */
#pragma once

#include "lab/study/study.h"

/* Returns true if any point has left a report. */
bool cgs_study_reported(const struct cgs_study *study);
/* A text of the reports ("cgsolve.commit"), each value of it once; `otherwise` (NULL: nothing)
 * where none has it. */
void cgs_study_told(const struct cgs_study *study, const char *path, const char *otherwise,
                    char *text, size_t size);
/* "2026-11-22", "2026-11-20 to 2026-11-22": when the points ran; without reports the study's
 * day. */
void cgs_study_days(const struct cgs_study *study, char *text, size_t size);

/* "NVIDIA H200 and AMD EPYC, 2 threads": of the points that ran. */
void cgs_study_machines(const struct cgs_study *study, char *text, size_t size);
/* Returns true if that is more than one machine, as after --resume elsewhere: then `text` says
 * so. */
bool cgs_study_mixed(const struct cgs_study *study, char *text, size_t size);

/* Returns true if others had the processors during the point's run, so that its times mean
 * little. */
bool cgs_point_disturbed(const struct cgs_point *point);
/* Returns true if there are such points: then `text` says so. */
bool cgs_study_disturbed(const struct cgs_study *study, char *text, size_t size);
