/* What a reader of the figures should know, in sentences: the report's notes. */
#ifndef CGS_SRC_NOTES_H
#define CGS_SRC_NOTES_H

#include "src/report.h"

enum { CGS_NOTES_MOST = 8 };

/* Fills in those that apply to this run; returns how many. The texts are constants. */
int cgs_report_notes(const struct cgs_report *report, const char *notes[CGS_NOTES_MOST]);

#endif
