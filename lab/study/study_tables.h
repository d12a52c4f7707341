/* Tables of a study for LaTeX. */
#ifndef CGS_LAB_STUDY_STUDY_TABLES_H
#define CGS_LAB_STUDY_STUDY_TABLES_H

#include "lab/study/study_curves.h"

/* Writes DIR/tables.tex. `curves`: merged. */
enum cgs_status cgs_study_tables(struct cgs_study *study, const struct cgs_curves *curves);

#endif
