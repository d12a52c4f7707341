/* Kinds of faults: the code that a verdict's reason gets for programs, and a hint for each kind. */
#ifndef CGS_LAB_EXERCISE_MISTAKES_H
#define CGS_LAB_EXERCISE_MISTAKES_H

#include "lab/exercise/exercise.h"

struct cgs_mistake {
    const char *code; /* "race"; "" for a right answer with all points */
    const char *hint; /* a sentence; "": none */
};

/* Returns the kind of fault that the verdict's reason tells of. exercise: NULL where it is not
 * known. */
struct cgs_mistake cgs_mistake_of(const struct cgs_verdict *verdict,
                                  const struct cgs_exercise *exercise);

#endif
