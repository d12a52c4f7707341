/* The study's page for people. */
#pragma once

#include "lab/study/study.h"

void cgs_study_text(const struct cgs_page *page, const struct cgs_study *study);
