/* cgsolve compare A.json B.json: what changed between two reports; with --plot: a figure of two or
 * more reports of the laboratory. */
#pragma once

#include <stdio.h>

#include "lab/command_line/call.h"

/* call->words are the files: two, or more with --plot, which then makes a figure only. That they
 * differ is no failure. CGS_FILE: one of them cannot be read, is no JSON (line and column), or no
 * report of cgsolve. CGS_USAGE: they are reports of different commands, or of one that has nothing
 * to compare. */
enum cgs_status cgs_compare(struct cgs_context *context, const struct cgs_call *call);
