/* The doctor on GPUs. */
#pragma once

#include "src/doctor/finding.h"

void cgs_examine_gpu(struct cgs_examination *e);

/* This build's code that runs on a device of `architecture` ("sm_86"): machine code serves its own
 * major version from its own minor one on ("sm_80"; "sm_90a" serves itself alone), PTX
 * ("compute_80") everything from there on, once the driver has compiled it (CUDA C++ Programming
 * Guide, "Application Compatibility"). */
enum cgs_code { CGS_CODE_NONE, CGS_CODE_PTX, CGS_CODE_NATIVE };
enum cgs_code cgs_code_for(const char *architectures, const char *architecture);
