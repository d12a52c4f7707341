/* The doctor on OpenMP. */
#ifndef CGS_SRC_DOCTOR_DOCTOR_OPENMP_H
#define CGS_SRC_DOCTOR_DOCTOR_OPENMP_H

#include "src/doctor/finding.h"

void cgs_examine_openmp(struct cgs_examination *e); /* starts the threads */

#endif
