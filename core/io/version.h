/* The program's version, and how it was built. */
#pragma once

#include <stdio.h>

enum { CGS_SCHEMA = 1 }; /* of the JSON report; raised when a key changes its meaning */

const char *cgs_version(void);
const char *cgs_commit(void); /* "unknown" where it was built outside a repository */
const char *cgs_commit_date(void); /* "2026-11-22"; "" likewise */
const char *cgs_compiler(void);
const char *cgs_flags(void);
const char *cgs_cuda(void);          /* version of the toolkit; NULL: built without CUDA */
const char *cgs_architectures(void); /* "sm_80 sm_90 compute_90"; NULL likewise */
const char *cgs_cuda_why(void);      /* what configure said against CUDA; NULL: built with it */
const char *cgs_librsb_version(void); /* whose kernel this build has; NULL: left out */
const char *cgs_seccomp_version(void); /* whose headers this was built with; NULL: left out */
const char *cgs_mpi_version(void);    /* of the standard that ranks use; NULL: left out */
const char *cgs_check_version(void); /* of the tests' library; NULL: not found by configure */

/* Several lines, for --version. */
void cgs_print_version(FILE *file);
/* An entry for BibTeX, for --cite; CITATION.cff has the same for other programs. */
void cgs_print_citation(FILE *file);
