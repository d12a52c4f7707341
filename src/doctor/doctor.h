/* `cgsolve doctor`: what this machine offers, what is wrong with it, what that costs, and the one
 * command that mends it. */
#pragma once

#include <stdio.h>

#include "lab/command_line/call.h"

/* Writes the page to call->text, and the findings as JSON where --json asks for them (with
 * --json=- the JSON alone). It is a report: problems of the machine are in it, and the status is
 * CGS_OK whatever it found. CGS_FILE: the JSON could not be written. */
enum cgs_status cgs_doctor(struct cgs_context *context, const struct cgs_call *call);
