/* The doctor on folders. */
#pragma once

#include "src/doctor/finding.h"

void cgs_examine_files(struct cgs_examination *e);
