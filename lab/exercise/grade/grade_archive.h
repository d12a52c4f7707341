/* Submissions in an archive. */
#ifndef CGS_LAB_EXERCISE_GRADE_GRADE_ARCHIVE_H
#define CGS_LAB_EXERCISE_GRADE_GRADE_ARCHIVE_H

#include "lab/exercise/grade/grade.h"

/* Unpacks an archive of submissions into a folder, which is grade->folder from then on; a folder
 * stays as it is. CGS_FILE: it is no archive, or damaged. */
enum cgs_status cgs_grade_unpack(struct cgs_grade *grade);

#endif
