/* The report's notes: sentences that a reader of the figures should know. */
#pragma once

#include "core/report/report.h"

enum { CGS_NOTES_MOST = 8 };

typedef char cgs_note[352];

/* Fills in those that apply to this run; returns how many. */
int cgs_report_notes(const struct cgs_report *report, cgs_note notes[CGS_NOTES_MOST]);
