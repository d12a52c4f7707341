/* JSON and CSV of a study. */
#ifndef CGS_LAB_STUDY_STUDY_JSON_H
#define CGS_LAB_STUDY_STUDY_JSON_H

#include "lab/study/study.h"

enum cgs_status cgs_study_json(struct cgs_study *study, FILE *file);
void cgs_study_csv(FILE *file, const struct cgs_study *study);

#endif
