/* Pages of submissions. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Makes the folder of --pages; writes a submission's page, the table of all. Nothing where they
 * are not wanted. */
enum cgs_status cgs_grade_pages(const struct cgs_grade *grade);
enum cgs_status cgs_grade_page(const struct cgs_grade *grade,
                               const struct cgs_submission *submission);
enum cgs_status cgs_grade_index(const struct cgs_grade *grade);
