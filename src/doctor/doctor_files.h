/* The doctor on folders. */
#ifndef CGS_SRC_DOCTOR_DOCTOR_FILES_H
#define CGS_SRC_DOCTOR_DOCTOR_FILES_H

#include "src/doctor/finding.h"

void cgs_examine_files(struct cgs_examination *e);

#endif
