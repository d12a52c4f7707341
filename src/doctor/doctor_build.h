/* The doctor on this build and its parts. */
#ifndef CGS_SRC_DOCTOR_DOCTOR_BUILD_H
#define CGS_SRC_DOCTOR_DOCTOR_BUILD_H

#include "src/doctor/finding.h"

void cgs_examine_build(struct cgs_examination *e);
void cgs_examine_parts(struct cgs_examination *e);

#endif
