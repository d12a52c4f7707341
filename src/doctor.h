/* `cgsolve doctor`: what this machine offers, what is wrong with it, and what mends it. */
#ifndef CGS_SRC_DOCTOR_H
#define CGS_SRC_DOCTOR_H

#include <stdio.h>

#include "base/context.h"

/* Writes the findings to `file`. */
enum cgs_status cgs_doctor(struct cgs_context *context, FILE *file);

#endif
