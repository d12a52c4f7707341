/* The doctor on this build and its parts. */
#pragma once

#include "src/doctor/finding.h"

void cgs_examine_build(struct cgs_examination *e);
void cgs_examine_parts(struct cgs_examination *e);
