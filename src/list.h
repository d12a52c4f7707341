/* The command `list`: what this build has, and what it lacks and why. */
#pragma once

#include "lab/command_line/call.h"

/* Lists what call->words name, all there is where they name nothing.
 * CGS_USAGE: a word that is none of them, with the nearest spelling. */
enum cgs_status cgs_list(struct cgs_context *context, const struct cgs_call *call);
