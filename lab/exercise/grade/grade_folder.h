/* Submissions in a folder. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Reads --roster, before cgs_grade_find. CGS_FILE: it can't be read, or has a name twice. */
enum cgs_status cgs_grade_roster(struct cgs_grade *grade);

/* Reads what exercises begin with and their models, to know copies of them; fills
 * grade->submissions. CGS_FILE: there is none. */
enum cgs_status cgs_grade_find(struct cgs_grade *grade);

/* Largest submission, in bytes. */
enum { CGS_GRADE_LARGEST = 1 << 20 };

/* Reads a submission; *text, owned by the caller, ends with a zero. Returns 0 or an errno;
 * EFBIG: it is too large for one. */
int cgs_grade_read(const char *path, char **text, size_t *size);
