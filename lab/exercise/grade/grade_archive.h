/* Submissions in an archive. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Unpacks an archive of submissions into a folder, which is grade->folder from then on; a folder
 * stays as it is. CGS_FILE: it is no archive, or damaged. */
enum cgs_status cgs_grade_unpack(struct cgs_grade *grade);
