/* The page of a study for a browser. */
#ifndef CGS_LAB_STUDY_STUDY_PAGE_H
#define CGS_LAB_STUDY_STUDY_PAGE_H

#include "lab/study/study.h"

/* Writes report.html into the folder of --report, which is there: it holds the figures and needs
 * nothing beside it. */
enum cgs_status cgs_study_page(struct cgs_study *study);

#endif
