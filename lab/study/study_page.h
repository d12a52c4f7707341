/* The page of a study for a browser. */
#pragma once

#include "lab/study/study.h"

/* Writes report.html into the folder of --report, which is there: it holds the figures and needs
 * nothing beside it. */
enum cgs_status cgs_study_page(struct cgs_study *study);
