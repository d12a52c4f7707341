/* Answers of the exercise transfer: by what they are judged, so that tests can do without a GPU. */
#ifndef CGS_LAB_EXERCISE_ANSWERS_H
#define CGS_LAB_EXERCISE_ANSWERS_H

#include "base/context.h"

struct cgs_verdict;

/* The judge's measurement, in seconds. */
struct cgs_transfer_measured {
    double cpu, gpu;   /* of one product */
    double cost;       /* conversion and transfer */
    double iterations; /* of CG */
};

/* Judges a file of answers. Statuses as of cgs_exercise_judge. */
enum cgs_status cgs_transfer_judge(struct cgs_context *context, const char *file,
                                   const struct cgs_transfer_measured *measured,
                                   struct cgs_verdict *verdict);

#endif
