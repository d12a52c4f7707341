/* The study's page for people. */
#ifndef CGS_LAB_STUDY_STUDY_TEXT_H
#define CGS_LAB_STUDY_STUDY_TEXT_H

#include "lab/study/study.h"

void cgs_study_text(const struct cgs_page *page, const struct cgs_study *study);

#endif
