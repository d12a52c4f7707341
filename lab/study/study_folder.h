/* The folder of a study. */
#ifndef CGS_LAB_STUDY_STUDY_FOLDER_H
#define CGS_LAB_STUDY_STUDY_FOLDER_H

#include "lab/study/study.h"

/* Removes a temporary folder, and one that was made for nothing; also after a failure. */
void cgs_study_close(struct cgs_study *study);

#endif
