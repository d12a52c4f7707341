/* The choice of --kernel=auto and its reason. */
#pragma once

#include "core/autotune/choose.h"
#include "core/io/json.h"

enum { CGS_CHOICE_LINES = 3, CGS_CHOICE_WIDTH = 2048 };

/* Writes up to three lines: row lengths and padding; candidates; measured times. */
void cgs_choice_explain(const struct cgs_selection *choice,
                        char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH]);

/* Returns the object of a report; owned by the caller, NULL without memory. */
json_t *cgs_json_choice(const struct cgs_selection *choice);
