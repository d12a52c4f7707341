/* The figures of a study: which there are, what they show, what they say (study_drawings.def). */
#pragma once

#include "lab/study/study_curves.h"

enum cgs_drawing {
#define CGS_DRAWING(id, file, kind, fact, title, label) CGS_DRAWING_##id,
#include "lab/study/study_drawings.def"
#undef CGS_DRAWING
    CGS_DRAWINGS
};

enum cgs_drawing_kind {
    CGS_DRAWN_ERROR,
    CGS_DRAWN_RATE,
    CGS_DRAWN_ATTAINED,
    CGS_DRAWN_TIME,
    CGS_DRAWN_COUNT,
    CGS_DRAWN_REACHED,
    CGS_DRAWN_SCALED
};

struct cgs_drawing_row {
    const char *file; /* its name in the folder, without ending */
    enum cgs_drawing_kind kind;
    enum cgs_fact fact;
    const char *title, *label;
};
extern const struct cgs_drawing_row cgs_drawings[CGS_DRAWINGS];

/* Returns true if some point has the fact. */
bool cgs_study_has(const struct cgs_study *study, enum cgs_fact fact);

/* Returns true if the points have what the figure shows. False: `why` says what is missing. */
bool cgs_drawing_wanted(const struct cgs_study *study, const struct cgs_curves *curves,
                        enum cgs_drawing drawing, char *why, size_t size);

/* Writes the caption: what the figure shows and how it is defined, in a few sentences. */
void cgs_drawing_caption(const struct cgs_study *study, const struct cgs_curves *curves,
                         enum cgs_drawing drawing, char *text, size_t size);
