/* A run of the laboratory as its steps see it: private to lab_run.c and lab_heats.c. */
#ifndef CGS_SRC_SPMV_LAB_SESSION_H
#define CGS_SRC_SPMV_LAB_SESSION_H

#include "src/spmv/lab.h"

struct cgs_session {
    struct cgs_context *context;
    struct cgs_options *options;
    FILE *verbose;
    struct cgs_machine *machine;
    struct cgs_input *input;
    struct cgs_lab *lab;
    struct cgs_crs drawn; /* of a box; owned */
    const struct cgs_crs *crs;
    struct cgs_row_source source;
    struct cgs_truths truths;
    struct cgs_stand stands[CGS_DEVICES];
    struct cgs_plan plan; /* without the kernels */
    struct cgs_room room; /* left for them */
    struct cgs_candidates candidates;
    struct cgs_trial *trials; /* of the candidates, in their order */
};

/* A line for --verbose: what, and which kernel. */
void cgs_session_say(const struct cgs_session *s, const char *what, const char *name);

/* Prepares, verifies and times all candidates, and fills the rows of the table. */
enum cgs_status cgs_session_run_heats(struct cgs_session *s);

#endif
